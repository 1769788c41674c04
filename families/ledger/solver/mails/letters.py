"""The mails of a case: who wrote them when and about which account, and what they say."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

from families.ledger.solver.mails.language.phrases import all_of, matches, plain
from families.ledger.solver.mails.language.sentences import readings
from families.ledger.solver.mails.language.statements import Ends, Order, Rest, Starts, Statement, Talk
from families.ledger.solver.mails.language.terms import UnclearMails, day_in

HEAD = re.compile(r"Date: (.+)\nFrom: (.+)\nTo: (.+)\nSubject: .*\n\n")
ADDRESS = re.compile(r"(.+?)(?:, (.+))? <[^<>]+>")
OURS = "Receivables"
SENTENCE_END = re.compile(r"(?<=[.?!]) ")
MOST_SENTENCES = 6  # of one statement


@dataclass(frozen=True, slots=True)
class Mail:
    """A mail of a customer, or to one.

    day: a proleptic ordinal.
    writer: the person at the customer's who wrote it, or to whom our clerk did.
    """

    path: str
    day: int
    writer: str
    customer: str
    ours: bool
    body: str

    def says(self) -> tuple[Statement, ...]:
        """Return what it says; UnclearMails if a sentence cannot be read."""
        try:
            return _says(self.body, self.day)
        except UnclearMails as error:
            raise UnclearMails(f"{self.path}: {error}") from None


def read_mails(files: Mapping[str, str]) -> list[Mail]:
    """Return the mails of these files (path -> text) by their days."""
    return sorted((_mail(path, text) for path, text in files.items()), key=lambda mail: (mail.day, mail.path))


def _mail(path: str, text: str) -> Mail:
    head = HEAD.match(text)
    sender, receiver = (ADDRESS.fullmatch(head[group]) for group in (2, 3)) if head else (None, None)
    if not head or not sender or not receiver:
        raise UnclearMails(f"{path} is no mail")
    ours = sender[1] == OURS
    writer, customer = receiver.groups() if ours else sender.groups()
    body = _body(path, text[head.end() :].strip())
    return Mail(path, day_in(head[1], 0), writer, customer, ours, body)


def _body(path: str, text: str) -> str:
    """Return what stands between the greeting and the farewell."""
    first, *others = text.split("\n\n")
    greeted = re.fullmatch(r"Dear [^.]+,", first) or _is(first, "greeting ")
    paragraphs = others if greeted else [first, *others]
    farewell, _, name = paragraphs.pop().rpartition("\n")
    if not re.fullmatch(r"\S+ \S+", name) or (farewell and not _is(farewell, "farewell ")):
        raise UnclearMails(f"{path} ends without a name")
    return "\n".join(paragraphs)


@lru_cache(maxsize=4096)
def _is(text: str, start: str) -> bool:
    return any(matches(all_of(start), text))


@lru_cache(maxsize=8192)
def _says(body: str, written: int) -> tuple[Statement, ...]:
    return tuple(one for paragraph in body.split("\n") for one in _joined(_sequence(paragraph, written)))


def _sequence(paragraph: str, written: int) -> tuple[Statement, ...]:
    """Return what the sentences of a paragraph say, in order."""
    sentences = SENTENCE_END.split(plain(paragraph))
    ways: list[set[tuple[Statement, ...]]] = [set() for _ in sentences]
    ways.append({()})
    for at in reversed(range(len(sentences))):
        for end in range(at + 1, min(at + MOST_SENTENCES, len(sentences)) + 1):
            if ways[end]:
                text = " ".join(sentences[at:end])
                for one in readings(text, end - at, written):
                    ways[at].update((one, *then) for then in ways[end])
    if not ways[0]:
        raise UnclearMails(f"cannot be read: {paragraph!r}")
    if len({tuple(one for one in way if not isinstance(one, Talk)) for way in ways[0]}) > 1:
        raise UnclearMails(f"can be read in several ways: {paragraph!r}")
    return min(ways[0], key=len)


def _joined(said: tuple[Statement, ...]) -> Iterator[Statement]:
    """Yield what instructs, each order with what the sentences after it say of it."""
    order: Order | None = None
    for one in said:
        if isinstance(one, (Starts, Ends, Rest)):
            if order is None:
                raise UnclearMails(f"{one} belongs to no order")
            order = _with(order, one)
        elif not (isinstance(one, Talk) and one.aside):
            if order:
                yield order
            order = one if isinstance(one, Order) else None
            if order is None and not isinstance(one, Talk):
                yield one
    if order:
        yield order


def _with(order: Order, more: Starts | Ends | Rest) -> Order:
    if isinstance(more, Starts):
        return Order(order.clause._replace(first=more.day))
    if isinstance(more, Ends):
        return Order(order.clause._replace(last=more.day))
    return replace(order, clause=order.clause._replace(rest=more.sequence))
