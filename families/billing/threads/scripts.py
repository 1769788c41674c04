"""What becomes of a request in a thread: it may be corrected, withdrawn, taken up again or overruled."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from families.billing.company.world import World
from families.billing.threads.drafting import Drafter
from families.billing.threads.requests import (
    FIXED,
    MOVE,
    PRICE,
    REBRAND,
    SHARE,
    START,
    TRANSFER,
    UPGRADE,
    Request,
)

STATE, CORRECT, WITHDRAW, REINSTATE, SUPPLY = "state", "correct", "withdraw", "reinstate", "supply"
SUPPLIED = "supplied"
PLAIN, CORRECTED, WITHDRAWN, REINSTATED = "plain", "corrected", "withdrawn", "reinstated"
OVERRULED, BARRED, CONDITIONAL = "overruled", "barred", "conditional"
# How often each happens, in percent of the requests of a thread.
SHAPES = (
    (PLAIN, 20), (SUPPLIED, 14), (CORRECTED, 20), (WITHDRAWN, 9), (REINSTATED, 9), (OVERRULED, 11),
    (BARRED, 7), (CONDITIONAL, 10),
)  # fmt: skip
IN_FORCE = (PLAIN, SUPPLIED, CORRECTED, REINSTATED, OVERRULED)
# The fields of a request that a later message may correct.
FIELDS = {
    MOVE: (START, "region"), PRICE: (START, "price"), REBRAND: ("price",), SHARE: ("percent",),
    FIXED: (START, "amount"), TRANSFER: (START,), UPGRADE: (START,),
}  # fmt: skip


class Condition(NamedTuple):
    """A request holds only if this subscription's invoice of this period has not been paid."""

    subscription: str
    period: str


class Step(NamedTuple):
    """One thing that a message says about a request.

    form: STATE, CORRECT, WITHDRAW, REINSTATE or SUPPLY.
    field, old, new: of CORRECT what is corrected, from what to what; of SUPPLY what was left open, and is.
    chief: whether the controller says it.
    """

    form: str
    field: str = ""
    old: Any = None
    new: Any = None
    chief: bool = False


class Missed(NamedTuple):
    """Something that a reader may miss, the step that says it, and what is left if it is missed."""

    what: str
    step: int
    left: Request | None


@dataclass(frozen=True, slots=True)
class Script:
    """A request, all that is said about it, and what holds in the end.

    stated: as the first message has it.
    final: None if it is not to be carried out.
    """

    shape: str
    stated: Request
    final: Request | None
    steps: tuple[Step, ...]
    missed: tuple[Missed, ...]
    condition: Condition | None = field(default=None)


def write_script(drafter: Drafter, world: World, request: Request, shape: str) -> Script:
    """Return the script of this shape for a request, or a plain one if the request does not suit it."""
    unread = Missed("the request", 0, None)
    if shape in (CORRECTED, OVERRULED) and request.kind in FIELDS:
        name = drafter.draw.choice(FIELDS[request.kind])
        right, wrong = request.values[name], _wrong(drafter, request, name)
        if wrong is not None:
            return _corrected(request, shape, name, right, wrong, unread)
    if shape in (WITHDRAWN, BARRED):
        steps = [Step(STATE), Step(WITHDRAW, chief=shape == BARRED)]
        gone = Missed("its withdrawal", 1, request)
        if shape == BARRED:
            steps.append(Step(REINSTATE))
            gone = Missed("that the controller's word stands", 2, request)
        return Script(shape, request, None, tuple(steps), (gone,))
    if shape == REINSTATED:
        again = Missed("that it was taken up again", 2, None)
        return Script(
            shape, request, request, (Step(STATE), Step(WITHDRAW), Step(REINSTATE)), (unread, again)
        )
    if shape == SUPPLIED and START in request.values:
        supplied = (Step(STATE), Step(SUPPLY, START, new=request.values[START]))
        return Script(shape, request, request, supplied, (unread,))
    if shape == CONDITIONAL and (found := _condition(drafter, world)):
        condition, holds = found
        missed = (unread,) if holds else (Missed("its condition", 0, request),)
        return Script(shape, request, request if holds else None, (Step(STATE),), missed, condition)
    return Script(PLAIN, request, request, (Step(STATE),), (unread,))


def _corrected(request: Request, shape: str, name: str, right: Any, wrong: Any, unread: Missed) -> Script:
    stated = request.having(**{name: wrong})
    steps: tuple[Step, ...] = (Step(STATE), Step(CORRECT, name, wrong, right))
    if shape == CORRECTED:
        return Script(shape, stated, request, steps, (unread, Missed("its correction", 1, stated)))
    steps = (
        Step(STATE),
        Step(CORRECT, name, wrong, right, chief=True),
        Step(CORRECT, name, right, wrong),
    )
    rank = Missed("that the controller's word stands", 2, stated)
    return Script(shape, stated, request, steps, (unread, rank))


def _wrong(drafter: Drafter, request: Request, name: str) -> Any:
    """Return another value for a field, one that changes what the request comes to; None if none is found."""
    for _ in range(20):
        other: Any = None
        if name == START:
            other = drafter.month() if len(request.values[START]) == 7 else drafter.day()
            if request.having(start=other).start == request.start:
                continue
        elif name == "region":
            other = drafter.draw.choice(sorted(drafter.builder.regions))
        elif name == "percent":
            other = request.values[name] + drafter.draw.choice((-2, -1, 1, 2, 4))
        else:
            other = request.values[name] + drafter.draw.choice((-4, -3, -2, 2, 3, 4))
        if other != request.values[name]:
            return other
    return None


def _condition(drafter: Drafter, world: World) -> tuple[Condition, bool] | None:
    """Return a condition on an issued invoice or draft of the stage, and whether it is met."""
    keys = [
        key
        for key in sorted(world.invoices)
        if world.invoices[key].subscription in drafter.stage.subscriptions
        and world.invoices[key].period in drafter.builder.periods[-3:]
    ]
    holds = drafter.draw.chance(0.5)
    fitting = [key for key in keys if (world.invoices[key].status != "paid") == holds]
    if not fitting:
        return None
    invoice = world.invoices[drafter.draw.choice(fitting)]
    return Condition(invoice.subscription, invoice.period), holds


def draw_shapes(drafter: Drafter, requests: int) -> Iterator[str]:
    """Yield the shapes of scripts until this many requests are in force."""
    weighted = [shape for shape, weight in SHAPES for _ in range(weight)]
    yield drafter.draw.choice(
        (PLAIN, SUPPLIED, CORRECTED, OVERRULED, REINSTATED)
    )  # the trap's own request holds
    in_force = 1
    while in_force < requests:
        shape = drafter.draw.choice(weighted)
        in_force += shape in IN_FORCE
        yield shape
