"""What looks covered by a ticket and is not: shapes of records, and sentences that decide nothing."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from families.billing import vocabulary as words
from families.billing.world import NEVER_BILLED
from families.billing.world_builder import Sketch
from trapcli.answers.edits.authoring.scenes import History, always, idle_remarks, in_turn, longer_name
from trapcli.answers.edits.authoring.ticket_text import shifted
from trapcli.core.draw import Draw


@dataclass(frozen=True, slots=True)
class Target:
    """What a ticket is about: its customer, plan and code, and the first month it covers."""

    customer: str
    plan: str
    code: str
    start: str


Shape = Callable[[Sketch, Target], None]


def effective(draw: Draw, start: str) -> str:
    """A date whose first invoice month is `start`: its first day, or a day in the month before."""
    if draw.chance(0.5):
        return f"{start}-01"
    return f"{shifted(start, -1)}-{draw.between(6, 27):02d}"


def twin_of(sketch: Sketch, name: str, endings: Sequence[str]) -> str:
    """A longer name that begins with `name` and is not taken; "" if all are."""
    taken = {c.name for c in sketch.customers.values()}
    taken |= {item.name.latest for items in (sketch.plans, sketch.addons) for item in items.values()}
    return longer_name(sketch.draw, name, endings, taken)


def twin_customer(sketch: Sketch, target: Target) -> None:
    """A customer of nearly the same name, in the same region and on the same plan."""
    customer = sketch.customers[target.customer]
    if name := twin_of(sketch, customer.name, words.BRANCH):
        key = sketch.customer(name, customer.region.at(target.start))
        sketch.subscribe(key, plan=target.plan, placed=False)


def moved_at_once(sketch: Sketch, target: Target) -> None:
    """A customer that moved region in the very month, and was billed right."""
    key = sketch.customer()
    mover, new = sketch.customers[key], sketch.draw.choice(sorted(sketch.regions))
    sketch.customers[key] = replace(mover, region=mover.region.since(target.start, new))
    sketch.filler(key)


def left_plan(sketch: Sketch, target: Target) -> None:
    """A subscription that was on the plan and left it before the month."""
    plan = always(target.plan).since(target.start, sketch.draw.choice(sketch.free(sketch.plans)))
    sketch.subscribe(sketch.customer(), plan=plan, placed=False)


def twin_plan(sketch: Sketch, target: Target) -> None:
    """A plan of nearly the same name, with a subscription on it."""
    if name := twin_of(sketch, sketch.plans[target.plan].name.latest, words.PLAN_TWIN):
        sketch.subscribe(sketch.customer(), plan=sketch.plan(name, steady=True), placed=False)


def twin_code(sketch: Sketch, target: Target) -> None:
    """A code of nearly the same spelling, with a subscription that uses it."""
    free = [f"{target.code}{letter}" for letter in "ABKX" if f"{target.code}{letter}" not in sketch.codes]
    if free:
        code, model = sketch.draw.choice(free), sketch.codes[target.code]
        percent = (model.percent.latest or 10) + sketch.draw.choice((-3, 2, 4))
        sketch.codes[code] = replace(model, percent=always(percent), fixed=None)
        sketch.subscribe(sketch.customer(), code=code, placed=False)


def code_attached_late(sketch: Sketch, target: Target) -> None:
    """A subscription that got the code after its last invoice."""
    before = sketch.draw.choice(["", *sketch.free(sketch.codes)])
    sketch.subscribe(sketch.customer(), code=always(before).since(NEVER_BILLED, target.code), placed=False)


def closed_sibling(sketch: Sketch, target: Target) -> None:
    """A cancelled subscription of the ticket's customer, on another plan, that ended before the month."""
    taken = {s.plan.latest for s in sketch.subscriptions.values() if s.customer.latest == target.customer}
    if free := sorted(set(sketch.free(sketch.plans)) - taken):
        key = sketch.subscribe(target.customer, plan=sketch.draw.choice(free), active=False, placed=False)
        sketch.ends[key] = shifted(target.start, -1)


def place(sketch: Sketch, target: Target, shapes: Sequence[Shape]) -> None:
    """As many distractors as the knob says, of the shapes that fit the kind, in turn."""
    for shape in in_turn(sketch.draw, shapes, sketch.knobs.distractors):
        shape(sketch, target)


def asides(sketch: Sketch, twin: str = "") -> Sequence[str]:
    """Up to two sentences that name others and decide nothing."""
    draw = sketch.draw.stream("asides")
    owners = {s.customer.latest for key, s in sketch.subscriptions.items() if key not in sketch.placed}
    owners -= {
        s.customer.at(p) for key, s in sketch.subscriptions.items() if key in sketch.placed for p in ("", "9")
    }
    return idle_remarks(draw, twin, sketch.customers[draw.choice(sorted(owners))].name)


def switching(first: str, start: str, second: str) -> History[str]:
    """A value that changes once."""
    return always(first).since(start, second)
