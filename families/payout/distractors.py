"""What looks covered by a ticket and is not: shapes of records, and sentences that decide nothing."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from families.payout import vocabulary as words
from families.payout.world_builder import Sketch, days_after
from trapcli.answers.edits.authoring.scenes import idle_remarks, in_turn, longer_name


@dataclass(frozen=True, slots=True)
class Target:
    """What a ticket is about: a listing, and the first day it covers."""

    listing: str
    start: str


Shape = Callable[[Sketch, Target], None]


def some_sales(sketch: Sketch, listing: str, start: str) -> None:
    """Sales in the time that the ticket covers: two in the shop, perhaps one to a business."""
    for _ in range(2):
        sketch.sell(listing, sketch.day(start, sketch.last))
    if sketch.draw.chance(0.5):
        sketch.order(listing, sketch.day(start, sketch.last))


def same_product(sketch: Sketch, target: Target) -> None:
    """Another vendor lists the same product and sells it."""
    listing = sketch.listings[target.listing]
    some_sales(sketch, sketch.listing(listing.product, sketch.supplier()), target.start)


def twin_vendor(sketch: Sketch, target: Target) -> None:
    """A vendor of nearly the same name lists the same product and sells it."""
    listing = sketch.listings[target.listing]
    taken = {supplier.name for supplier in sketch.suppliers.values()}
    name = sketch.suppliers[listing.supplier].name
    if twin := longer_name(sketch.draw, name, words.VENDOR_TWIN, taken):
        supplier = sketch.supplier(twin)
        some_sales(sketch, sketch.listing(listing.product, supplier), target.start)


def twin_product(sketch: Sketch, target: Target) -> None:
    """The same vendor lists a product of nearly the same name and sells it."""
    listing = sketch.listings[target.listing]
    taken = {listing.product for listing in sketch.listings.values()}
    if twin := longer_name(sketch.draw, listing.product, words.PRODUCT_TWIN, taken):
        some_sales(sketch, sketch.listing(twin, listing.supplier), target.start)


def not_complete(sketch: Sketch, target: Target) -> None:
    """Sales of the very listing, in the time covered, that do not count."""
    sketch.sell(target.listing, sketch.day(target.start, sketch.last), sketch.draw.choice(words.STATUS))
    if sketch.draw.chance(0.5):
        sketch.order(target.listing, sketch.day(target.start, sketch.last), sketch.draw.choice(words.STATUS))


def terms_to_come(sketch: Sketch, target: Target) -> None:
    """Another vendor's listing of the same product has terms that hold only after the last sale."""
    same_product(sketch, target)
    key = list(sketch.listings)[-1]
    listing = sketch.listings[key]
    late = days_after(sketch.last, sketch.draw.between(2, 40))
    terms = listing.terms.since(late, sketch.share(listing.terms.latest.percent))
    sketch.listings[key] = replace(listing, terms=terms)


SHAPES: Sequence[Shape] = (same_product, twin_vendor, twin_product, not_complete, terms_to_come)


def place(sketch: Sketch, target: Target) -> None:
    """As many distractors as the knob says, of all shapes in turn."""
    for shape in in_turn(sketch.draw, SHAPES, sketch.knobs.distractors):
        shape(sketch, target)


def asides(sketch: Sketch, twin: str, *concerned: str) -> list[str]:
    """Up to two sentences: one about a listing that is not in the ticket, one about a vendor who is not."""
    draw, listing = sketch.draw.stream("asides"), sketch.listings[twin]
    name = f"{listing.product} from {sketch.suppliers[listing.supplier].name}"
    others = sorted(sketch.suppliers.keys() - {listing.supplier, *concerned})
    other = sketch.suppliers[draw.choice(others)].name
    return idle_remarks(draw, name, other)
