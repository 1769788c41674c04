"""A product's sales were booked to the wrong vendor: all of them, or those from a day on."""

from dataclasses import replace

from families.payout import distractors as look
from families.payout.stage import STAGE, changed, covered, place_covered, place_earlier, shared_out
from families.payout.world_builder import Sketch, days_after
from families.payout.world import World
from trapcli.answers.edits.authoring import ticket_text
from trapcli.answers.edits.authoring.scenes import History, Scene

TITLES = (
    "{product} booked to the wrong vendor",
    "{product}: {right}, not {wrong}",
    "Wrong vendor on {product}",
    "Sales of {product} under {wrong}",
)
ALL_BODIES = (
    "All sales of {product} that we have on record for {wrong} were in truth goods of {right}, from the "
    "first day to the last, retail and b2b alike. Please book them to {right}. {right} lists the "
    "product too, and has to be paid for these sales at its own terms.",
    "Whatever we sold of {product} under the name of {wrong} came from {right}. This goes for the shop "
    "as well as for b2b, and for all time. Those sales have to be moved to {right} and paid at the "
    "terms of {right} for the product; {wrong} gets nothing for them.",
    "{wrong} tells us that it never delivered any {product}. They are right. Every sale of it that "
    "stands under {wrong}, whatever its date, retail or b2b, was stock of {right}. Please move each one "
    "to {right}, with the payout that follows from the terms of {right}.",
    "There is an error in our books: sales of {product} are recorded for {wrong}, but the goods were "
    "those of {right}. It concerns all of them, in the shop and to business customers, without any "
    "limit in time. The vendor should be {right} throughout, and what we owe for them should be what "
    "the terms of {right} come to.",
    "Please rebook {product}: what stands under {wrong}, retail as well as b2b and however old, was "
    "bought from {right}. {right} is to get its own terms for these sales, as if they had been entered "
    "for it in the first place.",
)
FROM_BODIES = (
    "Since {date}, that day included, the {product} that we sold under the name of {wrong} has come "
    "from {right}. Please book these sales, retail and b2b, to {right}, and pay them at the terms of "
    "{right} for the product. What was sold before that day was delivered by {wrong} and stays there.",
    "{right} took over the supply of {product} from {wrong}; {date} was the first day. Sales of that "
    "day and later that are booked to {wrong} belong to {right}, in the shop and b2b, and {right} is to "
    "be paid at its own terms. Sales of earlier days are right as they are.",
    "Sales of {product} on {date} or later that stand under {wrong} were goods of {right}. That is so "
    "for retail and for b2b. Move them over, please, with the payout that the terms of {right} give. "
    "Anything sold up to the day before was really from {wrong} and must not change.",
    "We kept booking {product} to {wrong} although it has been delivered by {right} from {date} on (the "
    "sales of that day count already). Both shop and b2b sales are concerned. Vendor and payout should "
    "be those of {right}; sales before then keep {wrong}.",
    "As of {date} our {product} comes from {right} instead of {wrong}, but retail and b2b sales alike "
    "were still booked to {wrong}. Please correct all such sales of {date} and later, vendor and "
    "payout. The ones from before {date} were delivered by {wrong}.",
)


def _scene(sketch: Sketch, start: str, dated: bool) -> Scene[World]:
    draw, price = sketch.draw, sketch.price()
    wrong, right, third = (sketch.supplier() for _ in range(3))
    product, (retail, orders) = sketch.product(), shared_out(sketch.knobs)
    days = sketch.days(retail, start)
    turn = draw.choice(days[1:])
    first, then = draw.shuffled([sketch.share(), sketch.fixed(price.usual)])
    theirs = History(((sketch.listed(), sketch.terms(price.usual, first, then)),))
    booked = sketch.listing(product, wrong, theirs, price)
    rightful = sketch.listing(product, right, History(((sketch.listed(), first), (turn, then))), price)
    twin = sketch.listing(product, third)
    sketch.reserve(booked)
    place_covered(sketch, booked, days, orders, recorded=(start, turn))
    if dated:
        place_earlier(sketch, booked, start)
    look.some_sales(sketch, rightful, sketch.first)
    look.some_sales(sketch, twin, start)
    look.place(sketch, look.Target(booked, start))
    sketch.fill()
    concerned = covered(booked, start)

    def move(world: World) -> World:
        return changed(world, concerned, lambda item: replace(item, listing=rightful))

    said = {"product": product, "wrong": sketch.suppliers[wrong].name, "right": sketch.suppliers[right].name}
    facts = {"booked as": booked, "should be": rightful, "its terms change on": turn, "look-alike": twin}
    if dated:
        said["date"] = ticket_text.date(draw, start)
        facts["first day covered"] = start
    return Scene(move, said, facts, look.asides(sketch, twin, wrong, right))


def _all_time(sketch: Sketch) -> Scene[World]:
    return _scene(sketch, sketch.day(sketch.first, days_after(sketch.first, 6)), dated=False)


def _from_date(sketch: Sketch) -> Scene[World]:
    return _scene(sketch, sketch.boundary(), dated=True)


all_time = STAGE.plan(TITLES, ALL_BODIES, _all_time)
from_date = STAGE.plan(TITLES, FROM_BODIES, _from_date)
