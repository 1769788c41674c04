"""Trap: a code's percentage was wrong. One issued invoice used it, its neighbour used another code."""

from dataclasses import replace

from families.billing.company.world import World
from families.billing.company.world_builder import WorldBuilder
from families.billing.covered_invoices import one_change
from families.billing.distractors import (
    Target,
    add_closed_sibling,
    add_late_code,
    add_twin_code,
    add_twin_customer,
    draw_asides,
    place_distractors,
)
from families.billing.planner import PLANNER
from trapcli.answers.edits.authoring import ticket_text
from trapcli.answers.edits.authoring.scenes import Scene, always

TITLES = (
    "{code} has the wrong percentage",
    "Discount code {code}",
    "{customer} got the wrong discount",
    "Correction of {code}",
)
BODIES = (
    "Discount code {code} was set up as {wrong} off. The agreement says {right}. So far just one "
    "issued invoice has used it: the one of {customer} for {period}. Please correct the code and that "
    "invoice, and no other.",
    "Somebody typed {wrong} where {right} belongs when {code} was created. Apart from the code itself "
    "only one invoice is wrong, since only one was billed with it: {customer}, {period}. Put both "
    "right.",
    "{customer} complains that the discount on an invoice for {period} is not what was promised. They "
    "are right: {code} should take off {right}, and we have it at {wrong}. That is the only invoice "
    "that was ever issued with {code}. The code needs fixing as well.",
    "Please correct {code}: it takes off {wrong} and should take off {right}. It was already used "
    "once, on the {period} invoice that {customer} received under that code; that invoice has to be "
    "restated. Whatever was billed under other codes is correct.",
    "Our promise was {right} off with {code}, but the code was entered with {wrong}. One invoice has "
    "gone out with it, to {customer} for {period}, and has to be put right together with the code. No "
    "other invoice was billed under {code}.",
)
DISTRACTORS = (add_twin_code, add_late_code, add_twin_customer, add_closed_sibling)


def _scene(builder: WorldBuilder) -> Scene[World]:
    draw = builder.draw
    wrong, right, others = draw.sample((6, 9, 11, 13, 14, 16, 17, 22, 24), 3)
    last = len(builder.periods) - 1
    at = draw.between(2, last)
    period = builder.periods[at]
    other = builder.add_code(always(others), "percent")
    code = builder.add_code(always(wrong), "percent")
    builder.reserve(code)
    customer = builder.add_customer()
    of, neighbours = draw.sample(builder.free_keys(builder.plans), 2)
    codes = one_change(draw.choice(("", other)), period, code)
    if at < last:  # later months use another code: only the invoice itself shows this one
        codes = codes.since(builder.periods[at + 1], draw.choice(("", other)))
    used = builder.subscribe(customer, plan=of, code=codes)
    beside = builder.subscribe(customer, plan=neighbours, code=other)
    builder.issued |= {used, beside}
    target = Target(customer, of, code, period)
    if at < last:
        add_late_code(builder, target)
    place_distractors(builder, target, DISTRACTORS)
    builder.fill()

    def correct(world: World) -> World:
        corrected = replace(world.codes[code], percent=always(right))
        return replace(world, codes={**world.codes, code: corrected})

    name = builder.customers[customer].name
    names = {
        "code": code,
        "customer": name,
        "period": ticket_text.month(draw, period),
        "wrong": ticket_text.percent(draw, wrong),
        "right": ticket_text.percent(draw, right),
    }
    facts = {"code": code, "was": f"{wrong}%", "is": f"{right}%", "invoice of": used, "neighbour": beside}
    return Scene(correct, names, facts, draw_asides(builder))


plan = PLANNER.plan_function(TITLES, BODIES, _scene)
