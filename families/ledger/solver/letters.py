"""The customers who write mails: their accounts, and how they settle together with all others."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date

from families.ledger.solver.accounts import Accounts, Order
from families.ledger.solver.binder import Binder
from families.ledger.solver.events import BILL, PAY, Happening
from families.ledger.solver.mails.in_force import Standing
from families.ledger.solver.mails.settling import Settled, settle, standing_orders
from families.ledger.solver.mails.words import Account, Billed, Paid
from families.ledger.solver.practice import Practice

SILENT = Standing()  # what no mail says


@dataclass(frozen=True, slots=True)
class Letters:
    """accounts, standing: by the customer's code; events: by voucher."""

    accounts: Mapping[str, Account]
    standing: Mapping[str, Standing]
    events: Mapping[str, Happening]
    _settled: dict[tuple[Order | None, bool], dict[str, Settled]] = field(default_factory=dict)

    def settle(self, accounts: Accounts, practice: Practice, fixed: Order | None, read: bool) -> None:
        """Add how these customers settle to the accounts of all others.

        fixed: an order for all receipts instead of the practice's. read: whether the mails are read.
        """
        if (fixed, read) not in self._settled:
            self._settled[fixed, read] = {
                code: self._settle(code, practice, fixed, read) for code in self.accounts
            }
        for code, settled in self._settled[fixed, read].items():
            accounts.owed[code] = dict(settled.owed)
            for billed in self.accounts[code].invoices:
                accounts.billed[billed.voucher] = self.events[billed.voucher]
            for receipt, parts in settled.cash.items():
                accounts.cash[receipt] = parts
                accounts.paid[receipt] = self.events[receipt]

    def _settle(self, code: str, practice: Practice, fixed: Order | None, read: bool) -> Settled:
        account = self.accounts[code]
        by_day = {
            paid.day: fixed or practice.order_of(self.events[paid.voucher]) for paid in account.receipts
        }

        def order(day: date, owed: dict[str, int], cents: int, cited: str) -> Sequence[str]:
            return by_day[day](owed, cents, cited)

        return settle(account, self.standing[code] if read else SILENT, order)


def read_letters(files: Mapping[str, str], binder: Binder) -> Letters:
    """Read the mails of a case, and the accounts of the customers who write them."""
    entries = sorted(binder.of_second, key=lambda entry: (entry.day, entry.voucher))
    events: dict[str, Happening] = {}
    invoices: dict[str, list[Billed]] = {}
    receipts: dict[str, list[Paid]] = {}
    for e in entries:
        cited = binder.papers.get(e.ref, "")
        kind, amount = (BILL, e.debit) if e.debit else (PAY, e.credit)
        events[e.voucher] = Happening(kind, e, e.code, binder.offices.get(e.code, ""), amount, cited)
        if e.debit:
            branch = e.narration.rpartition(", ")[2]
            invoices.setdefault(e.code, []).append(Billed(e.voucher, e.day, e.debit, branch))
        else:
            receipts.setdefault(e.code, []).append(Paid(e.voucher, e.day, e.credit, cited))
    accounts = {code: Account(tuple(own), tuple(receipts.get(code, ()))) for code, own in invoices.items()}
    by_name = {binder.names[code]: account for code, account in accounts.items()}
    found = standing_orders(files, by_name)
    standing = {code: found[binder.names[code]] for code in accounts}
    return Letters(accounts, standing, events)
