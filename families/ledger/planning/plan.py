"""A case while its obstacles find their places."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from families.ledger.domain.settlement import INVOICE, RECEIPT
from families.ledger.planning.frame import YearFrame
from families.ledger.planning.reading import Ledger
from families.ledger.planning.year import Draft, Features
from trapcli.core.draw import Draw


@dataclass(slots=True)
class Plan:
    """A drawn year with its memo and question, and what obstacles have taken of it.

    drafts: the entries by their keys.
    choices: receipt -> base ("" for the right one) -> what it would settle.
    codes: numbers for customers' codes that nobody has yet.
    busy: the entries that an obstacle has changed.
    recoded: customer -> the days on which it gets another code.
    taken: the months whose file an obstacle has changed.
    journals: the months with journals, and those of the receipts that they move.
    """

    frame: YearFrame
    features: Features
    drafts: tuple[Draft, ...]
    ledger: Ledger
    choices: Mapping[int, Mapping[str, Mapping[int, int]]]
    codes: Iterator[str]
    busy: set[int] = field(default_factory=set)
    recoded: dict[int, tuple[int, ...]] = field(default_factory=dict)
    taken: set[int] = field(default_factory=set)
    journals: set[int] = field(default_factory=set)

    def named_in_memo(self) -> set[int]:
        """Return the receipts and invoices that the memo names."""
        memo = self.ledger.memo
        return memo.keys() | {invoice for pieces in memo.values() for invoice in pieces}

    def free(self, kind: int, months: range | None = None) -> list[Draft]:
        """Return the entries of a kind that no obstacle has changed and the memo does not name."""
        named, month_of = self.named_in_memo(), self.frame.month_of
        return [
            draft
            for draft in self.drafts
            if draft.event.kind == kind
            and draft.event.key not in self.busy
            and draft.event.key not in named
            and draft.event.day >= self.frame.starts[0]
            and (months is None or month_of(draft.event.day) in months)
        ]

    def free_invoices(self, months: range | None = None) -> list[Draft]:
        return self.free(INVOICE, months)

    def free_receipts(self, months: range | None = None) -> list[Draft]:
        """Return the free receipts that nothing takes back."""
        back = {draft.event.ref for draft in self.drafts if draft.event.kind not in (INVOICE, RECEIPT)}
        return [draft for draft in self.free(RECEIPT, months) if draft.event.key not in back]

    def free_months(self) -> list[int]:
        """Return the months, neither the first nor the last, whose file no obstacle has changed."""
        return [month for month in range(2, self.frame.months) if month not in self.taken]

    def is_alone(self, customer: int, day: int) -> bool:
        """Whether a customer has no entry on a day, so that no order is in doubt."""
        return all((draft.customer, draft.event.day) != (customer, day) for draft in self.drafts)

    def workday(self, draw: Draw, low: int, high: int) -> int:
        """Return a workday from `low` to `high`, or the last workday before `high` if there is none."""
        days = [day for month in range(1, self.frame.months + 1) for day in self.frame.workdays(month)]
        fitting = [day for day in days if low <= day <= high]
        return draw.choice(fitting) if fitting else max(day for day in days if day <= high)
