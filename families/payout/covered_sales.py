"""The sales that a ticket covers, and those just before it: how they are placed, and changed."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from families.payout.knobs import Knobs
from families.payout.store.world import COMPLETE, Order, Sale, World
from families.payout.store.world_builder import WorldBuilder, days_after


def split_affected(knobs: Knobs) -> tuple[int, int]:
    """Return how many retail and how many b2b sales a ticket covers."""
    orders = max(1, knobs.affected // 4)
    return knobs.affected - orders, orders


def sale_coverage(listing: str, start: str) -> Callable[[Sale | Order], bool]:
    """Return a function that says whether a ticket about this listing, from `start` on, covers a sale."""
    return lambda item: item.listing == listing and item.status == COMPLETE and item.day >= start


def change_sales(
    world: World, is_covered: Callable[[Sale | Order], bool], change: Callable[[Any], Any]
) -> World:
    """Return the world with the covered sales, retail and b2b, changed."""
    return replace(
        world,
        sales={key: change(sale) if is_covered(sale) else sale for key, sale in world.sales.items()},
        orders={key: change(order) if is_covered(order) else order for key, order in world.orders.items()},
    )


def place_covered_sales(
    builder: WorldBuilder, listing: str, days: Sequence[str], orders: int, recorded: Sequence[str]
) -> None:
    """Place a retail sale on each of the days, and b2b sales on later ones.

    days: at least three.
    orders: how many b2b sales.
    recorded: days on which the first sale has a payout; some of the others have none yet.
    """
    firm = {days.index(day) for day in recorded}
    blank = builder.draw.sample(sorted(set(range(len(days))) - firm), max(1, len(days) // 6))
    for i, day in enumerate(days):
        builder.add_sale(listing, day, recorded=i not in blank)
    place_orders(builder, listing, days[0], orders)


def place_orders(builder: WorldBuilder, listing: str, start: str, count: int) -> None:
    """Place b2b sales on days from `start` on."""
    for _ in range(count):
        builder.add_order(listing, builder.draw_day(start, builder.last))


def place_earlier_sales(builder: WorldBuilder, listing: str, start: str) -> None:
    """Place sales before `start`, one of them on the day before."""
    before = days_after(start, -2)
    builder.add_sale(listing, days_after(start, -1))
    for _ in range(max(2, builder.knobs.affected // 3)):
        builder.add_sale(listing, builder.draw_day(builder.first, before))
    builder.add_order(listing, builder.draw_day(builder.first, before))
