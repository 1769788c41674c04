"""Find a memo with gaps, and a question, such that the whole practice is needed."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise

from families.ledger.domain.limits import MIN_ANSWER, MIN_EFFECT
from families.ledger.domain.practice import BASES, Practice
from families.ledger.domain.questions import (
    BILLED_OPEN,
    CASH_TO_EARLIER,
    IN_FULL,
    OWED_BY_CUSTOMERS,
    OWED_SINCE,
    Question,
)
from families.ledger.domain.settlement import INVOICE, RECEIPT, Event, Pieces, Settlement, pieces_by
from families.ledger.planning.misses import fixed_orders, practice_misses
from families.ledger.planning.plan_failed import PlanFailed
from families.ledger.planning.reading import Ledger, Miss, total
from families.ledger.planning.year import Draft
from trapcli.core.draw import Draw

EVIDENCE = 3  # lines of the memo, at least, that show each rule
GAPS = (18, 34)  # percent of the receipts up to the memo's end that it leaves out
GAP_DRAWS = 6
MOST_QUESTIONS = 60  # that are tried for one memo

Choices = Mapping[int, Mapping[str, Mapping[int, int]]]  # receipt -> base -> what it settles


def receipt_choices(ledger: Ledger) -> dict[int, dict[str, dict[int, int]]]:
    """Return for each receipt what each base would give, as it arrives in the right settlement."""
    accounts: dict[int, list[Event]] = {}
    for row in ledger.rows:
        accounts.setdefault(row.customer, []).append(row.event)
    choices: dict[int, dict[str, dict[int, int]]] = {}
    for events in accounts.values():
        state = Settlement()
        for event in events:
            if event.kind == RECEIPT:
                by_base = {base: pieces_by(base, state, event) for base in BASES}
                base = ledger.practice.base_of(event.day, event.narration, event.office)
                choices[event.key] = {**by_base, "": by_base[base]}
                state.receive(event, by_base[base], ledger.bound)
            elif event.kind == INVOICE:
                state.bill(event)
            else:
                _undo(state, event)
    return choices


def _undo(state: Settlement, event: Event) -> None:
    if event.ref in state.made:
        state.take_back(event.ref)
    else:
        state.lessen(event.ref, event.amount)


def draw_memo(
    draw: Draw, ledger: Ledger, drafts: Sequence[Draft], end: int, choices: Choices
) -> dict[int, Pieces]:
    """Return receipt -> what it is put to, for the receipts that the memo shows.

    end: the last day of the memo.

    Raises PlanFailed if a rule of the practice is not shown often enough.
    """
    receipts = [d for d in drafts if d.event.kind == RECEIPT and d.event.day <= end]
    count = max(2, len(receipts) * draw.between(*GAPS) // 100)
    customers = sorted({d.customer for d in receipts})
    last = ledger.practice.rules[-1].base
    settled = ledger.settlements(ledger.reading()).values()
    written = {receipt for one in settled for receipt in one.written}
    problem = "there are too few receipts for a memo"
    for _ in range(GAP_DRAWS):
        whose = draw.sample(customers, (len(customers) + 1) // 2)  # so that other accounts are known
        theirs = [d.event for d in receipts[2:-1] if d.customer in whose and d.event.key not in written]
        if len(receipts) < count + 4 or len(theirs) < count:
            continue
        early = [e for e in theirs if choices[e.key][last] != choices[e.key][""]]
        gaps = {e.key for e in draw.sample(early, min(len(early), draw.between(1, (count + 1) // 2)))}
        gaps |= {e.key for e in draw.sample(theirs, count - len(gaps))}
        shown = [d.event for d in receipts if d.event.key not in gaps]
        problem = _unseen_rule(ledger.practice, shown, choices)
        if not problem:
            return {event.key: dict(choices[event.key][""]) for event in shown}
    raise PlanFailed(problem)


def shown_bound(ledger: Ledger) -> int:
    """Return the bound of what is written off as the memo shows it: just over the largest such rest.

    Raises PlanFailed if the memo shows fewer than two, or if a larger one occurs.
    """
    if not ledger.bound:
        return 0
    settled = ledger.settlements(ledger.reading()).values()
    written = {receipt: rests for one in settled for receipt, rests in one.written.items()}
    shown = [cents for receipt in written.keys() & ledger.memo.keys() for cents in written[receipt].values()]
    if len(shown) < EVIDENCE or max(cents for rests in written.values() for cents in rests.values()) > max(
        shown
    ):
        raise PlanFailed("the memo does not show the bound of what is written off")
    return max(shown) + 1


def _unseen_rule(practice: Practice, shown: Sequence[Event], choices: Choices) -> str:
    """Return which rule of a practice the memo shows too seldom, or ""."""
    for rule in practice.rules:
        others = [other.base for other in practice.rules if other is not rule]
        lines = sum(
            all(choices[e.key][other] != choices[e.key][""] for other in others)
            for e in shown
            if practice.rule_of(e.day, e.narration, e.office) is rule
        )
        if lines < EVIDENCE:
            return f"the memo shows {rule.base} in {lines} lines"
    return ""


def find_question(
    draw: Draw, trap: str, ledger: Ledger, misses: Sequence[Miss], low: int,
    suits: Callable[[Question], bool] = lambda question: True,
) -> Question | None:  # fmt: skip
    """Return a question that every mistake in the practice, and every one of `misses`, answers wrong.

    low: the first day of the year; bounds lie after it.
    suits: whether a question may be asked.
    """
    wrong = [ledger.reading([miss]) for miss in (*practice_misses(ledger.practice), *misses)]
    wrong += [ledger.reading([miss], kept=False) for miss in misses if not miss.kept_only]
    for miss in fixed_orders():
        wrong += [ledger.reading([miss]), ledger.reading([miss], kept=False)]
    right = ledger.reading()
    for question in _candidates(draw, trap, ledger, low):
        answer = total(ledger.parts(right, question).values())
        if answer < MIN_ANSWER or not suits(question):
            continue
        for number, reading in enumerate(wrong):
            if abs(total(ledger.parts(reading, question).values()) - answer) < MIN_EFFECT:
                wrong.insert(0, wrong.pop(number))  # what one question does not see, the next may not
                break
        else:
            return question
    return None


def _candidates(draw: Draw, trap: str, ledger: Ledger, low: int) -> Iterator[Question]:
    """Yield questions in random order. A bound lies anywhere between two days of billing."""
    days = sorted({row.event.day for row in ledger.rows if row.event.kind == INVOICE})
    bounds = [draw.between(day + 1, after) for day, after in pairwise(days) if after > low]
    bounds = draw.shuffled(bounds)[:MOST_QUESTIONS]
    who = sorted({row.customer for row in ledger.rows})
    for number, day in enumerate(bounds):
        later = [other for other in bounds if other > day + 20]
        until = draw.choice(later) if later and draw.chance(0.5) else 0
        if trap == OWED_SINCE:
            yield Question(trap, since=day, before=until)
        elif trap == OWED_BY_CUSTOMERS:
            since, before = (day, 0) if number % 2 else (0, day)
            for _ in range(3):
                least = max((len(who) + 1) // 2, len(who) - 3)
                some = tuple(sorted(draw.sample(who, draw.between(least, len(who) - 1))))
                yield Question(trap, since, before, some)
        elif trap == CASH_TO_EARLIER:
            for first in sorted({day, *(draw.choice(bounds) for _ in range(5))}):
                yield Question(trap, before=day, cash_since=first)
        elif number % 6 == 0:
            yield Question(trap)
        elif trap in (IN_FULL, BILLED_OPEN) and until:
            yield Question(trap, since=day, before=until)
        else:
            yield Question(trap, since=day) if number % 2 else Question(trap, before=day)
