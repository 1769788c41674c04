"""What a ticket names: records of the tables, days, months, amounts, percentages.

A ticket may name more than it is about. A name that matters occurs together with other facts; a name
in a remark of its own, or in one that says to leave it alone, does not matter.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

from trapcli.answers.edits.solving.tables import Unclear
from trapcli.answers.edits.solving.values import Find

T = TypeVar("T")
REMARK = re.compile(
    r"\bmix\w*\b.*\bup\b|\bconfus|\bnothing to do with\b|\bnot (?:a )?part of\b|\bsomething else\b"
    r"|\bsomeone else\b|\bby the way\b|\bunrelated\b|\bdo not touch\b|\bsounds? alike\b"
    r"|\b(?:stays?|leave\b.*) as (?:it is|they are)\b",
    re.IGNORECASE,
)
PARAGRAPH = re.compile(r"\S(?:.|\n(?!\s*\n))*")
SENTENCE = re.compile(r"[^\s].*?(?:[.!?](?=[\s)]|$)|$)", re.DOTALL)


class Name(NamedTuple):
    """A name that a ticket may use.

    type: the type of record, such as "customer".
    value: what the name refers to, such as the key of a record.
    """

    text: str
    type: str
    value: str


class Mention(NamedTuple):
    """A place in the text that names a value of a type."""

    start: int
    end: int
    type: str
    value: str


class Sentence(NamedTuple):
    """A sentence of a ticket.

    paragraph: the number of its paragraph, from 0.
    mentions: what it names.
    remark: whether it says that these do not matter.
    """

    start: int
    end: int
    paragraph: int
    mentions: tuple[Mention, ...]
    remark: bool


@dataclass(frozen=True, slots=True)
class Ticket:
    """What a ticket says.

    rest: the text in which every mention is replaced by null characters.
    named: type -> values, the most relevant first.
    together: the types that are named close to another fact.
    """

    text: str
    rest: str
    sentences: tuple[Sentence, ...]
    named: Mapping[str, tuple[str, ...]]
    together: frozenset[str]

    def all(self, type: str) -> tuple[str, ...]:
        """Return the values of a type, the most relevant first."""
        return self.named.get(type, ())

    def one(self, type: str) -> str:
        """Return the most relevant value of a type; Unclear if the ticket names none."""
        if not self.all(type):
            raise Unclear(f"the ticket names no {type}")
        return self.all(type)[0]

    def has(self, *types: str) -> bool:
        """Whether values of all these types are named close to other facts."""
        return self.together.issuperset(types)


def task_of(ticket: Ticket, tasks: Mapping[tuple[str, ...], T]) -> T:
    """Return the first task that the ticket has all facts for; Unclear if there is none.

    tasks: types of facts -> task.
    """
    for types, task in tasks.items():
        if ticket.has(*types):
            return task
    raise Unclear("the ticket does not ask for a known change")


def read_ticket(text: str, names: Iterable[Name], finders: Iterable[tuple[str, Find]]) -> Ticket:
    """Return what a ticket names: longer names first, then what the finders find, in order.

    names: the names of records.
    finders: (type, function that finds the values of this type in a text).
    """
    mentions, rest = _find_names(text, names)
    for type_, find in finders:
        found = [Mention(start, end, type_, value) for start, end, value in find(rest)]
        rest = _blank_out(rest, found)
        mentions += found
    sentences = tuple(_sentences(text, mentions))
    weights = _weights(sentences)
    named = {type_: tuple(_rank(type_, weights)) for type_ in {mention.type for mention in mentions}}
    together = frozenset(mention.type for mention, weight in weights if weight > 0)
    return Ticket(text, rest, sentences, named, together)


def _find_names(text: str, names: Iterable[Name]) -> tuple[list[Mention], str]:
    """Return the mentions of names, and the text without them."""
    present: dict[str, list[tuple[str, str]]] = {}
    for name, type_, value in names:
        if name and name in text:
            present.setdefault(name, []).append((type_, value))
    mentions: list[Mention] = []
    rest = text
    for name in sorted(present, key=len, reverse=True):
        spans = [match.span() for match in re.finditer(rf"(?<!\w){re.escape(name)}(?!\w)", rest)]
        found = [Mention(*span, *referent) for span in spans for referent in present[name]]
        rest = _blank_out(rest, found)
        mentions += found
    return mentions, rest


def _blank_out(text: str, mentions: Iterable[Mention]) -> str:
    """Return the text with null characters in place of the mentions; other positions do not change."""
    for start, end, _, _ in mentions:
        text = f"{text[:start]}{chr(0) * (end - start)}{text[end:]}"
    return text


def _sentences(text: str, mentions: Sequence[Mention]) -> Iterator[Sentence]:
    for number, paragraph in enumerate(PARAGRAPH.finditer(text)):
        for sentence in SENTENCE.finditer(paragraph[0]):
            start, end = (paragraph.start() + place for place in sentence.span())
            inside = tuple(mention for mention in mentions if start <= mention.start < end)
            yield Sentence(start, end, number, inside, REMARK.search(text, start, end) is not None)


def _weights(sentences: Sequence[Sentence]) -> list[tuple[Mention, int]]:
    """Return each mention with its weight: how many types of facts are near it.

    Those in its sentence count twice, those in its paragraph once; a mention on its own has weight 0,
    one in a remark -1.
    """
    near: dict[int, set[str]] = {}
    for sentence in sentences:
        near.setdefault(sentence.paragraph, set()).update(mention.type for mention in sentence.mentions)
    return [
        (mention, -1 if remark else 2 * len({m.type for m in inside}) + len(near[paragraph]) - 3)
        for _, _, paragraph, inside, remark in sentences
        for mention in inside
    ]


def _rank(type: str, weights: Iterable[tuple[Mention, int]]) -> list[str]:
    """Return the values of a type by best weight, then by number of mentions, then by first mention."""
    places: dict[str, list[tuple[int, int]]] = {}
    for mention, weight in weights:
        if mention.type == type:
            places.setdefault(mention.value, []).append((weight, mention.start))
    return sorted(places, key=lambda v: (-max(places[v])[0], -len(places[v]), min(at for _, at in places[v])))
