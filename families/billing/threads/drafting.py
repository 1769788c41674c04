"""Draw requests for the records of a stage, no two on one point of one record."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from families.billing.company import vocabulary as words
from families.billing.company.world_builder import WorldBuilder
from families.billing.covered_invoices import effective_date
from families.billing.threads.requests import (
    ADDON,
    CODE,
    FIXED,
    KINDS,
    MOVE,
    PRICE,
    REBRAND,
    SHARE,
    START,
    TRANSFER,
    UPGRADE,
    Request,
)
from families.billing.threads.stage import SHARES, Stage
from trapcli.answers.edits.authoring.plan import PlanFailed
from trapcli.core.draw import Draw

TRAPS = {
    "region_migration": MOVE, "plan_price_change": PRICE, "addon_rebrand": REBRAND,
    "discount_correction": SHARE, "subscription_transfer": TRANSFER, "upgrade_with_discount": UPGRADE,
}  # fmt: skip
TRIES = 40
AGAIN = 0.6  # of requests are about a record that another one has touched, if there is one
# The points of a record that a request decides; two requests may not decide one of one record.
POINTS = {
    MOVE: ("region",), PRICE: ("price",), REBRAND: ("name",), SHARE: ("percent",), FIXED: ("fixed",),
    TRANSFER: ("customer",), UPGRADE: ("plan", "code"), ADDON: ("addons",), CODE: ("code",),
}  # fmt: skip


class Drafter:
    """What draws requests one by one."""

    def __init__(self, draw: Draw, builder: WorldBuilder, stage: Stage) -> None:
        self.draw, self.builder, self.stage = draw, builder, stage
        self.requests: list[Request] = []
        self._taken: set[tuple[str, str]] = set()
        self._touched: set[str] = set()
        self._names: set[str] = set()

    def draft(self, trap: str, count: int) -> list[Request]:
        """Return this many requests, the first of the kind of a trap; PlanFailed if no more fit."""
        deck = [TRAPS[trap]]
        while len(self.requests) < count:
            if not deck:
                deck = self.draw.shuffled(KINDS)
            self._add(deck)
        return self.requests

    def _add(self, deck: list[str]) -> None:
        """Add a request of the first kind of the deck that fits; kinds that were tried are used up."""
        kind = deck.pop(0)
        for _ in range(TRIES):
            record = self._record(kind)
            if not record or any((record, point) in self._taken for point in POINTS[kind]):
                continue
            values = DRAWN[kind](self, record)
            if values is None:
                continue
            self.requests.append(Request(len(self.requests) + 1, kind, record, values))
            self._taken.update((record, point) for point in POINTS[kind])
            self._touch(kind, record)
            return
        if not self.requests:
            raise PlanFailed(f"no request of kind {kind} fits")

    def _record(self, kind: str) -> str:
        records = {
            MOVE: self.stage.customers,
            PRICE: self.stage.plans,
            REBRAND: self._rebrandable(),
            SHARE: self.stage.shares,
            FIXED: self.stage.amounts,
        }.get(kind, self.stage.subscriptions)
        again = [key for key in records if key in self._touched]
        return self.draw.choice(again if again and self.draw.chance(AGAIN) else records) if records else ""

    def _touch(self, kind: str, record: str) -> None:
        """Note the records beside which other requests find invoices that this one restates."""
        subscriptions = self.builder.subscriptions
        self._touched.add(record)
        for key in self.stage.subscriptions:
            item = subscriptions[key]
            own = {key, item.customer.latest, item.plan.latest, item.code.latest, *item.addons.latest}
            if record in own and kind != REBRAND:
                self._touched |= own

    def _rebrandable(self) -> Sequence[str]:
        addons = self.builder.addons
        return [key for key in sorted(addons) if addons[key].name.latest in words.RENAMED]

    def month(self) -> str:
        """Return a period with invoices before it, and at least one issued from it on."""
        periods = self.builder.periods
        return periods[self.draw.between(1, len(periods) - 2)]

    def day(self) -> str:
        """Return a day from which such a period is the first."""
        return effective_date(self.draw, self.month())

    def _new_name(self, addon: str) -> str:
        free = [
            name for name in words.RENAMED[self.builder.addons[addon].name.latest] if name not in self._names
        ]
        self._names.update(free[:1])
        return free[0] if free else ""


def _move(drafter: Drafter, record: str) -> Mapping[str, Any]:
    regions = drafter.builder.regions.keys() - {drafter.builder.customers[record].region.latest}
    return {START: drafter.day(), "region": drafter.draw.choice(sorted(regions))}


def _price(drafter: Drafter, record: str) -> Mapping[str, Any]:
    old = drafter.builder.plans[record].price.latest
    return {
        START: drafter.month(),
        "price": old + drafter.draw.choice((-17, -11, -8, 7, 9, 13, 16, 21, 27, 34)),
    }


def _rebrand(drafter: Drafter, record: str) -> Mapping[str, Any] | None:
    name = drafter._new_name(record)
    price = drafter.builder.addons[record].price.latest + drafter.draw.choice((2, 3, 4, 5, 6, 8, 9, 11))
    return {"name": name, "price": price} if name else None


def _share(drafter: Drafter, record: str) -> Mapping[str, Any]:
    known = {share for code in drafter.builder.codes.values() for _, share in code.percent.steps}
    return {"percent": drafter.draw.choice([share for share in (*SHARES, 7, 19, 23) if share not in known])}


def _fixed(drafter: Drafter, record: str) -> Mapping[str, Any]:
    old = drafter.builder.codes[record].fixed.latest or 0
    return {START: drafter.month(), "amount": old + drafter.draw.choice((3, 4, 5, 7, 8, 11))}


def _transfer(drafter: Drafter, record: str) -> Mapping[str, Any] | None:
    builder, draw = drafter.builder, drafter.draw
    holder = builder.subscriptions[record].customer.latest
    region = builder.customers[holder].region.latest
    if draw.chance(0.55):
        regions = sorted(builder.regions.keys() - {region})
        return {
            START: drafter.day(),
            "customer": builder.take_id("CUST"),
            "newcomer": builder.take_name(),
            "region": draw.choice(regions),
        }
    others = [key for key in drafter.stage.customers if builder.customers[key].region.latest != region]
    return {START: drafter.day(), "customer": draw.choice(others)} if others else None


def _upgrade(drafter: Drafter, record: str) -> Mapping[str, Any] | None:
    builder, draw = drafter.builder, drafter.draw
    item = builder.subscriptions[record]
    held = {
        other.plan.latest
        for other in builder.subscriptions.values()
        if other.customer.latest == item.customer.latest
    }
    plans = [key for key in drafter.stage.plans if key not in held]
    codes = [key for key in (*drafter.stage.shares, *drafter.stage.amounts) if key != item.code.latest]
    if not plans or not codes:
        return None
    return {START: drafter.month(), "plan": draw.choice(plans), "code": draw.choice(codes)}


def _addon(drafter: Drafter, record: str) -> Mapping[str, Any] | None:
    builder, draw = drafter.builder, drafter.draw
    held = builder.subscriptions[record].addons.latest
    added = not held or draw.chance(0.6)
    free = sorted(builder.addons.keys() - set(held)) if added else list(held)
    return {START: drafter.month(), "addon": draw.choice(free), "added": added} if free else None


def _code(drafter: Drafter, record: str) -> Mapping[str, Any] | None:
    old = drafter.builder.subscriptions[record].code.latest
    codes = [key for key in (*drafter.stage.shares, *drafter.stage.amounts, "") if key != old]
    return {START: drafter.month(), "code": drafter.draw.choice(codes)}


DRAWN: Mapping[str, Callable[[Drafter, str], Mapping[str, Any] | None]] = {
    MOVE: _move,
    PRICE: _price,
    REBRAND: _rebrand,
    SHARE: _share,
    FIXED: _fixed,
    TRANSFER: _transfer,
    UPGRADE: _upgrade,
    ADDON: _addon,
    CODE: _code,
}
