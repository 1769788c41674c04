"""What the files of a ledger case say, as data, and how it settles with or without mistakes."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from operator import itemgetter
from typing import NamedTuple

from families.ledger.domain.questions import Question, contribution
from families.ledger.domain.settlement import CITED_FIRST, OLDEST, Event, Policy, Settlement, settle
from families.ledger.domain.traps_and_mistakes import (
    CARRIED,
    CITATION_ALWAYS,
    CITATION_NEVER,
    EXCLUSIVE,
    MISSED_SUPPLEMENT,
    PRIOR_YEAR,
    SPLIT,
    VOUCHER_ORDER,
)


class Entry(NamedTuple):
    """A line of a ledger. Sorted entries are in the order in which they take effect.

    day: a proleptic ordinal.
    amount: cents; a debit (an invoice) if positive, a credit (a receipt) if negative.
    """

    day: int
    voucher: str
    code: str
    amount: int
    ref: str
    narration: str


class WorkedReceipt(NamedTuple):
    """A receipt that the memo works through.

    settles: (invoice, cents), by voucher.
    unapplied: the cents left over.
    """

    day: int
    receipt: str
    amount: int
    settles: tuple[tuple[str, int], ...]
    unapplied: int


@dataclass(frozen=True, slots=True)
class Book:
    """Everything in a case that the answer depends on.

    entries: of the account and year, sorted.
    late: the entries of the supplement, which were booked late.
    prior: the entries of last year's files that name a customer.
    successions: (old code, new code) of one customer.
    documents: (document, voucher); a Ref doc that is not among them is itself a voucher, or nothing.
    """

    entries: tuple[Entry, ...]
    memo: tuple[WorkedReceipt, ...]
    question: Question
    late: tuple[Entry, ...] = ()
    prior: tuple[Entry, ...] = ()
    successions: tuple[tuple[str, str], ...] = ()
    documents: tuple[tuple[str, str], ...] = ()


Accounts = dict[str, list[Event]]  # a customer's first code -> its entries in the order they take effect


class BookSettlement(NamedTuple):
    """All customers' entries, and how they settle, both by the customer's first code."""

    accounts: Accounts
    settlements: Mapping[str, Settlement]


def accounts_of(book: Book, mistakes: Collection[str] = ()) -> Accounts:
    """Return each customer's entries, as somebody who makes these mistakes sees them."""
    entries = list(book.entries)
    if MISSED_SUPPLEMENT not in mistakes:
        entries += book.late
    if PRIOR_YEAR in mistakes:
        entries += book.prior
    entries.sort(key=itemgetter(1) if VOUCHER_ORDER in mistakes else None)
    owner = {} if SPLIT in mistakes else {new: old for old, new in book.successions}
    voucher_of = dict(book.documents)
    accounts: Accounts = {}
    receipts = 0
    for day, voucher, code, amount, ref, narration in entries:
        cited = voucher_of.get(ref, ref) if amount < 0 else ""
        event = Event(receipts if amount < 0 else -1, day, voucher, code, amount, cited, narration)
        receipts += amount < 0
        accounts.setdefault(owner.get(code, code), []).append(event)
    return accounts


def policy_of(changeover: int, mistakes: Collection[str] = ()) -> Policy:
    """Return the policy of a case, or a mistaken one.

    changeover: the first day from which citations are ignored.
    """
    if CITATION_ALWAYS in mistakes:
        return lambda receipt, count: CITED_FIRST
    if CITATION_NEVER in mistakes:
        return lambda receipt, count: OLDEST
    return lambda receipt, count: CITED_FIRST if receipt.day < changeover else OLDEST


def settle_book(book: Book, changeover: int, mistakes: Collection[str] = ()) -> BookSettlement:
    """Settle every customer's entries, with these mistakes."""
    accounts, policy = accounts_of(book, mistakes), policy_of(changeover, mistakes)
    carried = CARRIED in mistakes
    return BookSettlement(accounts, {code: settle(e, policy, carried) for code, e in accounts.items()})


def settle_memo_only(book: Book, changeover: int) -> BookSettlement:
    """Settle the book as somebody does who stops at the end of the memo: later receipts settle nothing."""
    worked = {line.receipt for line in book.memo}
    policy = policy_of(changeover)
    accounts = {
        code: [event for event in events if event.amount > 0 or event.voucher in worked]
        for code, events in accounts_of(book).items()
    }
    return BookSettlement(accounts, {code: settle(events, policy) for code, events in accounts.items()})


def answer_of(question: Question, settlement: BookSettlement) -> int:
    """Return the answer, in cents, that a settlement gives."""
    accounts, settlements = settlement
    return sum(contribution(question, code, events, settlements[code]) for code, events in accounts.items())


def answer(book: Book, changeover: int, mistakes: Collection[str] = ()) -> int:
    """Return the answer, in cents, of somebody who makes these mistakes."""
    return answer_of(book.question, settle_book(book, changeover, mistakes))


def mistake_pairs(mistakes: Collection[str]) -> Iterator[tuple[str, str]]:
    """Yield every two mistakes that can be made together."""
    for one, other in combinations(mistakes, 2):
        if {one, other} != EXCLUSIVE:
            yield one, other
