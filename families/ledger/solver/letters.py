"""The customers who write mails: their accounts, and how they settle together with all others."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from families.ledger.solver.accounts import Accounts, Order
from families.ledger.solver.binder import Binder
from families.ledger.solver.events import BILL, PAY, Happening
from families.ledger.solver.mails import UNREAD, Account, Invoice, Receipt, Settled, settle_correspondents
from families.ledger.solver.practice import Practice


@dataclass(frozen=True, slots=True)
class Letters:
    """mails: path -> text; accounts: by the customer's name; events: by voucher."""

    mails: Mapping[str, str]
    accounts: Mapping[str, Account]
    events: Mapping[str, Happening]
    _settled: dict[tuple[Practice, Order | None, bool], dict[str, Settled]] = field(default_factory=dict)

    def settle(self, accounts: Accounts, practice: Practice, fixed: Order | None, read: bool) -> None:
        """Add how these customers settle to the accounts of all others.

        fixed: an order for all receipts instead of the practice's. read: whether the mails are read.
        """
        if (practice, fixed, read) not in self._settled:
            self._settled[practice, fixed, read] = self._settle(practice, fixed, read)
        for name, settled in self._settled[practice, fixed, read].items():
            accounts.owed[name] = dict(settled.owed)
            for invoice in self.accounts[name].invoices:
                accounts.billed[invoice.voucher] = self.events[invoice.voucher]
            for receipt in self.accounts[name].receipts:
                accounts.cash[receipt.voucher] = settled.applied.get(receipt.voucher, {})
                accounts.paid[receipt.voucher] = self.events[receipt.voucher]

    def _settle(self, practice: Practice, fixed: Order | None, read: bool) -> dict[str, Settled]:
        # All these customers have one office, and their receipts one narration.
        by_day = {
            event.entry.day.toordinal(): fixed or practice.order_of(event)
            for event in self.events.values()
            if event.what == PAY
        }

        def order(day: int, owed: dict[str, int], cents: int, cited: str) -> Sequence[str]:
            return by_day[day](owed, cents, cited)

        return settle_correspondents(self.mails, self.accounts, order, () if read else (UNREAD,))


def read_letters(files: Mapping[str, str], binder: Binder) -> Letters:
    """Return the customers who write mails; UnclearMails if a mail cannot be made sense of later."""
    events: dict[str, Happening] = {}
    invoices: dict[str, list[Invoice]] = {}
    receipts: dict[str, list[Receipt]] = {}
    for e in sorted(binder.of_second, key=lambda entry: (entry.day, entry.voucher)):
        cited, day, name = binder.papers.get(e.ref, ""), e.day.toordinal(), binder.names[e.code]
        kind, amount = (BILL, e.debit) if e.debit else (PAY, e.credit)
        events[e.voucher] = Happening(kind, e, e.code, binder.offices.get(e.code, ""), amount, cited)
        if e.debit:
            branch = e.narration.rpartition(", ")[2]
            invoices.setdefault(name, []).append(Invoice(e.voucher, day, e.debit, branch))
        else:
            receipts.setdefault(name, []).append(Receipt(e.voucher, day, e.credit, cited))
    accounts = {name: Account(tuple(own), tuple(receipts.get(name, ()))) for name, own in invoices.items()}
    mails = {path: text for path, text in files.items() if path.startswith("correspondence/")}
    return Letters(mails, accounts, events)
