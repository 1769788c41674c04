"""Write the files of a case.

A ledger file has fixed columns (`COLUMNS`: name, width, whether it is right-aligned), separated by
one blank, and runs from an opening to a closing balance.
"""

import csv
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from io import StringIO
from typing import NamedTuple

from families.ledger.domain.formats import iso, money

COLUMNS = (
    ("Date", 10, False), ("Voucher", 11, False), ("Doc", 8, False), ("Ref", 8, False),
    ("Narration", 30, False), ("Cust", 4, False), ("Debit", 13, True), ("Credit", 13, True),
    ("Balance", 15, True),
)  # fmt: skip
OPENING, CLOSING = "Opening balance", "Closing balance"
MASTER_HEAD = ("code", "name", "office", "status", "note")
INDEX_HEAD = ("document_id", "voucher", "document_type")


class Shown(NamedTuple):
    """A line of a ledger file; amount and balance in cents, a debit if positive."""

    day: int
    voucher: str
    doc: str
    ref: str
    narration: str
    code: str
    amount: int
    balance: int | None


class MemoLine(NamedTuple):
    """A line of the memo: a receipt, the invoices that it settles and those whose rest it had written off."""

    day: int
    receipt: str
    amount: int
    settles: tuple[tuple[str, int], ...]
    written: tuple[tuple[str, int], ...] = ()

    @property
    def unapplied(self) -> int:
        return self.amount - sum(cents for _, cents in self.settles)


def ledger_text(
    account: str, period: str, exported: tuple[int, str], opening: int, lines: Sequence[Shown],
    closing: int, european: bool,
) -> str:  # fmt: skip
    """Return a ledger file.

    exported: a day and "14:05".
    european: whether amounts are like 1.234,56 and dates like 31.03.2026.
    """
    amount, day = (_european_amount, _european_day) if european else (money, iso)
    head = [f"Account {account}", f"Period {period}", f"Exported {day(exported[0])} {exported[1]}", ""]
    rows = [
        _row(*(name for name, _, _ in COLUMNS)),
        _row("", "", "", "", OPENING, "", "", "", amount(opening)),
    ]
    for line in lines:
        sides = (amount(line.amount), "") if line.amount > 0 else ("", amount(-line.amount))
        balance = amount(line.balance) if line.balance is not None else ""
        rows.append(
            _row(day(line.day), line.voucher, line.doc, line.ref, line.narration, line.code, *sides, balance)
        )
    rows.append(_row("", "", "", "", CLOSING, "", "", "", amount(closing)))
    return "\n".join([*head, *rows]) + "\n"


def _row(*cells: str) -> str:
    padded = (
        cell.rjust(width) if right else cell.ljust(width)
        for cell, (_, width, right) in zip(cells, COLUMNS, strict=False)
    )
    return " ".join(padded).rstrip()


def _european_amount(cents: int) -> str:
    return money(cents).translate({ord(","): ".", ord("."): ","})


def _european_day(day: int) -> str:
    return f"{date.fromordinal(day):%d.%m.%Y}"


def memo_text(title: str, start: str, end: str, lines: Iterable[MemoLine], written: bool) -> str:
    """Return the memo; written: whether it has a column of what was written off."""
    head = ["Date", "Receipt", "Amount", "Settles", "Unapplied", *(["Written off"] if written else [])]
    rule = ["---", "---", "---:", "---", "---:", *(["---"] if written else [])]
    rows = [f"# {title}", "", start, "", f"| {' | '.join(head)} |", f"|{'|'.join(rule)}|"]
    for line in lines:
        cells = [iso(line.day), line.receipt, money(line.amount), _pieces(line.settles)]
        cells.append(money(line.unapplied) if line.unapplied else "")
        if written:
            cells.append(_pieces(line.written))
        rows.append(f"| {' | '.join(cells)} |")
    return "\n".join([*rows, "", end]) + "\n"


def _pieces(pieces: Iterable[tuple[str, int]]) -> str:
    return "; ".join(f"{invoice} {money(cents)}" for invoice, cents in pieces)


def notes_text(notes: Mapping[int, str]) -> str:
    """Return the notes to the memo; notes: day -> text."""
    return "# Notes\n\n" + "".join(f"- {iso(day)}: {notes[day]}\n" for day in sorted(notes))


def csv_text(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(head)
    writer.writerows(rows)
    return text.getvalue()
