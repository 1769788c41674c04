"""A subscription moves to a new customer, registered in another region."""

from dataclasses import replace

from families.billing import distractors as look
from families.billing.stage import STAGE
from families.billing.world_builder import Sketch, spans
from families.billing.world import Customer, World
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
SHAPES = (look.twin_customer, look.moved_at_once, look.twin_plan, look.closed_sibling)


def _scene(sketch: Sketch) -> Scene[World]:
    draw = sketch.draw
    _, long = spans(sketch.knobs, draw, extra=2, subscriptions=(1,))
    start = sketch.periods[-1 - long]
    old = draw.choice(sorted(sketch.regions))
    new, _ = sketch.twin_regions()
    customer, entity = sketch.customer(region=old), sketch.id("CUST")
    name, entity_name = sketch.customers[customer].name, sketch.unused_name()
    of, kept = draw.sample(sketch.free(sketch.plans), 2)
    code = sketch.code(shape="percent")
    moved = sketch.subscribe(customer, plan=of, code=code)
    sketch.subscribe(customer, plan=kept)
    sketch.drafts.add(moved)
    look.place(sketch, look.Target(customer, kept, code, start), SHAPES)
    sketch.fill()
    day = look.effective(draw, start)

    def hand_over(world: World) -> World:
        subscription = world.subscriptions[moved]
        handed = replace(subscription, customer=subscription.customer.since(start, entity))
        customers = {**world.customers, entity: Customer(entity_name, always(new), day)}
        return replace(world, customers=customers, subscriptions={**world.subscriptions, moved: handed})

    said = {
        "customer": name,
        "entity": entity_name,
        "plan": sketch.plans[of].name.latest,
        "region": sketch.regions[new].name,
        "date": ticket_text.date(draw, day),
    }
    facts = {"subscription": moved, "from": customer, "effective": day, "first month covered": start}
    return Scene(hand_over, said, facts, look.asides(sketch))


plan = STAGE.plan(TITLES, BODIES, _scene)
