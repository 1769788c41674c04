"""What must hold for the sheet of an audit beside its book. Problems are named: dates_decide."""

from collections.abc import Iterator

from families.ledger.checks.invariants import Truth
from families.ledger.domain.book import choice, settled
from families.ledger.domain.names import VOUCHER_ORDER
from families.ledger.domain.policies import watch
from families.ledger.files.case_files import Binder
from trapcli.core.contract import Problem


def audit_problems(binder: Binder, true: Truth) -> Iterator[Problem]:
    """The worked receipts show that dates decide, not vouchers; no order within a day is in doubt."""
    found, _ = settled(true.book, true.switch, (VOUCHER_ORDER,))
    by_voucher = {one.event.voucher: one.pieces for one in watch(found, choice(true.switch))}
    if all(by_voucher.get(worked.receipt) == dict(worked.settles) for worked in binder.memo):
        yield Problem("the worked receipts come out the same in the order of vouchers", "dates_decide")
    days = [(entry.code, entry.day) for entry in true.book.entries]
    if len(set(days)) < len(days):
        yield Problem("a customer has two entries on one day", "dates_decide")
