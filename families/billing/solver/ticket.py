"""What a ticket names: records of the tables, new names, days, months, amounts, percentages.

A colleague's ticket may name more than it is about. What decides stands together with
other facts; a name in a remark of its own, or in one that says to leave it alone, does not.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from families.billing.solver import values
from families.billing.solver.books import Books, Unclear

REMARK = re.compile(
    r"\bmix\w*\b.*\bup\b|\bconfus|\bnothing to do with\b|\bnot (?:a )?part of\b|\bsomething else\b"
    r"|\bsomeone else\b|\bby the way\b|\bunrelated\b|\bdo not touch\b"
    r"|\b(?:stays?|leave\b.*) as (?:it is|they are)\b",
    re.IGNORECASE,
)
PARAGRAPH = re.compile(r"\S(?:.|\n(?!\s*\n))*")
SENTENCE = re.compile(r"[^\s].*?(?:[.!?](?=[\s)]|$)|$)", re.DOTALL)
PROPER = re.compile(r"[A-Z]\w+(?:['&-]\w+)*(?: [A-Z]\w*(?:['&-]\w+)*)*")
NEW = "new name"


class Mention(NamedTuple):
    start: int
    end: int
    kind: str
    value: str


@dataclass(frozen=True, slots=True)
class Ticket:
    """The values that a ticket names, by kind, the most telling first.

    Kinds are customer, plan, addon, code, region (values are their keys), date, month,
    amount (dollars), share (percent) and new name. together: kinds that stand with another fact.
    """

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

    def since(self) -> str:
        """The day, or else the month, from which on the ticket counts."""
        return self.one("date") if self.all("date") else self.one("month")

    def month(self) -> str:
        """The month that the ticket is about."""
        return self.one("month") if self.all("month") else self.one("date")[:7]


def read_ticket(text: str, books: Books) -> Ticket:
    """What the ticket's text names."""
    mentions, rest = _known(text, books)
    for kind, find in (
        ("date", values.find_dates),
        ("month", values.find_months),
        ("amount", values.find_amounts),
        ("share", values.find_shares),
    ):
        found = [Mention(start, end, kind, value) for start, end, value in find(rest)]
        rest = _without(rest, found)
        mentions += found
    sentences = _sentences(text)
    weights = _weights(text, mentions, sentences)
    named = {kind: tuple(_ranked(kind, weights)) for kind in {mention.kind for mention in mentions}}
    named[NEW] = tuple(_new_names(rest, [start for start, _, _ in sentences]))
    return Ticket(named, frozenset(mention.kind for mention, weight in weights if weight > 0))


def _known(text: str, books: Books) -> tuple[list[Mention], str]:
    """Mentions of names in the tables, longer names first, and the text without them."""
    names = [
        (row[column], kind, key)
        for kind, table, column in (
            ("customer", books.customers, "customer_name"),
            ("plan", books.plans, "plan_name"),
            ("addon", books.addons, "addon_name"),
            ("code", books.codes, "code"),
            ("region", books.regions, "region_name"),
        )
        for key, row in table.items()
        if row[column] and row[column] in text
    ]
    mentions: list[Mention] = []
    rest = text
    for name in sorted({name for name, _, _ in names}, key=len, reverse=True):
        spans = [match.span() for match in re.finditer(rf"(?<!\w){re.escape(name)}(?!\w)", rest)]
        found = [Mention(*span, kind, key) for span in spans for of, kind, key in names if of == name]
        rest = _without(rest, found)
        mentions += found
    return mentions, rest


def _without(text: str, mentions: Iterable[Mention]) -> str:
    """The text with what was found blotted out; places stay what they were."""
    for start, end, _, _ in mentions:
        text = f"{text[:start]}{chr(0) * (end - start)}{text[end:]}"
    return text


def _sentences(text: str) -> list[tuple[int, int, int]]:
    """Start, end and number of the paragraph of each sentence."""
    return [
        (paragraph.start() + sentence.start(), paragraph.start() + sentence.end(), number)
        for number, paragraph in enumerate(PARAGRAPH.finditer(text))
        for sentence in SENTENCE.finditer(paragraph[0])
    ]


def _weights(
    text: str, mentions: Iterable[Mention], sentences: Iterable[tuple[int, int, int]]
) -> list[tuple[Mention, int]]:
    """Each mention with how many kinds of facts stand beside it: in its sentence (twice) and paragraph."""
    near: dict[int, set[str]] = {}
    placed = []
    for start, end, paragraph in sentences:
        inside = [mention for mention in mentions if start <= mention.start < end]
        near.setdefault(paragraph, set()).update(mention.kind for mention in inside)
        placed.append((inside, paragraph, REMARK.search(text, start, end) is not None))
    return [
        (mention, -1 if remark else 2 * len({m.kind for m in inside}) + len(near[paragraph]) - 3)
        for inside, paragraph, remark in placed
        for mention in inside
    ]


def _ranked(kind: str, weights: Iterable[tuple[Mention, int]]) -> list[str]:
    """Values of the kind: by their best weight, then how often they are named, then which comes first."""
    places: dict[str, list[tuple[int, int]]] = {}
    for mention, weight in weights:
        if mention.kind == kind:
            places.setdefault(mention.value, []).append((weight, mention.start))
    return sorted(places, key=lambda v: (-max(places[v])[0], -len(places[v]), min(at for _, at in places[v])))


def _new_names(rest: str, starts: Iterable[int]) -> list[str]:
    """Capitalised words that no table has and that stand within a sentence too; most frequent first."""
    begins = set(starts)
    runs = [(match.start(), match[0]) for match in PROPER.finditer(rest)]
    names = {run.removesuffix("'s") for start, run in runs if not _begins(rest, start, begins)}
    counts = {name: rest.count(name) for name in names}
    return sorted(counts, key=lambda name: (-counts[name], -len(name), name))


def _begins(text: str, start: int, begins: set[int]) -> bool:
    """Whether nothing but signs stands between this place and the start of its sentence."""
    while start not in begins and start > 0 and text[start - 1] in "# (\"'":
        start -= 1
    return start in begins
