"""What must hold for the files of a close beside its book: months that tie but one, and quietly so.

Problems are named: months_tie, quiet, prior_year, recoded, shortcut.
"""

import re
from collections.abc import Iterator
from datetime import date
from itertools import pairwise

from families.ledger.checks.invariants import NEAR, Truth
from families.ledger.domain.book import choice, settled
from families.ledger.domain.formats import money
from families.ledger.domain.names import MISSED_SUPPLEMENT
from families.ledger.domain.policies import watch
from families.ledger.files.case_files import Binder
from trapcli.core.contract import Problem


def close_problems(binder: Binder, true: Truth) -> Iterator[Problem]:
    """What is wrong with the binder, whose book is settled in `true`."""
    yield from months_tie(binder)
    yield from quiet(binder, true)
    yield from prior_year(binder)
    yield from recoded(binder, true)
    late = [binder.late] if binder.late else []
    for sheet in (*binder.months, *late, *binder.prior, *binder.others):
        if abs(abs(sheet.closing) - true.answer) < NEAR:
            yield Problem(
                f"the answer is near the closing balance of {sheet.account}, {sheet.period}", "shortcut"
            )


def months_tie(binder: Binder) -> Iterator[Problem]:
    """Each month opens with what the one before closed with, but for one, by the supplement's net amount."""
    months, late = binder.months, binder.late
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
    for sheet in (*months, late):
        if any(f"{date.fromordinal(entry.day):%Y-%m}" != sheet.period for entry in sheet.entries):
            yield Problem(f"an entry of {sheet.period} is not of that month", "months_tie")
        if list(sheet.entries) != sorted(sheet.entries):
            yield Problem(f"the entries of {sheet.period} are not in their order", "months_tie")


def quiet(binder: Binder, true: Truth) -> Iterator[Problem]:
    """Nothing but the supplement itself points at it, neither a voucher, a number nor the memo."""
    late = {entry.voucher for entry in true.book.late}
    named = {worked.receipt for worked in binder.memo}
    named |= {invoice for worked in binder.memo for invoice, _ in worked.settles}
    for voucher in sorted(late & named):
        yield Problem(f"the memo names {voucher}, which was booked late", "quiet")
    for document in binder.documents:
        if document.voucher in late:
            yield Problem(f"the index names {document.voucher}, which was booked late", "quiet")
    known = {document.document for document in binder.documents}
    for sheet in (*binder.months, *([binder.late] if binder.late else [])):
        for entry in sheet.entries:
            if entry.amount < 0 and entry.ref and entry.ref not in known:
                yield Problem(f"{entry.voucher} cites {entry.ref}, which the index does not know", "quiet")
    for sheet in binder.months:
        numbers = sorted(int(re.sub(r".*-", "", entry.voucher)) for entry in sheet.entries)
        if numbers != list(range(1, len(numbers) + 1)):
            yield Problem(f"the vouchers of {sheet.period} have a hole", "quiet")
    found, _ = settled(true.book, true.switch, (MISSED_SUPPLEMENT,))
    without = {one.event.voucher: one.pieces for one in watch(found, choice(true.switch))}
    for worked in binder.memo:
        if without.get(worked.receipt) != dict(worked.settles):
            yield Problem(f"line {worked.receipt} of the memo cannot be had from the extracts alone", "quiet")


def prior_year(binder: Binder) -> Iterator[Problem]:
    """Last year's files tie, end at zero, and end so by one entry that names no customer."""
    if not binder.prior:
        yield Problem("there is no file of last year", "prior_year")
        return
    for before, after in pairwise(binder.prior):
        if before.closing != after.opening:
            yield Problem(f"{before.period} does not tie", "prior_year")
    last = binder.prior[-1]
    if last.closing or not last.entries or last.entries[-1].code or last.entries[-1].amount >= 0:
        yield Problem(f"{last.period} does not show that the account was closed out", "prior_year")
    nameless = [entry for sheet in binder.prior for entry in sheet.entries if not entry.code]
    if len(nameless) != 1:
        yield Problem(f"{len(nameless)} entries of last year name no customer", "prior_year")
    first = min(entry.day for entry in binder.months[0].entries)
    if any(entry.day >= first for sheet in binder.prior for entry in sheet.entries):
        yield Problem("an entry of last year is of this one", "prior_year")


def recoded(binder: Binder, true: Truth) -> Iterator[Problem]:
    """The master knows every code, and says of one customer that it goes on under another code."""
    if len(true.book.successions) != 1:
        yield Problem(f"the master tells of {len(true.book.successions)} re-codings", "recoded")
        return
    ((old, new),) = true.book.successions
    entries = sorted((*true.book.entries, *true.book.late))
    days = {code: [entry.day for entry in entries if entry.code == code] for code in (old, new)}
    if not days[old] or not days[new] or max(days[old]) >= min(days[new]):
        yield Problem(f"{new} does not follow on {old} in the ledger", "recoded")
    code_of = {entry.voucher: entry.code for entry in entries}
    if not any(
        code_of.get(worked.receipt) == new and code_of.get(v) == old
        for worked in binder.memo
        for v, _ in worked.settles
    ):
        yield Problem(f"the memo has no receipt of {new} that settles an invoice of {old}", "recoded")
    names = {customer.code: customer.name for customer in binder.customers}
    if names.get(old) != names.get(new):
        yield Problem(f"{old} and {new} have different names", "recoded")
    everything = [
        *entries,
        *(e for sheet in (*binder.prior, *binder.others) for e in sheet.entries if e.code),
    ]
    for code in sorted({entry.code for entry in everything} - names.keys()):
        yield Problem(f"the master does not know {code}", "recoded")
