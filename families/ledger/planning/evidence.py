"""What the memo of a year shows while it is being drawn, and what one more receipt would add to it."""

from dataclasses import dataclass, field
from typing import NamedTuple

from families.ledger.domain.settlement import BASES, CITED_ONLY, NEWEST, OLDEST

SMALL, LARGE = 60_000, 500_000  # cents: what counts as a small and as a large receipt
YOUNG = 12  # days


class Proposal(NamedTuple):
    """A receipt that could be next.

    pieces: what it settles, by invoice.
    refutes: the bases that would settle it otherwise.
    open_count: how many invoices it finds open.
    age: days since the cited invoice was billed; None if none is cited.
    traits: which types of event it is.
    """

    customer: int
    cited: int
    amount: int
    narration: int
    pieces: dict[int, int]
    refutes: frozenset[int]
    open_count: int
    age: int | None
    traits: frozenset[str]

    @property
    def conclusive(self) -> bool:
        """Whether it refutes all bases except one."""
        return len(self.refutes) == len(BASES) - 1


@dataclass(slots=True)
class Evidence:
    """What the receipts of the memo show together.

    traits: of all receipts.
    early_customers, early_narrations: of the receipts before the changeover that refute oldest-first.
    customers, narrations, amounts, ages, counts: of the conclusive receipts from the changeover on;
        the three lists are sorted.
    uncited: whether a receipt that cites nothing refutes newest-first and citation-only.
    """

    traits: set[str] = field(default_factory=set)
    early_customers: set[int] = field(default_factory=set)
    early_narrations: set[int] = field(default_factory=set)
    customers: set[int] = field(default_factory=set)
    narrations: set[int] = field(default_factory=set)
    amounts: list[int] = field(default_factory=list)
    ages: list[int] = field(default_factory=list)
    counts: list[int] = field(default_factory=list)
    uncited: bool = False

    def determines(self, p: Proposal) -> bool:
        """Whether every policy with one exception that gives the memo must settle this receipt alike.

        It must if conclusive receipts lie on both sides of it in everything that exceptions go by.
        """
        return (
            p.customer in self.customers
            and p.narration in self.narrations
            and self.amounts[0] <= p.amount <= self.amounts[-1]
            and self.counts[0] <= p.open_count <= self.counts[-1]
            and (self.uncited if p.age is None else self.ages[0] <= p.age <= self.ages[-1])
            and p.traits <= self.traits
        )

    def early_gain(self, p: Proposal) -> float:
        """Return how much a receipt before the changeover would add."""
        gain = len(p.traits - self.traits) / 2
        if OLDEST in p.refutes:
            new_narration, new_customer = (
                p.narration not in self.early_narrations,
                p.customer not in self.early_customers,
            )
            gain += 2.0 * new_narration + 2.0 * new_customer
        return gain

    def later_gain(self, p: Proposal) -> float:
        """Return how much a receipt from the changeover on would add, most of all by widening a range."""
        gain = 1.0 * len(p.traits - self.traits)
        if p.age is None:
            return gain + 2.0 * (not self.uncited and {NEWEST, CITED_ONLY} <= p.refutes)
        if not p.conclusive:
            return gain
        gain += 1 + 4.0 * (p.customer not in self.customers) + 3.0 * (p.narration not in self.narrations)
        if not self.amounts:
            return gain
        smaller, larger = max(p.amount, SMALL) < self.amounts[0], self.amounts[-1] < min(p.amount, LARGE)
        gain += 2.0 * smaller + 2.0 * larger
        gain += 2.0 * (max(p.age, YOUNG) < self.ages[0]) + 1.5 * (self.ages[-1] < p.age)
        return gain + 1.0 * (p.open_count < self.counts[0]) + 2.0 * (self.counts[-1] < p.open_count)

    def add(self, p: Proposal, early: bool) -> None:
        """Add a receipt to the memo; early: it is from before the changeover."""
        self.traits |= p.traits
        if early:
            if OLDEST in p.refutes:
                self.early_customers.add(p.customer)
                self.early_narrations.add(p.narration)
        elif p.age is None:
            self.uncited |= {NEWEST, CITED_ONLY} <= p.refutes
        elif p.conclusive:
            self.customers.add(p.customer)
            self.narrations.add(p.narration)
            for values, value in ((self.amounts, p.amount), (self.ages, p.age), (self.counts, p.open_count)):
                values.append(value)
                values.sort()
