"""Find a question that sees every mistake: each leads to an answer of its own."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from families.ledger.domain.book import Accounts, BookSettlement, answer_of
from families.ledger.domain.limits import MIN_ANSWER, MIN_EFFECT
from families.ledger.domain.questions import BOUNDS, WORDINGS, Question, format_question, slots
from families.ledger.domain.traps_and_mistakes import CASH_TO_EARLIER, OWED_BY_CUSTOMER, OWED_SINCE
from trapcli.core.draw import Draw

MOST_BOUNDS, MOST_PAIRS = 80, 160  # of days, that are tried as bounds


def find_question(
    draw: Draw,
    trap: str,
    codes: tuple[str, ...],
    right: BookSettlement,
    memo_only: BookSettlement,
    mistaken: Sequence[BookSettlement],
) -> Question | None:
    """Return a question that every mistaken settlement answers wrong, each in its own way; or None.

    codes: those of the customer to ask about, if the trap is about one.
    memo_only: the settlement of somebody who stops at the memo, which must be wrong too.
    """
    for question in _candidates(draw, trap, codes, right.accounts):
        answer = answer_of(question, right)
        if answer < MIN_ANSWER or abs(answer_of(question, memo_only) - answer) < MIN_EFFECT:
            continue
        wrong: list[int] = []
        for settlement in mistaken:
            other = answer_of(question, settlement)
            if abs(other - answer) < MIN_EFFECT or other in wrong:
                break
            wrong.append(other)
        else:
            return question
    return None


def _candidates(draw: Draw, trap: str, codes: tuple[str, ...], accounts: Accounts) -> Iterator[Question]:
    """Yield questions in random order. A bound lies anywhere between two days of billing."""
    billed = sorted({
        event.day
        for code, events in accounts.items()
        if trap != OWED_BY_CUSTOMER or code in codes
        for event in events
        if event.amount > 0
    })  # fmt: skip
    bounds = [draw.between(day + 1, after) for day, after in pairwise(billed)]
    chosen = draw.sample(bounds, min(MOST_BOUNDS, len(bounds)))
    if trap == OWED_SINCE:
        yield from (Question(trap, since=day) for day in chosen)
    elif trap == OWED_BY_CUSTOMER:
        bounded = [Question(trap, since=day, codes=codes) for day in chosen]
        yield from draw.shuffled(bounded + [Question(trap, before=day, codes=codes) for day in chosen])
    elif trap == CASH_TO_EARLIER:
        yield from (Question(trap, before=day, cash_since=day) for day in chosen)
        apart = [(first, day) for first in chosen for day in chosen if first < day]
        for first, day in draw.sample(apart, min(MOST_PAIRS, len(apart))):
            yield Question(trap, before=day, cash_since=first)
    else:
        if draw.chance(0.5):
            yield Question(trap)
        bounded = [Question(trap, since=day) for day in chosen]
        yield from draw.shuffled(bounded + [Question(trap, before=day) for day in chosen])
        yield Question(trap)


def draw_wording(draw: Draw, question: Question, end: int, customer: str) -> str:
    """Return the question in one of its wordings."""
    names = {name for name in BOUNDS if getattr(question, name)}
    names |= {"customer"} if question.codes else set()
    fitting = [wording for wording in WORDINGS[question.type] if slots(wording) == names]
    return format_question(question, draw.choice(fitting), end, customer, draw.chance(0.4))
