"""Vendor statement: what each vendor sold and what it is owed for that.

Whose sale it is, is looked up: product_id -> catalog -> supplier_id -> suppliers. The
catalog can have rows of several dates for a product; the newest that is not after
the day of the sale applies. Only sales with status COMPLETE count.

Run it in the case directory: python vendor_statement.py
"""

import csv
import sys
from decimal import ROUND_HALF_UP, Context, Decimal, localcontext

COLUMNS = ["supplier_name", "transaction_count", "revenue_usd", "deductions_usd", "net_usd", "payout_usd"]


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


def payout(terms, units, amount):
    """The fixed amount for each unit if the terms have one, else the share of the amount."""
    if terms["vendor_share_fixed_usd"]:
        return cents(Decimal(terms["vendor_share_fixed_usd"]) * Decimal(units))
    return cents(Decimal(terms["vendor_share_pct"]) * amount)


def retail(sale, terms):
    """Revenue, deductions and payout of a retail sale: the payout on record, else by the catalog's terms."""
    gross = cents(Decimal(sale["revenue_gross_usd"]))
    deductions = cents(Decimal(sale["transaction_fee_usd"]) + Decimal(sale["affiliate_commission_usd"]))
    if sale["vendor_payout_usd"]:
        return gross, deductions, cents(Decimal(sale["vendor_payout_usd"]))
    return gross, deductions, payout(terms, sale["units"], gross - deductions)


def b2b(sale):
    """Revenue, deductions (none) and payout of a b2b sale, which has terms of its own."""
    gross = cents(Decimal(sale["revenue_gross_usd"]))
    return gross, Decimal("0.00"), payout(sale, sale["unit_count"], gross)


def report(read):
    catalog = {}
    for row in by_key(read("catalog.csv"), "product_id", "effective_from").values():
        catalog.setdefault(row["product_id"], []).append(row)
    suppliers = by_key(read("suppliers.csv"), "supplier_id")
    totals = {}

    def add(terms, amounts):
        name = suppliers[(terms["supplier_id"],)]["supplier_name"]
        total = totals.setdefault(name, [0, Decimal(0), Decimal(0), Decimal(0)])
        total[0] += 1
        for i, amount in enumerate(amounts, 1):
            total[i] += amount

    with localcontext(Context(prec=64, rounding=ROUND_HALF_UP)):
        for sale in by_key(read("transactions.csv"), "transaction_id").values():
            if sale["status"] == "COMPLETE":
                terms = in_force(catalog, sale)
                add(terms, retail(sale, terms))
        for sale in by_key(read("b2b_details.csv"), "b2b_txn_id").values():
            if sale["status"] == "COMPLETE":
                add(in_force(catalog, sale), b2b(sale))
        lines = [COLUMNS]
        for name, (count, revenue, deductions, owed) in sorted(totals.items()):
            net = revenue - deductions
            lines.append([name, str(count), str(revenue), str(deductions), str(net), str(owed)])
    return lines


if __name__ == "__main__":
    sys.stdout.reconfigure(encoding="utf-8", newline="")
    csv.writer(sys.stdout, lineterminator="\n").writerows(report(read))
