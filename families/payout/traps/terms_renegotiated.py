"""A share of revenue becomes a fixed amount for each unit, from a day on."""

from dataclasses import replace
from decimal import Decimal

from families.payout import distractors as look
from families.payout.stage import STAGE, place_earlier, place_orders, shared_out
from families.payout.world_builder import Sketch, days_after
from families.payout.world import World
from trapcli.answers.edits.authoring import ticket_text
from trapcli.answers.edits.family import Unlucky
from trapcli.answers.edits.authoring.scenes import History, Scene

TITLES = (
    "New terms for {product}",
    "{vendor}: fixed amount for {product}",
    "{product} no longer on a percentage",
    "Terms of {vendor} since {date}",
)
BODIES = (
    "We agreed new terms with {vendor} for {product}: {amount} for each unit sold, in place of the "
    "percentage. They hold from {date} on, that day included, for retail and b2b and until further "
    "notice. We went on paying the percentage, so please correct what we sold since. Sales before that "
    "day stay at the percentage.",
    "{vendor} gets {amount} a unit for {product} instead of a share, on everything sold on {date} or "
    "later, be it in the shop or to business customers. None of this was entered. Please see to it that "
    "the sales since then, and those to come, are paid that way. Up to the day before the share was "
    "right.",
    "As of {date} the deal with {vendor} on {product} is a flat {amount} per unit; the percentage ended "
    "the day before. Retail and b2b are both part of it. Sales of {date} and later have to be paid at the "
    "new rate, older ones are not touched, and the new rate is to be what counts for sales that come in "
    "later.",
    "Please change how {vendor} is paid for {product}. Until now it was a percentage; the contract says "
    "{amount} per unit for all sales, b2b as well as retail, whose date is {date} or after. That "
    "includes what is in the books already. Whatever has an earlier date remains as it is.",
    "From {date} onwards (sales of that day included) {vendor} is paid {amount} apiece for {product}, "
    "whatever it sells for, in retail and in b2b. Until then it was a share. The change was agreed "
    "without a time limit, but nobody entered it. Please bring our books in line; sales from before "
    "{date} keep the share.",
)


def _scene(sketch: Sketch) -> Scene[World]:
    draw, price = sketch.draw, sketch.price()
    vendor, third = sketch.supplier(), sketch.supplier()
    product, (retail, orders), start = sketch.product(), shared_out(sketch.knobs), sketch.boundary()
    share, newest = sketch.share(), sketch.first
    terms = History(((sketch.listed(), share),))
    if draw.chance(0.5):
        newest = sketch.day(days_after(sketch.first, 1), days_after(start, -4))
        terms = terms.since(newest, sketch.share(share.percent))
    listing = sketch.listing(product, vendor, terms, price)
    twin = sketch.listing(product, third, History(((sketch.listed(), sketch.share()),)))
    sketch.reserve(listing)
    for day in sketch.days(retail, start):
        sketch.sell(listing, day)
    for _ in range(1 + sketch.knobs.affected // 8):
        sketch.sell(listing, sketch.day(start, sketch.last), recorded=False)
    place_orders(sketch, listing, start, orders)
    place_earlier(sketch, listing, start)
    sketch.sell(listing, sketch.day(newest, days_after(start, -2)), recorded=False)
    look.some_sales(sketch, twin, start)
    look.place(sketch, look.Target(listing, start))
    sketch.fill()
    agreed = sketch.fixed(price.usual)
    sold = sketch.sold(listing)
    if any(agreed.payout(s.units, s.net) == terms.at(s.day).payout(s.units, s.net) for s in sold):
        raise Unlucky("the new terms make no difference to a sale")

    def renegotiated(world: World) -> World:
        changed = replace(world.listings[listing], terms=terms.since(start, agreed))
        return replace(world, listings={**world.listings, listing: changed})

    amount = ticket_text.dollars(draw, Decimal(agreed.fixed or 0) / 100)
    said = {
        "product": product,
        "vendor": sketch.suppliers[vendor].name,
        "date": ticket_text.date(draw, start),
        "amount": amount,
    }
    facts = {"listing": listing, "amount": amount, "first day covered": start, "look-alike": twin}
    return Scene(renegotiated, said, facts, look.asides(sketch, twin, vendor))


plan = STAGE.plan(TITLES, BODIES, _scene)
