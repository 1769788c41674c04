"""From two worlds to a planned case: no computed figure stands in the inputs, none is near a tie."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

from families.billing.sketch import Sketch
from families.billing.tables import COMPUTED
from families.billing.world import World, always, baked, figures, tables
from trapcli.edits.columns import Row
from trapcli.edits.family import Plan, Unlucky
from trapcli.money import unambiguous

REDRAWS = 40
COLUMNS = sorted(column for _, column in COMPUTED)


def finish(sketch: Sketch, change: Callable[[World], World], ticket: str, facts: Mapping[str, Any]) -> Plan:
    """The case in which `change` is what the ticket asks; Unlucky if its figures are in doubt.

    A filler's invoice that shows a figure of the answer gets other add-ons.
    """
    before = sketch.world()
    after = change(before)
    old = {key: baked(before, key) for key in before.invoices}
    new = {key: baked(after, key) for key in after.invoices}
    wanted = set().union(*(_computed(new[key]) - _computed(old[key]) for key in old))
    for subscription, invoices in _invoices(before).items():
        if any(not wanted.isdisjoint(_computed(old[key])) for key in invoices):
            before = _redrawn(sketch, before, subscription, invoices, wanted)
            after = change(before)
            old |= {key: baked(before, key) for key in invoices}
            new |= {key: baked(after, key) for key in invoices}
    for key in old:
        if old[key] != new[key] and not unambiguous(
            Fraction(figures(after, after.invoices[key]).exact_tax, 100_000)
        ):
            raise Unlucky("a figure of the answer depends on how it is rounded")
    return Plan(tables(before, old), tables(after, new), ticket, facts)


def _computed(row: Row) -> set[tuple[str, str]]:
    return {(column, row[column]) for column in COLUMNS if row[column]}


def _invoices(world: World) -> dict[str, list[str]]:
    """The invoices of each subscription."""
    found: dict[str, list[str]] = {key: [] for key in sorted(world.subscriptions)}
    for key, invoice in world.invoices.items():
        found[invoice.subscription].append(key)
    return found


def _redrawn(
    sketch: Sketch, world: World, subscription: str, invoices: list[str], wanted: set[tuple[str, str]]
) -> World:
    """The world with other add-ons for the subscription, so that its invoices show nothing wanted."""
    if subscription in sketch.placed:
        raise Unlucky("a figure of the answer stands on a placed invoice")
    draw = sketch.draw.stream(f"clear/{subscription}")
    free = sketch.free(sketch.addons)
    for _ in range(REDRAWS):
        addons = tuple(sorted(draw.sample(free, draw.between(0, min(3, len(free))))))
        item = replace(world.subscriptions[subscription], addons=always(addons))
        world = replace(world, subscriptions={**world.subscriptions, subscription: item})
        if all(wanted.isdisjoint(_computed(baked(world, key))) for key in invoices):
            return world
    raise Unlucky("a figure of the answer stands in the inputs")
