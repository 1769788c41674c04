"""A plan costs more for invoices from a period on; fixed discounts stay."""

from dataclasses import replace

from families.billing import distractors as look
from families.billing import vocabulary as words
from families.billing.stage import STAGE
from families.billing.world_builder import Sketch, spans
from families.billing.world import World
from trapcli.answers.edits.authoring import ticket_text
from trapcli.answers.edits.authoring.scenes import Scene

TITLES = (
    "New price for {plan}",
    "{plan} price increase was never entered",
    "Price change: {plan}",
    "{plan} billed at the old price",
)
BODIES = (
    "From the {period} invoices on, {plan} costs {price} a month. It was agreed but never entered, so "
    "invoices for {period} and later carry the old price. Everybody billed for {plan} in those months "
    "owes the new one; discounts by percentage follow it, discounts of a fixed amount stay what they "
    "were. Months before that are right.",
    "{plan} went up to {price}, starting with the invoices for {period}. Nobody told the billing run. "
    "Please set the price, and restate all invoices for {plan} of {period} and after. A percentage "
    "discount is worth more now, a flat discount is not. Earlier months keep their price.",
    "We announced {price} as the monthly price of {plan} beginning with {period}. The old price is "
    "still in our books and on the {plan} invoices from {period} on. Fix both: percentage discounts "
    "are to be worked out on the new price, flat ones left at their amount, and nothing before "
    "{period} is to move.",
    "Finance noticed that {plan} is still charged at the old price. It should be {price} on every "
    "invoice for the month of {period} or a later one, with percentage discounts worked out anew and "
    "flat discounts unchanged. What was billed for earlier months stays.",
)
SHAPES = (look.left_plan, look.twin_plan, look.moved_at_once, look.twin_code)


def _scene(sketch: Sketch) -> Scene[World]:
    draw = sketch.draw
    many, long = spans(sketch.knobs, draw, extra=1, subscriptions=range(2, 9))
    start = sketch.periods[-1 - long]
    raised = sketch.plan(steady=True)
    name = sketch.plans[raised].name.latest
    twin = look.twin_of(sketch, name, words.PLAN_TWIN)
    sketch.reserve(raised)
    by_share, by_amount = sketch.code(shape="percent"), sketch.code(shape="fixed")
    sketch.subscribe(sketch.customer(), plan=sketch.plan(twin, steady=True), placed=False)
    for i in range(many):
        code = (by_share, by_amount, None)[min(i, 2)]
        leaves = i > 0 and draw.chance(0.4)
        other = draw.choice(sketch.free(sketch.plans))
        of = look.switching(raised, sketch.periods[-1], other) if leaves else raised
        key = sketch.subscribe(customer := sketch.customer(), plan=of, code=code)
        if i == 0 or (not leaves and draw.chance(0.5)):
            sketch.drafts.add(key)
    look.place(sketch, look.Target(customer, raised, by_share, start), SHAPES)
    sketch.fill()
    price = sketch.plans[raised].price.latest + draw.between(7, 45)

    def dearer(world: World) -> World:
        item = world.plans[raised]
        return replace(
            world, plans={**world.plans, raised: replace(item, price=item.price.since(start, price))}
        )

    said = {
        "plan": name,
        "price": ticket_text.dollars(draw, price),
        "period": ticket_text.month(draw, start),
    }
    facts = {"plan": raised, "first month covered": start, "new price": str(price), "look-alike": twin}
    return Scene(dearer, said, facts, look.asides(sketch, twin))


plan = STAGE.plan(TITLES, BODIES, _scene)
