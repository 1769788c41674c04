"""What must hold for the files of a close besides its book: all months tie except one.

Problems are named months_tie, quiet, prior_year, recoded and shortcut, after the invariant that
they break.
"""

import re
from collections.abc import Iterator
from datetime import date
from itertools import pairwise

from families.ledger.checks.closed_forms import NEAR
from families.ledger.checks.truth import Truth
from families.ledger.domain.book import accounts_of, policy_of
from families.ledger.domain.formats import money
from families.ledger.domain.policies import receipt_states
from families.ledger.domain.traps_and_mistakes import MISSED_SUPPLEMENT
from families.ledger.files.case_files import CaseFiles, Sheet
from trapcli.core.contract import Problem


def close_problems(case_files: CaseFiles, truth: Truth) -> Iterator[Problem]:
    """Yield what is wrong with the files, besides their book."""
    yield from balance_problems(case_files)
    yield from supplement_problems(case_files, truth)
    yield from prior_year_problems(case_files)
    yield from recoding_problems(case_files, truth)
    for sheet in (*_account_sheets(case_files), *case_files.prior, *case_files.other_accounts):
        if abs(abs(sheet.closing) - truth.answer) < NEAR:
            yield Problem(
                f"the answer is near the closing balance of {sheet.account}, {sheet.period}", "shortcut"
            )


def balance_problems(case_files: CaseFiles) -> Iterator[Problem]:
    """Each month opens with the closing balance before it, except one, which is off by the supplement."""
    months, late = case_files.months, case_files.supplement
    if months[0].opening:
        yield Problem(f"the account opens at {money(months[0].opening)}", "months_tie")
    gaps = [
        (number, after.opening - before.closing)
        for number, (before, after) in enumerate(pairwise(months), 1)
        if after.opening != before.closing
    ]
    if late is None or len(gaps) != 1:
        yield Problem(f"{len(gaps)} months do not tie, and there should be one", "months_tie")
        return
    number, gap = gaps[0]
    if gap != sum(entry.amount for entry in late.entries) or late.period != months[number - 1].period:
        yield Problem(
            f"the supplement does not close the gap of {money(gap)} after month {number}", "months_tie"
        )
    if not 1 < number < len(months):
        yield Problem(f"month {number} of {len(months)} is short", "months_tie")
    for sheet in _account_sheets(case_files):
        if any(f"{date.fromordinal(entry.day):%Y-%m}" != sheet.period for entry in sheet.entries):
            yield Problem(f"an entry of {sheet.period} is not of that month", "months_tie")
        if list(sheet.entries) != sorted(sheet.entries):
            yield Problem(f"the entries of {sheet.period} are not in their order", "months_tie")


def supplement_problems(case_files: CaseFiles, truth: Truth) -> Iterator[Problem]:
    """Only the supplement itself gives it away: no voucher, no number and no line of the memo does."""
    late = {entry.voucher for entry in truth.book.late}
    named = {line.receipt for line in case_files.memo}
    named |= {invoice for line in case_files.memo for invoice, _ in line.settles}
    for voucher in sorted(late & named):
        yield Problem(f"the memo names {voucher}, which was booked late", "quiet")
    for document in case_files.documents:
        if document.voucher in late:
            yield Problem(f"the index names {document.voucher}, which was booked late", "quiet")
    known = {document.document for document in case_files.documents}
    for sheet in _account_sheets(case_files):
        for entry in sheet.entries:
            if entry.amount < 0 and entry.ref and entry.ref not in known:
                yield Problem(f"{entry.voucher} cites {entry.ref}, which is not in the index", "quiet")
    for sheet in case_files.months:
        numbers = sorted(int(re.sub(r".*-", "", entry.voucher)) for entry in sheet.entries)
        if numbers != list(range(1, len(numbers) + 1)):
            yield Problem(f"the vouchers of {sheet.period} are not numbered without a gap", "quiet")
    accounts = accounts_of(truth.book, (MISSED_SUPPLEMENT,))
    states = receipt_states(accounts, policy_of(truth.changeover))
    without_late = {one.event.voucher: one.pieces for one in states}
    for line in case_files.memo:
        if without_late.get(line.receipt) != dict(line.settles):
            yield Problem(f"line {line.receipt} of the memo does not follow from the months alone", "quiet")


def prior_year_problems(case_files: CaseFiles) -> Iterator[Problem]:
    """Last year's files tie, and end at zero by one entry that names no customer."""
    if not case_files.prior:
        yield Problem("there is no file of last year", "prior_year")
        return
    for before, after in pairwise(case_files.prior):
        if before.closing != after.opening:
            yield Problem(f"{before.period} does not tie", "prior_year")
    last = case_files.prior[-1]
    if last.closing or not last.entries or last.entries[-1].code or last.entries[-1].amount >= 0:
        yield Problem(f"{last.period} does not show that the account was closed out", "prior_year")
    nameless = [entry for sheet in case_files.prior for entry in sheet.entries if not entry.code]
    if len(nameless) != 1:
        yield Problem(f"{len(nameless)} entries of last year name no customer", "prior_year")
    first = min(entry.day for entry in case_files.months[0].entries)
    if any(entry.day >= first for sheet in case_files.prior for entry in sheet.entries):
        yield Problem("an entry in last year's files is of this year", "prior_year")


def recoding_problems(case_files: CaseFiles, truth: Truth) -> Iterator[Problem]:
    """The master has every code, and says of one customer that it continues under another code."""
    if len(truth.book.successions) != 1:
        yield Problem(f"the master has notes of {len(truth.book.successions)} re-codings, not 1", "recoded")
        return
    ((old, new),) = truth.book.successions
    entries = sorted((*truth.book.entries, *truth.book.late))
    days = {code: [entry.day for entry in entries if entry.code == code] for code in (old, new)}
    if not days[old] or not days[new] or max(days[old]) >= min(days[new]):
        yield Problem(f"{new} does not follow {old} in the ledger", "recoded")
    code_of = {entry.voucher: entry.code for entry in entries}
    if not any(
        code_of.get(line.receipt) == new and code_of.get(invoice) == old
        for line in case_files.memo
        for invoice, _ in line.settles
    ):
        yield Problem(f"the memo has no receipt of {new} that settles an invoice of {old}", "recoded")
    names = {customer.code: customer.name for customer in case_files.customers}
    if names.get(old) != names.get(new):
        yield Problem(f"{old} and {new} have different names", "recoded")
    others = (e for sheet in (*case_files.prior, *case_files.other_accounts) for e in sheet.entries if e.code)
    for code in sorted({entry.code for entry in (*entries, *others)} - names.keys()):
        yield Problem(f"the code {code} is not in the master", "recoded")


def _account_sheets(case_files: CaseFiles) -> tuple[Sheet, ...]:
    """Return the months and the supplement."""
    return (*case_files.months, *([case_files.supplement] if case_files.supplement else []))
