"""Read ledger sheets from text in columns. Amounts are whole cents; a credit is negative."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from itertools import pairwise
from typing import NamedTuple

COLUMNS = ("Date", "Voucher", "Ref doc", "Narration", "Cust", "Debit", "Credit", "Balance")
RIGHT_ALIGNED = ("Debit", "Credit", "Balance")  # these end where their names end, the others begin there
SETTLES = re.compile(r"\s*(?:settles\s+(\S+)|unapplied)\s+(\S+)\s*")
CUSTOMER = re.compile(r"\s+(\d+)\s+(.+)")
BALANCE = re.compile(r"(Opening balance|Closing balance|Total)\s+(\S+)(?:\s+(\S+))?")
OPENING, CLOSING, TOTAL = "opening", "closing", "total"


class UnclearFiles(Exception):
    """The files do not lead to one answer; the message says why."""


class Entry(NamedTuple):
    """A line of a ledger. Sorted entries are in the order in which they take effect."""

    day: date
    voucher: str
    ref: str
    narration: str
    code: str
    cents: int


class WorkedReceipt(NamedTuple):
    """A receipt applied by hand: what it settled of which invoices, and what was left of it."""

    receipt: str
    settles: dict[str, int]
    unapplied: int


@dataclass(frozen=True, slots=True)
class Sheet:
    """A text of entries.

    customers: code -> name.
    totals: the balances and the total that the text shows.
    """

    account: str
    period: str
    entries: list[Entry] = field(default_factory=list)
    worked: list[WorkedReceipt] = field(default_factory=list)
    customers: dict[str, str] = field(default_factory=dict)
    totals: dict[str, int] = field(default_factory=dict)

    @property
    def opening(self) -> int:
        return self.totals[OPENING]

    @property
    def closing(self) -> int:
        return self.totals[CLOSING]


def cents(text: str) -> int:
    """Return 59,240.61 or 59240.61 as whole cents."""
    try:
        whole, part = text.replace(",", "").split(".")
        if len(part) == 2:
            return int(whole + part)
    except ValueError:
        pass
    raise UnclearFiles(f"{text!r} is not an amount")


def read_sheet(text: str) -> Sheet:
    """Return the sheet in a text; UnclearFiles if its balances or totals do not follow from its entries."""
    lines = text.splitlines()
    sheet = Sheet(_header_value(lines, "Account"), _header_value(lines, "Period"))
    cells: Sequence[slice] = ()
    by_hand, balance = False, 0
    for line in lines:
        if line.startswith("Date "):
            cells = _cells_of(line)
        elif line[:1].isdigit() and cells:
            entry, shown = _entry(line, cells)
            sheet.entries.append(entry)
            if by_hand and entry.cents < 0:
                sheet.worked.append(WorkedReceipt(entry.voucher, {}, 0))
            balance += entry.cents
            if shown and cents(shown) != balance:
                raise UnclearFiles(f"the balance at {entry.voucher} does not follow")
        elif (match := SETTLES.fullmatch(line)) and sheet.worked:
            _add_to_last(sheet.worked, match[1], cents(match[2]))
        elif match := BALANCE.search(line):
            name = match[1].split()[0].lower()
            sheet.totals[name] = cents(match[2]) - (cents(match[3]) if match[3] else 0)
            if name == OPENING:
                balance = sheet.totals[name]
            elif sheet.totals[name] != balance:
                raise UnclearFiles(f"the {match[1].lower()} of {sheet.period} does not follow")
        elif line.lower().endswith("worked through"):
            by_hand = not line.lower().startswith("not")
        elif (match := CUSTOMER.fullmatch(line)) and not cells:
            sheet.customers[match[1]] = match[2]
    return sheet


def _header_value(lines: Sequence[str], word: str) -> str:
    """Return what follows the word at the beginning of a line."""
    for line in lines:
        if line.startswith(f"{word} "):
            return line.removeprefix(word).strip()
    raise UnclearFiles(f"a ledger does not name its {word.lower()}")


def _cells_of(header: str) -> list[slice]:
    """Return where the cells of a line are, by its header. A number includes the blanks in front of it."""
    cells, start = [], 0
    names = [name for name in COLUMNS if name in header]
    for name, after in pairwise([*names, RIGHT_ALIGNED[0]]):
        end = header.index(name) + len(name) if after in RIGHT_ALIGNED else header.index(after)
        cells.append(slice(start, end))
        start = end
    return cells


def _entry(line: str, cells: Sequence[slice]) -> tuple[Entry, str]:
    """Return an entry, and the balance behind it, or "" if there is none."""
    day, voucher, ref, narration, code, debit, credit, *balance = (line[cell].strip() for cell in cells)
    if bool(debit) == bool(credit):
        raise UnclearFiles(f"{voucher} is neither a debit nor a credit")
    amount = cents(debit) if debit else -cents(credit)
    return Entry(date.fromisoformat(day), voucher, ref, narration, code, amount), "".join(balance)


def _add_to_last(worked: list[WorkedReceipt], invoice: str | None, amount: int) -> None:
    """Add what a line below a receipt says; invoice: None if the amount is unapplied."""
    if invoice:
        worked[-1].settles[invoice] = amount
    else:
        worked[-1] = worked[-1]._replace(unapplied=amount)
