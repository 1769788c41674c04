"""Customer statement: every invoice at its own base price and today's add-ons, discount and tax.

The base price is the invoice's (customers keep the price they were billed); add-ons,
discount code and tax rate are the subscription's current ones. Where a code has
both a share and a fixed amount the customer gets the better one.

Run it in the case directory: python customer_statement.py
"""

import csv
import sys
from decimal import ROUND_HALF_UP, Context, Decimal, localcontext

COLUMNS = [
    "invoice_id",
    "period",
    "addon_names",
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
    """The better of the code's share of the subtotal and its fixed amount."""
    share = subtotal * Decimal(code["discount_pct"] or 0)
    return cents(max(share, Decimal(code["discount_fixed_usd"] or 0)))


def report(read):
    invoices = by_key(read("invoices.csv"), "invoice_id")
    subscriptions = by_key(read("subscriptions.csv"), "subscription_id")
    customers = by_key(read("customers.csv"), "customer_id")
    addons = by_key(read("addons.csv"), "addon_id")
    codes = by_key(read("discount_codes.csv"), "code")
    regions = by_key(read("regions.csv"), "region_id")
    lines = [COLUMNS]
    with localcontext(Context(prec=64, rounding=ROUND_HALF_UP)):
        for invoice in sorted(invoices.values(), key=lambda row: (row["period"], row["invoice_id"])):
            subscription = subscriptions[invoice["subscription_id"]]
            region = regions[customers[subscription["customer_id"]]["region_id"]]
            current = [addons[addon] for addon in sorted(subscription["addon_ids"].split(";")) if addon]
            base = cents(Decimal(invoice["baked_base_price_usd"]))
            extra = cents(sum((Decimal(addon["addon_price_usd"]) for addon in current), Decimal(0)))
            less = cents(Decimal(0))
            if subscription["discount_code"]:
                less = discount(base + extra, codes[subscription["discount_code"]])
            tax = cents((base + extra - less) * Decimal(region["tax_rate_pct"]) / 100)
            lines.append(
                [
                    invoice["invoice_id"],
                    invoice["period"],
                    "; ".join(addon["addon_name"] for addon in current),
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
