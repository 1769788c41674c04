"""Trap: the retail price is a multiple of the recorded one from a day on, and fees do not follow it."""

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction

from families.payout.covered_sales import (
    change_sales,
    place_covered_sales,
    place_earlier_sales,
    place_orders,
    sale_coverage,
    split_affected,
)
from families.payout.distractors import Target, add_sales, draw_asides, place_distractors
from families.payout.planner import PLANNER
from families.payout.store.world import GRID, Order, Sale, World
from families.payout.store.world_builder import WorldBuilder
from trapcli.answers.edits.authoring import ticket_text
from trapcli.answers.edits.authoring.scenes import History, Scene

TITLES = (
    "New price of {product}",
    "{product} recorded at the wrong price",
    "{vendor}: price of {product}",
    "Price of {product} since {date}",
)
BODIES = (
    "The retail price of {product} from {vendor} was agreed anew. On retail sales of {date} and later, "
    "that day included, it is {times} what we recorded. {b2b} Please put those sales right, and what "
    "{vendor} is owed for them. Sales of earlier days are right.",
    "Our till had an old price for {product} of {vendor}. For every retail sale from {date} on "
    "(including that day) the amount should be {times} what is on record. What we were charged for "
    "payment and commission was charged on the old amount, and that is final. {b2b} The payouts to "
    "{vendor} have to follow; nothing before {date} changes.",
    "{vendor} and we settled on a higher price for {product}: {times} what the books show for retail, "
    "first for the sales of {date}. Everything sold in the shop on that day or after it has to be "
    "restated, with the share of {vendor} on the new amount. {b2b} Days before that keep the price "
    "they have.",
    "Please restate what we sold of {product} from {vendor} in the shop: since {date}, and that day "
    "counts, the price is {times} what was entered. The vendor's payout is to be worked out on the "
    "corrected amounts. {b2b} Up to the day before everything was entered right.",
    "Our records are too low for {product} from {vendor}: retail sales from {date} onwards, the ones of "
    "that day included, should have {times} the gross that they have. Work out what {vendor} gets from "
    "there. {b2b} Sales before {date} are fine.",
)
B2B_TOO = (
    "The same goes for b2b: unit price and amount of each b2b sale of {product} from {vendor}, on that "
    "day or later, are {times} what we have, too.",
    "The b2b sales of {product} from {vendor} followed the retail price: from the same day on their "
    "unit prices and amounts become {times} what they are as well.",
    "B2b sales of {product} from {vendor}, from the same day on, are to be raised by the same factor, "
    "unit price and amount.",
)
B2B_NOT = (
    "B2b prices are agreed separately and were right, so no b2b sale changes.",
    "This is about retail only; b2b sales stay as they are.",
    "Leave b2b alone: what business customers paid was agreed with them and is correct.",
)
TIMES: Mapping[Fraction, tuple[str, ...]] = {
    Fraction(2): ("twice", "double", "2 times"),
    Fraction(3): ("three times", "3 times"),
    Fraction(3, 2): ("1.5 times", "one and a half times"),
    Fraction(5, 2): ("2.5 times", "two and a half times"),
    Fraction(6, 5): ("1.2 times",),
    Fraction(5, 4): ("1.25 times",),
}


def _scene(builder: WorldBuilder) -> Scene[World]:
    draw, times = builder.draw, builder.draw.choice(sorted(TIMES))
    vendor, third = builder.add_supplier(), builder.add_supplier()
    retail, orders = split_affected(builder.knobs)
    product, start = builder.take_product(), builder.draw_boundary()
    with_b2b = draw.chance(0.6)
    price = builder.draw_price(GRID * times.denominator)  # so that a share of the new net is whole cents
    days = builder.draw_days(retail, start)
    turn, first = draw.choice(days[1:]), builder.draw_share()
    terms = History(((builder.draw_listing_day(), first), (turn, builder.draw_share(first.percent))))
    listing = builder.add_listing(product, vendor, terms, price)
    twin = builder.add_listing(product, third)
    builder.reserve(listing)
    place_covered_sales(builder, listing, days, 0, recorded=(start, turn))
    place_orders(builder, listing, start, orders)
    place_earlier_sales(builder, listing, start)
    add_sales(builder, twin, start)
    place_distractors(builder, Target(listing, start))
    builder.fill()
    is_covered = sale_coverage(listing, start)

    def raise_prices(world: World) -> World:
        return change_sales(world, is_covered, raise_price)

    def raise_price(item: Sale | Order) -> Sale | Order:
        if isinstance(item, Sale):
            return replace(item, gross=int(item.gross * times))
        return replace(item, price=int(item.price * times)) if with_b2b else item

    names = {
        "product": product,
        "vendor": builder.suppliers[vendor].name,
        "date": ticket_text.date(draw, start),
        "times": draw.choice(TIMES[times]),
    }
    names["b2b"] = draw.choice(B2B_TOO if with_b2b else B2B_NOT).format(**names)
    facts = {
        "listing": listing,
        "times": str(times),
        "first day covered": start,
        "b2b": with_b2b,
        "its terms change on": turn,
        "look-alike": twin,
    }
    return Scene(raise_prices, names, facts, draw_asides(builder, twin, vendor))


plan = PLANNER.plan_function(TITLES, BODIES, _scene)
