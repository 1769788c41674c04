"""What must hold for the sheet of an audit besides its book. Problems are named dates_decide."""

from collections.abc import Iterator

from families.ledger.checks.truth import Truth
from families.ledger.domain.book import accounts_of, policy_of
from families.ledger.domain.policies import receipt_states
from families.ledger.domain.traps_and_mistakes import VOUCHER_ORDER
from families.ledger.files.case_files import CaseFiles
from trapcli.core.contract import Problem


def audit_problems(case_files: CaseFiles, truth: Truth) -> Iterator[Problem]:
    """The worked receipts show that dates decide, not vouchers; no order within a day is in doubt."""
    by_voucher = accounts_of(truth.book, (VOUCHER_ORDER,))
    states = receipt_states(by_voucher, policy_of(truth.changeover))
    pieces = {one.event.voucher: one.pieces for one in states}
    if all(pieces.get(line.receipt) == dict(line.settles) for line in case_files.memo):
        yield Problem("the worked receipts come out the same in the order of vouchers", "dates_decide")
    days = [(entry.code, entry.day) for entry in truth.book.entries]
    if len(set(days)) < len(days):
        yield Problem("a customer has two entries on one day", "dates_decide")
