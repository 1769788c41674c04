"""Finance ledger: what each invoice comes to before and after tax.

The figures are those that the invoice was issued with. An invoice without a tax
figure is taxed at the rate of the customer's current region.

Run it in the case directory: python finance_ledger.py
"""

import csv
import sys
from decimal import ROUND_HALF_UP, Context, Decimal, localcontext

COLUMNS = ["invoice_id", "subscription_id", "period", "pretax_usd", "tax_usd", "total_usd"]


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


def report(read):
    invoices = by_key(read("invoices.csv"), "invoice_id")
    subscriptions = by_key(read("subscriptions.csv"), "subscription_id")
    customers = by_key(read("customers.csv"), "customer_id")
    regions = by_key(read("regions.csv"), "region_id")
    lines = [COLUMNS]
    with localcontext(Context(prec=64, rounding=ROUND_HALF_UP)):
        for invoice in sorted(invoices.values(), key=lambda row: (row["period"], row["invoice_id"])):
            pretax = cents(
                Decimal(invoice["baked_base_price_usd"])
                + Decimal(invoice["baked_addon_total_usd"])
                - Decimal(invoice["baked_discount_applied_usd"])
            )
            if invoice["baked_tax_usd"]:
                tax = cents(Decimal(invoice["baked_tax_usd"]))
            else:
                customer = customers[subscriptions[invoice["subscription_id"]]["customer_id"]]
                tax = cents(pretax * Decimal(regions[customer["region_id"]]["tax_rate_pct"]) / 100)
            lines.append(
                [
                    invoice["invoice_id"],
                    invoice["subscription_id"],
                    invoice["period"],
                    str(pretax),
                    str(tax),
                    str(pretax + tax),
                ]
            )
    return lines


if __name__ == "__main__":
    sys.stdout.reconfigure(encoding="utf-8", newline="")
    csv.writer(sys.stdout, lineterminator="\n").writerows(report(read))
