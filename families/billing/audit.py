"""What must hold for the tables of every billing case, as recorded and as they should be."""

from collections.abc import Iterator
from fractions import Fraction

from families.billing.tables import TABLES
from trapcli.contract import Problem
from trapcli.edits.columns import Row, Tables
from trapcli.money import unambiguous


def audit(before: Tables, after: Tables) -> Iterator[Problem]:
    """Rows whose figures do not add up, keys that lead nowhere, figures that rounding decides."""
    for tables in (before, after):
        yield from _references(tables)
        for row in tables["invoices.csv"]:
            yield from _closes(row)
    if all(row["baked_tax_usd"] for row in after["invoices.csv"]):
        yield Problem("no invoice has a blank tax", "fallback")
    old = {row["invoice_id"]: row for row in before["invoices.csv"]}
    rates = [Fraction(row["tax_rate_pct"]) for row in after["regions.csv"]]
    shares = [Fraction(row["discount_pct"]) for row in after["discount_codes.csv"] if row["discount_pct"]]
    for row in after["invoices.csv"]:
        if row != old[row["invoice_id"]]:
            yield from _rounds(row, rates, shares)


def _references(tables: Tables) -> Iterator[Problem]:
    keys = {table.name: {row[table.key] for row in tables[table.name]} for table in TABLES}
    links = (
        ("customers.csv", "region_id", "regions.csv"),
        ("subscriptions.csv", "customer_id", "customers.csv"),
        ("subscriptions.csv", "plan_id", "plans.csv"),
        ("subscriptions.csv", "discount_code", "discount_codes.csv"),
        ("subscriptions.csv", "addon_ids", "addons.csv"),
        ("plans.csv", "tier_id", "tiers.csv"),
        ("invoices.csv", "subscription_id", "subscriptions.csv"),
    )
    for file, column, target in links:
        for row in tables[file]:
            for key in filter(None, row[column].split(";")):
                if key not in keys[target]:
                    yield Problem(f"{key} is not in {target}", f"{file} {column}")


def _amounts(row: Row) -> tuple[Fraction, Fraction]:
    """Base price plus add-ons, and discount."""
    subtotal = Fraction(row["baked_base_price_usd"]) + Fraction(row["baked_addon_total_usd"])
    return subtotal, Fraction(row["baked_discount_applied_usd"])


def _closes(row: Row) -> Iterator[Problem]:
    subtotal, discount = _amounts(row)
    tax, total, where = row["baked_tax_usd"], row["baked_total_usd"], f"arithmetic of {row['invoice_id']}"
    if not (bool(tax) == bool(total) == (row["status"] != "draft")):
        yield Problem("tax and total are not blank on drafts and only there", where)
    elif tax and subtotal - discount + Fraction(tax) != Fraction(total):
        yield Problem(f"{subtotal} - {discount} + {tax} is not {total}", where)


def _rounds(row: Row, rates: list[Fraction], shares: list[Fraction]) -> Iterator[Problem]:
    """Whatever rate or share gives a figure must give it under every way of rounding."""
    subtotal, discount = _amounts(row)
    where = f"rounding of {row['invoice_id']}"
    for share in shares:
        exact = subtotal * share
        if abs(exact - discount) <= Fraction(1, 100) and exact != discount and not unambiguous(exact):
            yield Problem(f"discount {discount} is a tie", where)
    tax = Fraction(row["baked_tax_usd"] or 0)
    for rate in rates:
        exact = (subtotal - discount) * rate / 100
        if abs(exact - tax) <= Fraction(1, 100) and not unambiguous(exact):
            yield Problem(f"tax {row['baked_tax_usd']} is a tie", where)
