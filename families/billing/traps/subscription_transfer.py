"""Trap: a subscription moves to a new customer, registered in another region."""

from dataclasses import replace

from families.billing.company.world import Customer, World
from families.billing.company.world_builder import WorldBuilder
from families.billing.covered_invoices import draw_extent, effective_date
from families.billing.distractors import (
    Target,
    add_closed_sibling,
    add_prompt_mover,
    add_twin_customer,
    add_twin_plan,
    draw_asides,
    place_distractors,
)
from families.billing.planner import PLANNER
from trapcli.answers.edits.authoring import ticket_text
from trapcli.answers.edits.authoring.scenes import Scene, always

TITLES = (
    "{customer} hands a subscription to {entity}",
    "Transfer of the {plan} subscription",
    "New customer {entity}",
    "{entity} takes over {plan} from {customer}",
)
BODIES = (
    "The {plan} subscription of {customer} went over to {entity} on {date}. {entity} is a company of "
    "its own, registered in {region}, and not on our books yet. {customer} keeps everything else it "
    "has with us. Invoices that the transfer covers were still made out to {customer}; they have to "
    "show {entity} and its tax. Older ones stay.",
    "{customer} sold the business that uses {plan} to {entity}, effective {date}. Please set up "
    "{entity} (it sits in {region}), give it that subscription, and restate in its name, with its tax, "
    "what was invoiced for {plan} under the transfer. Invoices from before it, and whatever "
    "else {customer} has, are not concerned.",
    "As of {date}, {entity} holds the {plan} subscription that used to belong to {customer}. {entity} "
    "is new to us; its tax region is {region}. Since the news came late, invoices after the change "
    "name the wrong customer and carry the wrong tax. Earlier invoices were fine, and so is the rest "
    "of what {customer} has.",
    "Please move {plan} from {customer} to a new customer, {entity}, based in {region}. The date of "
    "the transfer is {date}. From then on {plan} is billed to {entity}, which goes for the invoices we "
    "already made out as well. {customer} remains a customer with all else it has, and its older "
    "invoices do not change.",
)
DISTRACTORS = (add_twin_customer, add_prompt_mover, add_twin_plan, add_closed_sibling)


def _scene(builder: WorldBuilder) -> Scene[World]:
    draw = builder.draw
    _, long = draw_extent(builder.knobs, draw, extra=2, subscriptions=(1,))
    start = builder.periods[-1 - long]
    old = draw.choice(sorted(builder.regions))
    new, _ = builder.add_twin_regions()
    customer, entity = builder.add_customer(region=old), builder.take_id("CUST")
    name, entity_name = builder.customers[customer].name, builder.take_name()
    of, kept = draw.sample(builder.free_keys(builder.plans), 2)
    code = builder.add_code(shape="percent")
    moved = builder.subscribe(customer, plan=of, code=code)
    builder.subscribe(customer, plan=kept)
    builder.drafts.add(moved)
    place_distractors(builder, Target(customer, kept, code, start), DISTRACTORS)
    builder.fill()
    day = effective_date(draw, start)

    def hand_over(world: World) -> World:
        subscription = world.subscriptions[moved]
        handed = replace(subscription, customer=subscription.customer.since(start, entity))
        customers = {**world.customers, entity: Customer(entity_name, always(new), day)}
        return replace(world, customers=customers, subscriptions={**world.subscriptions, moved: handed})

    names = {
        "customer": name,
        "entity": entity_name,
        "plan": builder.plans[of].name.latest,
        "region": builder.regions[new].name,
        "date": ticket_text.date(draw, day),
    }
    facts = {"subscription": moved, "from": customer, "effective": day, "first month covered": start}
    return Scene(hand_over, names, facts, draw_asides(builder))


plan = PLANNER.plan_function(TITLES, BODIES, _scene)
