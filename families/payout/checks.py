"""What must hold for the tables of every payout case, before and after the right edits."""

from collections.abc import Iterator, Mapping
from fractions import Fraction

from trapcli.answers.edits.authoring.scenes import dangling_keys
from trapcli.answers.edits.tables import Row, Tables
from trapcli.core.contract import Problem

LINKS = (
    ("catalog.csv", "supplier_id", "suppliers.csv", "supplier_id"),
    ("transactions.csv", "product_id", "catalog.csv", "product_id"),
    ("transactions.csv", "promo_id", "promotions.csv", "promo_id"),
    ("b2b_details.csv", "product_id", "catalog.csv", "product_id"),
    ("product_discounts.csv", "product_id", "catalog.csv", "product_id"),
)
Catalog = Mapping[str, list[Row]]  # the rows of each product_id, oldest first


def find_problems(before: Tables, after: Tables) -> Iterator[Problem]:
    """Yield unclear names, records that contradict each other, and amounts that are not whole cents."""
    for tables in (before, after):
        yield from dangling_keys(tables, LINKS)
        yield from _names(tables)
    # After the edits, a sale that is not complete keeps its old record and may contradict the others.
    for tables, every in ((before, True), (after, False)):
        catalog = _read_catalog(tables)
        vendors = {row["supplier_id"]: row["supplier_name"] for row in tables["suppliers.csv"]}
        for file, check in (("transactions.csv", _retail), ("b2b_details.csv", _b2b)):
            for row in tables[file]:
                if every or row["status"] == "COMPLETE":
                    yield from _as_listed(catalog, vendors, row)
                    yield from check(catalog, row)
    counted = [row for row in after["transactions.csv"] if row["status"] == "COMPLETE"]
    if all(row["vendor_payout_usd"] for row in counted):
        yield Problem("no sale has a blank payout", "fallback")


def _read_catalog(tables: Tables) -> Catalog:
    found: dict[str, list[Row]] = {}
    for row in sorted(tables["catalog.csv"], key=lambda row: row["effective_from"]):
        found.setdefault(row["product_id"], []).append(row)
    return found


def _names(tables: Tables) -> Iterator[Problem]:
    """Yield vendors with the same name, and products that a vendor lists twice or under two skus."""
    vendors = [row["supplier_name"] for row in tables["suppliers.csv"]]
    if len(set(vendors)) < len(vendors):
        yield Problem("two vendors have one name", "suppliers.csv")
    columns = ("product_id", "sku", "product_name", "supplier_id")
    listings = {tuple(row[column] for column in columns) for row in tables["catalog.csv"]}
    for identity in (slice(0, 1), slice(1, 2), slice(2, 4)):
        if len({listing[identity] for listing in listings}) < len(listings):
            yield Problem("a product has two listings, or a listing two products", "catalog.csv")


def _terms_of(catalog: Catalog, row: Row) -> Row | None:
    """Return the catalog row of a sale's product on its day; None if it was not listed yet."""
    rows, day = catalog[row["product_id"]], row["sale_date"]
    return next((terms for terms in reversed(rows) if terms["effective_from"] <= day), None)


def _as_listed(catalog: Catalog, vendors: Mapping[str, str], row: Row) -> Iterator[Problem]:
    """Yield sales with a sku or vendor other than the product's, or from before it was listed."""
    listing, where = _terms_of(catalog, row), f"record of {next(iter(row.values()))}"
    if listing is None:
        yield Problem("its product was not listed yet", where)
    elif (row["sku"], row["supplier_name"]) != (listing["sku"], vendors[listing["supplier_id"]]):
        yield Problem("its sku or vendor is not that of its product", where)


def _payout(terms: Row, units: str, amount: Fraction) -> Fraction:
    if terms["vendor_share_fixed_usd"]:
        return Fraction(terms["vendor_share_fixed_usd"]) * int(units)
    return Fraction(terms["vendor_share_pct"]) * amount


def _retail(catalog: Catalog, row: Row) -> Iterator[Problem]:
    """Yield what is wrong with a retail sale.

    Its payout, recorded or not, must be what the terms of its day give, in whole cents.
    """
    where = f"arithmetic of {row['transaction_id']}"
    gross, fee = Fraction(row["revenue_gross_usd"]), Fraction(row["transaction_fee_usd"])
    net = gross - fee - Fraction(row["affiliate_commission_usd"])
    if not 0 < net < gross:
        yield Problem(f"net {net} of {gross}", where)
    if terms := _terms_of(catalog, row):
        owed = _payout(terms, row["units"], net)
        recorded = row["vendor_payout_usd"]
        if owed * 100 % 1 or not 0 < owed < net or (recorded and Fraction(recorded) != owed):
            yield Problem(f"the terms give {owed} of {net}, recorded is {recorded!r}", where)


def _b2b(catalog: Catalog, row: Row) -> Iterator[Problem]:
    """Yield what is wrong with a b2b sale.

    Its gross must be units times price, and its terms those of its day; they must give whole cents.
    """
    where = f"arithmetic of {row['b2b_txn_id']}"
    gross = Fraction(row["revenue_gross_usd"])
    if int(row["unit_count"]) * Fraction(row["unit_price_usd"]) != gross:
        yield Problem("units times price is not the gross", where)
    owed = _payout(row, row["unit_count"], gross)
    if owed * 100 % 1 or not 0 < owed < gross:
        yield Problem(f"the payout {owed} is not in whole cents, or not less than {gross}", where)
    terms = _terms_of(catalog, row)
    if terms and any(terms[c] != row[c] for c in ("vendor_share_pct", "vendor_share_fixed_usd")):
        yield Problem("its terms are not those of the catalog on its day", where)
