"""A book settled without mistakes: what all checks compare with."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from families.ledger.domain.book import Accounts, Book, answer_of, policy_of, settle_book
from families.ledger.domain.policies import ReceiptState, receipt_states
from families.ledger.domain.settlement import Settlement


@dataclass(frozen=True, slots=True)
class Truth:
    """A book settled by the policy of its case.

    changeover: the first day from which citations are ignored.
    min_evidence: how many receipts of the memo must show the changeover, at least.
    mistakes: the names of the mistakes that must lead to other answers.
    receipts: all receipts, in the order in which they take effect.
    answer: in cents.
    """

    book: Book
    changeover: int
    min_evidence: int
    mistakes: tuple[str, ...]
    accounts: Accounts
    settlements: Mapping[str, Settlement]
    receipts: Sequence[ReceiptState]
    answer: int

    @property
    def in_memo(self) -> set[str]:
        """The receipts that the memo works through."""
        return {line.receipt for line in self.book.memo}


def find_truth(book: Book, changeover: int, min_evidence: int, mistakes: tuple[str, ...]) -> Truth:
    """Settle a book by the policy of its case."""
    settlement = settle_book(book, changeover)
    receipts = receipt_states(settlement.accounts, policy_of(changeover))
    right = answer_of(book.question, settlement)
    return Truth(book, changeover, min_evidence, mistakes, *settlement, receipts, right)
