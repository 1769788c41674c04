"""What the trap kinds share: how the sales that a ticket covers, and those before it, are placed."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from families.payout.knobs import Knobs
from families.payout.tables import COMPUTED, TABLES
from families.payout.world import COMPLETE, Order, Sale, World, corrected
from families.payout.world_builder import Sketch, days_after
from trapcli.answers.edits.authoring.scenes import Stage

STAGE: Stage[World] = Stage(TABLES, COMPUTED, Sketch, corrected)


def shared_out(knobs: Knobs) -> tuple[int, int]:
    """How many retail and how many b2b sales a ticket covers."""
    orders = max(1, knobs.affected // 4)
    return knobs.affected - orders, orders


def covered(listing: str, start: str) -> Callable[[Sale | Order], bool]:
    """Whether a ticket about this listing from `start` on covers a sale."""
    return lambda item: item.listing == listing and item.status == COMPLETE and item.day >= start


def changed(world: World, concerned: Callable[[Sale | Order], bool], change: Callable[[Any], Any]) -> World:
    """The world in which the sales that are concerned, retail and b2b, are changed."""
    return replace(
        world,
        sales={key: change(sale) if concerned(sale) else sale for key, sale in world.sales.items()},
        orders={key: change(order) if concerned(order) else order for key, order in world.orders.items()},
    )


def place_covered(
    sketch: Sketch, listing: str, days: Sequence[str], orders: int, recorded: Sequence[str]
) -> None:
    """Retail sales on the days, of which there are at least three, and orders on later ones.

    Some of the retail sales have no payout yet, but not the first on a day of `recorded`.
    """
    firm = {days.index(day) for day in recorded}
    lack = sketch.draw.sample(sorted(set(range(len(days))) - firm), max(1, len(days) // 6))
    for i, day in enumerate(days):
        sketch.sell(listing, day, recorded=i not in lack)
    place_orders(sketch, listing, days[0], orders)


def place_orders(sketch: Sketch, listing: str, start: str, count: int) -> None:
    for _ in range(count):
        sketch.order(listing, sketch.day(start, sketch.last))


def place_earlier(sketch: Sketch, listing: str, start: str) -> None:
    """Sales before a ticket counts, one of them on the last day before."""
    before = days_after(start, -2)
    sketch.sell(listing, days_after(start, -1))
    for _ in range(max(2, sketch.knobs.affected // 3)):
        sketch.sell(listing, sketch.day(sketch.first, before))
    sketch.order(listing, sketch.day(sketch.first, before))
