"""The files of a case while obstacles change them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import NamedTuple

from families.ledger.domain.settlement import CREDIT, INVOICE, RECEIPT, RETURN, Event
from families.ledger.files import vocabulary
from families.ledger.planning.frame import YEAR
from families.ledger.planning.plan import Plan
from families.ledger.planning.reading import Row
from trapcli.core.draw import Draw

LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ"
SLIP, NOTICE, NOTE = ("bank slip", "SL"), ("bank notice", "BK"), ("credit note", "CN")
CLOSED_OUT = -999  # the key of the entry that closes last year out


@dataclass(slots=True)
class Line:
    """A line of a ledger.

    key: that of the entry; other lines (journals, other years, other accounts) have keys of their own.
    amount: cents, a debit if positive.
    refers: the key of the line whose document is quoted, or -1.
    late: whether it stands in the supplement of its month; stray: in another account's file.
    """

    day: int
    key: int
    code: str
    amount: int
    narration: str
    refers: int = -1
    paper: tuple[str, str] = SLIP
    late: bool = False
    stray: bool = False
    voucher: str = ""
    doc: str = ""
    ref: str = ""


class Sheet(NamedTuple):
    """One file of the ledger.

    role: what it is, such as "2026-03" or "2026-03-supplement"; its file has another name, see `Filed`.
    shown: the lines with the balance behind each.
    exported: a day and "14:05".
    european: whether it has 1.234,56 and 31.03.2026.
    """

    role: str
    account: str
    period: str
    exported: tuple[int, str]
    opening: int
    shown: tuple[tuple[Line, int], ...]
    closing: int
    european: bool = False


@dataclass(slots=True)
class Customer:
    """A line of the master."""

    code: str
    name: str
    office: str
    status: str = vocabulary.CURRENT
    note: str = ""


@dataclass(slots=True)
class Binder:
    """What obstacles change before it is written.

    prefixes: of vouchers: this account's, the other account's.
    codes: customer -> (first day, code), in order.
    names, numbers: names, and numbers of documents, that nobody has yet.
    months: month -> its lines; month 0 has the items that are open when the year begins.
    prior: last year's lines. others: month -> lines of the other account, which opens with other_opening.
    european: months in the other format. copied: month -> the name of its second file.
    first_exports: month -> entry -> its line in the first export, or None if it is not there.
    withdrawn: receipt -> what the line of the memo that a note withdraws puts it to.
    written: whether the memo shows what was written off.
    """

    plan: Plan
    draw: Draw
    account: str
    other_account: str
    prefixes: tuple[str, str]
    codes: dict[int, list[tuple[int, str]]]
    customers: dict[str, Customer]
    names: Iterator[str]
    numbers: Iterator[int]
    months: dict[int, list[Line]]
    prior: list[Line] = field(default_factory=list)
    others: dict[int, list[Line]] = field(default_factory=dict)
    other_opening: int = 0
    european: set[int] = field(default_factory=set)
    copied: dict[int, str] = field(default_factory=dict)
    first_exports: dict[int, dict[int, Line | None]] = field(default_factory=dict)
    withdrawn: dict[int, dict[int, int]] = field(default_factory=dict)
    written: bool = False

    def spare_name(self) -> str:
        return next(self.names)

    def add_prior(self, rows: Sequence[Row]) -> None:
        """Add last year's file, whose last entry takes everything open off the account."""
        paper = self.draw.choice(vocabulary.INVOICE_TYPES)
        for who, event in rows:
            self.prior.append(line_of(event, self.code_of(who, event.day), self.draw, paper))
        end = date(YEAR - 1, 12, 31).toordinal()
        opening = self.draw.between(2_000_000, 7_000_000)
        amount = -(opening + sum(line.amount for line in self.prior))
        text = self.draw.choice(vocabulary.CLOSED_OUT)
        self.prior.append(Line(end, CLOSED_OUT, "", amount, text, paper=vocabulary.JOURNAL_PAPER))

    def add_other(self, month: int, rows: Sequence[Row]) -> None:
        """Add a month of the other account."""
        paper = self.draw.choice(vocabulary.INVOICE_TYPES)
        self.others[month] = [
            line_of(event, self.code_of(who, event.day), self.draw, paper) for who, event in rows
        ]
        self.other_opening = self.draw.between(1_000_000, 4_000_000)

    def code_of(self, customer: int, day: int) -> str:
        """Return the code under which a customer is booked on a day."""
        return [code for since, code in self.codes[customer] if since <= day][-1]

    def line(self, key: int) -> Line:
        """Return the line of an entry."""
        return next(line for lines in self.months.values() for line in lines if line.key == key)

    def all_lines(self) -> Iterator[Line]:
        """Yield every line that has a document."""
        for lines in (*self.months.values(), *self.others.values()):
            yield from lines


def line_of(event: Event, code: str, draw: Draw, paper: tuple[str, str], towns: tuple[str, ...] = ()) -> Line:
    """Return the line of an entry."""
    debit = event.kind in (INVOICE, RETURN)
    narration = event.narration
    if event.kind == INVOICE:
        narration = draw.choice(vocabulary.BILLED)
    elif event.kind == RETURN:
        narration = vocabulary.RETURNED
    elif event.kind == CREDIT:
        narration = vocabulary.CREDITED
    papers = {INVOICE: paper, RECEIPT: SLIP, RETURN: NOTICE, CREDIT: NOTE}
    amount = event.amount if debit else -event.amount
    return Line(event.day, event.key, code, amount, narration, event.ref, papers[event.kind])


def month_name(month: int, year: int = YEAR) -> str:
    return f"{year}-{month:02d}"
