"""What the memo of a year in the making shows, and what one more receipt would add to it."""

from dataclasses import dataclass, field
from typing import NamedTuple

from families.ledger.domain.settlement import BASES, CITED_ONLY, NEWEST, OLDEST

SMALL, LARGE = 60_000, 500_000  # cents: what counts as a small and as a large receipt
YOUNG = 12  # days


class Proposal(NamedTuple):
    """A receipt that could be next.

    pieces: what it settles, by invoice. refutes: the bases that would settle it otherwise. count: how
    many invoices it finds open. age: days since the cited invoice was billed, None if none is cited.
    traits: what kinds of event it is.
    """

    who: int
    cited: int
    amount: int
    narration: int
    pieces: dict[int, int]
    refutes: frozenset[int]
    open_count: int
    age: int | None
    traits: frozenset[str]

    @property
    def telling(self) -> bool:
        """Whether it can be settled in one way only: it refutes all bases but one."""
        return len(self.refutes) == len(BASES) - 1


@dataclass(slots=True)
class Shown:
    """traits: of all receipts. early, early_narrations: of those that refuted oldest-first in time,

    which is before the changeover. The others: of the telling receipts from the changeover on, the
    three lists in order; uncited: whether a receipt that cites nothing refuted newest-first and
    citation-only.
    """

    traits: set[str] = field(default_factory=set)
    early: set[int] = field(default_factory=set)
    early_narrations: set[int] = field(default_factory=set)
    who: set[int] = field(default_factory=set)
    narrations: set[int] = field(default_factory=set)
    amounts: list[int] = field(default_factory=list)
    ages: list[int] = field(default_factory=list)
    counts: list[int] = field(default_factory=list)
    uncited: bool = False

    def holds(self, p: Proposal) -> bool:
        """Whether a policy with one exception that gives all of the memo must also give this receipt.

        It does if telling receipts stand on both sides of it in everything that exceptions go by.
        """
        return (
            p.who in self.who
            and p.narration in self.narrations
            and self.amounts[0] <= p.amount <= self.amounts[-1]
            and self.counts[0] <= p.open_count <= self.counts[-1]
            and (self.uncited if p.age is None else self.ages[0] <= p.age <= self.ages[-1])
            and p.traits <= self.traits
        )

    def early_worth(self, p: Proposal) -> float:
        """What a receipt before the changeover would add."""
        worth = len(p.traits - self.traits) / 2
        if OLDEST in p.refutes:
            worth += 2.0 * (p.narration not in self.early_narrations) + 2.0 * (p.who not in self.early)
        return worth

    def after_worth(self, p: Proposal) -> float:
        """What a receipt from the changeover on would add, most of all by widening what is told of."""
        worth = 1.0 * len(p.traits - self.traits)
        if p.age is None:
            return worth + 2.0 * (not self.uncited and {NEWEST, CITED_ONLY} <= p.refutes)
        if not p.telling:
            return worth
        worth += 1 + 4.0 * (p.who not in self.who) + 3.0 * (p.narration not in self.narrations)
        if not self.amounts:
            return worth
        worth += 2.0 * (max(p.amount, SMALL) < self.amounts[0]) + 2.0 * (
            self.amounts[-1] < min(p.amount, LARGE)
        )
        worth += 2.0 * (max(p.age, YOUNG) < self.ages[0]) + 1.5 * (self.ages[-1] < p.age)
        return worth + 1.0 * (p.open_count < self.counts[0]) + 2.0 * (self.counts[-1] < p.open_count)

    def add(self, p: Proposal, early: bool) -> None:
        """The memo shows this receipt too."""
        self.traits |= p.traits
        if early:
            if OLDEST in p.refutes:
                self.early.add(p.who)
                self.early_narrations.add(p.narration)
        elif p.age is None:
            self.uncited |= {NEWEST, CITED_ONLY} <= p.refutes
        elif p.telling:
            self.who.add(p.who)
            self.narrations.add(p.narration)
            for values, value in ((self.amounts, p.amount), (self.ages, p.age), (self.counts, p.open_count)):
                values.append(value)
                values.sort()
