"""Trap: a share of revenue becomes a fixed amount for each unit, from a day on."""

from dataclasses import replace
from decimal import Decimal

from families.payout.covered_sales import place_earlier_sales, place_orders, split_affected
from families.payout.distractors import Target, add_sales, draw_asides, place_distractors
from families.payout.planner import PLANNER
from families.payout.store.world import World
from families.payout.store.world_builder import WorldBuilder, days_after
from trapcli.answers.edits.authoring import ticket_text
from trapcli.answers.edits.authoring.plan import PlanFailed
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


def _scene(builder: WorldBuilder) -> Scene[World]:
    draw, price = builder.draw, builder.draw_price()
    vendor, third = builder.add_supplier(), builder.add_supplier()
    retail, orders = split_affected(builder.knobs)
    product, start = builder.take_product(), builder.draw_boundary()
    share, newest = builder.draw_share(), builder.first
    terms = History(((builder.draw_listing_day(), share),))
    if draw.chance(0.5):
        newest = builder.draw_day(days_after(builder.first, 1), days_after(start, -4))
        terms = terms.since(newest, builder.draw_share(share.percent))
    listing = builder.add_listing(product, vendor, terms, price)
    twin = builder.add_listing(product, third, History(((builder.draw_listing_day(), builder.draw_share()),)))
    builder.reserve(listing)
    for day in builder.draw_days(retail, start):
        builder.add_sale(listing, day)
    builder.add_sale(listing, start, recorded=False)
    for _ in range(builder.knobs.affected // 8):
        builder.add_sale(listing, builder.draw_day(start, builder.last), recorded=False)
    place_orders(builder, listing, start, orders)
    place_earlier_sales(builder, listing, start)
    builder.add_sale(listing, builder.draw_day(newest, days_after(start, -2)), recorded=False)
    add_sales(builder, twin, start)
    place_distractors(builder, Target(listing, start))
    builder.fill()
    agreed = builder.draw_fixed(price.usual)
    sold = builder.sales_of(listing)
    if any(agreed.payout(s.units, s.net) == terms.at(s.day).payout(s.units, s.net) for s in sold):
        raise PlanFailed("the new terms make no difference to a sale")

    def renegotiate(world: World) -> World:
        changed = replace(world.listings[listing], terms=terms.since(start, agreed))
        return replace(world, listings={**world.listings, listing: changed})

    amount = ticket_text.dollars(draw, Decimal(agreed.fixed or 0) / 100)
    names = {
        "product": product,
        "vendor": builder.suppliers[vendor].name,
        "date": ticket_text.date(draw, start),
        "amount": amount,
    }
    facts = {"listing": listing, "amount": amount, "first day covered": start, "look-alike": twin}
    return Scene(renegotiate, names, facts, draw_asides(builder, twin, vendor))


plan = PLANNER.plan_function(TITLES, BODIES, _scene)
