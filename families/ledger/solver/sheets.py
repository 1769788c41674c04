"""Read the files of a case into plain records, each as it stands there."""

import csv
import io
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date


class UnclearFiles(ValueError):
    """The files cannot be made sense of."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of a ledger; debit and credit in cents, one of them 0."""

    day: date
    voucher: str
    doc: str
    ref: str
    narration: str
    code: str
    debit: int
    credit: int
    balance: int | None = None


@dataclass(slots=True)
class Sheet:
    """A ledger file. style: how its numbers are written."""

    account: str = ""
    period: str = ""
    exported: str = ""
    opening: int = 0
    closing: int = 0
    style: str = "1,234.56"
    entries: list[Entry] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Worked:
    """A receipt that was worked through by hand: what it settled, and what was written off with it."""

    settled: Mapping[str, int]
    written: Mapping[str, int] = field(default_factory=dict)


AMOUNT = re.compile(r"-?[\d.,]+[.,]\d\d$")
PIECE = re.compile(r"(\S+) (-?[\d,]+\.\d\d)")
HEADINGS = ("Date", "Voucher", "Doc", "Ref", "Narration", "Cust", "Debit", "Credit", "Balance")


def cents(text: str) -> int:
    """Return an amount in either style as cents; UnclearFiles if it is none."""
    text = text.strip()
    if not AMOUNT.match(text):
        raise UnclearFiles(f"{text!r} is not an amount")
    return int(re.sub(r"[.,]", "", text))


def day(text: str) -> date:
    """Return a date in either style."""
    text = text.strip()
    if "." in text:
        return date(*(int(part) for part in reversed(text.split("."))))
    return date.fromisoformat(text)


def read_sheet(text: str) -> Sheet:
    """Return a ledger file of a close."""
    sheet, columns = Sheet(), {}
    for line in text.splitlines():
        for heading in ("Account", "Period", "Exported"):
            if line.startswith(heading + " "):
                setattr(sheet, heading.lower(), line.removeprefix(heading).strip())
        if line.startswith("Date "):
            columns = _columns(line)
            continue
        if not columns or not line.strip():
            continue
        cells = {name: line[place].strip() for name, place in columns.items()}
        if "balance" in cells["Narration"].lower() and not cells["Date"]:
            which = "opening" if cells["Narration"].lower().startswith("opening") else "closing"
            setattr(sheet, which, cents(cells["Balance"]))
        else:
            sheet.entries.append(_entry(cells))
            if re.search(r",\d\d$", cells["Balance"]):
                sheet.style = "1.234,56"
    return sheet


def _columns(head: str) -> dict[str, slice]:
    """Return where each column is; the last three are right-aligned and end with their names."""
    names = [name for name in HEADINGS if name in head.split()]
    places, start = {}, 0
    for name, following in zip(names, [*names[1:], ""], strict=True):
        right = following in ("Debit", "Credit", "Balance")
        end = head.index(name) + len(name) if name in ("Debit", "Credit", "Balance") or right else (
            head.index(following) if following else len(head))  # fmt: skip
        places[name] = slice(start, end if following else None)
        start = end
    return places


def _entry(cells: Mapping[str, str]) -> Entry:
    debit, credit = (cents(cells[side]) if cells[side] else 0 for side in ("Debit", "Credit"))
    if bool(debit) == bool(credit):
        raise UnclearFiles(f"{cells['Voucher']} is neither a debit nor a credit")
    balance = cents(cells["Balance"]) if cells.get("Balance") else None
    return Entry(
        day(cells["Date"]), cells["Voucher"], cells.get("Doc", ""), cells["Ref"], cells["Narration"],
        cells["Cust"], debit, credit, balance,
    )  # fmt: skip


def read_memo(text: str) -> dict[str, Worked]:
    """Return receipt -> what the memo says of it."""
    memo, heads = {}, []
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if cells[0] == "Date":
            heads = cells
        elif heads and re.match(r"\d{4}-", cells[0]):
            row = dict(zip(heads, cells, strict=True))
            memo[row["Receipt"]] = Worked(
                dict(_pieces(row["Settles"])), dict(_pieces(row.get("Written off", "")))
            )
    return memo


def _pieces(text: str) -> Iterator[tuple[str, int]]:
    for voucher, amount in PIECE.findall(text):
        yield voucher, cents(amount)


def withdrawn(notes: str, memo: Mapping[str, Worked]) -> set[str]:
    """Return the receipts whose line of the memo a note takes back."""
    gone = set()
    for line in notes.splitlines():
        if re.search(r"withdrawn|no longer stands|strike", line):
            gone |= {receipt for receipt in memo if receipt in line}
    return gone


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text, newline="")))


def read_audit_sheet(text: str) -> tuple[Sheet, dict[str, str], dict[str, Worked]]:
    """Return the sheet of an audit, code -> customer, and what was worked through by hand."""
    sheet, columns, names = Sheet(), {}, {}
    worked: dict[str, dict[str, int]] = {}
    for line in text.splitlines():
        if line.startswith("Account "):
            sheet.account = line.removeprefix("Account ").strip()
        elif line.startswith("Date "):
            columns = _columns(line)
        elif not columns and (match := re.fullmatch(r"  (\d+)  (.+)", line)):
            names[match[1]] = match[2]
        elif columns and re.match(r"\d", line):
            sheet.entries.append(_entry({name: line[place].strip() for name, place in columns.items()}))
        elif columns and (match := re.fullmatch(r" +(settles \S+|unapplied) +(\S+)", line)):
            if not sheet.entries:
                raise UnclearFiles("a line says what a receipt settles, but no receipt is above it")
            pieces = worked.setdefault(sheet.entries[-1].voucher, {})
            if match[1] != "unapplied":
                pieces[match[1].removeprefix("settles ")] = cents(match[2])
    return sheet, names, {receipt: Worked(pieces) for receipt, pieces in worked.items()}
