"""Trap: a customer moved region on a date, and later invoices were issued at the old rate."""

from dataclasses import replace

from families.billing.company import vocabulary as words
from families.billing.company.world import World
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
    twin_name,
)
from families.billing.planner import PLANNER
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
DISTRACTORS = (add_twin_customer, add_prompt_mover, add_closed_sibling, add_twin_plan)


def _scene(builder: WorldBuilder) -> Scene[World]:
    draw = builder.draw
    many, long = draw_extent(builder.knobs, draw, extra=1)
    start = builder.periods[-1 - long]
    old = draw.choice(sorted(builder.regions))
    new, _ = builder.add_twin_regions()
    customer = builder.add_customer(region=old)
    name = builder.customers[customer].name
    twin = twin_name(builder, name, words.BRANCH)
    elsewhere = draw.choice(sorted(builder.regions.keys() - {new}))
    builder.subscribe(builder.add_customer(twin, elsewhere), placed=False)
    code = builder.add_code(shape="percent")
    for i in range(many):
        ended = i > 0 and draw.chance(0.4)
        key = builder.subscribe(customer, code=code if i == 0 or draw.chance(0.4) else None, active=not ended)
        if ended:
            builder.ends[key] = draw.choice(builder.periods[-1 - long : -1])
        else:
            builder.drafts.add(key)
    place_distractors(
        builder, Target(customer, builder.subscriptions[key].plan.latest, code, start), DISTRACTORS
    )
    builder.fill()

    def move(world: World) -> World:
        mover = world.customers[customer]
        moved = replace(mover, region=mover.region.since(start, new))
        return replace(world, customers={**world.customers, customer: moved})

    day = effective_date(draw, start)
    names = {
        "customer": name,
        "old": builder.regions[old].name,
        "new": builder.regions[new].name,
        "date": ticket_text.date(draw, day),
    }
    facts = {"customer": customer, "effective": day, "first month covered": start, "look-alike": twin}
    return Scene(move, names, facts, draw_asides(builder, twin))


plan = PLANNER.plan_function(TITLES, BODIES, _scene)
