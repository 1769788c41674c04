"""The sentence patterns as regular expressions, and which of them a text matches."""

import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from families.ledger.solver.mails.language import terms
from families.ledger.solver.mails.language.books import named, sections
from families.ledger.solver.mails.language.notation import Shape, shape

ANYTHING = ".+?"
SLOTS = {
    "day": terms.DAY, "last": terms.DAY, "before": terms.DAY, "deadline": terms.DAY, "recday": terms.DAY,
    "d": terms.DAY, "p": terms.DAY, "month": terms.MONTH, "amt": terms.MONEY, "amount": terms.MONEY,
    "rec": terms.MONEY, "cents": terms.MONEY, "limit": terms.MONEY, "new": terms.MONEY,
    "old": f"(?:{terms.DAY}|{terms.MONEY})", "inv": terms.INVOICE, "invoice": terms.INVOICE,
    "invoices": terms.INVOICES, "receipt": terms.RECEIPT, "voucher": terms.VOUCHER, "branch": terms.BRANCH,
    "person": terms.PERSON, "lead": f"{terms.PERSON} of .+?", "house": ".+?", "mail": terms.MAIL,
    "n": r"\d+", "k": r"\d+", "number": r"\d+", "which": "(?:first|second)",
    "after": f"from {terms.DAY}(?: on)?",
    "wrong": f'(?:{terms.VOUCHER}|{terms.MONEY}|{terms.DAY}|"[a-z]+ first"|{terms.BRANCH})',
}  # fmt: skip
SLOTS["right"] = SLOTS["wrong"]
# Slots that are filled otherwise in some sections.
PECULIAR = {
    ("correct", "mail"): rf"{terms.MAIL} (?:on|about|concerning) .+?",
    ("halves do", "other"): terms.BRANCH, ("halves that", "other"): terms.BRANCH,
    ("chat", "other"): terms.PERSON, ("propose two", "other"): ANYTHING,
}  # fmt: skip
CLAUSES = ("do", "that", "do3", "that3", "what", "matter", "matters")  # slots for what is read by itself
MADE_OF = {
    "adj": ("adjective oldest", "adjective newest", "adjective largest", "adjective smallest"),
    "money": ("money",), "reason": ("reason", "dispute reason"), "paper": ("paper",), "firm": ("firm",),
    "asker": ("asker",), "shrug": ("shrug",), "elsewhere": ("elsewhere",), "apart": ("apart",),
    "from": ("from today", "from day"),
}  # fmt: skip
UNSAID = (
    "idle ", "other account", "chat", "opening ", "why ", "late remark", "decline", "greeting ", "farewell ",
)  # fmt: skip
ON_ANY_SIDE = ("money", "sequence ", "practice ", "branch ", "no branch ", "large ")


class Words(NamedTuple):
    """A text as a pattern of a section has it; slots: slot -> what stands in it."""

    section: str
    slots: dict[str, str]


class Phrase:
    """One pattern of a section, made an expression when it is first needed."""

    def __init__(self, section: str, pattern: str, tail: str = "") -> None:
        self.section = section
        self.tail = tail
        self.shape = _shape(section, pattern)
        self.expression: re.Pattern[str] | None = None

    def slots_of(self, text: str, lowered: str) -> dict[str, str] | None:
        """Return what fills the slots if all of the text matches, else None."""
        if self.shape.literal not in lowered:
            return None
        if self.expression is None:
            self.expression = re.compile(self.shape.source + self.tail, re.IGNORECASE)
        found = self.expression.fullmatch(text)
        return _agreeing(found.groupdict()) if found else None


def _agreeing(groups: dict[str, str | None]) -> dict[str, str] | None:
    """Return slot -> text of groups like day_1 and day_2; None if a slot has two different texts."""
    slots: dict[str, str] = {}
    for group, value in groups.items():
        if value is not None and slots.setdefault(group.rpartition("_")[0], value).lower() != value.lower():
            return None
    return slots


def phrases(names: tuple[str, ...], tail: str = "") -> tuple[Phrase, ...]:
    """Return the patterns of these sections."""
    return tuple(Phrase(name, pattern, tail) for name in names for pattern in sections()[name])


def matches(table: tuple[Phrase, ...], text: str) -> Iterator[Words]:
    """Yield a text as each pattern of a table has it that it matches."""
    lowered = text.lower()
    for phrase in table:
        slots = phrase.slots_of(text, lowered)
        if slots is not None:
            yield Words(phrase.section, slots)


@cache
def source_of(names: tuple[str, ...], any_side: bool = False) -> str:
    """Return an expression for whatever these sections say, without groups."""
    patterns = [pattern for name in names for pattern in sections()[name]]
    shapes = [shape(plain(pattern), lambda slot: _unnamed(slot, ""), any_side) for pattern in patterns]
    # So that "from today on" is tried before "from today".
    longest_first = sorted((one.source for one in shapes), key=len, reverse=True)
    return f"(?:{'|'.join(longest_first)})"


def plain(text: str) -> str:
    """Return a text in which no number of a paper looks like the end of a sentence."""
    return re.sub(r"\bno\. (?=[\d{])", "no ", text)


def _unnamed(slot: str, section: str) -> str:
    if (section, slot) in PECULIAR:
        return PECULIAR[section, slot]
    if slot in CLAUSES:
        return ANYTHING
    if slot in MADE_OF:
        return source_of(MADE_OF[slot], any_side=slot == "money")
    return SLOTS[slot]


def _shape(section: str, pattern: str) -> Shape:
    """Return the shape of a pattern; slots are groups of their own unless nothing is instructed by it."""
    seen: Counter[str] = Counter()
    silent = section.startswith(UNSAID)

    def slot(name: str) -> str:
        source = _unnamed(name, section)
        if silent and name not in CLAUSES:
            return source
        seen[name] += 1
        return f"(?P<{name}_{seen[name]}>{source})"

    return shape(plain(pattern), slot, section.startswith(ON_ANY_SIDE))


@cache
def all_of(start: str) -> tuple[Phrase, ...]:
    """Return the patterns of all sections whose names begin with this."""
    return phrases(tuple(named(start)))
