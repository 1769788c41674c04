"""Customers' accounts: what is open on which invoice, as entries take effect."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from families.ledger.solver.events import BILL, LESSEN, RETURN, Happening
from families.ledger.solver.sheets import Worked

Open = dict[str, int]  # invoice -> cents left, oldest first
Order = Callable[
    [Open, int, str], list[str]
]  # (open invoices, cents, cited) -> the order in which they are paid


def cited_first(owed: Open, amount: int, cited: str) -> list[str]:
    return sorted(owed, key=lambda invoice: invoice != cited)


def oldest_first(owed: Open, amount: int, cited: str) -> list[str]:
    return list(owed)


def newest_first(owed: Open, amount: int, cited: str) -> list[str]:
    return list(reversed(owed))


def most_left_first(owed: Open, amount: int, cited: str) -> list[str]:
    return sorted(owed, key=lambda invoice: -owed[invoice])


def least_left_first(owed: Open, amount: int, cited: str) -> list[str]:
    return sorted(owed, key=lambda invoice: owed[invoice])


def exact_first(owed: Open, amount: int, cited: str) -> list[str]:
    exact = [invoice for invoice in owed if owed[invoice] == amount][:1]
    return exact + [invoice for invoice in owed if invoice not in exact]


ORDERS: Sequence[Order] = (
    cited_first, oldest_first, newest_first, most_left_first, least_left_first, exact_first,
)  # fmt: skip


@dataclass(slots=True)
class Accounts:
    """All accounts. What a snapshot shares with another is replaced, never changed.

    bound: the largest rest that is written off, 0 for none.
    carried: whether unapplied cash is kept for later invoices.
    cash: receipt -> invoice -> cents, without what came back. billed: invoice -> (customer, bill).
    """

    bound: int = 0
    carried: bool = False
    owed: dict[str, Open] = field(default_factory=dict)
    cash: dict[str, dict[str, int]] = field(default_factory=dict)
    spare: dict[str, int] = field(default_factory=dict)
    billed: dict[str, Happening] = field(default_factory=dict)
    paid: dict[str, Happening] = field(default_factory=dict)

    def snapshot(self) -> "Accounts":
        return Accounts(
            self.bound, self.carried, dict(self.owed), dict(self.cash), dict(self.spare), dict(self.billed),
            dict(self.paid),
        )  # fmt: skip

    def enter(self, event: Happening) -> None:
        """Enter anything but a receipt."""
        customer = event.customer
        if event.what == RETURN and event.other in self.paid:
            customer = self.paid[event.other].customer
        elif event.what == LESSEN and event.other in self.billed:
            customer = self.billed[event.other].customer
        owed = dict(self.owed.get(customer, {}))
        if event.what == BILL:
            owed[event.entry.voucher] = event.amount
            self.billed[event.entry.voucher] = event
        elif event.what == RETURN:
            for invoice, part in self.cash.pop(event.other, {}).items():
                owed[invoice] = owed.get(invoice, 0) + part
            owed = {invoice: owed[invoice] for invoice in self.billed if invoice in owed}
        elif event.what == LESSEN and event.other in owed:
            owed[event.other] -= min(event.amount, owed[event.other])
        self.owed[customer] = {invoice: left for invoice, left in owed.items() if left}
        if event.what == BILL and self.carried:
            self._use_spare(event)

    def split(self, event: Happening, order: Order) -> dict[str, int]:
        """Return what each invoice gets of a receipt in an order."""
        owed, left, parts = self.owed.get(event.customer, {}), event.amount, {}
        for invoice in order(owed, event.amount, event.other):
            if left:
                parts[invoice] = min(left, owed[invoice])
                left -= parts[invoice]
        return parts

    def by_hand(self, event: Happening, worked: Worked) -> dict[str, int]:
        """Return what each invoice gets of a receipt by a line of the memo, as far as it is open."""
        owed = self.owed.get(event.customer, {})
        return {
            invoice: min(part, owed[invoice]) for invoice, part in worked.settled.items() if invoice in owed
        }

    def pay(self, event: Happening, parts: Mapping[str, int]) -> None:
        """Put a receipt to invoices, and write off the small rests that it leaves."""
        owed = dict(self.owed.get(event.customer, {}))
        for invoice, part in parts.items():
            owed[invoice] -= part
            if owed[invoice] <= self.bound:
                del owed[invoice]
        self.owed[event.customer] = owed
        self.cash[event.entry.voucher] = dict(parts)
        self.paid[event.entry.voucher] = event
        if rest := event.amount - sum(parts.values()):
            self.spare[event.entry.voucher] = rest

    def _use_spare(self, event: Happening) -> None:
        for receipt in list(self.spare):
            owed = self.owed[event.customer]
            part = min(self.spare[receipt], owed.get(event.entry.voucher, 0))
            if part and self.paid[receipt].customer == event.customer:
                self.owed[event.customer] = {
                    invoice: rest
                    for invoice, left in owed.items()
                    if (rest := left - (part if invoice == event.entry.voucher else 0))
                }
                self.cash[receipt] = {**self.cash[receipt], event.entry.voucher: part}
                self.spare[receipt] -= part
                if not self.spare[receipt]:
                    del self.spare[receipt]
