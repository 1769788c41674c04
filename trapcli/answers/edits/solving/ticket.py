"""What a ticket names: records of the tables, days, months, amounts, percentages.

A colleague's ticket may name more than it is about. What decides stands together with
other facts; a name in a remark of its own, or in one that says to leave it alone, does not.
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
    """A name that a ticket may use, of which kind, and what it stands for."""

    text: str
    kind: str
    value: str


class Mention(NamedTuple):
    """A place in the text where a value of a kind is named."""

    start: int
    end: int
    kind: str
    value: str


class Sentence(NamedTuple):
    """A sentence: its place, its paragraph, what it names, whether it says to leave that alone."""

    start: int
    end: int
    paragraph: int
    mentions: tuple[Mention, ...]
    remark: bool


@dataclass(frozen=True, slots=True)
class Ticket:
    """A ticket read.

    rest: the text with what was found blotted out. named: the values by kind, the most telling
    first. together: kinds that stand with another fact.
    """

    text: str
    rest: str
    sentences: tuple[Sentence, ...]
    named: Mapping[str, tuple[str, ...]]
    together: frozenset[str]

    def all(self, kind: str) -> tuple[str, ...]:
        return self.named.get(kind, ())

    def one(self, kind: str) -> str:
        """The most telling value of the kind; Unclear if the ticket has none."""
        if not self.all(kind):
            raise Unclear(f"the ticket names no {kind}")
        return self.all(kind)[0]

    def has(self, *kinds: str) -> bool:
        return self.together.issuperset(kinds)


def task_of(ticket: Ticket, tasks: Mapping[tuple[str, ...], T]) -> T:
    """The first of the tasks whose kinds of facts stand together in the ticket; Unclear if none is."""
    for kinds, task in tasks.items():
        if ticket.has(*kinds):
            return task
    raise Unclear("the ticket asks for nothing that is known here")


def read_ticket(text: str, names: Iterable[Name], finders: Iterable[tuple[str, Find]]) -> Ticket:
    """What the text names: longer names first, then what the finders of each kind find, in order."""
    mentions, rest = _known(text, names)
    for kind, find in finders:
        found = [Mention(start, end, kind, value) for start, end, value in find(rest)]
        rest = _without(rest, found)
        mentions += found
    sentences = tuple(_sentences(text, mentions))
    weights = _weights(sentences)
    named = {kind: tuple(_ranked(kind, weights)) for kind in {mention.kind for mention in mentions}}
    together = frozenset(mention.kind for mention, weight in weights if weight > 0)
    return Ticket(text, rest, sentences, named, together)


def _known(text: str, names: Iterable[Name]) -> tuple[list[Mention], str]:
    """Mentions of names, and the text without them."""
    standing: dict[str, list[tuple[str, str]]] = {}
    for name, kind, value in names:
        if name and name in text:
            standing.setdefault(name, []).append((kind, value))
    mentions: list[Mention] = []
    rest = text
    for name in sorted(standing, key=len, reverse=True):
        spans = [match.span() for match in re.finditer(rf"(?<!\w){re.escape(name)}(?!\w)", rest)]
        found = [Mention(*span, *meant) for span in spans for meant in standing[name]]
        rest = _without(rest, found)
        mentions += found
    return mentions, rest


def _without(text: str, mentions: Iterable[Mention]) -> str:
    """The text with what was found blotted out; places stay what they were."""
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
    """Each mention with how many kinds of facts stand beside it: in its sentence (twice) and paragraph."""
    near: dict[int, set[str]] = {}
    for sentence in sentences:
        near.setdefault(sentence.paragraph, set()).update(mention.kind for mention in sentence.mentions)
    return [
        (mention, -1 if remark else 2 * len({m.kind for m in inside}) + len(near[paragraph]) - 3)
        for _, _, paragraph, inside, remark in sentences
        for mention in inside
    ]


def _ranked(kind: str, weights: Iterable[tuple[Mention, int]]) -> list[str]:
    """Values of the kind: by their best weight, then how often they are named, then which comes first."""
    places: dict[str, list[tuple[int, int]]] = {}
    for mention, weight in weights:
        if mention.kind == kind:
            places.setdefault(mention.value, []).append((weight, mention.start))
    return sorted(places, key=lambda v: (-max(places[v])[0], -len(places[v]), min(at for _, at in places[v])))
