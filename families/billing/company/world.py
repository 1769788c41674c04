"""A company that bills subscriptions over time, and the tables of its records.

Everything that can change has a history by period. The tables of current records hold the last values;
an invoice holds the values of its period. A case is two worlds, one as recorded and one as it should
be, and its gold edits are the difference between their tables.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from trapcli.answers.edits.authoring.plan import PlanFailed
from trapcli.answers.edits.authoring.scenes import History, dollars
from trapcli.answers.edits.tables import Row, Tables
from trapcli.core.money import unambiguous

NEVER_BILLED = "9999-12"  # a change from here on shows in the present, but on no invoice


@dataclass(frozen=True, slots=True)
class Region:
    """A region; its tax rate is in tenths of a percent."""

    name: str
    rate: int


@dataclass(frozen=True, slots=True)
class Tier:
    """A tier of plans."""

    name: str
    seats: int


@dataclass(frozen=True, slots=True)
class Priced:
    """A plan (with its tier) or an add-on; its price is in whole dollars."""

    name: History[str]
    price: History[int]
    tier: str = ""


@dataclass(frozen=True, slots=True)
class Code:
    """A discount code: a share in whole percent, a fixed amount in whole dollars, or both."""

    percent: History[int | None]
    fixed: History[int | None]
    expires: str


@dataclass(frozen=True, slots=True)
class Customer:
    """A customer; the signup is a day."""

    name: str
    region: History[str]
    signup: str


@dataclass(frozen=True, slots=True)
class Subscription:
    """A subscription.

    customer, plan, addons, code: keys over time; the code is "" for none.
    start: the day on which it began.
    """

    customer: History[str]
    plan: History[str]
    addons: History[tuple[str, ...]]
    code: History[str]
    active: bool
    start: str


@dataclass(frozen=True, slots=True)
class Invoice:
    """An invoice; its status is draft, open or paid."""

    subscription: str
    period: str
    status: str


@dataclass(frozen=True, slots=True)
class World:
    """All records by their ids.

    noise: the rows of the tables that no report reads.
    """

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
    """The amounts of an invoice in whole cents; its rate in tenths of a percent.

    Prices are whole dollars and discounts whole percentages, so that a discount needs no rounding.
    """

    base: int
    addons: int
    discount: int
    rate: int

    @property
    def exact_tax(self) -> int:
        """The tax before rounding, in thousandths of a cent."""
        return (self.base + self.addons - self.discount) * self.rate

    @property
    def tax(self) -> int:
        """The tax, rounded half-up."""
        return (2 * self.exact_tax + 1000) // 2000

    @property
    def total(self) -> int:
        """What the customer pays."""
        return self.base + self.addons - self.discount + self.tax


def figures(world: World, invoice: Invoice) -> Figures:
    """Return the amounts of an invoice at the terms of its period."""
    period, subscription = invoice.period, world.subscriptions[invoice.subscription]
    base = world.plans[subscription.plan.at(period)].price.at(period)
    extra = sum(world.addons[addon].price.at(period) for addon in subscription.addons.at(period))
    discount = 0
    if name := subscription.code.at(period):
        percent = world.codes[name].percent.at(period)
        fixed = world.codes[name].fixed.at(period)
        discount = 100 * (fixed or 0) if percent is None else percent * (base + extra)
    customer = world.customers[subscription.customer.at(period)]
    return Figures(100 * base, 100 * extra, discount, world.regions[customer.region.at(period)].rate)


def invoice_row(world: World, key: str) -> Row:
    """Return the row of an invoice: the names and figures of its period. A draft has no tax and no total."""
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
    percent, fixed = code.percent.latest, code.fixed.latest
    return {
        "code": key,
        "discount_pct": "" if percent is None else dollars(percent),
        "discount_fixed_usd": "" if fixed is None else dollars(100 * fixed),
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
    """Return the ten tables, with rows in the order of their keys.

    invoices: the row of each invoice.
    """

    def rows(records: Mapping[str, Any], row: Any) -> list[Row]:
        return [row(key, records[key]) for key in sorted(records)]

    def priced(noun: str) -> Any:
        return lambda key, item: {
            f"{noun}_id": key,
            f"{noun}_name": item.name.latest,
            **(
                {"tier_id": item.tier, "base_price_usd": dollars(100 * item.price.latest)}
                if noun == "plan"
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


def tables_of(world: World) -> Tables:
    """Return the tables of a world."""
    return tables(world, {key: invoice_row(world, key) for key in world.invoices})


def write_tables(recorded: World, right: World) -> tuple[Tables, Tables]:
    """Return the tables of both worlds; PlanFailed if rounding decides a figure that changes."""
    old = {key: invoice_row(recorded, key) for key in recorded.invoices}
    new = {key: invoice_row(right, key) for key in right.invoices}
    for key in old:
        exact = Fraction(figures(right, right.invoices[key]).exact_tax, 100_000)
        if old[key] != new[key] and not unambiguous(exact):
            raise PlanFailed("a figure of the answer depends on how it is rounded")
    return tables(recorded, old), tables(right, new)
