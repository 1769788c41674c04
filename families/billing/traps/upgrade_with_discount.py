"""A plan upgrade and a discount code at once, from one invoice on."""

from dataclasses import replace

from families.billing import distractors as look
from families.billing.stage import STAGE
from families.billing.world_builder import Sketch, spans
from families.billing.world import World
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
SHAPES = (look.twin_customer, look.twin_code, look.twin_plan, look.closed_sibling, look.left_plan)


def _scene(sketch: Sketch) -> Scene[World]:
    draw = sketch.draw
    _, long = spans(sketch.knobs, draw, extra=1, subscriptions=(1,))
    start = sketch.periods[-1 - long]
    old, kept = draw.sample(sketch.free(sketch.plans), 2)
    new = sketch.plan(steady=True, price=sketch.plans[old].price.latest + draw.between(25, 90))
    code = sketch.code(shape="percent")
    customer = sketch.customer()
    share = sketch.codes[code].percent.latest
    codes = [key for key in sketch.free(sketch.codes) if sketch.codes[key].percent.latest != share]
    upgraded = sketch.subscribe(customer, plan=old, code=draw.choice(("", *codes)))
    sketch.subscribe(customer, plan=kept)
    sketch.drafts.add(upgraded)
    look.place(sketch, look.Target(customer, old, code, start), SHAPES)
    sketch.fill()

    def upgrade(world: World) -> World:
        item = world.subscriptions[upgraded]
        changed = replace(item, plan=item.plan.since(start, new), code=item.code.since(start, code))
        return replace(world, subscriptions={**world.subscriptions, upgraded: changed})

    said = {
        "customer": sketch.customers[customer].name,
        "old": sketch.plans[old].name.latest,
        "new": sketch.plans[new].name.latest,
        "code": code,
        "period": ticket_text.month(draw, start),
    }
    facts = {"subscription": upgraded, "first month covered": start, "plan": new, "code": code}
    return Scene(upgrade, said, facts, look.asides(sketch))


plan = STAGE.plan(TITLES, BODIES, _scene)
