"""Trap: a plan costs more from one month on; fixed discounts do not change."""

from dataclasses import replace

from families.billing.company import vocabulary as words
from families.billing.company.world import World
from families.billing.company.world_builder import WorldBuilder
from families.billing.covered_invoices import draw_extent, one_change
from families.billing.distractors import (
    Target,
    add_former_subscriber,
    add_prompt_mover,
    add_twin_code,
    add_twin_plan,
    draw_asides,
    place_distractors,
    twin_name,
)
from families.billing.planner import PLANNER
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
DISTRACTORS = (add_former_subscriber, add_twin_plan, add_prompt_mover, add_twin_code)


def _scene(builder: WorldBuilder) -> Scene[World]:
    draw = builder.draw
    many, long = draw_extent(builder.knobs, draw, extra=1, subscriptions=range(2, 9))
    start = builder.periods[-1 - long]
    raised = builder.add_plan(steady=True)
    name = builder.plans[raised].name.latest
    twin = twin_name(builder, name, words.PLAN_TWIN)
    builder.reserve(raised)
    by_share, by_amount = builder.add_code(shape="percent"), builder.add_code(shape="fixed")
    builder.subscribe(builder.add_customer(), plan=builder.add_plan(twin, steady=True), placed=False)
    for i in range(many):
        code = (by_share, by_amount, None)[min(i, 2)]
        leaves = i > 0 and draw.chance(0.4)
        other = draw.choice(builder.free_keys(builder.plans))
        of = one_change(raised, builder.periods[-1], other) if leaves else raised
        key = builder.subscribe(customer := builder.add_customer(), plan=of, code=code)
        if i == 0 or (not leaves and draw.chance(0.5)):
            builder.drafts.add(key)
    place_distractors(builder, Target(customer, raised, by_share, start), DISTRACTORS)
    builder.fill()
    price = builder.plans[raised].price.latest + draw.between(7, 45)

    def raise_price(world: World) -> World:
        item = world.plans[raised]
        return replace(
            world, plans={**world.plans, raised: replace(item, price=item.price.since(start, price))}
        )

    names = {
        "plan": name,
        "price": ticket_text.dollars(draw, price),
        "period": ticket_text.month(draw, start),
    }
    facts = {"plan": raised, "first month covered": start, "new price": str(price), "look-alike": twin}
    return Scene(raise_price, names, facts, draw_asides(builder, twin))


plan = PLANNER.plan_function(TITLES, BODIES, _scene)
