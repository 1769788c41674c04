"""Invoice detail: every invoice with the figures it was issued with.

Run it in the case directory: python invoice_detail.py
"""

import csv
import sys
from decimal import ROUND_HALF_UP, Context, Decimal, InvalidOperation, localcontext

COLUMNS = [
    "invoice_id",
    "period",
    "customer_name",
    "plan_name",
    "addon_names",
    "base_price_usd",
    "addon_total_usd",
    "discount_usd",
    "tax_usd",
    "total_usd",
    "status",
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


def money(cell):
    """A money cell with two places; blank stays blank, and text that is no number as it is."""
    try:
        return str(Decimal(cell).quantize(Decimal("0.01")) + 0)
    except InvalidOperation:
        return cell


def report(read):
    invoices = by_key(read("invoices.csv"), "invoice_id")
    lines = [COLUMNS]
    with localcontext(Context(prec=64, rounding=ROUND_HALF_UP)):
        for invoice in sorted(invoices.values(), key=lambda row: (row["period"], row["invoice_id"])):
            lines.append(
                [
                    invoice["invoice_id"],
                    invoice["period"],
                    invoice["baked_customer_name"],
                    invoice["baked_plan_name"],
                    invoice["baked_addon_names"],
                    money(invoice["baked_base_price_usd"]),
                    money(invoice["baked_addon_total_usd"]),
                    money(invoice["baked_discount_applied_usd"]),
                    money(invoice["baked_tax_usd"]),
                    money(invoice["baked_total_usd"]),
                    invoice["status"],
                ]
            )
    return lines


if __name__ == "__main__":
    sys.stdout.reconfigure(encoding="utf-8", newline="")
    csv.writer(sys.stdout, lineterminator="\n").writerows(report(read))
