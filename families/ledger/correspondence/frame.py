"""What the correspondents of a case share, and the entries and the settlement of one of them.

Amounts are whole cents, days proleptic ordinals. An invoice is known by its index among its
customer's invoices, a receipt by its index among the receipts, both in order of their days.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple


class Invoice(NamedTuple):
    """An invoice of one customer; `branch` stands in its narration."""

    day: int
    amount: int
    branch: str


class Receipt(NamedTuple):
    """A receipt of one customer; `cited` is an invoice billed on or before its day, or -1."""

    day: int
    amount: int
    cited: int


class Settled(NamedTuple):
    """How one customer's entries settle.

    owed: open invoice -> cents left on it, oldest first.
    applied: (receipt, invoice, cents), in order.
    """

    owed: dict[int, int]
    applied: list[tuple[int, int, int]]


# (day, open invoice -> cents left on it, oldest first; cents of the receipt; cited invoice or -1)
# -> the open invoices in the order in which they are paid: all of them, or fewer.
Practice = Callable[[int, Mapping[int, int], int, int], Sequence[int]]
Counts = Callable[[Sequence[Invoice], Sequence[Receipt], Settled], int]


@dataclass(frozen=True, slots=True)
class Frame:
    """What is common to all correspondents of a case.

    start: the first day of the year's ledgers.
    first: the first day on which mails may be written.
    end: the last day of the ledgers; the answer is taken at its close.
    branches: the towns that order in the narrations of invoices.
    practice: the order in which a receipt is settled that no instruction concerns.
    counts: what one customer adds to the answer, in cents.
    """

    start: int
    first: int
    end: int
    branches: tuple[str, ...]
    practice: Practice
    counts: Counts
