"""Names and numbers for the entries of a year: codes, vouchers, documents, narrations."""

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import date
from itertools import islice

from families.ledger.domain.book import Book, Entry, WorkedReceipt, settle_book
from families.ledger.domain.questions import Question
from families.ledger.domain.traps_and_mistakes import OWED_SINCE
from families.ledger.files import vocabulary
from families.ledger.files.case_files import Document
from families.ledger.planning.year_outline import NARRATIONS
from families.ledger.planning.year_state import DraftEntry
from trapcli.core.draw import Draw

LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ"
NEVER = 10**9  # a day that does not come


class Labels:
    """The names and numbers of a year. `codes` has one for each customer, then the spare ones."""

    def __init__(
        self, draw: Draw, drafts: Sequence[DraftEntry], customers: int, vouchers: Sequence[str]
    ) -> None:
        self.draw, self.drafts, self.vouchers = draw, drafts, list(vouchers)
        self.codes = [str(number) for number in islice(draw_numbers(draw, 2100, 9900), customers + 4)]
        trades = draw.shuffled(vocabulary.TRADE)
        self.names = [
            f"{name} {trades[i % len(trades)]}"
            for i, name in enumerate(draw.sample(vocabulary.COMPANY, len(self.codes)))
        ]
        self.billed = [draw.choice(vocabulary.BILLED) for _ in drafts]
        self.received = draw.sample(vocabulary.RECEIVED, NARRATIONS)

    def entries(
        self, refs: Sequence[str], recoded: int = -1, spare: str = "", since: int = NEVER
    ) -> list[Entry]:
        """Return the entries; the customer `recoded` has the code `spare` from the day `since` on."""
        entries = []
        for i, draft in enumerate(self.drafts):
            new = draft.customer == recoded and draft.day >= since
            code = spare if new else self.codes[draft.customer]
            narration = self.received[draft.narration] if draft.amount < 0 else self.billed[i]
            entries.append(Entry(draft.day, self.vouchers[i], code, draft.amount, refs[i], narration))
        return entries

    def cited_vouchers(self) -> list[str]:
        """Return for each entry the voucher that it cites, or ""."""
        return [self.vouchers[draft.cited] if draft.cited >= 0 else "" for draft in self.drafts]

    def memo(self, changeover: int) -> tuple[WorkedReceipt, ...]:
        """Return the memo: what the receipts that it shows really settle."""
        book = Book(tuple(sorted(self.entries(self.cited_vouchers()))), (), Question(OWED_SINCE))
        settlements = settle_book(book, changeover).settlements.values()
        pieces: dict[str, dict[str, int]] = {}
        for one in settlements:
            for receipt, invoice, cents in one.applied:
                pieces.setdefault(receipt, {})[invoice] = cents
        unapplied = {receipt: cents for one in settlements for receipt, cents in one.unapplied.items()}
        memo = []
        for draft, voucher in zip(self.drafts, self.vouchers, strict=True):
            if draft.in_memo:
                settles = tuple(sorted(pieces.get(voucher, {}).items()))
                rest = unapplied.get(voucher, 0)
                memo.append(WorkedReceipt(draft.day, voucher, -draft.amount, settles, rest))
        return tuple(sorted(memo))


def monthly_vouchers(prefix: str, drafts: Sequence[DraftEntry]) -> list[str]:
    """Return vouchers counted through each month in order, late entries after the others."""
    count: Counter[str] = Counter()
    vouchers = [""] * len(drafts)
    for late in (False, True):
        for i, draft in enumerate(drafts):
            if draft.late == late:
                month = f"{date.fromordinal(draft.day):%y%m}"
                count[month] += 1
                vouchers[i] = f"{prefix}{month}-{count[month]:03d}"
    return vouchers


def draw_numbers(draw: Draw, low: int, high: int) -> Iterator[int]:
    """Yield different numbers from low to high; take far fewer than there are."""
    taken: set[int] = set()
    while True:
        number = draw.between(low, high)
        if number not in taken:
            taken.add(number)
            yield number


def draw_prefixes(draw: Draw, count: int) -> list[str]:
    """Return `count` different pairs of letters."""
    size = len(LETTERS)
    numbers = islice(draw_numbers(draw, 0, size * size - 1), count)
    return [LETTERS[number // size] + LETTERS[number % size] for number in numbers]


class Papers:
    """The documents of invoices: two for each, of which the ledger shows one."""

    def __init__(self, draw: Draw) -> None:
        self.draw = draw
        self.own, own = draw.choice(vocabulary.INVOICE_TYPES)
        self.other, other = draw.choice(vocabulary.OTHER_TYPES)
        self.own_numbers = (f"{own}-{n}" for n in draw_numbers(draw.stream("own"), 10_000, 99_000))
        self.other_numbers = (f"{other}-{n}" for n in draw_numbers(draw.stream("other"), 10_000, 99_000))

    def of(self, voucher: str) -> tuple[Document, Document]:
        """Return the invoice itself, and the other document, which is the one in the ledger."""
        return (
            Document(next(self.own_numbers), voucher, self.own),
            Document(next(self.other_numbers), voucher, self.other),
        )
