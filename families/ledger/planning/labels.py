"""Names and numbers for the lines of a sketch: codes, vouchers, documents, narrations."""

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import date
from itertools import islice

from families.ledger.domain.book import Book, Entry, Worked, settled
from families.ledger.domain.names import OWED_SINCE
from families.ledger.domain.questions import Question
from families.ledger.files import vocabulary as words
from families.ledger.files.case_files import Document
from families.ledger.planning.year_builder import Line
from families.ledger.planning.year_outline import NARRATIONS
from trapcli.core.draw import Draw

LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ"
NEVER = 10**9  # a day that does not come


class Labels:
    """What the lines of a year are called. `codes` has one for each customer, then the spare ones."""

    def __init__(self, draw: Draw, lines: Sequence[Line], customers: int, vouchers: Sequence[str]) -> None:
        self.draw, self.lines, self.vouchers = draw, lines, list(vouchers)
        self.codes = [str(number) for number in islice(numbers(draw, 2100, 9900), customers + 4)]
        trades = draw.shuffled(words.TRADE)
        self.names = [
            f"{name} {trades[i % len(trades)]}"
            for i, name in enumerate(draw.sample(words.COMPANY, len(self.codes)))
        ]
        self.billed = [draw.choice(words.BILLED) for _ in lines]
        self.received = draw.sample(words.RECEIVED, NARRATIONS)

    def entries(
        self, refs: Sequence[str], recoded: int = -1, spare: str = "", since: int = NEVER
    ) -> list[Entry]:
        """The lines as entries; `recoded` has the code `spare` from the day `since` on."""
        found = []
        for i, line in enumerate(self.lines):
            code = spare if line.who == recoded and line.day >= since else self.codes[line.who]
            narration = self.received[line.narration] if line.amount < 0 else self.billed[i]
            found.append(Entry(line.day, self.vouchers[i], code, line.amount, refs[i], narration))
        return found

    def cited_vouchers(self) -> list[str]:
        """For each line the voucher that it cites, "" for none."""
        return [self.vouchers[line.cited] if line.cited >= 0 else "" for line in self.lines]

    def worked(self, switch: int) -> tuple[Worked, ...]:
        """The memo: what the receipts that it shows settle in truth."""
        book = Book(tuple(sorted(self.entries(self.cited_vouchers()))), (), Question(OWED_SINCE))
        done = settled(book, switch)[1].values()
        pieces: dict[str, dict[str, int]] = {}
        for one in done:
            for receipt, invoice, cents in one.applied:
                pieces.setdefault(receipt, {})[invoice] = cents
        unapplied = {receipt: cents for one in done for receipt, cents in one.unapplied.items()}
        memo = []
        for line, voucher in zip(self.lines, self.vouchers, strict=True):
            if line.worked:
                settles = tuple(sorted(pieces.get(voucher, {}).items()))
                memo.append(Worked(line.day, voucher, -line.amount, settles, unapplied.get(voucher, 0)))
        return tuple(sorted(memo))


def monthly_vouchers(prefix: str, lines: Sequence[Line]) -> list[str]:
    """Vouchers counted through each month in the order of the lines, late entries after the others."""
    count: Counter[str] = Counter()
    found = [""] * len(lines)
    for late in (False, True):
        for i, line in enumerate(lines):
            if line.late == late:
                month = f"{date.fromordinal(line.day):%y%m}"
                count[month] += 1
                found[i] = f"{prefix}{month}-{count[month]:03d}"
    return found


def numbers(draw: Draw, low: int, high: int) -> Iterator[int]:
    """Different numbers from low to high, in no order; many more must lie there than are taken."""
    taken: set[int] = set()
    while True:
        number = draw.between(low, high)
        if number not in taken:
            taken.add(number)
            yield number


def prefixes(draw: Draw, count: int) -> list[str]:
    """So many different pairs of letters."""
    size = len(LETTERS)
    return [LETTERS[n // size] + LETTERS[n % size] for n in islice(numbers(draw, 0, size * size - 1), count)]


class Papers:
    """The documents of invoices: two for each, of which the ledger shows one."""

    def __init__(self, draw: Draw) -> None:
        self.draw = draw
        (self.own, own), (self.other, other) = (
            draw.choice(words.INVOICE_TYPES),
            draw.choice(words.OTHER_TYPES),
        )
        self.own_numbers = (f"{own}-{n}" for n in numbers(draw.stream("own"), 10_000, 99_000))
        self.other_numbers = (f"{other}-{n}" for n in numbers(draw.stream("other"), 10_000, 99_000))

    def of(self, voucher: str) -> tuple[Document, Document]:
        """The invoice itself and the other document, which stands in the ledger."""
        return (
            Document(next(self.own_numbers), voucher, self.own),
            Document(next(self.other_numbers), voucher, self.other),
        )
