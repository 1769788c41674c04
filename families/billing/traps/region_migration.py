"""A customer moved region on a date; some later invoices were issued at the old rate."""

from dataclasses import replace

from families.billing import distractors as look
from families.billing import vocabulary as words
from families.billing.stage import STAGE
from families.billing.world_builder import Sketch, spans
from families.billing.world import World
from trapcli.answers.edits.authoring import ticket_text
from trapcli.answers.edits.authoring.scenes import Scene

TITLES = (
    "{customer}: change of region",
    "Wrong tax region for {customer}",
    "{customer} moved to {new}",
    "Tax correction, {customer}",
)
BODIES = (
    "{customer} moved its registered office from {old} to {new} with effect from {date}. We still have "
    "it in {old}, and the invoices issued since were taxed as if nothing had happened. Please put the "
    "region right and correct the tax on the invoices that the move covers. Whatever was billed before "
    "it stands as it is.",
    "As of {date} {customer} counts as a {new} customer for tax; until then it was {old}. We learned "
    "of it late, so invoices had already gone out at the {old} rate. Those that fall under the move "
    "need the right tax, the ones before it do not change, and from now on the account has to be in "
    "{new}.",
    "The tax office confirmed that {customer} belongs to {new} from {date}, no longer to {old}. Could "
    "you move the account over and fix what we already invoiced under the wrong rate? Invoices from "
    "before the move were right.",
    "Legal tells me that the seat of {customer} has been in {new} since {date}. It was in {old} "
    "before. Our books never followed. Update the account, and bring every issued invoice that the "
    "move covers to the {new} tax; leave the older ones alone.",
    "Please treat {customer} as based in {new}, effective {date}. The issued invoices since then show "
    "{old} tax, which is wrong and has to be corrected. Earlier invoices, when the account was in "
    "{old}, are fine.",
)
SHAPES = (look.twin_customer, look.moved_at_once, look.closed_sibling, look.twin_plan)


def _scene(sketch: Sketch) -> Scene[World]:
    draw = sketch.draw
    many, long = spans(sketch.knobs, draw, extra=1)
    start = sketch.periods[-1 - long]
    old = draw.choice(sorted(sketch.regions))
    new, _ = sketch.twin_regions()
    customer = sketch.customer(region=old)
    name = sketch.customers[customer].name
    twin = look.twin_of(sketch, name, words.BRANCH)
    elsewhere = draw.choice(sorted(sketch.regions.keys() - {new}))
    sketch.subscribe(sketch.customer(twin, elsewhere), placed=False)
    code = sketch.code(shape="percent")
    for i in range(many):
        ended = i > 0 and draw.chance(0.4)
        key = sketch.subscribe(customer, code=code if i == 0 or draw.chance(0.4) else None, active=not ended)
        if ended:
            sketch.ends[key] = draw.choice(sketch.periods[-1 - long : -1])
        else:
            sketch.drafts.add(key)
    look.place(sketch, look.Target(customer, sketch.subscriptions[key].plan.latest, code, start), SHAPES)
    sketch.fill()

    def move(world: World) -> World:
        mover = world.customers[customer]
        moved = replace(mover, region=mover.region.since(start, new))
        return replace(world, customers={**world.customers, customer: moved})

    day = look.effective(draw, start)
    said = {
        "customer": name,
        "old": sketch.regions[old].name,
        "new": sketch.regions[new].name,
        "date": ticket_text.date(draw, day),
    }
    facts = {"customer": customer, "effective": day, "first month covered": start, "look-alike": twin}
    return Scene(move, said, facts, look.asides(sketch, twin))


plan = STAGE.plan(TITLES, BODIES, _scene)
