"""Traps: a product's sales were booked to the wrong vendor, all of them or those from a day on."""

from dataclasses import replace

from families.payout.covered_sales import (
    change_sales,
    place_covered_sales,
    place_earlier_sales,
    sale_coverage,
    split_affected,
)
from families.payout.distractors import Target, add_sales, draw_asides, place_distractors
from families.payout.planner import PLANNER
from families.payout.store.world import World
from families.payout.store.world_builder import WorldBuilder, days_after
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


def _scene(builder: WorldBuilder, start: str, dated: bool) -> Scene[World]:
    draw, price = builder.draw, builder.draw_price()
    wrong, right, third = (builder.add_supplier() for _ in range(3))
    product = builder.take_product()
    retail, orders = split_affected(builder.knobs)
    days = builder.draw_days(retail, start)
    turn = draw.choice(days[1:])
    first, then = draw.shuffled([builder.draw_share(), builder.draw_fixed(price.usual)])
    theirs = History(((builder.draw_listing_day(), builder.draw_terms(price.usual, first, then)),))
    booked = builder.add_listing(product, wrong, theirs, price)
    rightful = builder.add_listing(
        product, right, History(((builder.draw_listing_day(), first), (turn, then))), price
    )
    twin = builder.add_listing(product, third)
    builder.reserve(booked)
    place_covered_sales(builder, booked, days, orders, recorded=(start, turn))
    if dated:
        place_earlier_sales(builder, booked, start)
    add_sales(builder, rightful, builder.first)
    booked_sales = len(builder.sales_of(booked)) + orders
    for _ in range(draw.below(2 * booked_sales - 4)):  # neither vendor always has more sales
        builder.add_sale(rightful, builder.draw_day(builder.first, builder.last))
    add_sales(builder, twin, start)
    place_distractors(builder, Target(booked, start))
    builder.fill()
    is_covered = sale_coverage(booked, start)

    def move(world: World) -> World:
        return change_sales(world, is_covered, lambda item: replace(item, listing=rightful))

    names = {
        "product": product,
        "wrong": builder.suppliers[wrong].name,
        "right": builder.suppliers[right].name,
    }
    facts = {"booked as": booked, "should be": rightful, "its terms change on": turn, "look-alike": twin}
    if dated:
        names["date"] = ticket_text.date(draw, start)
        facts["first day covered"] = start
    return Scene(move, names, facts, draw_asides(builder, twin, wrong, right))


def _all_time(builder: WorldBuilder) -> Scene[World]:
    return _scene(builder, builder.draw_day(builder.first, days_after(builder.first, 6)), dated=False)


def _from_date(builder: WorldBuilder) -> Scene[World]:
    return _scene(builder, builder.draw_boundary(), dated=True)


all_time = PLANNER.plan_function(TITLES, ALL_BODIES, _all_time)
from_date = PLANNER.plan_function(TITLES, FROM_BODIES, _from_date)
