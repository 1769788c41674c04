"""Write the files of a case; `reader` reads them back.

A ledger file has fixed columns (`COLUMNS`: name, width, whether it is right-aligned), separated by
one blank, and runs from an opening to a closing balance. The sheet of an audit has no balances; the
invoices that a worked receipt settles are listed below it.
"""

import csv
from collections.abc import Iterable, Iterator
from io import StringIO

from families.ledger.domain.book import Entry, WorkedReceipt
from families.ledger.domain.formats import iso, money
from families.ledger.files.case_files import CaseFiles, Sheet

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


def write_close(case_files: CaseFiles, memo_texts: tuple[str, str, str, str]) -> dict[str, str]:
    """Return all files of a close except its README: path -> text.

    memo_texts: the memo's title, first lines, rule and last line.
    """
    files = {month_path(sheet): sheet_text(sheet) for sheet in (*case_files.prior, *case_files.months)}
    if case_files.supplement:
        files[supplement_path(case_files.supplement)] = sheet_text(case_files.supplement)
    for sheet in case_files.other_accounts:
        files[f"ledgers/{sheet.period}-{sheet.account.split()[0]}.txt"] = sheet_text(sheet)
    files[MEMO] = memo_text(case_files.memo, *memo_texts)
    files[MASTER] = _csv(MASTER_HEAD, case_files.customers)
    files[INDEX] = _csv(INDEX_HEAD, case_files.documents)
    files[QUESTION] = question_text(case_files)
    return files


def month_path(sheet: Sheet) -> str:
    return f"ledgers/{sheet.period}.txt"


def supplement_path(sheet: Sheet) -> str:
    return f"ledgers/{sheet.period}-supplement.txt"


def write_audit(case_files: CaseFiles, rule: str) -> dict[str, str]:
    """Return all files of an audit except its README: path -> text.

    rule: the sentence about cash that finds no open invoice.
    """
    (sheet,) = case_files.months
    lines = [f"Account {sheet.account}", f"Period {sheet.period}", "", rule, ""]
    lines += ["Customers:", *(f"  {customer.code}  {customer.name}" for customer in case_files.customers), ""]
    worked = {line.receipt: line for line in case_files.memo}
    stop = (case_files.memo[-1].day, case_files.memo[-1].receipt)
    for title, part in (
        (WORKED_PART, [entry for entry in sheet.entries if entry[:2] <= stop]),
        (REST_PART, [entry for entry in sheet.entries if entry[:2] > stop]),
    ):
        lines += [title, "", _row(*(name for name, _, _ in COLUMNS[:-1]))]
        for entry in part:
            lines.append(_entry(entry))
            if entry.voucher in worked:
                lines += _lines_below(worked[entry.voucher])
        lines.append("")
    billed = sum(entry.amount for entry in sheet.entries if entry.amount > 0)
    received = -sum(entry.amount for entry in sheet.entries if entry.amount < 0)
    lines.append(_row("", "", "", "Total", "", money(billed), money(received)))
    return {AUDIT: "\n".join(lines) + "\n", QUESTION: question_text(case_files)}


def question_text(case_files: CaseFiles) -> str:
    return f"# Question\n\nAccount {case_files.account}.\n\n{case_files.question}\n"


def sheet_text(sheet: Sheet) -> str:
    """Return a ledger file: account, period, columns, entries with the running balance."""
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


def memo_text(memo: Iterable[WorkedReceipt], title: str, start: str, rule: str, end: str) -> str:
    """Return the memo: its sentences around a table of receipts, each with its invoices by voucher."""
    lines = [f"# {title}", "", start, "", rule, "", f"| {' | '.join(MEMO_HEAD)} |", "|---|---|---:|---|---:|"]
    for line in memo:
        settles = "; ".join(f"{invoice} {money(cents)}" for invoice, cents in line.settles)
        unapplied = money(line.unapplied) if line.unapplied else ""
        lines.append(f"| {iso(line.day)} | {line.receipt} | {money(line.amount)} | {settles} | {unapplied} |")
    return "\n".join([*lines, "", end]) + "\n"


def _lines_below(receipt: WorkedReceipt) -> Iterator[str]:
    """Yield the lines below a worked receipt in the sheet of an audit."""
    for invoice, cents in receipt.settles:
        yield f"    settles {invoice} {money(cents):>12}"
    if receipt.unapplied:
        yield f"    unapplied {money(receipt.unapplied):>20}"


def _entry(entry: Entry, balance: str = "") -> str:
    debit, credit = (money(entry.amount), "") if entry.amount > 0 else ("", money(-entry.amount))
    return _row(iso(entry.day), entry.voucher, entry.ref, entry.narration, entry.code, debit, credit, balance)


def _row(*cells: str) -> str:
    padded = (
        cell.rjust(width) if right else cell.ljust(width)
        for cell, (_, width, right) in zip(cells, COLUMNS, strict=False)
    )
    return " ".join(padded).rstrip()


def _csv(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(head)
    writer.writerows(rows)
    return text.getvalue()
