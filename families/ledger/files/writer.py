"""The files of a case: what `reading` reads back.

A ledger file has fixed columns (`COLUMNS`: name, width, whether it is set to the right), one blank
between them, and runs from an opening to a closing balance. In the sheet of an audit there is no
balance; below a worked receipt stands what it settles.
"""

import csv
from collections.abc import Iterable, Iterator
from io import StringIO

from families.ledger.domain.book import Entry, Worked
from families.ledger.domain.formats import iso, money
from families.ledger.files.case_files import Binder, Sheet

COLUMNS = (
    ("Date", 10, False), ("Voucher", 10, False), ("Ref doc", 10, False), ("Narration", 30, False),
    ("Cust", 4, False), ("Debit", 12, True), ("Credit", 12, True), ("Balance", 14, True),
)  # fmt: skip
OPENING, CLOSING = "Opening balance", "Closing balance"
WORKED_PART, REST_PART = "Worked through", "Not worked through"
MEMO, MASTER, INDEX = "policy/allocation-memo.md", "masters/counterparties.csv", "index/documents.csv"
QUESTION, AUDIT = "question.md", "ledger.txt"
MEMO_HEAD = ("Date", "Receipt", "Amount", "Settles", "Unapplied")
MASTER_HEAD, INDEX_HEAD = ("code", "name", "status", "note"), ("document_id", "voucher", "document_type")


def close_files(binder: Binder, memo: tuple[str, str, str, str]) -> dict[str, str]:
    """All files of a close but its README. memo: its title, its first lines, its rule, its last line."""
    files = {month_path(sheet): sheet_text(sheet) for sheet in (*binder.prior, *binder.months)}
    if binder.late:
        files[supplement_path(binder.late)] = sheet_text(binder.late)
    for sheet in binder.others:
        files[f"ledgers/{sheet.period}-{sheet.account.split()[0]}.txt"] = sheet_text(sheet)
    files[MEMO] = memo_text(binder.memo, *memo)
    files[MASTER] = _csv(MASTER_HEAD, binder.customers)
    files[INDEX] = _csv(INDEX_HEAD, binder.documents)
    files[QUESTION] = question_text(binder)
    return files


def month_path(sheet: Sheet) -> str:
    return f"ledgers/{sheet.period}.txt"


def supplement_path(sheet: Sheet) -> str:
    return f"ledgers/{sheet.period}-supplement.txt"


def audit_files(binder: Binder, rule: str) -> dict[str, str]:
    """All files of an audit but its README. rule: what is said about cash that nothing is open for."""
    (sheet,) = binder.months
    lines = [f"Account {sheet.account}", f"Period {sheet.period}", "", rule, ""]
    lines += ["Customers:", *(f"  {customer.code}  {customer.name}" for customer in binder.customers), ""]
    worked = {line.receipt: line for line in binder.memo}
    stop = (binder.memo[-1].day, binder.memo[-1].receipt)
    for title, part in (
        (WORKED_PART, [entry for entry in sheet.entries if entry[:2] <= stop]),
        (REST_PART, [entry for entry in sheet.entries if entry[:2] > stop]),
    ):
        lines += [title, "", _row(*(name for name, _, _ in COLUMNS[:-1]))]
        for entry in part:
            lines.append(_entry(entry))
            if entry.voucher in worked:
                lines += _below(worked[entry.voucher])
        lines.append("")
    billed = sum(entry.amount for entry in sheet.entries if entry.amount > 0)
    received = -sum(entry.amount for entry in sheet.entries if entry.amount < 0)
    lines.append(_row("", "", "", "Total", "", money(billed), money(received)))
    return {AUDIT: "\n".join(lines) + "\n", QUESTION: question_text(binder)}


def question_text(binder: Binder) -> str:
    return f"# Question\n\nAccount {binder.account}.\n\n{binder.question}\n"


def sheet_text(sheet: Sheet) -> str:
    """A ledger file: account, period, columns, entries with the running balance."""
    lines = [
        f"Account {sheet.account}",
        f"Period {sheet.period}",
        "",
        _row(*(name for name, _, _ in COLUMNS)),
    ]
    balance = sheet.opening
    lines.append(_row("", "", "", OPENING, "", "", "", money(balance)))
    for entry in sheet.entries:
        balance += entry.amount
        lines.append(_entry(entry, money(balance)))
    lines.append(_row("", "", "", CLOSING, "", "", "", money(sheet.closing)))
    return "\n".join(lines) + "\n"


def memo_text(memo: Iterable[Worked], title: str, start: str, rule: str, end: str) -> str:
    """The memo: what is said, then a table of receipts. Its invoices are in the order of their vouchers."""
    lines = [f"# {title}", "", start, "", rule, "", f"| {' | '.join(MEMO_HEAD)} |", "|---|---|---:|---|---:|"]
    for line in memo:
        settles = "; ".join(f"{invoice} {money(cents)}" for invoice, cents in line.settles)
        unapplied = money(line.unapplied) if line.unapplied else ""
        lines.append(f"| {iso(line.day)} | {line.receipt} | {money(line.amount)} | {settles} | {unapplied} |")
    return "\n".join([*lines, "", end]) + "\n"


def _below(line: Worked) -> Iterator[str]:
    """What stands below a worked receipt in an audit's sheet."""
    for invoice, cents in line.settles:
        yield f"    settles {invoice} {money(cents):>12}"
    if line.unapplied:
        yield f"    unapplied {money(line.unapplied):>20}"


def _entry(entry: Entry, balance: str = "") -> str:
    debit, credit = (money(entry.amount), "") if entry.amount > 0 else ("", money(-entry.amount))
    return _row(iso(entry.day), entry.voucher, entry.ref, entry.narration, entry.code, debit, credit, balance)


def _row(*cells: str) -> str:
    shown = (
        cell.rjust(width) if right else cell.ljust(width)
        for cell, (_, width, right) in zip(cells, COLUMNS, strict=False)
    )
    return " ".join(shown).rstrip()


def _csv(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(head)
    writer.writerows(rows)
    return text.getvalue()
