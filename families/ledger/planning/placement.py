"""Give a case its obstacles, each where missing it changes the answer, alone and with any other."""

from collections.abc import Iterable, Sequence

from families.ledger.domain.limits import MIN_EFFECT
from families.ledger.obstacles.base import Obstacle
from families.ledger.obstacles.library import placing
from families.ledger.planning.misses import practice_misses
from families.ledger.planning.plan import Plan
from families.ledger.planning.plan_failed import PlanFailed
from families.ledger.planning.reading import Ledger, Miss, Row
from trapcli.core.draw import Draw

MOST_PLACES = 24  # that are tried for one obstacle


def place_all(draw: Draw, plan: Plan, kinds: Iterable[type[Obstacle]]) -> tuple[Obstacle, ...]:
    """Return an obstacle of each kind; PlanFailed if one finds no place."""
    placed: list[Obstacle] = []
    for kind in kinds:
        others: list[Miss] = [*practice_misses(plan.ledger.practice), *placed]
        for number, obstacle in enumerate(placing(kind)(draw.stream(kind.name), plan)):
            if number >= MOST_PLACES:
                raise PlanFailed(f"no place for {kind.name}")
            if bites(plan.ledger, obstacle, others):
                obstacle.take(plan)
                placed.append(obstacle)
                break
        else:
            raise PlanFailed(f"no place for {kind.name}")
    plan.ledger.rows = _with_codes(plan)
    return tuple(placed)


def _with_codes(plan: Plan) -> tuple[Row, ...]:
    """Return the rows with the number of the code that its customer has on each day."""
    return tuple(
        row._replace(event=row.event._replace(code=str(sum(row.event.day >= since for since in cuts))))
        if (cuts := plan.recoded.get(row.customer))
        else row
        for row in plan.ledger.rows
    )


def bites(ledger: Ledger, miss: Miss, others: Sequence[Miss]) -> bool:
    """Whether missing this changes the answer, alone and with any of the others, and in a way of its own."""
    right = ledger.answer()
    alone = ledger.answer([miss])
    if abs(alone - right) < MIN_EFFECT:
        return False
    if not miss.kept_only and abs(ledger.answer([miss], kept=False) - right) < MIN_EFFECT:
        return False
    for other in others:
        if abs(ledger.answer([miss, other]) - right) < MIN_EFFECT or ledger.answer([other]) == alone:
            return False
    return True
