"""What a thread asks for: requests, and what each does to the company's records over time."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from families.billing.company.world import NEVER_BILLED, Customer, World
from families.billing.covered_invoices import first_period
from trapcli.answers.edits.authoring.scenes import History, always

MOVE, PRICE, REBRAND, SHARE = "move", "price", "rebrand", "share"
TRANSFER, UPGRADE, FIXED, ADDON, CODE = "transfer", "upgrade", "fixed", "addon", "code"
KINDS = (MOVE, PRICE, REBRAND, SHARE, TRANSFER, UPGRADE, FIXED, ADDON, CODE)
START = "start"


@dataclass(frozen=True, slots=True)
class Request:
    """One request of a thread.

    number: its place among the requests of the case, from 1.
    kind: one of KINDS.
    record: the key of the record that it is about: of a customer (MOVE), a plan (PRICE), an add-on
        (REBRAND), a code (SHARE, FIXED), else of a subscription.
    values: what it says, by the name of the field: START (a day, or a period), "region", "price", "name",
        "percent", "amount", "customer" (a key), "newcomer" (a name) with "region", "plan", "code",
        "addon" with "added".
    """

    number: int
    kind: str
    record: str
    values: Mapping[str, Any]

    def having(self, **values: Any) -> "Request":
        """Return the request with some of its values changed."""
        return replace(self, values={**self.values, **values})

    @property
    def start(self) -> str:
        """The first period that it covers; "" for all."""
        return first_period(self.values[START]) if START in self.values else ""


Change = Callable[[World, Request], World]


def carry_out(world: World, requests: Iterable[Request]) -> World:
    """Return the world in which the requests have been carried out; their order makes no difference."""
    for request in sorted(requests, key=lambda one: one.kind != TRANSFER):  # newcomers first
        world = CHANGES[request.kind](world, request)
    return world


def _with(world: World, table: str, key: str, **histories: History[Any]) -> World:
    records = getattr(world, table)
    return replace(world, **{table: {**records, key: replace(records[key], **histories)}})


def _move(world: World, request: Request) -> World:
    history = world.customers[request.record].region
    return _with(
        world, "customers", request.record, region=history.insert(request.start, request.values["region"])
    )


def _price(world: World, request: Request) -> World:
    history = world.plans[request.record].price
    return _with(world, "plans", request.record, price=history.insert(request.start, request.values["price"]))


def _rebrand(world: World, request: Request) -> World:
    item, values = world.addons[request.record], request.values
    return _with(
        world,
        "addons",
        request.record,
        name=item.name.insert(NEVER_BILLED, values["name"]),
        price=item.price.insert(NEVER_BILLED, values["price"]),
    )


def _share(world: World, request: Request) -> World:
    return _with(world, "codes", request.record, percent=always(request.values["percent"]))


def _fixed(world: World, request: Request) -> World:
    history = world.codes[request.record].fixed
    return _with(
        world, "codes", request.record, fixed=history.insert(request.start, request.values["amount"])
    )


def _transfer(world: World, request: Request) -> World:
    values = request.values
    if "newcomer" in values:
        newcomer = Customer(values["newcomer"], always(values["region"]), values[START])
        world = replace(world, customers={**world.customers, values["customer"]: newcomer})
    history = world.subscriptions[request.record].customer
    return _with(
        world, "subscriptions", request.record, customer=history.insert(request.start, values["customer"])
    )


def _upgrade(world: World, request: Request) -> World:
    item, values = world.subscriptions[request.record], request.values
    return _with(
        world,
        "subscriptions",
        request.record,
        plan=item.plan.insert(request.start, values["plan"]),
        code=item.code.insert(request.start, values["code"]),
    )


def _addon(world: World, request: Request) -> World:
    history, addon = world.subscriptions[request.record].addons, request.values["addon"]
    others = [key for key in history.at(request.start) if key != addon]
    addons = (*others, addon) if request.values["added"] else tuple(others)
    return _with(
        world, "subscriptions", request.record, addons=history.insert(request.start, tuple(sorted(addons)))
    )


def _code(world: World, request: Request) -> World:
    history = world.subscriptions[request.record].code
    return _with(
        world, "subscriptions", request.record, code=history.insert(request.start, request.values["code"])
    )


CHANGES: Mapping[str, Change] = {
    MOVE: _move,
    PRICE: _price,
    REBRAND: _rebrand,
    SHARE: _share,
    TRANSFER: _transfer,
    UPGRADE: _upgrade,
    FIXED: _fixed,
    ADDON: _addon,
    CODE: _code,
}
