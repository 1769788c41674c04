"""The files of a case while obstacles change them."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from families.ledger.domain.settlement import CREDIT, INVOICE, RECEIPT, RETURN, Event
from families.ledger.files import vocabulary
from families.ledger.planning.frame import YEAR
from families.ledger.planning.plan import Plan
from trapcli.core.draw import Draw

LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ"
SLIP, NOTICE, NOTE = ("bank slip", "SL"), ("bank notice", "BK"), ("credit note", "CN")


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

    shown: the lines with the balance behind each.
    exported: a day and "14:05".
    european: whether it has 1.234,56 and 31.03.2026.
    """

    path: str
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

    codes: customer -> (first day, code), in order.
    months: month -> its lines; month 0 has the items open at the beginning.
    added: other sheets: last year's, another account's, second exports.
    european: months in the other format. copied: month -> the name of its second file.
    exports: month -> the name that its right file has. opening: of the account's year, in cents.
    notes: what stands in the notes to the memo.
    """

    plan: Plan
    draw: Draw
    account: str
    prefix: str
    codes: dict[int, list[tuple[int, str]]]
    customers: dict[str, Customer]
    months: dict[int, list[Line]] = field(default_factory=dict)
    others: dict[int, list[Line]] = field(default_factory=dict)
    added: list[Sheet] = field(default_factory=list)
    european: set[int] = field(default_factory=set)
    copied: dict[int, str] = field(default_factory=dict)
    first_exports: dict[int, dict[int, Line | None]] = field(default_factory=dict)
    withdrawn: dict[int, dict[int, int]] = field(default_factory=dict)
    written: bool = False

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
