"""Decide which entries of which files count, for a careful reader and for one who misses something."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from families.ledger.solver.sheets import (
    Entry,
    Sheet,
    UnclearFiles,
    Worked,
    read_memo,
    read_sheet,
    rows,
    withdrawn,
)

MASTER, INDEX = "masters/counterparties.csv", "index/documents.csv"
MEMO, NOTES, QUESTION = "policy/allocation-memo.md", "policy/notes.md", "question.md"
ACCOUNTS = r"Accounts? (\d+ .+?)(?: and (\d+ .+?), taken together)?\. Year (\d{4})"
SUCCESSION = re.compile(r"re-coded (to|on)|account continues as|same account under|formerly|new code since")
PAYING = re.compile(r"pays for (\d+)|settles the invoices of (\d+)|paying office of (\d+)")


@dataclass(slots=True)
class Binder:
    """The files of a close, sorted out.

    account, second: those asked about; the second is that of the customers who write mails.
    of_second: the entries of the second.
    regular: for each period the sheet that counts; late: what else belongs to it.
    first_exports: period -> the sheet that a later export replaced; copies: sheets that are there twice.
    strays: entries of the account that stand in another account's file.
    """

    account: str
    second: str = ""
    regular: dict[str, Sheet] = field(default_factory=dict)
    late: dict[str, Sheet] = field(default_factory=dict)
    first_exports: dict[str, Sheet] = field(default_factory=dict)
    copies: list[Sheet] = field(default_factory=list)
    opening: list[Entry] = field(default_factory=list)
    prior: list[Sheet] = field(default_factory=list)
    foreign: list[Entry] = field(default_factory=list)
    strays: list[Entry] = field(default_factory=list)
    of_second: list[Entry] = field(default_factory=list)
    names: dict[str, str] = field(default_factory=dict)
    offices: dict[str, str] = field(default_factory=dict)
    same: dict[str, str] = field(default_factory=dict)
    pays_for: dict[str, str] = field(default_factory=dict)
    papers: dict[str, str] = field(default_factory=dict)
    memo: dict[str, Worked] = field(default_factory=dict)
    gone: set[str] = field(default_factory=set)


# The cache is keyed by the texts themselves, so its binders always belong to the files given. They are
# shared between calls: do not change them.
@lru_cache(maxsize=2)
def read_binder(files: tuple[tuple[str, str], ...]) -> Binder:
    """Return the files of a close, sorted out; UnclearFiles if the balances do not tie."""
    texts = dict(files)
    match = re.search(ACCOUNTS, texts[QUESTION])
    if not match:
        raise UnclearFiles("the question names no account and year")
    binder = Binder(match[1], match[2] or "")
    sheets: dict[str, Sheet] = {}
    for text in (text for path, text in files if path.startswith("ledgers/")):
        if text in sheets:
            binder.copies.append(sheets[text])
        sheets.setdefault(text, read_sheet(text))
    _sort_sheets(binder, sheets.values(), match[3])
    master = rows(texts[MASTER])
    binder.names = {row["code"]: row["name"] for row in master}
    binder.offices = {row["code"]: row["office"] for row in master}
    _read_notes(binder, master)
    binder.papers = {row["document_id"]: row["voucher"] for row in rows(texts[INDEX])}
    binder.memo = read_memo(texts[MEMO])
    binder.gone = withdrawn(texts[NOTES], binder.memo)
    return binder


def _sort_sheets(binder: Binder, sheets: Iterable[Sheet], year: str) -> None:
    months: dict[str, list[Sheet]] = {}
    for sheet in sheets:
        if sheet.account == binder.second:
            binder.of_second += sheet.entries
        elif sheet.account != binder.account:
            binder.foreign += sheet.entries
        elif not sheet.period.startswith(year):
            binder.prior.append(sheet)
        elif sheet.period.endswith("-00"):
            binder.opening = sheet.entries
        else:
            months.setdefault(sheet.period, []).append(sheet)
    balance = sum(entry.debit for entry in binder.opening)
    for period in sorted(months):
        started = sorted((s for s in months[period] if s.opening == balance), key=lambda s: s.exported[-16:])
        if not started:
            raise UnclearFiles(f"no file of {period} opens with {balance}")
        *before, regular = sorted(started, key=_exported)
        binder.regular[period] = regular
        if before:
            binder.first_exports[period] = before[-1]
        balance = regular.closing
        for sheet in months[period]:
            if sheet not in started and sheet.opening == balance:
                binder.late[period], balance = sheet, sheet.closing
    _find_strays(binder)


def _exported(sheet: Sheet) -> str:
    """Return when a sheet was exported, as text that sorts."""
    first, time = sheet.exported.split()
    return "-".join(reversed(first.split("."))) + time if "." in first else first + time


def _find_strays(binder: Binder) -> None:
    """Find what moved a balance of the account but stands in another account's file."""
    for sheet in binder.regular.values():
        balance = sheet.opening
        for entry in sheet.entries:
            moved = (entry.balance or 0) - balance - entry.debit + entry.credit
            if moved:
                series = entry.voucher.rpartition("-")[0]
                found = [e for e in binder.foreign
                         if e.voucher.startswith(series) and e.debit - e.credit == moved]  # fmt: skip
                if len(found) != 1:
                    raise UnclearFiles(f"the balance jumps at {entry.voucher}")
                binder.strays += found
            balance = entry.balance or 0
    binder.foreign = [entry for entry in binder.foreign if entry not in binder.strays]


def _read_notes(binder: Binder, master: Sequence[Mapping[str, str]]) -> None:
    for row in master:
        if match := PAYING.search(row["note"]):
            binder.pays_for[row["code"]] = next(code for code in match.groups() if code)
        elif SUCCESSION.search(row["note"]):
            for code in re.findall(r"(?<![-\d])\d{4}(?![-\d])", row["note"]):
                if code in binder.names:
                    _join(binder.same, row["code"], code)


def _join(same: dict[str, str], one: str, other: str) -> None:
    """Make two codes known by one of them, with all that are known by either."""
    known = same.get(one, one)
    for code in [c for c, first in same.items() if first == same.get(other, other)] + [other]:
        same[code] = known
    same[one] = known


def counting_entries(binder: Binder, missed: Collection[str]) -> list[Entry]:
    """Return the entries that count, in the order in which they take effect; a copy's voucher ends in *."""
    counted: list[Entry] = []
    if "prior_year_folded_in" in missed:
        counted += [entry for sheet in binder.prior for entry in sheet.entries if entry.code]
    if "other_account_folded_in" in missed:
        counted += binder.foreign
    if "opening_items_left_out" not in missed:
        counted += binder.opening
    for period, sheet in binder.regular.items():
        if "other_format_left_out" in missed and sheet.style == "1.234,56":
            continue
        if "first_export_used" in missed:
            sheet = binder.first_exports.get(period, sheet)
        counted += sheet.entries
    if "late_entries_missed" not in missed:
        counted += [entry for sheet in binder.late.values() for entry in sheet.entries]
    if "stray_entry_missed" not in missed:
        counted += binder.strays
    if "duplicate_counted" in missed:
        counted += [replace(e, voucher=e.voucher + "*") for sheet in binder.copies for e in sheet.entries]
    return sorted(counted, key=lambda entry: (entry.day, entry.voucher))
