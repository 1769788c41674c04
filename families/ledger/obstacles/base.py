"""What every obstacle is."""

from collections.abc import Iterator
from typing import ClassVar, Protocol

from families.ledger.filing.binder import Binder
from families.ledger.planning.plan import Plan
from families.ledger.planning.reading import Reading, Row
from trapcli.core.draw import Draw

ADDED, CHANGED, OWNED, COPIED = range(4)


class Obstacle:
    """A deviation that real books have, found only by noticing; an instance has its place in a case.

    name: the mistake of somebody who misses it, a key of the family's mistakes.
    kept_only: whether it can be missed only by somebody who copies the memo.
    rank: what is missed together is misread in this order: first what is added, then what is changed,
        then whose it is taken for, then what is counted twice.
    """

    __slots__ = ()
    name: ClassVar[str]
    kept_only: ClassVar[bool] = False
    rank: ClassVar[int] = CHANGED

    def misread(self, reading: Reading) -> Reading:
        """Return how somebody reads who misses it."""
        raise NotImplementedError

    def take(self, plan: Plan) -> None:
        """Mark what the obstacle changes as taken."""

    def edit_lines(self, binder: Binder) -> None:
        """Change the lines of the ledger, before they are numbered."""

    def edit_sheets(self, binder: Binder) -> None:
        """Change what the files show, after the lines are numbered."""

    def evidence(self, binder: Binder) -> Iterator[tuple[str, str]]:
        """Yield (file, what stands there) of what shows the obstacle."""
        raise NotImplementedError


class Placing(Protocol):
    """A kind of obstacle: yields places for it in a plan, in random order, without end or until none is left.

    Each is tried until missing it changes the answer.
    """

    def __call__(self, draw: Draw, plan: Plan) -> Iterator[Obstacle]: ...


def without(rows: tuple[Row, ...], keys: frozenset[int]) -> tuple[Row, ...]:
    return tuple(row for row in rows if row.event.key not in keys)
