"""The practice of a case: in which order receipts are put to a customer's open invoices, and when.

A base is one order. A practice has a rule for each stretch of days, and may have rules of its own for
the receipts of one narration or for the customers of one office.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

CITED, OLDEST, NEWEST, LARGEST, SMALLEST, EXACT = BASES = (
    "cited", "oldest", "newest", "largest", "smallest", "exact",
)  # fmt: skip
BASE_NAMES: Mapping[str, str] = {
    CITED: "the cited invoice first, then the oldest",
    OLDEST: "the oldest first",
    NEWEST: "the newest first",
    LARGEST: "the one with most left on it first",
    SMALLEST: "the one with least left on it first",
    EXACT: "the one on which exactly the amount is left first, then the oldest",
}
NARRATION, OFFICE = "narration", "office"  # what a rule of its own can go by


class Look(NamedTuple):
    """What is known when a receipt arrives.

    owed: open invoice -> cents left on it, oldest first.
    face, billed: invoice -> its amount in cents, its day; of all invoices so far.
    codes: invoice -> the code it was booked under; code: that of the receipt.
    """

    day: int
    cents: int
    cited: int
    owed: Mapping[int, int]
    face: Mapping[int, int]
    billed: Mapping[int, int]
    codes: Mapping[int, str]
    code: str = ""


Order = Callable[[Look], Sequence[int]]


def _first(first: Sequence[int], rest: Sequence[int]) -> list[int]:
    return [*first, *(invoice for invoice in rest if invoice not in first)]


def cited_open(look: Look) -> list[int]:
    """Return the cited invoice, if it is open."""
    return [look.cited] if look.cited in look.owed else []


def exact_open(look: Look) -> list[int]:
    """Return the oldest invoice on which exactly the amount of the receipt is left, if there is one."""
    return next(([invoice] for invoice, left in look.owed.items() if left == look.cents), [])


ORDERS: Mapping[str, Order] = {
    CITED: lambda look: _first(cited_open(look), list(look.owed)),
    OLDEST: lambda look: list(look.owed),
    NEWEST: lambda look: list(look.owed)[::-1],
    LARGEST: lambda look: sorted(look.owed, key=lambda invoice: -look.owed[invoice]),
    SMALLEST: lambda look: sorted(look.owed, key=look.owed.__getitem__),
    EXACT: lambda look: _first(exact_open(look), list(look.owed)),
}


def allocation(order: Sequence[int], owed: Mapping[int, int], cents: int) -> dict[int, int]:
    """Return what each invoice gets of `cents`, in this order."""
    pieces = {}
    for invoice in order:
        if cents <= 0:
            break
        pieces[invoice] = part = min(cents, owed[invoice])
        cents -= part
    return pieces


class Rule(NamedTuple):
    """From the day `since` on, `base` holds for receipts with this value, or for all others if it is ""."""

    since: int
    base: str
    value: str = ""


@dataclass(frozen=True, slots=True)
class Practice:
    """The rules of a case.

    by: what the values of rules are: NARRATION, OFFICE or "" if no rule has one.
    rules: sorted by value, then by day; the first of each value holds from the beginning.
    """

    rules: tuple[Rule, ...]
    by: str = ""

    def rule_of(self, day: int, narration: str, office: str) -> Rule:
        """Return the rule that holds for a receipt."""
        value = narration if self.by == NARRATION else office if self.by == OFFICE else ""
        own = [rule for rule in self.rules if value and rule.value == value]
        rules = own or [rule for rule in self.rules if not rule.value]
        return [rule for rule in rules if rule.since <= day][-1]

    def base_of(self, day: int, narration: str, office: str) -> str:
        """Return the base that holds for a receipt."""
        return self.rule_of(day, narration, office).base

    @property
    def changeovers(self) -> tuple[int, ...]:
        """The days on which a rule takes over from another."""
        return tuple(sorted({rule.since for rule in self.rules} - {0}))

    @property
    def bases(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(rule.base for rule in self.rules))
