"""Cases of both ledger families, generated once, and small years spelled out in tests."""

from collections.abc import Callable, Sequence

import pytest

from families.ledger.audit import FAMILY as AUDIT
from families.ledger.close import FAMILY as CLOSE
from families.ledger.domain.book import Book, Entry, WorkedReceipt, settle_book
from families.ledger.domain.questions import Question
from trapcli.core.contract import Case

Line = tuple[int, str, int, str, str]  # day, customer, amount, what it cites, narration


@pytest.fixture(scope="session")
def closes() -> list[Case]:
    """A close of each trap, twice, at the default knobs."""
    return [CLOSE.generate("5", CLOSE.knobs(), k) for k in range(10)]


@pytest.fixture(scope="session")
def audits() -> list[Case]:
    """An audit of each trap at the default knobs."""
    return [AUDIT.generate("5", AUDIT.knobs(), k) for k in range(5)]


@pytest.fixture
def year() -> Callable[..., Book]:
    """year(lines, worked, changeover, question): a book with a memo of the first `worked` receipts.

    lines: (day, customer, amount, cited voucher, narration); vouchers are v01, v02, ... in order.
    hidden: numbers of lines that the memo leaves out although it shows later ones.
    """

    def make(
        lines: Sequence[Line], worked: int, changeover: int, question: Question, hidden: Sequence[int] = ()
    ) -> Book:
        entries = [
            Entry(day, f"v{i:02d}", who, amount, cited, narration)
            for i, (day, who, amount, cited, narration) in enumerate(lines, 1)
        ]
        late = tuple(entries[i - 1] for i in hidden)
        book = Book(tuple(e for e in entries if e not in late), (), question, late)
        settlements = settle_book(book, changeover).settlements.values()
        memo = []
        for entry in [e for e in entries if e.amount < 0 and e not in late][:worked]:
            applied = [piece for one in settlements for piece in one.applied]
            settles = tuple(sorted((v, c) for receipt, v, c in applied if receipt == entry.voucher))
            left = sum(one.unapplied.get(entry.voucher, 0) for one in settlements)
            memo.append(WorkedReceipt(entry.day, entry.voucher, -entry.amount, settles, left))
        return Book(book.entries, tuple(memo), question, late)

    return make
