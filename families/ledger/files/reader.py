"""Read the files of a case back into `CaseFiles`, so that the checks see what an agent sees.

Every function raises ValueError, naming the file, for what cannot be read or does not add up.
"""

import csv
import re
from collections.abc import Mapping
from io import StringIO

from families.ledger.domain.book import Entry, WorkedReceipt
from families.ledger.domain.formats import cents_of, day_of
from families.ledger.files.case_files import CaseFiles, Customer, Document, Sheet
from families.ledger.files.writer import (
    AUDIT,
    CLOSING,
    COLUMNS,
    INDEX,
    INDEX_HEAD,
    MASTER,
    MASTER_HEAD,
    MEMO,
    OPENING,
    QUESTION,
    REST_PART,
    WORKED_PART,
)

LEDGER_PATH = re.compile(r"ledgers/(\d{4}-\d\d)(-supplement|-\d+)?\.txt")
WIDTH = sum(width + 1 for _, width, _ in COLUMNS) - 1
PIECE = re.compile(r"(\S+) ([0-9,.]+)")


def read_close(files: Mapping[str, str]) -> CaseFiles:
    """Read the files of a close; its months are those of the memo's year."""
    account, question = _question(files[QUESTION])
    memo = _memo(files[MEMO])
    year = memo[0].receipt[2:4]
    sheets: dict[str, list[Sheet]] = {"months": [], "supplement": [], "prior": [], "other": []}
    for path in sorted(files):
        if match := LEDGER_PATH.fullmatch(path):
            sheet = _sheet(path, files[path])
            if sheet.period != match[1]:
                raise ValueError(f"{path} is about {sheet.period}")
            part = "months" if sheet.period[2:4] == year else "prior"
            part = "other" if sheet.account != account else "supplement" if match[2] else part
            sheets[part].append(sheet)
    return CaseFiles(
        account=account,
        question=question,
        months=tuple(sheets["months"]),
        memo=memo,
        customers=tuple(Customer(*row) for row in _csv(MASTER, files[MASTER], MASTER_HEAD)),
        supplement=sheets["supplement"][0] if sheets["supplement"] else None,
        prior=tuple(sheets["prior"]),
        other_accounts=tuple(sheets["other"]),
        documents=tuple(Document(*row) for row in _csv(INDEX, files[INDEX], INDEX_HEAD)),
    )


def read_audit(files: Mapping[str, str]) -> CaseFiles:
    """Read the files of an audit; its one sheet covers all months."""
    account, question = _question(files[QUESTION])
    entries: list[Entry] = []
    memo: list[WorkedReceipt] = []
    customers: list[Customer] = []
    lines = files[AUDIT].splitlines()
    in_memo = False
    for line in lines:
        if line in (WORKED_PART, REST_PART):
            in_memo = line == WORKED_PART
        elif match := re.fullmatch(r"  (\d+)  (.+)", line):
            customers.append(Customer(match[1], match[2], "", ""))
        elif match := re.fullmatch(r"    settles (\S+) +(\S+)", line):
            memo[-1] = memo[-1]._replace(settles=(*memo[-1].settles, (match[1], cents_of(match[2]))))
        elif match := re.fullmatch(r"    unapplied +(\S+)", line):
            memo[-1] = memo[-1]._replace(unapplied=cents_of(match[1]))
        elif re.match(r"\d{4}-\d\d-\d\d ", line):
            entry, _ = _entry(AUDIT, line)
            entries.append(entry)
            if in_memo and entry.amount < 0:
                memo.append(WorkedReceipt(entry.day, entry.voucher, -entry.amount, (), 0))
    totals = [cents_of(cell) for cell in lines[-1].split()[1:]]
    signs = (1, -1)
    if totals != [sum(sign * e.amount for e in entries if sign * e.amount > 0) for sign in signs]:
        raise ValueError(f"{AUDIT}: the totals are not those of the entries")
    entries.sort(key=lambda entry: entry.voucher)
    balance = sum(entry.amount for entry in entries)
    sheet = Sheet(account, lines[1].removeprefix("Period "), 0, tuple(entries), balance)
    memo.sort()
    return CaseFiles(account, question, (sheet,), tuple(memo), tuple(customers))


def _question(text: str) -> tuple[str, str]:
    """Return the account and the question."""
    match = re.fullmatch(r"# Question\n\nAccount (.+)\.\n\n(.+)\n", text)
    if not match:
        raise ValueError(f"{QUESTION} does not have the form of a question")
    return match[1], match[2]


def _sheet(path: str, text: str) -> Sheet:
    """Read a ledger file, and check every balance in it."""
    lines = text.splitlines()
    account, period = lines[0].removeprefix("Account "), lines[1].removeprefix("Period ")
    entries: list[Entry] = []
    opening = balance = closing = None
    for number, line in enumerate(lines[4:], 5):
        cells = _cells(line)
        if cells[3] == OPENING and not cells[0]:
            opening = balance = cents_of(cells[7])
        elif cells[3] == CLOSING and not cells[0]:
            closing = cents_of(cells[7])
        elif balance is not None:
            entry, shown = _entry(path, line)
            balance += entry.amount
            entries.append(entry)
            if cents_of(shown) != balance:
                raise ValueError(f"{path}, line {number}: the balance {shown} does not follow")
    if opening is None or closing is None or closing != balance:
        raise ValueError(f"{path}: the closing balance does not follow")
    return Sheet(account, period, opening, tuple(entries), closing)


def _cells(line: str) -> list[str]:
    if len(line) > WIDTH:
        raise ValueError(f"{line!r} is wider than its columns")
    cells, start = [], 0
    for _, width, _ in COLUMNS:
        cells.append(line[start : start + width].strip())
        start += width + 1
    return cells


def _entry(path: str, line: str) -> tuple[Entry, str]:
    """Return an entry, and the balance behind it, or "" if there is none."""
    day, voucher, ref, narration, code, debit, credit, balance = _cells(line)
    if bool(debit) == bool(credit):
        raise ValueError(f"{path}: {voucher} is neither a debit nor a credit")
    amount = cents_of(debit) if debit else -cents_of(credit)
    return Entry(day_of(day), voucher, code, amount, ref, narration), balance


def _memo(text: str) -> tuple[WorkedReceipt, ...]:
    memo = []
    for line in text.splitlines():
        if re.match(r"\| \d{4}-", line):
            day, receipt, amount, settles, rest = (cell.strip() for cell in line.strip("|").split("|"))
            pieces = tuple((match[1], cents_of(match[2])) for match in PIECE.finditer(settles))
            unapplied = cents_of(rest) if rest else 0
            memo.append(WorkedReceipt(day_of(day), receipt, cents_of(amount), pieces, unapplied))
    if not memo:
        raise ValueError(f"{MEMO} works through no receipt")
    return tuple(memo)


def _csv(path: str, text: str, head: tuple[str, ...]) -> list[list[str]]:
    rows = list(csv.reader(StringIO(text)))
    if not rows or tuple(rows[0]) != head or any(len(row) != len(head) for row in rows):
        raise ValueError(f"{path} does not have the columns {', '.join(head)}")
    return rows[1:]
