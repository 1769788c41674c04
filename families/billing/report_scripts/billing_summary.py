"""Billing summary: a line for each active subscription at its current terms.

Run it in the case directory: python billing_summary.py
"""

import csv
import sys
from decimal import ROUND_HALF_UP, Context, Decimal, localcontext

COLUMNS = [
    "subscription_id",
    "customer_name",
    "plan_name",
    "tier_name",
    "region_name",
    "base_price_usd",
    "addon_total_usd",
    "discount_usd",
    "tax_usd",
    "total_usd",
]


def read(name):
    """The rows of a table in this directory, as dicts."""
    with open(name, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def by_key(rows, key):
    """The rows by their key; two rows with one key are an error."""
    found = {}
    for row in rows:
        if row[key] in found:
            raise ValueError(f"two rows with {key} {row[key]}")
        found[row[key]] = row
    return found


def cents(amount):
    return amount.quantize(Decimal("0.01")) + 0


def discount(subtotal, code):
    """The code's share of the subtotal if it has one, else its fixed amount."""
    if code["discount_pct"]:
        return cents(subtotal * Decimal(code["discount_pct"]))
    return cents(Decimal(code["discount_fixed_usd"]))


def report(read):
    customers = by_key(read("customers.csv"), "customer_id")
    plans = by_key(read("plans.csv"), "plan_id")
    tiers = by_key(read("tiers.csv"), "tier_id")
    addons = by_key(read("addons.csv"), "addon_id")
    codes = by_key(read("discount_codes.csv"), "code")
    regions = by_key(read("regions.csv"), "region_id")
    subscriptions = by_key(read("subscriptions.csv"), "subscription_id")
    lines = [COLUMNS]
    with localcontext(Context(prec=64, rounding=ROUND_HALF_UP)):
        for key in sorted(subscriptions):
            subscription = subscriptions[key]
            if subscription["status"] != "active":
                continue
            customer = customers[subscription["customer_id"]]
            plan = plans[subscription["plan_id"]]
            region = regions[customer["region_id"]]
            base = cents(Decimal(plan["base_price_usd"]))
            extra = cents(
                sum(
                    (
                        Decimal(addons[addon]["addon_price_usd"])
                        for addon in subscription["addon_ids"].split(";")
                        if addon
                    ),
                    Decimal(0),
                )
            )
            less = cents(Decimal(0))
            if subscription["discount_code"]:
                less = discount(base + extra, codes[subscription["discount_code"]])
            tax = cents((base + extra - less) * Decimal(region["tax_rate_pct"]) / 100)
            lines.append(
                [
                    key,
                    customer["customer_name"],
                    plan["plan_name"],
                    tiers[plan["tier_id"]]["tier_name"],
                    region["region_name"],
                    str(base),
                    str(extra),
                    str(less),
                    str(tax),
                    str(base + extra - less + tax),
                ]
            )
    return lines


if __name__ == "__main__":
    sys.stdout.reconfigure(encoding="utf-8", newline="")
    csv.writer(sys.stdout, lineterminator="\n").writerows(report(read))
