"""The tables of a case, read from its files, and look-ups in them."""

from collections.abc import Mapping
from dataclasses import dataclass

from trapcli.answers.edits.solving.tables import Row, Unclear, rows, rows_by_key


@dataclass(frozen=True, slots=True)
class Books:
    """The rows of the tables that matter.

    catalog: product_id -> rows, oldest first.
    """

    catalog: Mapping[str, tuple[Row, ...]]
    suppliers: Mapping[str, Row]
    sales: tuple[Row, ...]
    orders: tuple[Row, ...]


def read_books(files: Mapping[str, str]) -> Books:
    """Return the tables of a case; KeyError if one is missing."""
    catalog: dict[str, tuple[Row, ...]] = {}
    for row in sorted(rows(files["catalog.csv"]), key=lambda row: row["effective_from"]):
        catalog[row["product_id"]] = (*catalog.get(row["product_id"], ()), row)
    suppliers = rows_by_key(files["suppliers.csv"])
    return Books(catalog, suppliers, rows(files["transactions.csv"]), rows(files["b2b_details.csv"]))


def listing_of(books: Books, product: str, supplier: str) -> str:
    """Return the product_id under which the supplier lists the product; Unclear unless there is just one."""
    found = [key for key in listings_of(books, product) if books.catalog[key][0]["supplier_id"] == supplier]
    if len(found) != 1:
        name = books.suppliers[supplier]["supplier_name"]
        raise Unclear(f"{name} has {len(found) or 'no'} listings of {product}")
    return found[0]


def listings_of(books: Books, product: str) -> list[str]:
    """Return the product_ids of a product, of all suppliers."""
    return [key for key, terms in books.catalog.items() if terms[0]["product_name"] == product]


def terms_on(books: Books, listing: str, day: str) -> Row:
    """Return the catalog row of the listing that is in force on the day; Unclear if none is yet."""
    for terms in reversed(books.catalog[listing]):
        if terms["effective_from"] <= day:
            return terms
    raise Unclear(f"{listing} has no terms on {day}")
