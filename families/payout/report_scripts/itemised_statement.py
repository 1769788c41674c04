"""Itemised statement: every sale, with the sku and the vendor that were recorded with it.

A b2b sale is paid at the terms recorded with it, a retail sale the payout that was
recorded. A retail sale without one is paid at the terms of the catalog: of the rows that
its product has there, the newest that is not after the day of the sale. Sales of every
status are listed.

Run it in the case directory: python itemised_statement.py
"""

import csv
import sys
from decimal import ROUND_HALF_UP, Context, Decimal, InvalidOperation, localcontext

COLUMNS = [
    "txn_id",
    "sale_date",
    "sku",
    "channel",
    "supplier_name",
    "units",
    "unit_price_usd",
    "revenue_usd",
    "deductions_usd",
    "payout_usd",
    "status",
]


def read(name):
    """The rows of a table in this directory, as dicts."""
    with open(name, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def by_key(rows, *columns):
    """The rows by their key, a tuple of cells; two rows with one key are an error."""
    found = {}
    for row in rows:
        key = tuple(row[column] for column in columns)
        if key in found:
            raise ValueError(f"two rows with {', '.join(columns)} {', '.join(key)}")
        found[key] = row
    return found


def in_force(catalog, sale):
    """The catalog row that applies to a sale."""
    rows = [row for row in catalog.get(sale["product_id"], []) if row["effective_from"] <= sale["sale_date"]]
    if not rows:
        raise ValueError(f"no catalog row of {sale['product_id']} on {sale['sale_date']}")
    return max(rows, key=lambda row: row["effective_from"])


def cents(amount):
    return amount.quantize(Decimal("0.01")) + 0


def money(cell):
    """A money cell with two places; text that is no number as it is."""
    try:
        return str(cents(Decimal(cell)))
    except InvalidOperation:
        return cell


def whole(cell):
    """A whole number without places; anything else as it is."""
    try:
        number = Decimal(cell).quantize(Decimal(1)) + 0
        return str(number) if number == Decimal(cell) else cell
    except InvalidOperation:
        return cell


def payout(terms, units, amount):
    """The fixed amount for each unit if the terms have one, else the share of the amount."""
    if terms["vendor_share_fixed_usd"]:
        return str(cents(Decimal(terms["vendor_share_fixed_usd"]) * Decimal(units)))
    return str(cents(Decimal(terms["vendor_share_pct"]) * amount))


def retail(sale, catalog):
    """Units, unit price (none), revenue, deductions and payout of a retail sale."""
    deductions = cents(Decimal(sale["transaction_fee_usd"]) + Decimal(sale["affiliate_commission_usd"]))
    paid = money(sale["vendor_payout_usd"])
    if not paid:
        net = cents(Decimal(sale["revenue_gross_usd"])) - deductions
        paid = payout(in_force(catalog, sale), sale["units"], net)
    return [whole(sale["units"]), "", money(sale["revenue_gross_usd"]), str(deductions), paid]


def b2b(sale):
    """Units, unit price, revenue, deductions (none) and payout of a b2b sale."""
    paid = payout(sale, sale["unit_count"], cents(Decimal(sale["revenue_gross_usd"])))
    price = money(sale["unit_price_usd"])
    return [whole(sale["unit_count"]), price, money(sale["revenue_gross_usd"]), "0.00", paid]


def report(read):
    catalog = {}
    for row in by_key(read("catalog.csv"), "product_id", "effective_from").values():
        catalog.setdefault(row["product_id"], []).append(row)
    lines = []

    def add(key, channel, sale, figures):
        record = [sale["sale_date"], sale["sku"], channel, sale["supplier_name"]]
        lines.append([key, *record, *figures, sale["status"]])

    with localcontext(Context(prec=64, rounding=ROUND_HALF_UP)):
        for sale in by_key(read("transactions.csv"), "transaction_id").values():
            add(sale["transaction_id"], "retail", sale, retail(sale, catalog))
        for sale in by_key(read("b2b_details.csv"), "b2b_txn_id").values():
            add(sale["b2b_txn_id"], "b2b", sale, b2b(sale))
    return [COLUMNS, *sorted(lines, key=lambda line: (line[1], line[0]))]


if __name__ == "__main__":
    sys.stdout.reconfigure(encoding="utf-8", newline="")
    csv.writer(sys.stdout, lineterminator="\n").writerows(report(read))
