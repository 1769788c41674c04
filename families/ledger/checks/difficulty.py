"""How a case measures: the answers that mistakes lead to, how far one must look, how deep it goes."""

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache

from families.ledger.checks.truth import Truth
from families.ledger.domain.book import Book, answer, mistake_pairs
from families.ledger.domain.questions import contribution
from families.ledger.domain.settlement import CITED_FIRST, OLDEST, Event, Policy, settle
from families.ledger.files.case_files import CaseFiles
from families.ledger.files.writer import INDEX, MASTER, MEMO, QUESTION, month_path, supplement_path


@lru_cache(maxsize=4)
def wrong_answers(
    book: Book, changeover: int, mistakes: tuple[str, ...]
) -> tuple[tuple[tuple[str, ...], int], ...]:
    """Return (mistakes, answer in cents) for each mistake alone, then for each two together."""
    combinations = [(mistake,) for mistake in mistakes] + list(mistake_pairs(mistakes))
    return tuple((combination, answer(book, changeover, combination)) for combination in combinations)


def required_files(case_files: CaseFiles, truth: Truth) -> Iterator[str]:
    """Yield the files of a close without which the answer cannot be found, or comes out wrong."""
    yield from (QUESTION, MEMO, MASTER, INDEX)
    for sheet in case_files.months:
        rest = tuple(entry for entry in truth.book.entries if entry not in sheet.entries)
        if answer(replace(truth.book, entries=rest), truth.changeover) != truth.answer:
            yield month_path(sheet)
    if case_files.supplement and answer(replace(truth.book, late=()), truth.changeover) != truth.answer:
        yield supplement_path(case_files.supplement)


def depth(truth: Truth) -> int:
    """Return how many receipts of one customer follow each other, at most, from one that decides the answer.

    A receipt decides the answer if settling it alone by the other policy, citation-first or
    oldest-first, changes it: an early wrong turn goes through all of these before it shows.
    """
    deepest = 0
    question = truth.book.question
    for code, events in truth.accounts.items():
        receipts = [one for one in truth.receipts if one.code == code]
        right = contribution(question, code, events, truth.settlements[code])
        for place, one in enumerate(receipts):
            if len(receipts) - place <= deepest or one.by_base[CITED_FIRST] == one.by_base[OLDEST]:
                continue
            settlement = settle(events, _policy_with_wrong_turn(one.event.number, truth.changeover))
            if contribution(question, code, events, settlement) != right:
                deepest = len(receipts) - place
    return deepest


def _policy_with_wrong_turn(number: int, changeover: int) -> Policy:
    """Return the policy of the case, except that it settles one receipt by the other base."""

    def policy(receipt: Event, count: int) -> int:
        cited = (receipt.day < changeover) != (receipt.number == number)
        return CITED_FIRST if cited else OLDEST

    return policy
