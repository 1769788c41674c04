"""What is kept of a case beside its answer: what mistakes give, how far one must look, how deep it goes."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import lru_cache

from families.ledger.checks.invariants import Truth
from families.ledger.domain.book import Book, answer, pairs
from families.ledger.domain.questions import contribution
from families.ledger.domain.settlement import CITED_FIRST, OLDEST, Event, settle
from families.ledger.files.case_files import Binder
from families.ledger.files.writer import INDEX, MASTER, MEMO, QUESTION, month_path, supplement_path


@lru_cache(maxsize=4)
def wrong_answers(
    book: Book, switch: int, mechanisms: tuple[str, ...]
) -> tuple[tuple[tuple[str, ...], int], ...]:
    """(mistakes, the answer they lead to in cents): each mistake alone, then each two together."""
    made = [(mistake,) for mistake in mechanisms] + list(pairs(mechanisms))
    return tuple((mistakes, answer(book, switch, mistakes)) for mistakes in made)


def must_be_read(binder: Binder, true: Truth) -> Iterator[str]:
    """The files of a close without which the answer cannot be had, or comes out wrong."""
    yield from (QUESTION, MEMO, MASTER, INDEX)
    for sheet in binder.months:
        rest = tuple(entry for entry in true.book.entries if entry not in sheet.entries)
        if answer(replace(true.book, entries=rest), true.switch) != true.answer:
            yield month_path(sheet)
    if binder.late and answer(replace(true.book, late=()), true.switch) != true.answer:
        yield supplement_path(binder.late)


def depth(true: Truth) -> int:
    """How many receipts of one customer follow each other, at most, from one that decides the answer.

    A receipt does if settling it alone by the other policy, citation first or oldest first, changes
    the answer: an early wrong turn goes through all of these before it shows.
    """
    deepest = 0
    for code, events in true.found.items():
        listed = [one for one in true.seen if one.code == code]
        right = contribution(true.book.question, code, events, true.done[code])
        for place, one in enumerate(listed):
            if len(listed) - place <= deepest or one.by_base[CITED_FIRST] == one.by_base[OLDEST]:
                continue
            done = settle(events, _but(one.event.n, true.switch))
            if contribution(true.book.question, code, events, done) != right:
                deepest = len(listed) - place
    return deepest


def _but(n: int, switch: int) -> Callable[[Event, int], int]:
    """The policy, but for receipt `n`."""

    def choose(receipt: Event, count: int) -> int:
        cited = (receipt.day < switch) != (receipt.n == n)
        return CITED_FIRST if cited else OLDEST

    return choose
