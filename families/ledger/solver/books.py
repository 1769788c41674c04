"""Read from the files of a case one account: entries, customers and their codes, documents."""

import csv
import io
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise

from families.ledger.solver.policy_search import Practice, induce
from families.ledger.solver.question import Question, read_question
from families.ledger.solver.sheets import Entry, Sheet, UnclearFiles, WorkedReceipt, cents, read_sheet

QUESTION, SHEET = "question.md", "ledger.txt"
MEMO, MASTER, INDEX = "policy/allocation-memo.md", "masters/counterparties.csv", "index/documents.csv"
RENAMED = re.compile(r"re-?coded|continues|formerly|same account|new code", re.IGNORECASE)
CODE = re.compile(r"(?<![\d-])\d+(?![\d-])")  # not a part of a date: its year may be a customer's code
PIECE = re.compile(r"(\S+) ([\d,]+\.\d\d)")


@dataclass(frozen=True, slots=True)
class Books:
    """What the files say about one account.

    entries: of the account and year, in the order in which they take effect.
    names: code -> customer.
    same: code -> the code that its customer is known by, if that is another one or has changed.
    papers: document -> voucher.
    late: the entries of the supplement.
    prior: the entries of last year's files.
    """

    question: Question
    entries: Sequence[Entry]
    worked: Sequence[WorkedReceipt]
    practice: Practice
    names: Mapping[str, str]
    same: Mapping[str, str] = field(default_factory=dict)
    papers: Mapping[str, str] = field(default_factory=dict)
    late: Sequence[Entry] = ()
    prior: Sequence[Entry] = ()

    def known_as(self, code: str) -> str:
        """Return the one code by which the customer with this code is known."""
        return self.same.get(code, code)


def cites_of(entries: Iterable[Entry], papers: Mapping[str, str]) -> dict[str, str]:
    """Return receipt -> the voucher of the invoice that it cites."""
    return {e.voucher: papers.get(e.ref, e.ref) for e in entries if e.cents < 0 and e.ref}


def by_customer(entries: Iterable[Entry], same: Mapping[str, str]) -> dict[str, list[Entry]]:
    """Return the entries of each customer, in the order given, without those that name no customer."""
    customers: dict[str, list[Entry]] = {}
    for entry in entries:
        if entry.code:
            customers.setdefault(same.get(entry.code, entry.code), []).append(entry)
    return customers


# A build solves a case without mistakes and with each mistake in turn. The cache is keyed by the
# texts themselves, so its books always belong to the files given.
@lru_cache(maxsize=2)
def read_close(files: tuple[tuple[str, str], ...]) -> Books:
    """Return the books of a year in many files. They are shared between calls: do not change them."""
    texts = dict(files)
    master = _rows(texts[MASTER])
    names, same = {row["code"]: row["name"] for row in master}, _same(master)
    question = read_question(texts[QUESTION], names.values())
    year = f"{question.end.year}-"
    sheets = [read_sheet(text) for path, text in files if path.startswith("ledgers/")]
    sheets = [sheet for sheet in sheets if sheet.account == question.account]
    months, late = _tied([sheet for sheet in sheets if sheet.period.startswith(year)])
    papers = {row["document_id"]: row["voucher"] for row in _rows(texts[INDEX])}
    entries = sorted(e for sheet in (*months, *late) for e in sheet.entries if e.day <= question.end)
    worked = _memo(texts[MEMO])
    practice = induce(by_customer(entries, same), cites_of(entries, papers), worked)
    return Books(
        question, entries, worked, practice, names, same, papers,
        late=[entry for sheet in late for entry in sheet.entries],
        prior=[entry for sheet in sheets if sheet.period < year for entry in sheet.entries],
    )  # fmt: skip


@lru_cache(maxsize=2)
def read_audit(files: tuple[tuple[str, str], ...]) -> Books:
    """Return the books of a single sheet. They are shared between calls: do not change them."""
    texts = dict(files)
    sheet = read_sheet(texts[SHEET])
    question = read_question(texts[QUESTION], sheet.customers.values())
    if sheet.account != question.account:
        raise UnclearFiles(f"the sheet is of account {sheet.account}")
    entries = sorted(entry for entry in sheet.entries if entry.day <= question.end)
    practice = induce(by_customer(entries, {}), cites_of(entries, {}), sheet.worked)
    return Books(question, entries, sheet.worked, practice, sheet.customers)


def _tied(sheets: Sequence[Sheet]) -> tuple[list[Sheet], list[Sheet]]:
    """Return the months, and what was booked late, which opens where its month closes.

    Raises UnclearFiles if the balances do not run through all of them.
    """
    months: dict[str, Sheet] = {}
    late: list[Sheet] = []
    for sheet in sorted(sheets, key=lambda sheet: sheet.period):
        other = months.setdefault(sheet.period, sheet)
        if other is sheet:
            continue
        if sheet.closing == other.opening and sheet.opening != other.closing:
            months[sheet.period], sheet = sheet, other
        late.append(sheet)
    added = {sheet.period: sheet for sheet in late}
    for month, following in pairwise(months.values()):
        last = added.get(month.period, month)
        if (last is not month and last.opening != month.closing) or last.closing != following.opening:
            raise UnclearFiles(f"the balances of {month.period} and {following.period} do not tie")
    return list(months.values()), late


def _same(master: Iterable[Mapping[str, str]]) -> dict[str, str]:
    """Return code -> one code for all that a customer has had, by the notes of the master."""
    codes = {row["code"] for row in master}
    same: dict[str, str] = {}
    for row in master:
        if RENAMED.search(row["note"]):
            for code in CODE.findall(row["note"]):
                if code in codes:
                    same[row["code"]] = same[code] = min(row["code"], code)
    return same


def _memo(text: str) -> list[WorkedReceipt]:
    """Return the table of the memo."""
    worked = []
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == 5 and cells[0][:1].isdigit():
            settles = {match[1]: cents(match[2]) for match in PIECE.finditer(cells[3])}
            worked.append(WorkedReceipt(cells[1], settles, cents(cells[4]) if cells[4] else 0))
    return worked


def _rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text, newline="")))
