"""What the files of a ledger case say, as data, and what comes of it with or without a mistake."""

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from operator import itemgetter
from typing import NamedTuple

from families.ledger.domain.names import (
    CARRIED,
    CITATION_ALWAYS,
    CITATION_NEVER,
    EXCLUSIVE,
    MISSED_SUPPLEMENT,
    PRIOR_YEAR,
    SPLIT,
    VOUCHER_ORDER,
)
from families.ledger.domain.questions import Question, contribution
from families.ledger.domain.settlement import CITED_FIRST, OLDEST, Event, Settled, settle


class Entry(NamedTuple):
    """A line of a ledger. day: a proleptic ordinal. amount: cents, a debit if above zero, else a credit."""

    day: int
    voucher: str
    code: str
    amount: int
    ref: str
    narration: str


class Worked(NamedTuple):
    """A receipt that the memo works through: (invoice, cents) by voucher, and the cents left over."""

    day: int
    receipt: str
    amount: int
    settles: tuple[tuple[str, int], ...]
    unapplied: int


@dataclass(frozen=True, slots=True)
class Book:
    """All of a case that bears on its answer.

    entries: of the account and year, in the order of (day, voucher); late: those of the supplement;
    prior: those of last year's files that name a customer. successions: (old code, new code).
    documents: (document, voucher); a Ref doc that is not among them is itself a voucher, or nothing.
    """

    entries: tuple[Entry, ...]
    memo: tuple[Worked, ...]
    question: Question
    late: tuple[Entry, ...] = ()
    prior: tuple[Entry, ...] = ()
    successions: tuple[tuple[str, str], ...] = ()
    documents: tuple[tuple[str, str], ...] = ()


Accounts = dict[str, list[Event]]
Choice = Callable[[Event, int], int]


def accounts(book: Book, mistakes: Collection[str] = ()) -> Accounts:
    """Each customer's entries in the order they take effect, under the customer's first code."""
    entries = list(book.entries)
    if MISSED_SUPPLEMENT not in mistakes:
        entries += book.late
    if PRIOR_YEAR in mistakes:
        entries += book.prior
    entries.sort(key=itemgetter(1) if VOUCHER_ORDER in mistakes else None)
    owner = {} if SPLIT in mistakes else {new: old for old, new in book.successions}
    voucher_of = dict(book.documents)
    found: Accounts = {}
    n = 0
    for day, voucher, code, amount, ref, narration in entries:
        cited = voucher_of.get(ref, ref) if amount < 0 else ""
        event = Event(n if amount < 0 else -1, day, voucher, code, amount, cited, narration)
        n += amount < 0
        found.setdefault(owner.get(code, code), []).append(event)
    return found


def choice(switch: int, mistakes: Collection[str] = ()) -> Choice:
    """The policy of the case, which ignores citations from the day `switch` on, or a mistaken one."""
    if CITATION_ALWAYS in mistakes:
        return lambda receipt, count: CITED_FIRST
    if CITATION_NEVER in mistakes:
        return lambda receipt, count: OLDEST
    return lambda receipt, count: CITED_FIRST if receipt.day < switch else OLDEST


def settled(book: Book, switch: int, mistakes: Collection[str] = ()) -> tuple[Accounts, dict[str, Settled]]:
    """Every customer's entries, and how they settle."""
    found, choose, carried = accounts(book, mistakes), choice(switch, mistakes), CARRIED in mistakes
    return found, {code: settle(events, choose, carried) for code, events in found.items()}


def stopped(book: Book, switch: int) -> tuple[Accounts, dict[str, Settled]]:
    """As `settled`, but the receipts that the memo does not show settle nothing."""
    shown = {worked.receipt for worked in book.memo}
    choose = choice(switch)
    found = {
        code: [event for event in events if event.amount > 0 or event.voucher in shown]
        for code, events in accounts(book).items()
    }
    return found, {code: settle(events, choose) for code, events in found.items()}


def answer_of(question: Question, found: Accounts, done: Mapping[str, Settled]) -> int:
    """The answer in cents."""
    return sum(contribution(question, code, events, done[code]) for code, events in found.items())


def answer(book: Book, switch: int, mistakes: Collection[str] = ()) -> int:
    """The answer in cents to the book's question, by somebody who makes these mistakes."""
    return answer_of(book.question, *settled(book, switch, mistakes))


def pairs(mechanisms: Collection[str]) -> Iterator[tuple[str, str]]:
    """Every two mistakes that can be made together."""
    for one, other in combinations(mechanisms, 2):
        if {one, other} != EXCLUSIVE:
            yield one, other


def received(found: Accounts) -> list[tuple[str, Event]]:
    """All receipts, each with its customer, in the order in which they take effect."""
    return sorted(
        ((code, event) for code, events in found.items() for event in events if event.amount < 0),
        key=lambda item: item[1].n,
    )
