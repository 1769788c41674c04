"""The files of closes: what ties and what does not, what is numbered, quoted and named."""

import csv
import io
import re
from collections import Counter

from families.ledger.solver.sheets import Sheet, read_sheet
from trapcli.core.contract import Case


def sheets(case: Case) -> dict[str, Sheet]:
    return {path: read_sheet(text) for path, text in case.files.items() if path.startswith("ledgers/")}


def own(case: Case) -> list[Sheet]:
    """Return the sheets of the account and year asked about."""
    account = re.search(r"Account (.+?)\. Year", case.files["question.md"])
    assert account
    return [s for s in sheets(case).values() if s.account == account[1] and s.period.startswith("2026")]


def test_every_file_runs_from_its_opening_to_its_closing_balance(deep_closes: list[Case]) -> None:
    """Balances follow from the entries line by line, except where an entry stands in another file."""
    for case in deep_closes:
        jumps = 0
        for sheet in sheets(case).values():
            balance = sheet.opening
            for entry in sheet.entries:
                jumps += balance + entry.debit - entry.credit != entry.balance
                balance = entry.balance or 0
            assert balance == sheet.closing
        strays = "stray_entry_missed" in case.mistakes
        assert jumps == 2 * strays  # where it is missing, and where it stands


def test_the_months_tie_once_everything_is_in(closes: list[Case], deep_closes: list[Case]) -> None:
    """A month opens with the closing balance before it, of the supplement if there is one."""
    for case in (*closes, *deep_closes):
        balances = {0} | {sheet.closing for sheet in own(case)}
        assert all(sheet.opening in balances for sheet in own(case))


def test_names_of_files_tell_nothing(closes: list[Case], deep_closes: list[Case]) -> None:
    """All ledger files are named YEAR-MONTH-NUMBER, whatever they are."""
    for case in (*closes, *deep_closes):
        ledgers = [path for path in case.files if path.startswith("ledgers/")]
        assert all(re.fullmatch(r"ledgers/20\d\d-\d\d-\d\.txt", path) for path in ledgers)


def test_vouchers_are_numbered_without_a_gap(deep_closes: list[Case]) -> None:
    """The vouchers of a month, over all its files, count from 1 without a gap."""
    for case in deep_closes:
        vouchers = {entry.voucher for sheet in own(case) for entry in sheet.entries}
        if "stray_entry_missed" in case.mistakes:
            continue
        series: dict[str, list[int]] = {}
        for voucher in vouchers:
            prefix, _, number = voucher.rpartition("-")
            if "26" in prefix:
                series.setdefault(prefix, []).append(int(number))
        for prefix, numbers in series.items():
            assert sorted(numbers) == list(range(1, len(numbers) + 1)), prefix


def test_what_is_quoted_is_on_file(deep_closes: list[Case]) -> None:
    """Every document that an entry quotes is in the index, and its voucher in a ledger."""
    for case in deep_closes:
        rows = csv.DictReader(io.StringIO(case.files["index/documents.csv"]))
        index = {row["document_id"]: row["voucher"] for row in rows}
        entries = [entry for sheet in sheets(case).values() for entry in sheet.entries]
        vouchers = {entry.voucher for entry in entries}
        for entry in entries:
            if entry.ref:
                assert index[entry.ref] in vouchers


def test_documents_of_late_invoices_are_indexed_like_others(deep_closes: list[Case]) -> None:
    """Whether a voucher is in the index does not tell whether it was booked late."""
    known: Counter[bool] = Counter()
    total: Counter[bool] = Counter()
    for case in deep_closes:
        if "late_entries_missed" not in case.mistakes:
            continue
        evidence = case.facts["missed"]["late_entries_missed"]["evidence"]
        late = {row[1].split()[1] for row in evidence if "debit" in row[1] or "credit" in row[1]}
        indexed = {row.split(",")[1] for row in case.files["index/documents.csv"].splitlines()[1:]}
        for sheet in own(case):
            for entry in sheet.entries:
                total[entry.voucher in late] += 1
                known[entry.voucher in late] += entry.voucher in indexed
    assert total[True] >= 3
    assert known[True] / total[True] >= 0.6


def test_a_retired_code_is_used_no_more(deep_closes: list[Case]) -> None:
    """After a re-coding no file of any account books under the old code."""
    for case in deep_closes:
        for row in csv.DictReader(io.StringIO(case.files["masters/counterparties.csv"])):
            left = r"(?:re-coded to|continues as|same account under) .*(\d{4}-\d\d-\d\d)"
            note = re.search(left, row["note"])
            if note and row["status"] == "retired":
                later = [
                    entry
                    for sheet in sheets(case).values()
                    for entry in sheet.entries
                    if entry.code == row["code"] and f"{entry.day}" >= note[1]
                ]
                assert later == []


def test_equal_receipts_are_rare(closes: list[Case], deep_closes: list[Case]) -> None:
    """Few receipts of an account have an amount that another one has."""
    for case in (*closes, *deep_closes):
        receipts = {(e.voucher, e.credit) for s in own(case) for e in s.entries if e.credit}
        amounts = Counter(amount for _, amount in receipts)
        repeated = sum(count - 1 for count in amounts.values())
        assert repeated <= max(3, len(receipts) // 6)


def test_receipts_come_in_on_workdays(deep_closes: list[Case]) -> None:
    """No bank receipt is dated on a weekend."""
    for case in deep_closes:
        assert all(e.day.weekday() < 5 for s in own(case) for e in s.entries)
