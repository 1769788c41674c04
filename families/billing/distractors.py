"""Records that look covered by a ticket and are not, and sentences that decide nothing."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from families.billing.company import vocabulary as words
from families.billing.company.world import NEVER_BILLED
from families.billing.company.world_builder import WorldBuilder
from trapcli.answers.edits.authoring.scenes import always, idle_remarks, in_turn, longer_name
from trapcli.answers.edits.authoring.ticket_text import shift_month


@dataclass(frozen=True, slots=True)
class Target:
    """What a ticket is about.

    customer, plan, code: their keys.
    start: the first month that the ticket covers.
    """

    customer: str
    plan: str
    code: str
    start: str


Distractor = Callable[[WorldBuilder, Target], None]


def twin_name(builder: WorldBuilder, name: str, endings: Sequence[str]) -> str:
    """Return a longer name that begins with `name` and is not taken; "" if every one is."""
    taken = {c.name for c in builder.customers.values()}
    taken |= {item.name.latest for items in (builder.plans, builder.addons) for item in items.values()}
    return longer_name(builder.draw, name, endings, taken)


def add_twin_customer(builder: WorldBuilder, target: Target) -> None:
    """Add a customer with a similar name, in the same region and on the same plan."""
    customer = builder.customers[target.customer]
    if name := twin_name(builder, customer.name, words.BRANCH):
        key = builder.add_customer(name, customer.region.at(target.start))
        builder.subscribe(key, plan=target.plan, placed=False)


def add_prompt_mover(builder: WorldBuilder, target: Target) -> None:
    """Add a customer that moved region in that very month, and was billed correctly."""
    key = builder.add_customer()
    mover, new = builder.customers[key], builder.draw.choice(sorted(builder.regions))
    builder.customers[key] = replace(mover, region=mover.region.since(target.start, new))
    builder.add_filler(key)


def add_former_subscriber(builder: WorldBuilder, target: Target) -> None:
    """Add a subscription that left the plan before the month."""
    plan = always(target.plan).since(target.start, builder.draw.choice(builder.free_keys(builder.plans)))
    builder.subscribe(builder.add_customer(), plan=plan, placed=False)


def add_twin_plan(builder: WorldBuilder, target: Target) -> None:
    """Add a plan with a similar name, and a subscription on it."""
    if name := twin_name(builder, builder.plans[target.plan].name.latest, words.PLAN_TWIN):
        builder.subscribe(builder.add_customer(), plan=builder.add_plan(name, steady=True), placed=False)


def add_twin_code(builder: WorldBuilder, target: Target) -> None:
    """Add a code with a similar spelling, and a subscription that uses it."""
    free = [f"{target.code}{letter}" for letter in "ABKX" if f"{target.code}{letter}" not in builder.codes]
    if free:
        code, model = builder.draw.choice(free), builder.codes[target.code]
        percent = (model.percent.latest or 10) + builder.draw.choice((-3, 2, 4))
        builder.codes[code] = replace(model, percent=always(percent), fixed=always(None))
        builder.subscribe(builder.add_customer(), code=code, placed=False)


def add_late_code(builder: WorldBuilder, target: Target) -> None:
    """Add a subscription that got the code after its last invoice."""
    before = builder.draw.choice(["", *builder.free_keys(builder.codes)])
    code = always(before).since(NEVER_BILLED, target.code)
    builder.subscribe(builder.add_customer(), code=code, placed=False)


def add_closed_sibling(builder: WorldBuilder, target: Target) -> None:
    """Add a cancelled subscription of the ticket's customer, on another plan, that ended before the month."""
    taken = {s.plan.latest for s in builder.subscriptions.values() if s.customer.latest == target.customer}
    if free := sorted(set(builder.free_keys(builder.plans)) - taken):
        key = builder.subscribe(target.customer, plan=builder.draw.choice(free), active=False, placed=False)
        builder.ends[key] = shift_month(target.start, -1)


def place_distractors(builder: WorldBuilder, target: Target, distractors: Sequence[Distractor]) -> None:
    """Add as many distractors as the knob says, of the given ones in turn."""
    for distractor in in_turn(builder.draw, distractors, builder.knobs.distractors):
        distractor(builder, target)


def draw_asides(builder: WorldBuilder, twin: str = "") -> Sequence[str]:
    """Return up to two sentences that name others and decide nothing."""
    draw = builder.draw.stream("asides")
    owners = {s.customer.latest for key, s in builder.subscriptions.items() if key not in builder.placed}
    owners -= {
        s.customer.at(p)
        for key, s in builder.subscriptions.items()
        if key in builder.placed
        for p in ("", "9")
    }
    return idle_remarks(draw, twin, builder.customers[draw.choice(sorted(owners))].name)
