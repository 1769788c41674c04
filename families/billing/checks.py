"""What must hold for the tables of every billing case, before and after the right edits."""

from collections.abc import Iterator
from fractions import Fraction

from trapcli.answers.edits.authoring.scenes import dangling_keys
from trapcli.answers.edits.tables import Row, Tables
from trapcli.core.contract import Problem
from trapcli.core.money import unambiguous

LINKS = (
    ("customers.csv", "region_id", "regions.csv", "region_id"),
    ("subscriptions.csv", "customer_id", "customers.csv", "customer_id"),
    ("subscriptions.csv", "plan_id", "plans.csv", "plan_id"),
    ("subscriptions.csv", "discount_code", "discount_codes.csv", "code"),
    ("subscriptions.csv", "addon_ids", "addons.csv", "addon_id"),
    ("plans.csv", "tier_id", "tiers.csv", "tier_id"),
    ("invoices.csv", "subscription_id", "subscriptions.csv", "subscription_id"),
)


def find_problems(before: Tables, after: Tables) -> Iterator[Problem]:
    """Yield figures that do not add up, keys without a record, and figures that rounding decides."""
    for tables in (before, after):
        yield from dangling_keys(tables, LINKS)
        for row in tables["invoices.csv"]:
            yield from _arithmetic(row)
    if all(row["baked_tax_usd"] for row in after["invoices.csv"]):
        yield Problem("no invoice has a blank tax", "fallback")
    old = {row["invoice_id"]: row for row in before["invoices.csv"]}
    rates = [Fraction(row["tax_rate_pct"]) for row in after["regions.csv"]]
    shares = [Fraction(row["discount_pct"]) for row in after["discount_codes.csv"] if row["discount_pct"]]
    for row in after["invoices.csv"]:
        if row != old[row["invoice_id"]]:
            yield from _rounding(row, rates, shares)


def _amounts(row: Row) -> tuple[Fraction, Fraction]:
    """Return base price plus add-ons, and the discount."""
    subtotal = Fraction(row["baked_base_price_usd"]) + Fraction(row["baked_addon_total_usd"])
    return subtotal, Fraction(row["baked_discount_applied_usd"])


def _arithmetic(row: Row) -> Iterator[Problem]:
    subtotal, discount = _amounts(row)
    tax, total, where = row["baked_tax_usd"], row["baked_total_usd"], f"arithmetic of {row['invoice_id']}"
    if not (bool(tax) == bool(total) == (row["status"] != "draft")):
        yield Problem("tax and total must be blank on a draft, and only there", where)
    elif tax and subtotal - discount + Fraction(tax) != Fraction(total):
        yield Problem(f"{subtotal} - {discount} + {tax} is not {total}", where)


def _rounding(row: Row, rates: list[Fraction], shares: list[Fraction]) -> Iterator[Problem]:
    """Yield the figures that depend on the way of rounding, for every share and rate that may give them."""
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
