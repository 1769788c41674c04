"""A code's percentage was wrong; one issued invoice used it, a neighbour used another code."""

from dataclasses import replace

from families.billing import distractors as look
from families.billing.stage import STAGE
from families.billing.world_builder import Sketch
from families.billing.world import World
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
SHAPES = (look.twin_code, look.code_attached_late, look.twin_customer, look.closed_sibling)


def _scene(sketch: Sketch) -> Scene[World]:
    draw = sketch.draw
    wrong, right, others = draw.sample((6, 9, 11, 13, 14, 16, 17, 22, 24), 3)
    last = len(sketch.periods) - 1
    at = draw.between(2, last)
    period = sketch.periods[at]
    other = sketch.code(always(others), "percent")
    code = sketch.code(always(wrong), "percent")
    sketch.reserve(code)
    customer = sketch.customer()
    of, neighbours = draw.sample(sketch.free(sketch.plans), 2)
    codes = look.switching(draw.choice(("", other)), period, code)
    if at < last:  # then only a discount on the invoice tells that the code was used
        codes = codes.since(sketch.periods[at + 1], draw.choice(("", other)))
    used = sketch.subscribe(customer, plan=of, code=codes)
    beside = sketch.subscribe(customer, plan=neighbours, code=other)
    sketch.issued |= {used, beside}
    target = look.Target(customer, of, code, period)
    if at < last:
        look.code_attached_late(sketch, target)
    look.place(sketch, target, SHAPES)
    sketch.fill()

    def correct(world: World) -> World:
        corrected = replace(world.codes[code], percent=always(right))
        return replace(world, codes={**world.codes, code: corrected})

    name = sketch.customers[customer].name
    said = {
        "code": code,
        "customer": name,
        "period": ticket_text.month(draw, period),
        "wrong": ticket_text.percent(draw, wrong),
        "right": ticket_text.percent(draw, right),
    }
    facts = {"code": code, "was": f"{wrong}%", "is": f"{right}%", "invoice of": used, "neighbour": beside}
    return Scene(correct, said, facts, look.asides(sketch))


plan = STAGE.plan(TITLES, BODIES, _scene)
