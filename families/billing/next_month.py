"""Next month in billing: what will be invoiced from the current records.

- Each subscription that is active gets a draft of next month.
- Each plan, add-on, discount code and region is used by one new subscription of a new customer, which gets
  a draft too.

A draft shows names, base price, add-ons and discount of the current records; tax and total are blank.
"""

from collections.abc import Mapping
from decimal import ROUND_HALF_UP, Decimal

from trapcli.answers.edits.authoring.ticket_text import shift_month
from trapcli.answers.edits.tables import Row, Tables

NEW = "NEXT"  # begins the ids of all that is new


def next_month(before: Tables, now: Tables) -> dict[str, list[Row]]:
    """Return the rows of the files that differ; see `trapcli.answers.edits.judging.next_month`."""
    period = shift_month(max(row["period"] for row in before["invoices.csv"]), 1)
    customers, subscriptions = _newcomers(before, period)
    known = {row["subscription_id"]: row for row in now["subscriptions.csv"]}
    billed = [
        known[row["subscription_id"]] for row in before["subscriptions.csv"] if row["status"] == "active"
    ]
    records = _Records(now, customers)
    drafts = [records.draft(subscription, period) for subscription in (*billed, *subscriptions)]
    return {
        "customers.csv": [*now["customers.csv"], *customers],
        "subscriptions.csv": [*now["subscriptions.csv"], *subscriptions],
        "invoices.csv": drafts,
    }


def _newcomers(before: Tables, period: str) -> tuple[list[Row], list[Row]]:
    """Return new customers and their subscriptions, which use each plan, add-on, code and region."""
    keys = {
        file: [row[column] for row in before[file]]
        for file, column in (
            ("plans.csv", "plan_id"),
            ("addons.csv", "addon_id"),
            ("discount_codes.csv", "code"),
            ("regions.csv", "region_id"),
        )
    }
    customers, subscriptions = [], []
    for number in range(max(map(len, keys.values()))):
        plan, addon, code, region = (some[number % len(some)] if some else "" for some in keys.values())
        customer, day = f"{NEW}-C{number + 1}", f"{period}-01"
        customers.append(
            {"customer_id": customer, "customer_name": customer, "region_id": region, "signup_date": day}
        )
        subscriptions.append(
            {
                "subscription_id": f"{NEW}-S{number + 1}",
                "customer_id": customer,
                "plan_id": plan,
                "addon_ids": addon,
                "discount_code": code,
                "status": "active",
                "start_date": day,
            }
        )
    return customers, subscriptions


def cents(amount: Decimal) -> Decimal:
    return amount.quantize(Decimal("0.01"), ROUND_HALF_UP)


class _Records:
    """The current records by key."""

    def __init__(self, tables: Tables, customers: list[Row]) -> None:
        def by_key(file: str) -> Mapping[str, Row]:
            return {next(iter(row.values())): row for row in tables[file]}

        self.customers = {**by_key("customers.csv"), **{row["customer_id"]: row for row in customers}}
        self.plans, self.addons = by_key("plans.csv"), by_key("addons.csv")
        self.codes = by_key("discount_codes.csv")

    def draft(self, subscription: Row, period: str) -> Row:
        """Return the draft of a subscription; KeyError or ValueError if its records make no sense."""
        plan = self.plans[subscription["plan_id"]]
        addons = [self.addons[key] for key in sorted(filter(None, subscription["addon_ids"].split(";")))]
        base = Decimal(plan["base_price_usd"])
        extra = sum((Decimal(addon["addon_price_usd"]) for addon in addons), Decimal(0))
        discount = cents(self._discount(subscription["discount_code"], base + extra))
        return {
            "invoice_id": f"{NEW}-{subscription['subscription_id']}",
            "subscription_id": subscription["subscription_id"],
            "period": period,
            "baked_customer_name": self.customers[subscription["customer_id"]]["customer_name"],
            "baked_plan_name": plan["plan_name"],
            "baked_addon_names": "; ".join(addon["addon_name"] for addon in addons),
            "baked_base_price_usd": str(base),
            "baked_addon_total_usd": str(cents(extra)),
            "baked_discount_applied_usd": str(discount),
            "baked_tax_usd": "",
            "baked_total_usd": "",
            "status": "draft",
        }

    def _discount(self, key: str, subtotal: Decimal) -> Decimal:
        if not key:
            return Decimal(0)
        code = self.codes[key]
        if code["discount_pct"]:
            return Decimal(code["discount_pct"]) * subtotal
        return Decimal(code["discount_fixed_usd"])
