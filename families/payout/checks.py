"""What must hold for the tables of every payout case, as recorded and as they should be."""

from collections.abc import Iterator, Mapping
from fractions import Fraction

from trapcli.answers.edits.authoring.scenes import dangling
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


def audit(before: Tables, after: Tables) -> Iterator[Problem]:
    """Names that are not clear, records that contradict each other, amounts that are not in whole cents."""
    for tables in (before, after):
        yield from dangling(tables, LINKS)
        yield from _names(tables)
    for tables, every in ((before, True), (after, False)):
        catalog = _catalog(tables)
        vendors = {row["supplier_id"]: row["supplier_name"] for row in tables["suppliers.csv"]}
        for file, check in (("transactions.csv", _retail), ("b2b_details.csv", _b2b)):
            for row in tables[file]:
                if every or row["status"] == "COMPLETE":
                    yield from _as_listed(catalog, vendors, row)
                    yield from check(catalog, row)
    counted = [row for row in after["transactions.csv"] if row["status"] == "COMPLETE"]
    if all(row["vendor_payout_usd"] for row in counted):
        yield Problem("no sale has a blank payout", "fallback")


def _catalog(tables: Tables) -> Catalog:
    found: dict[str, list[Row]] = {}
    for row in sorted(tables["catalog.csv"], key=lambda row: row["effective_from"]):
        found.setdefault(row["product_id"], []).append(row)
    return found


def _names(tables: Tables) -> Iterator[Problem]:
    """A vendor is named once; a product stands once under a vendor, with one sku, whatever its terms."""
    vendors = [row["supplier_name"] for row in tables["suppliers.csv"]]
    if len(set(vendors)) < len(vendors):
        yield Problem("two vendors have one name", "suppliers.csv")
    columns = ("product_id", "sku", "product_name", "supplier_id")
    listings = {tuple(row[column] for column in columns) for row in tables["catalog.csv"]}
    for identity in (slice(0, 1), slice(1, 2), slice(2, 4)):
        if len({listing[identity] for listing in listings}) < len(listings):
            yield Problem("a product has two listings, or a listing two products", "catalog.csv")


def _in_force(catalog: Catalog, row: Row) -> Row | None:
    rows, day = catalog[row["product_id"]], row["sale_date"]
    return next((terms for terms in reversed(rows) if terms["effective_from"] <= day), None)


def _as_listed(catalog: Catalog, vendors: Mapping[str, str], row: Row) -> Iterator[Problem]:
    """A sale names the sku and the vendor of its product, which was listed on its day."""
    listing, where = _in_force(catalog, row), f"record of {next(iter(row.values()))}"
    if listing is None:
        yield Problem("its product was not listed yet", where)
    elif (row["sku"], row["supplier_name"]) != (listing["sku"], vendors[listing["supplier_id"]]):
        yield Problem("its sku or vendor is not that of its product", where)


def _owed(terms: Row, units: str, amount: Fraction) -> Fraction:
    if terms["vendor_share_fixed_usd"]:
        return Fraction(terms["vendor_share_fixed_usd"]) * int(units)
    return Fraction(terms["vendor_share_pct"]) * amount


def _retail(catalog: Catalog, row: Row) -> Iterator[Problem]:
    """The payout is what the terms of the day give, to the cent without rounding; so is one not recorded."""
    where = f"arithmetic of {row['transaction_id']}"
    gross, fee = Fraction(row["revenue_gross_usd"]), Fraction(row["transaction_fee_usd"])
    net = gross - fee - Fraction(row["affiliate_commission_usd"])
    if not 0 < net < gross:
        yield Problem(f"net {net} of {gross}", where)
    if terms := _in_force(catalog, row):
        owed = _owed(terms, row["units"], net)
        recorded = row["vendor_payout_usd"]
        if owed * 100 % 1 or not 0 < owed < net or (recorded and Fraction(recorded) != owed):
            yield Problem(f"the terms give {owed} of {net}, recorded is {recorded!r}", where)


def _b2b(catalog: Catalog, row: Row) -> Iterator[Problem]:
    """The gross is units times price; the terms are those of the day and give whole cents."""
    where = f"arithmetic of {row['b2b_txn_id']}"
    gross = Fraction(row["revenue_gross_usd"])
    if int(row["unit_count"]) * Fraction(row["unit_price_usd"]) != gross:
        yield Problem("units times price is not the gross", where)
    owed = _owed(row, row["unit_count"], gross)
    if owed * 100 % 1 or not 0 < owed < gross:
        yield Problem(f"the payout {owed} is not in whole cents, or not part of {gross}", where)
    terms = _in_force(catalog, row)
    if terms and any(terms[c] != row[c] for c in ("vendor_share_pct", "vendor_share_fixed_usd")):
        yield Problem("its terms are not those of the catalog on its day", where)
