"""The parts of a year while it is being drawn: its entries, and the state of each customer."""

from dataclasses import dataclass, field


@dataclass(slots=True)
class DraftEntry:
    """An entry without code, voucher or document.

    customer: a number from 0.
    cited: the number of another entry, or -1.
    narration: one of the year's narrations of receipts, or -1.
    late: whether it was booked late.
    in_memo: whether the memo shows it.
    """

    day: int
    customer: int
    amount: int
    cited: int = -1
    narration: int = -1
    late: bool = False
    in_memo: bool = False


@dataclass(slots=True)
class CustomerState:
    """A customer so far. Invoices are numbers of entries; `owed` and the like map them to cents.

    owed: the open invoices.
    owed_without_late: the same without late entries, as far as the memo goes.
    owed_oldest_first: the same if the oldest invoice were settled first all year.
    invoices: all invoices so far.
    last: the day of its last entry. It has at most one a day, so that no order is in doubt.
    silent: whether it pays no more, so that no line of the memo has to hide what its late receipt
        settled.
    """

    owed: dict[int, int] = field(default_factory=dict)
    owed_without_late: dict[int, int] = field(default_factory=dict)
    owed_oldest_first: dict[int, int] = field(default_factory=dict)
    invoices: list[int] = field(default_factory=list)
    last: int = 0
    silent: bool = False
