"""Where a customer's receipts go: what is disputed, one-offs, the branch, the sequence, the practice."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from families.ledger.solver.mails.accounts import Account, Invoice, Receipt
from families.ledger.solver.mails.language.terms import month_of
from families.ledger.solver.mails.orders import (
    BRANCH,
    DISPUTE,
    LARGE,
    PRACTICE,
    SEQUENCE,
    OneOff,
    Standing,
    holding,
)

# (day, open invoice -> cents, oldest first; cents of the receipt, the invoice cited or "") -> their order
PracticeOrder = Callable[[int, dict[str, int], int, str], Sequence[str]]


@dataclass(slots=True)
class Settled:
    """How a customer's receipts settle.

    owed: open invoice -> cents left, oldest first.
    applied: receipt -> invoice -> cents.
    """

    owed: dict[str, int] = field(default_factory=dict)
    applied: dict[str, dict[str, int]] = field(default_factory=dict)


class Settling:
    """One customer's account while its receipts are put to its invoices."""

    def __init__(
        self, account: Account, orders: Iterable[Standing | OneOff], practice: PracticeOrder
    ) -> None:
        self.account = account
        self.practice = practice
        self.invoices = {one.voucher: one for one in account.invoices}
        self.standing: dict[str, list[Standing]] = {SEQUENCE: [], BRANCH: [], LARGE: [], DISPUTE: []}
        self.one_offs: dict[str, OneOff] = {}
        for order in orders:
            if isinstance(order, OneOff):
                self.one_offs[order.receipt] = order
            else:
                self.standing[order.matter].append(order)
        self.settled = Settled()

    def run(self) -> Settled:
        """Settle all receipts in the order of their days."""
        waiting = list(self.account.invoices)
        for receipt in self.account.receipts:
            while waiting and waiting[0].day <= receipt.day:
                self._bill(waiting.pop(0))
            self._receive(receipt)
        for invoice in waiting:
            self._bill(invoice)
        return self.settled

    def _bill(self, invoice: Invoice) -> None:
        self.settled.owed[invoice.voucher] = invoice.cents

    def _receive(self, receipt: Receipt) -> None:
        disputed = {one.invoice for one in self.standing[DISPUTE] if one.first <= receipt.day <= one.last}
        free = {voucher: left for voucher, left in self.settled.owed.items() if voucher not in disputed}
        parts: dict[str, int] = {}
        one_off = self.one_offs.get(receipt.voucher)
        left = receipt.cents
        if one_off:
            left = self._one_off(one_off, free, parts, left)
            if one_off.split == "all but":
                barred = self._of(free, one_off.branches[0])
                free = {voucher: cents for voucher, cents in free.items() if voucher not in barred}
        if left:
            rest = one_off.rest if one_off else ""
            pay(in_sequence(rest, free) if rest else self._turns(receipt, free, left), free, parts, left)
        self.settled.applied[receipt.voucher] = parts
        for voucher, part in parts.items():
            self.settled.owed[voucher] -= part
            if not self.settled.owed[voucher]:
                del self.settled.owed[voucher]

    def _one_off(self, one_off: OneOff, free: dict[str, int], parts: dict[str, int], left: int) -> int:
        """Pay what a one-off names; return what it leaves of the receipt."""
        branches = [self._of(free, one) for one in one_off.branches]
        if one_off.split == "named":
            return pay(one_off.invoices, free, parts, left)
        if one_off.split == "part":
            share = min(left, one_off.cents)
            return left - share + pay(one_off.invoices, free, parts, share)
        if one_off.split == "group":
            group = [one for one in branches[0] if month_of(self.invoices[one].day) == one_off.month]
            return pay(group, free, parts, left)
        if one_off.split == "halves":
            half = left // 2
            return pay(branches[0], free, parts, half) + pay(branches[1], free, parts, left - half)
        return left

    def _turns(self, receipt: Receipt, free: dict[str, int], left: int) -> Sequence[str]:
        """Return open invoices in the order that holds for a receipt: branch, then sequence or practice."""
        order = holding(self.standing[LARGE], receipt.day)
        if order is None or receipt.cents <= order.limit:
            order = holding(self.standing[SEQUENCE], receipt.day)
        if order and order.value != PRACTICE:
            turns: Sequence[str] = in_sequence(order.value, free)
        else:
            turns = self.practice(receipt.day, dict(free), left, receipt.cited)
        branch = holding(self.standing[BRANCH], receipt.day)
        if branch and branch.value:
            return sorted(turns, key=lambda voucher: self.invoices[voucher].branch != branch.value)
        return turns

    def _of(self, free: dict[str, int], branch: str) -> list[str]:
        return [voucher for voucher in free if self.invoices[voucher].branch == branch]


def pay(vouchers: Iterable[str], free: dict[str, int], parts: dict[str, int], cents: int) -> int:
    """Put an amount to invoices in this order, as far as they are open; return what is left of it."""
    for voucher in list(vouchers):
        part = min(cents, free.get(voucher, 0))
        if part:
            cents -= part
            parts[voucher] = parts.get(voucher, 0) + part
            free[voucher] -= part
            if not free[voucher]:
                del free[voucher]
    return cents


def in_sequence(sequence: str, free: dict[str, int]) -> list[str]:
    """Return open invoices, given oldest first, in a sequence; of equal ones the older goes first."""
    if sequence in ("largest", "smallest"):
        return sorted(free, key=lambda voucher: free[voucher] * (-1 if sequence == "largest" else 1))
    return list(free) if sequence == "oldest" else list(reversed(free))
