"""Trap: a subscription gets another plan and a discount code at once, from one month on."""

from dataclasses import replace

from families.billing.company.world import World
from families.billing.company.world_builder import WorldBuilder
from families.billing.covered_invoices import draw_extent
from families.billing.distractors import (
    Target,
    add_closed_sibling,
    add_former_subscriber,
    add_twin_code,
    add_twin_customer,
    add_twin_plan,
    draw_asides,
    place_distractors,
)
from families.billing.planner import PLANNER
from trapcli.answers.edits.authoring import ticket_text
from trapcli.answers.edits.authoring.scenes import Scene

TITLES = (
    "{customer} upgrades to {new}",
    "Upgrade and {code} for {customer}",
    "{customer}: {old} to {new}",
    "Upgrade not on the invoices",
)
BODIES = (
    "{customer} upgraded its {old} subscription to {new} and got {code} with it, both from the "
    "{period} invoice on. Neither was entered, so the invoices for {period} and after still show {old} "
    "without that discount. Please put the subscription and those invoices right. Anything billed for "
    "earlier months was correct.",
    "Starting with {period}, the {old} subscription of {customer} is on {new}, with discount code "
    "{code} in place of whatever it had. We invoiced on as before. Bring the subscription up to date "
    "and restate its invoices for {period} and later months; those for earlier months stay.",
    "Sales closed an upgrade with {customer}: {new} instead of {old}, with discount code {code} "
    "instead of any it had, and {period} as the first month. The invoices for that month and later "
    "ones were made out on the old terms. Both the subscription and these invoices need the new terms, "
    "months before do not.",
    "Please switch the {old} subscription of {customer} to {new} and put discount code {code} on that "
    "subscription in place of any other. This counts from the invoice for {period}: from there on all "
    "figures have to be as if it had been entered in time. What else {customer} has does not take "
    "part, and the months before {period} do not either.",
    "{customer} has been entitled to {new} with code {code} since {period}, in exchange for its {old} "
    "subscription. We kept billing {old}. Correct the subscription and every invoice of it for "
    "{period} or later. Whatever came before, and whatever else {customer} has with us, is fine.",
)
DISTRACTORS = (add_twin_customer, add_twin_code, add_twin_plan, add_closed_sibling, add_former_subscriber)


def _scene(builder: WorldBuilder) -> Scene[World]:
    draw = builder.draw
    _, long = draw_extent(builder.knobs, draw, extra=1, subscriptions=(1,))
    start = builder.periods[-1 - long]
    old, kept = draw.sample(builder.free_keys(builder.plans), 2)
    new = builder.add_plan(steady=True, price=builder.plans[old].price.latest + draw.between(25, 90))
    code = builder.add_code(shape="percent")
    customer = builder.add_customer()
    share = builder.codes[code].percent.latest
    codes = [key for key in builder.free_keys(builder.codes) if builder.codes[key].percent.latest != share]
    upgraded = builder.subscribe(customer, plan=old, code=draw.choice(("", *codes)))
    builder.subscribe(customer, plan=kept)
    builder.drafts.add(upgraded)
    place_distractors(builder, Target(customer, old, code, start), DISTRACTORS)
    builder.fill()

    def upgrade(world: World) -> World:
        item = world.subscriptions[upgraded]
        changed = replace(item, plan=item.plan.since(start, new), code=item.code.since(start, code))
        return replace(world, subscriptions={**world.subscriptions, upgraded: changed})

    names = {
        "customer": builder.customers[customer].name,
        "old": builder.plans[old].name.latest,
        "new": builder.plans[new].name.latest,
        "code": code,
        "period": ticket_text.month(draw, start),
    }
    facts = {"subscription": upgraded, "first month covered": start, "plan": new, "code": code}
    return Scene(upgrade, names, facts, draw_asides(builder))


plan = PLANNER.plan_function(TITLES, BODIES, _scene)
