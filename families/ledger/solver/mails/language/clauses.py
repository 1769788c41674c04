"""Clauses that say what is ordered: which order it is, and from when until when."""

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from families.ledger.solver.mails.language.phrases import Phrase, matches, phrases, source_of
from families.ledger.solver.mails.language.terms import day_in

ORDERS = (
    "sequence", "practice", "branch", "no branch", "large", "dispute", "release",
    "named", "part", "group", "halves", "all but", "ordered",
)  # fmt: skip
ABOUT_RECEIPTS = ORDERS[7:]
STANDING = ORDERS[:5]  # what is spoken of without being ordered is one of these, or a release
SEQUENCES = ("oldest", "newest", "largest", "smallest")
ANY_TAIL = "(?P<tail_1>(?:[ ,;].*)?)"


class Clause(NamedTuple):
    """What is ordered.

    order: one of ORDERS.
    slots: slot -> the text in it.
    first, last: the days named for it, 0 for none.
    rest: of a one-off the sequence of what it leaves, or "".
    """

    order: str
    slots: tuple[tuple[str, str], ...]
    first: int = 0
    last: int = 0
    rest: str = ""

    def get(self, slot: str) -> str:
        """Return the text in a slot."""
        return dict(self.slots)[slot]

    @property
    def sequence(self) -> str:
        """The sequence that it names, as one of SEQUENCES."""
        return sequence_in(self.get("adj"))


def sequence_in(text: str) -> str:
    """Return the sequence that an adjective, like "biggest", stands for."""
    for sequence in SEQUENCES:
        if re.fullmatch(source_of((f"adjective {sequence}",)), text, re.IGNORECASE):
            return sequence
    raise ValueError(f"{text!r} names no sequence")


def clauses(text: str, form: str, written: int) -> Iterator[Clause]:
    """Yield a text as each pattern of a clause has it, with its days, a reason, and what is left over.

    form: "do" or "that".
    written: the day of the mail.
    """
    for begins, body in starts(text, written):
        for words in matches(_table(form), body):
            slots = dict(words.slots)
            after = _read_tail(slots.pop("tail"), words.section in _receipts(form), written)
            if after is None or (begins and after[0]):
                continue
            first, last, rest = after
            order = words.section.removesuffix(f" {form}")
            yield Clause(order, tuple(slots.items()), begins or first, last, rest)


def bare(text: str, form: str) -> Iterator[Clause]:
    """Yield a text as each pattern of a clause has it to which nothing is added."""
    for words in matches(_table(form), text):
        slots = dict(words.slots)
        if not slots.pop("tail"):
            yield Clause(words.section.removesuffix(f" {form}"), tuple(slots.items()))


def starts(text: str, written: int) -> Iterator[tuple[int, str]]:
    """Yield (0, text), and (first day, what follows) if the text begins with a first day."""
    yield 0, text
    found = _start().match(text)
    if found:
        yield first_day(found[1], written), text[found.end() :]


def first_day(text: str, written: int) -> int:
    """Return the first day that is named by "from today", "from 3 March", "after 2 March" and the like."""
    if re.fullmatch(source_of(("from today",)), text, re.IGNORECASE):
        return written
    after = re.fullmatch(source_of(("from after",)), text, re.IGNORECASE)
    return day_in(text, written) + bool(after)


@cache
def _table(form: str) -> tuple[Phrase, ...]:
    return phrases(tuple(f"{order} {form}" for order in ORDERS), ANY_TAIL)


@cache
def _receipts(form: str) -> tuple[str, ...]:
    return tuple(f"{order} {form}" for order in ABOUT_RECEIPTS)


@cache
def _start() -> re.Pattern[str]:
    return re.compile(f"({source_of(('from today', 'from day', 'from after'))}),? ", re.IGNORECASE)


@cache
def _tail(about_receipt: bool) -> re.Pattern[str]:
    why = f"(?:{source_of(('why clause',))})?"
    if about_receipt:
        rest = phrases(("rest usual", "rest ordered"))
        left = "|".join(one.shape.source for one in rest).replace("?P<adj_1>", "")
        return re.compile(f"(?:(?:; |, and )(?P<rest>{left}))?{why}", re.IGNORECASE)
    days = (
        f"(?: (?P<span>{source_of(('from until',))})|(?: (?P<first>{source_of(('from today', 'from day'))}))?"
        f"(?: (?P<last>{source_of(('until day',))}))?)(?: {source_of(('open end', 'dispute end'))})?"
    )
    return re.compile(days + why, re.IGNORECASE)


def _read_tail(tail: str, about_receipt: bool, written: int) -> tuple[int, int, str] | None:
    """Return the first day, the last day and the sequence of the rest that follow a clause, or None."""
    if not tail:
        return 0, 0, ""
    found = _tail(about_receipt).fullmatch(tail)
    if not found:
        return None
    if about_receipt:
        return 0, 0, rest_in(found["rest"] or "")
    if found["span"]:
        first, last = _two_days(found["span"], written)
        return first, last, ""
    first = first_day(found["first"], written) if found["first"] else 0
    return first, day_in(found["last"], written, written) if found["last"] else 0, ""


@cache
def _rest() -> tuple[Phrase, ...]:
    return phrases(("rest ordered",))


def rest_in(text: str) -> str:
    """Return the sequence that a text has for what a one-off leaves, or ""."""
    for words in matches(_rest(), text):
        return sequence_in(words.slots["adj"])
    return ""


def _two_days(text: str, written: int) -> tuple[int, int]:
    """Return the two days of a span like "from 3 March to 5 April, both days included"."""
    for words in matches(phrases(("from until",)), text):
        return day_in(words.slots["day"], written), day_in(words.slots["last"], written, written)
    raise ValueError(f"{text!r} is no span of days")
