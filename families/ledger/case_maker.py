"""Make and check the cases of `ledger-close`. Judging an answer needs none of this."""

from collections.abc import Iterator
from decimal import Decimal
from itertools import combinations
from typing import Any, Protocol

from families.ledger.checks.rivals import Search, TooManyRivals
from families.ledger.domain.formats import money, plain
from families.ledger.domain.questions import TRAPS
from families.ledger.files.paths import README
from families.ledger.filing.close_files import close_files
from families.ledger.planning.close_plan import PlannedYear, draw_outline, plan_year
from families.ledger.filing.sheets import file_year
from families.ledger.planning.misses import fixed_orders, practice_misses
from families.ledger.planning.plan_failed import PlanFailed
from families.ledger.planning.reading import Miss
from trapcli.answers.amount.answers import EXAMPLE, equal
from trapcli.core.contract import AnswerKind, Case, Files, Problem
from trapcli.core.draw import Draw
from trapcli.core.errors import TrapError

OUTLINES, PLANS = 25, 40  # how many outlines, and plans for each, are tried for one case


class Maker(Protocol):
    """What making a case needs of its family; readme: the case README, except how to answer."""

    @property
    def name(self) -> str: ...

    @property
    def version(self) -> str: ...

    @property
    def readme(self) -> str: ...

    @property
    def answers(self) -> AnswerKind: ...


def generate(family: Maker, seed: str, knobs: Any, k: int) -> Case:
    """Return case `k` of the seed; TrapError if none can be planned with these knobs."""
    trap, why = tuple(TRAPS)[k % len(TRAPS)], ""
    draw = Draw(f"{family.name}/{family.version}/{seed}/{k}")
    for number in range(OUTLINES):
        outline = draw_outline(draw.stream(f"outline-{number}"), knobs)
        for attempt in range(PLANS):
            stream = draw.stream(f"plan-{number}-{attempt}")
            try:
                planned = plan_year(stream, knobs, trap, outline)
                _require_no_rival(planned)
            except PlanFailed as failure:
                why = str(failure)
                continue
            case = _case(family, trap, stream, planned, number * PLANS + attempt + 1)
            problem = next(leak_problems(case.files, case.gold), None)
            if problem is None:
                return case
            why = str(problem)
    raise TrapError(
        f"{family.name}: case {k + 1} ({trap}) cannot be planned with these knobs: {why}. "
        "Give it more months or entries, or another number of customers."
    )


def _require_no_rival(planned: PlannedYear) -> None:
    try:
        rival = next(Search(planned.plan.ledger).rivals(), None)
    except TooManyRivals:
        raise PlanFailed("the memo fits too many practices") from None
    if rival is not None:
        raise PlanFailed(f"the memo also fits: {rival.description}; that gives {money(rival.answer)}")


def _case(family: Maker, trap: str, draw: Draw, planned: PlannedYear, plans: int) -> Case:
    ledger = planned.plan.ledger
    filed = file_year(draw.stream("files"), planned)
    texts = close_files(draw.stream("texts"), filed)
    misses: list[Miss] = [*practice_misses(ledger.practice), *planned.obstacles]
    facts = {
        "wrong_answers": list(wrong_answers(planned, misses)),
        "obstacles": [
            {"name": o.name, "evidence": [list(row) for row in o.evidence(filed.binder)]}
            for o in planned.obstacles
        ],
        "plans": plans,
    }
    files = {README: f"{family.readme.strip()}\n\n{family.answers.instructions()}", **texts}
    mistakes = tuple(miss.name for miss in misses)
    return Case(family.name, trap, files, plain(ledger.answer()), mistakes, facts)


def wrong_answers(planned: PlannedYear, misses: list[Miss]) -> Iterator[dict[str, Any]]:
    """Yield what is missed, one thing or two, and the answer that it leads to, as JSON data.

    copied: whether the memo is copied first, as most agents do.
    """
    ledger = planned.plan.ledger
    for miss in misses:
        yield {"mistakes": [miss.name], "answer": plain(ledger.answer([miss])), "copied": True}
    for pair in combinations(misses, 2):
        if {miss.rank for miss in pair} and pair != tuple(misses[:2]):
            answer = plain(ledger.answer(pair))
            yield {"mistakes": [miss.name for miss in pair], "answer": answer, "copied": True}
    for miss in (*misses, *fixed_orders()):
        if not miss.kept_only:
            answer = plain(ledger.answer([miss], kept=False))
            yield {"mistakes": [miss.name], "answer": answer, "copied": False}


def leak_problems(files: Files, gold: str) -> Iterator[Problem]:
    """Yield the files that show the answer; and if so, that the answer is the example of the README."""
    if equal(Decimal(gold), EXAMPLE):
        yield Problem("the answer is the example of the README", "leak")
    cents = int(gold.replace(".", ""))
    for spelled in dict.fromkeys((plain(cents), money(cents))):
        for path, text in files.items():
            at = text.find(spelled)
            while at >= 0:
                if text[at - 1 : at] not in tuple("0123456789.,"):
                    yield Problem(f"{path} shows the answer {spelled}", "leak")
                    break
                at = text.find(spelled, at + 1)
