"""Records that look covered by a ticket and are not, and sentences that decide nothing."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from families.payout.store import vocabulary as words
from families.payout.store.world_builder import WorldBuilder, days_after
from trapcli.answers.edits.authoring.scenes import idle_remarks, in_turn, longer_name


@dataclass(frozen=True, slots=True)
class Target:
    """What a ticket is about: a listing, and the first day that it covers."""

    listing: str
    start: str


Distractor = Callable[[WorldBuilder, Target], None]


def add_sales(builder: WorldBuilder, listing: str, start: str) -> None:
    """Add sales in the time that the ticket covers: two in the shop, perhaps one to a business."""
    for _ in range(2):
        builder.add_sale(listing, builder.draw_day(start, builder.last))
    if builder.draw.chance(0.5):
        builder.add_order(listing, builder.draw_day(start, builder.last))


def add_same_product(builder: WorldBuilder, target: Target) -> None:
    """Add another vendor who lists the same product and sells it."""
    listing = builder.listings[target.listing]
    add_sales(builder, builder.add_listing(listing.product, builder.add_supplier()), target.start)


def add_twin_vendor(builder: WorldBuilder, target: Target) -> None:
    """Add a vendor with a similar name who lists the same product and sells it."""
    listing = builder.listings[target.listing]
    taken = {supplier.name for supplier in builder.suppliers.values()}
    name = builder.suppliers[listing.supplier].name
    if twin := longer_name(builder.draw, name, words.VENDOR_TWIN, taken):
        supplier = builder.add_supplier(twin)
        add_sales(builder, builder.add_listing(listing.product, supplier), target.start)


def add_twin_product(builder: WorldBuilder, target: Target) -> None:
    """Let the same vendor list a product with a similar name, and sell it."""
    listing = builder.listings[target.listing]
    taken = {listing.product for listing in builder.listings.values()}
    if twin := longer_name(builder.draw, listing.product, words.PRODUCT_TWIN, taken):
        add_sales(builder, builder.add_listing(twin, listing.supplier), target.start)


def add_incomplete_sales(builder: WorldBuilder, target: Target) -> None:
    """Add sales of the same listing, in the time that the ticket covers, that do not count."""
    day = builder.draw_day(target.start, builder.last)
    builder.add_sale(target.listing, day, builder.draw.choice(words.STATUS))
    if builder.draw.chance(0.5):
        day = builder.draw_day(target.start, builder.last)
        builder.add_order(target.listing, day, builder.draw.choice(words.STATUS))


def add_future_terms(builder: WorldBuilder, target: Target) -> None:
    """Add another vendor of the same product, with terms that take effect after the last sale."""
    add_same_product(builder, target)
    key = list(builder.listings)[-1]
    listing = builder.listings[key]
    late = days_after(builder.last, builder.draw.between(2, 40))
    terms = listing.terms.since(late, builder.draw_share(listing.terms.latest.percent))
    builder.listings[key] = replace(listing, terms=terms)


DISTRACTORS: Sequence[Distractor] = (
    add_same_product,
    add_twin_vendor,
    add_twin_product,
    add_incomplete_sales,
    add_future_terms,
)


def place_distractors(builder: WorldBuilder, target: Target) -> None:
    """Add as many distractors as the knob says, of all in turn, and one sale that does not count."""
    day = builder.draw_day(target.start, builder.last)
    builder.add_sale(target.listing, day, builder.draw.choice(words.STATUS))
    for distractor in in_turn(builder.draw, DISTRACTORS, builder.knobs.distractors):
        distractor(builder, target)


def draw_asides(builder: WorldBuilder, twin: str, *involved: str) -> list[str]:
    """Return up to two sentences that decide nothing: about a listing, and about a vendor.

    twin: the listing; it is not in the ticket.
    involved: the vendors that are in the ticket.
    """
    draw, listing = builder.draw.stream("asides"), builder.listings[twin]
    name = f"{listing.product} from {builder.suppliers[listing.supplier].name}"
    others = sorted(builder.suppliers.keys() - {listing.supplier, *involved})
    other = builder.suppliers[draw.choice(others)].name
    return idle_remarks(draw, name, other)
