"""Ledger sheets, read from text in columns. Amounts are whole cents; a credit is below zero."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from itertools import pairwise
from typing import NamedTuple

COLUMNS = ("Date", "Voucher", "Ref doc", "Narration", "Cust", "Debit", "Credit", "Balance")
TO_THE_RIGHT = ("Debit", "Credit", "Balance")  # these end where their names end, the others begin there
SETTLES = re.compile(r"\s*(?:settles\s+(\S+)|unapplied)\s+(\S+)\s*")
CUSTOMER = re.compile(r"\s+(\d+)\s+(.+)")
OPENING, CLOSING, TOTAL = "opening", "closing", "total"


class Unclear(Exception):
    """What the files say does not lead to one answer."""


class Entry(NamedTuple):
    """In the order that entries take effect in, if sorted."""

    day: date
    voucher: str
    ref: str
    narration: str
    code: str
    cents: int


class Worked(NamedTuple):
    """What was put by hand: a receipt, the invoices that it settled, and what was left of it."""

    receipt: str
    settles: dict[str, int]
    unapplied: int


@dataclass(frozen=True, slots=True)
class Sheet:
    """A text of entries. opening, closing: None if it shows none."""

    account: str
    period: str
    entries: list[Entry] = field(default_factory=list)
    worked: list[Worked] = field(default_factory=list)
    customers: dict[str, str] = field(default_factory=dict)  # code -> name
    totals: dict[str, int] = field(default_factory=dict)

    @property
    def opening(self) -> int:
        return self.totals[OPENING]

    @property
    def closing(self) -> int:
        return self.totals[CLOSING]


def cents(text: str) -> int:
    """59,240.61 or 59240.61 as whole cents."""
    try:
        whole, part = text.replace(",", "").split(".")
        if len(part) == 2:
            return int(whole + part)
    except ValueError:
        pass
    raise Unclear(f"{text!r} is no amount")


def read_sheet(text: str) -> Sheet:
    """The sheet that a text shows; Unclear if its balances or totals do not follow from its entries."""
    lines = text.splitlines()
    sheet = Sheet(_said(lines, "Account"), _said(lines, "Period"))
    cuts: Sequence[slice] = ()
    by_hand, balance = False, 0
    for line in lines:
        if line.startswith("Date "):
            cuts = _cuts(line)
        elif line[:1].isdigit() and cuts:
            entry, shown = _entry(line, cuts)
            sheet.entries.append(entry)
            if by_hand and entry.cents < 0:
                sheet.worked.append(Worked(entry.voucher, {}, 0))
            balance += entry.cents
            if shown and cents(shown) != balance:
                raise Unclear(f"the balance at {entry.voucher} does not follow")
        elif (found := SETTLES.fullmatch(line)) and sheet.worked:
            _below(sheet.worked, found[1], cents(found[2]))
        elif found := re.search(r"(Opening balance|Closing balance|Total)\s+(\S+)(?:\s+(\S+))?", line):
            kind = found[1].split()[0].lower()
            sheet.totals[kind] = cents(found[2]) - (cents(found[3]) if found[3] else 0)
            if kind == OPENING:
                balance = sheet.totals[kind]
            elif sheet.totals[kind] != balance:
                raise Unclear(f"the {found[1].lower()} of {sheet.period} does not follow")
        elif line.lower().endswith("worked through"):
            by_hand = not line.lower().startswith("not")
        elif (found := CUSTOMER.fullmatch(line)) and not cuts:
            sheet.customers[found[1]] = found[2]
    return sheet


def _said(lines: Sequence[str], word: str) -> str:
    """What follows the word at the beginning of a line."""
    for line in lines:
        if line.startswith(f"{word} "):
            return line.removeprefix(word).strip()
    raise Unclear(f"a ledger does not name its {word.lower()}")


def _cuts(header: str) -> list[slice]:
    """Where the cells of a line are, told by its header. A number has the blanks in front of it."""
    cuts, start = [], 0
    names = [name for name in COLUMNS if name in header]
    for name, after in pairwise([*names, TO_THE_RIGHT[0]]):
        end = header.index(name) + len(name) if after in TO_THE_RIGHT else header.index(after)
        cuts.append(slice(start, end))
        start = end
    return cuts


def _entry(line: str, cuts: Sequence[slice]) -> tuple[Entry, str]:
    """An entry and the balance that is shown behind it, "" if none is."""
    day, voucher, ref, narration, code, debit, credit, *balance = (line[cut].strip() for cut in cuts)
    if bool(debit) == bool(credit):
        raise Unclear(f"{voucher} is neither a debit nor a credit")
    amount = cents(debit) if debit else -cents(credit)
    return Entry(date.fromisoformat(day), voucher, ref, narration, code, amount), "".join(balance)


def _below(worked: list[Worked], invoice: str | None, amount: int) -> None:
    """Put what a line below a receipt says to the receipt."""
    if invoice:
        worked[-1].settles[invoice] = amount
    else:
        worked[-1] = worked[-1]._replace(unapplied=amount)
