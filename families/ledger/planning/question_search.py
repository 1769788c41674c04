"""Finding a question that sees every mistake: each leads to an answer of its own."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from families.ledger.domain.book import Accounts, answer_of
from families.ledger.domain.names import CASH_TO_EARLIER, OWED_BY_CUSTOMER, OWED_SINCE
from families.ledger.domain.questions import (
    WORDINGS,
    Question,
    needs,
    worded,
)
from families.ledger.domain.settlement import Settled
from trapcli.core.draw import Draw

BITE = 10_000  # cents by which a mistake must move the answer, and the allocation
LEAST = 100_000  # cents: an answer has four digits before the point
MOST_BOUNDS, MOST_PAIRS = 80, 160  # of days, that are tried as bounds

View = tuple[Accounts, Mapping[str, Settled]]  # all customers' entries, and how they settle


def find(
    draw: Draw, kind: str, codes: tuple[str, ...], truth: View, stopped: View, mistaken: Sequence[View]
) -> Question | None:
    """A question of the kind that every view in `mistaken` answers wrong, each in its own way; or None.

    codes: those of the customer to ask about, if the kind asks about one. stopped: the view of somebody
    who stops at the memo, which must be wrong too.
    """
    for question in _candidates(draw, kind, codes, truth):
        right = answer_of(question, *truth)
        if right < LEAST or abs(answer_of(question, *stopped) - right) < BITE:
            continue
        wrong: list[int] = []
        for view in mistaken:
            answer = answer_of(question, *view)
            if abs(answer - right) < BITE or answer in wrong:
                break
            wrong.append(answer)
        else:
            return question
    return None


def _candidates(draw: Draw, kind: str, codes: tuple[str, ...], truth: View) -> Iterator[Question]:
    """Questions of the kind in random order. A bound lies anywhere between two days of billing."""
    billed = sorted({
        event.day
        for code, events in truth[0].items()
        if kind != OWED_BY_CUSTOMER or code in codes
        for event in events
        if event.amount > 0
    })  # fmt: skip
    bounds = [draw.between(day + 1, after) for day, after in pairwise(billed)]
    chosen = draw.sample(bounds, min(MOST_BOUNDS, len(bounds)))
    if kind == OWED_SINCE:
        yield from (Question(kind, since=day) for day in chosen)
    elif kind == OWED_BY_CUSTOMER:
        bounded = [Question(kind, since=day, codes=codes) for day in chosen]
        yield from draw.shuffled(bounded + [Question(kind, before=day, codes=codes) for day in chosen])
    elif kind == CASH_TO_EARLIER:
        yield from (Question(kind, before=day, received=day) for day in chosen)
        apart = [(first, day) for first in chosen for day in chosen if first < day]
        for first, day in draw.sample(apart, min(MOST_PAIRS, len(apart))):
            yield Question(kind, before=day, received=first)
    else:
        if draw.chance(0.5):
            yield Question(kind)
        bounded = [Question(kind, since=day) for day in chosen]
        yield from draw.shuffled(bounded + [Question(kind, before=day) for day in chosen])
        yield Question(kind)


def phrase(draw: Draw, question: Question, end: int, customer: str) -> str:
    """The question in one of its wordings."""
    named = {name for name in ("since", "before", "received") if getattr(question, name)}
    named |= {"customer"} if question.codes else set()
    fitting = [wording for wording in WORDINGS[question.kind] if needs(wording) == named]
    return worded(question, draw.choice(fitting), end, customer, draw.chance(0.4))
