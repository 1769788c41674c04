"""A billing company over time, and the tables that its records leave.

Everything that can change has a history by period. The tables of the present hold
the last values; an invoice holds the values of its period. A case is two worlds, one
as recorded and one as it should be: its gold edits are the difference of their tables.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from trapcli.answers.edits.authoring.scenes import History, dollars
from trapcli.answers.edits.family import Unlucky
from trapcli.answers.edits.tables import Row, Tables
from trapcli.core.money import unambiguous

NEVER_BILLED = "9999-12"  # a change from here on shows in the present, but on no invoice


@dataclass(frozen=True, slots=True)
class Region:
    name: str
    rate: int  # tenths of a percent


@dataclass(frozen=True, slots=True)
class Tier:
    name: str
    seats: int


@dataclass(frozen=True, slots=True)
class Priced:
    """A plan (with its tier) or an add-on: its name now, its price in whole dollars over time."""

    name: History[str]
    price: History[int]
    tier: str = ""


@dataclass(frozen=True, slots=True)
class Code:
    """A discount code: a share in whole percent, a fixed amount in whole dollars, or both."""

    percent: History[int | None]
    fixed: int | None
    expires: str


@dataclass(frozen=True, slots=True)
class Customer:
    name: str
    region: History[str]
    signup: str


@dataclass(frozen=True, slots=True)
class Subscription:
    customer: History[str]
    plan: History[str]
    addons: History[tuple[str, ...]]
    code: History[str]  # "" for none
    active: bool
    start: str  # a date


@dataclass(frozen=True, slots=True)
class Invoice:
    subscription: str
    period: str
    status: str  # draft, open or paid


@dataclass(frozen=True, slots=True)
class World:
    """All records, each kind by its id. `noise` holds the rows of the tables no report reads."""

    regions: Mapping[str, Region]
    tiers: Mapping[str, Tier]
    plans: Mapping[str, Priced]
    addons: Mapping[str, Priced]
    codes: Mapping[str, Code]
    customers: Mapping[str, Customer]
    subscriptions: Mapping[str, Subscription]
    invoices: Mapping[str, Invoice]
    noise: Mapping[str, list[Row]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Figures:
    """An invoice's amounts in whole cents; the tax also before rounding, in thousandths of a cent.

    Prices are whole dollars and shares whole percents, so that a discount is exact.
    """

    base: int
    addons: int
    discount: int
    rate: int

    @property
    def exact_tax(self) -> int:
        return (self.base + self.addons - self.discount) * self.rate

    @property
    def tax(self) -> int:
        """Rounded half-up."""
        return (2 * self.exact_tax + 1000) // 2000

    @property
    def total(self) -> int:
        return self.base + self.addons - self.discount + self.tax


def figures(world: World, invoice: Invoice) -> Figures:
    """What the invoice comes to at the terms of its period."""
    period, subscription = invoice.period, world.subscriptions[invoice.subscription]
    base = world.plans[subscription.plan.at(period)].price.at(period)
    extra = sum(world.addons[addon].price.at(period) for addon in subscription.addons.at(period))
    discount = 0
    if name := subscription.code.at(period):
        percent = world.codes[name].percent.at(period)
        discount = 100 * (world.codes[name].fixed or 0) if percent is None else percent * (base + extra)
    customer = world.customers[subscription.customer.at(period)]
    return Figures(100 * base, 100 * extra, discount, world.regions[customer.region.at(period)].rate)


def baked(world: World, key: str) -> Row:
    """The invoice's row: the names and figures of its period. A draft has no tax and no total yet."""
    invoice = world.invoices[key]
    period, subscription = invoice.period, world.subscriptions[invoice.subscription]
    amounts = figures(world, invoice)
    draft = invoice.status == "draft"
    return {
        "invoice_id": key,
        "subscription_id": invoice.subscription,
        "period": period,
        "baked_customer_name": world.customers[subscription.customer.at(period)].name,
        "baked_plan_name": world.plans[subscription.plan.at(period)].name.at(period),
        "baked_addon_names": "; ".join(
            world.addons[addon].name.at(period) for addon in sorted(subscription.addons.at(period))
        ),
        "baked_base_price_usd": dollars(amounts.base),
        "baked_addon_total_usd": dollars(amounts.addons),
        "baked_discount_applied_usd": dollars(amounts.discount),
        "baked_tax_usd": "" if draft else dollars(amounts.tax),
        "baked_total_usd": "" if draft else dollars(amounts.total),
        "status": invoice.status,
    }


def _code_row(key: str, code: Code) -> Row:
    percent = code.percent.latest
    return {
        "code": key,
        "discount_pct": "" if percent is None else dollars(percent),
        "discount_fixed_usd": "" if code.fixed is None else dollars(100 * code.fixed),
        "expires_on": code.expires,
    }


def _subscription_row(key: str, subscription: Subscription) -> Row:
    return {
        "subscription_id": key,
        "customer_id": subscription.customer.latest,
        "plan_id": subscription.plan.latest,
        "addon_ids": ";".join(sorted(subscription.addons.latest)),
        "discount_code": subscription.code.latest,
        "status": "active" if subscription.active else "cancelled",
        "start_date": subscription.start,
    }


def tables(world: World, invoices: Mapping[str, Row]) -> Tables:
    """The ten tables, rows in the order of their keys; `invoices` holds each invoice's row."""

    def rows(records: Mapping[str, Any], row: Any) -> list[Row]:
        return [row(key, records[key]) for key in sorted(records)]

    def priced(kind: str) -> Any:
        return lambda key, item: {
            f"{kind}_id": key,
            f"{kind}_name": item.name.latest,
            **(
                {"tier_id": item.tier, "base_price_usd": dollars(100 * item.price.latest)}
                if kind == "plan"
                else {"addon_price_usd": dollars(100 * item.price.latest)}
            ),
        }

    return {
        "customers.csv": rows(
            world.customers,
            lambda key, c: {
                "customer_id": key,
                "customer_name": c.name,
                "region_id": c.region.latest,
                "signup_date": c.signup,
            },
        ),
        "subscriptions.csv": rows(world.subscriptions, _subscription_row),
        "plans.csv": rows(world.plans, priced("plan")),
        "tiers.csv": rows(
            world.tiers, lambda key, t: {"tier_id": key, "tier_name": t.name, "seat_limit": str(t.seats)}
        ),
        "addons.csv": rows(world.addons, priced("addon")),
        "discount_codes.csv": rows(world.codes, _code_row),
        "regions.csv": rows(
            world.regions,
            lambda key, r: {
                "region_id": key,
                "region_name": r.name,
                "tax_rate_pct": f"{r.rate // 10}.{r.rate % 10}",
            },
        ),
        "invoices.csv": [invoices[key] for key in sorted(invoices)],
        **world.noise,
    }


def corrected(recorded: World, right: World) -> tuple[Tables, Tables]:
    """The tables of both worlds; Unlucky if rounding decides a figure that changes."""
    old = {key: baked(recorded, key) for key in recorded.invoices}
    new = {key: baked(right, key) for key in right.invoices}
    for key in old:
        exact = Fraction(figures(right, right.invoices[key]).exact_tax, 100_000)
        if old[key] != new[key] and not unambiguous(exact):
            raise Unlucky("a figure of the answer depends on how it is rounded")
    return tables(recorded, old), tables(right, new)
