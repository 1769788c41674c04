"""The retail price is a multiple of what was recorded, from a day on; fees do not follow."""

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction

from families.payout import distractors as look
from families.payout.stage import (
    STAGE,
    changed,
    covered,
    place_covered,
    place_earlier,
    place_orders,
    shared_out,
)
from families.payout.world_builder import Sketch
from families.payout.world import GRID, Order, Sale, World
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


def _scene(sketch: Sketch) -> Scene[World]:
    draw, times = sketch.draw, sketch.draw.choice(sorted(TIMES))
    vendor, third = sketch.supplier(), sketch.supplier()
    product, (retail, orders), start = sketch.product(), shared_out(sketch.knobs), sketch.boundary()
    with_b2b = draw.chance(0.6)
    price = sketch.price(GRID * times.denominator)  # so that a share of the new net is whole cents
    days = sketch.days(retail, start)
    turn, first = draw.choice(days[1:]), sketch.share()
    terms = History(((sketch.listed(), first), (turn, sketch.share(first.percent))))
    listing = sketch.listing(product, vendor, terms, price)
    twin = sketch.listing(product, third)
    sketch.reserve(listing)
    place_covered(sketch, listing, days, 0, recorded=(start, turn))
    place_orders(sketch, listing, start, orders)
    place_earlier(sketch, listing, start)
    look.some_sales(sketch, twin, start)
    look.place(sketch, look.Target(listing, start))
    sketch.fill()
    concerned = covered(listing, start)

    def dearer(world: World) -> World:
        return changed(world, concerned, raised)

    def raised(item: Sale | Order) -> Sale | Order:
        if isinstance(item, Sale):
            return replace(item, gross=int(item.gross * times))
        return replace(item, price=int(item.price * times)) if with_b2b else item

    said = {
        "product": product,
        "vendor": sketch.suppliers[vendor].name,
        "date": ticket_text.date(draw, start),
        "times": draw.choice(TIMES[times]),
    }
    said["b2b"] = draw.choice(B2B_TOO if with_b2b else B2B_NOT).format(**said)
    facts = {
        "listing": listing,
        "times": str(times),
        "first day covered": start,
        "b2b": with_b2b,
        "its terms change on": turn,
        "look-alike": twin,
    }
    return Scene(dearer, said, facts, look.asides(sketch, twin, vendor))


plan = STAGE.plan(TITLES, BODIES, _scene)
