"""How receipts settle the invoices of one customer."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from families.ledger.solver.sheets import Entry

OpenInvoices = Mapping[str, int]  # invoice -> cents owed on it, oldest invoice first
Order = Callable[[OpenInvoices, str], list[str]]  # (open, invoice cited) -> what a receipt settles, in turn


def cited_then_oldest(owed: OpenInvoices, cited: str) -> list[str]:
    rest = [invoice for invoice in owed if invoice != cited]
    return [cited, *rest] if cited in owed else rest


def oldest(owed: OpenInvoices, cited: str) -> list[str]:
    return list(owed)


def newest(owed: OpenInvoices, cited: str) -> list[str]:
    return list(owed)[::-1]


def cited_only(owed: OpenInvoices, cited: str) -> list[str]:
    return [cited] if cited in owed else []


ORDERS: tuple[Order, ...] = (cited_then_oldest, oldest, newest, cited_only)


@dataclass(frozen=True, slots=True)
class Account:
    """A customer's invoices, and what was applied to them.

    billed: invoice -> its entry.
    owed: the open invoices.
    applied: (receipt, invoice, cents), in order.
    """

    customer: str
    billed: dict[str, Entry] = field(default_factory=dict)
    owed: dict[str, int] = field(default_factory=dict)
    applied: list[tuple[Entry, Entry, int]] = field(default_factory=list)

    def bill(self, invoice: Entry) -> None:
        self.billed[invoice.voucher] = invoice
        self.owed[invoice.voucher] = invoice.cents

    def receive(self, receipt: Entry, parts: Mapping[str, int]) -> int:
        """Apply these parts of a receipt to invoices; return the cents that are left of it."""
        left = -receipt.cents
        for invoice, part in parts.items():
            self.applied.append((receipt, self.billed[invoice], part))
            left -= part
            self.owed[invoice] -= part
            if not self.owed[invoice]:
                del self.owed[invoice]
        return left

    def copy(self) -> "Account":
        return Account(self.customer, self.billed.copy(), self.owed.copy(), self.applied.copy())


def shares(owed: OpenInvoices, order: Iterable[str], amount: int) -> dict[str, int]:
    """Return what each invoice gets of an amount that is applied to them in this order."""
    parts = {}
    for invoice in order:
        if not amount:
            break
        parts[invoice] = min(amount, owed[invoice])
        amount -= parts[invoice]
    return parts


def settle(
    customer: str,
    entries: Iterable[Entry],
    cites: Mapping[str, str],
    order_of: Callable[[Account, Entry, str], Order],
    carried: bool = False,
) -> Account:
    """Return the account of a customer after all its entries.

    entries: in the order in which they take effect.
    cites: receipt -> invoice.
    order_of: (account, receipt, invoice cited) -> the order in which the receipt settles invoices.
    carried: what is left of a receipt is applied to the customer's next invoices as they come.
    """
    account = Account(customer)
    kept: list[Entry] = []  # what is left of receipts, as receipts of that amount
    for entry in entries:
        if entry.cents > 0:
            account.bill(entry)
            while kept and entry.voucher in account.owed:
                receipt = kept.pop(0)
                left = account.receive(receipt, shares(account.owed, [entry.voucher], -receipt.cents))
                if left:
                    kept.insert(0, receipt._replace(cents=-left))
            continue
        cited = cites.get(entry.voucher, "")
        order = order_of(account, entry, cited)
        left = account.receive(entry, shares(account.owed, order(account.owed, cited), -entry.cents))
        if carried and left:
            kept.append(entry._replace(cents=-left))
    return account
