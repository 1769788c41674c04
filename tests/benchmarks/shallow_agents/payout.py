"""Payout with little effort.

Of a vendor's listings the shallow agent takes the first with a product that begins with the name in
the ticket. It searches the retail and b2b sales for that listing, from the day of the ticket on. The
guess is lucky if a change happens to cover just the last sales.
"""

from collections import Counter
from collections.abc import Iterable
from decimal import Decimal

from shallow_agents.reading import (
    ROWS,
    Edit,
    Files,
    Row,
    by_name,
    named_rows,
    number,
    read_rows,
    rows,
    table,
    update,
)

from families.payout.solver import solve
from families.payout.solver.books import read_books
from families.payout.solver.ticket import read_ticket

CATALOG, SUPPLIERS = "catalog.csv", "suppliers.csv"
SALES, ORDERS = "transactions.csv", "b2b_details.csv"


def shallow(files: Files) -> str:
    """Return what the solver prints if it is given only what the shallow agent reads."""
    read = {**files, SUPPLIERS: table(files, SUPPLIERS, read_rows(files, SUPPLIERS, "supplier_name"))}
    ticket = read_ticket(files["ticket.md"], read_books(read))
    product, start = ticket.one("product"), min(ticket.all("date"), default="")
    catalog = [row for vendor in ticket.all("vendor") for row in first_listing(files, product, vendor)]
    read[CATALOG] = table(files, CATALOG, catalog)
    for file in (SALES, ORDERS):
        later = [row for row in rows(files, file) if row["sale_date"] >= start]
        found = [
            row
            for listing in dict.fromkeys(row["product_id"] for row in catalog)
            for row in [row for row in later if row["product_id"] == listing][:ROWS]
        ]
        read[file] = table(files, file, found)
    return solve(read, None)


def first_listing(files: Files, product: str, vendor: str) -> list[Row]:
    """Return the rows of the listing that the agent takes for that of the vendor and product."""
    content = rows(files, CATALOG)
    theirs = (row for row in content if row["supplier_id"] == vendor)
    hit = next((row for row in theirs if row["product_name"].startswith(product)), {})
    return [{**row, "product_name": product} for row in content if row["product_id"] == hit.get("product_id")]


def factor(files: Files) -> str:
    """Return the factor in the ticket; "" if there is none."""
    words = {
        "twice": "2",
        "double": "2",
        "three times": "3",
        "two and a half": "2.5",
        "one and a half": "1.5",
    }
    spelled = [number for word, number in words.items() if word in files["ticket.md"]]
    return (*spelled, number(files, r"(\d(?:\.\d+)?) times"))[0]


def correct(files: Files, sales: Iterable[Row]) -> list[Edit]:
    """Return edits of the sales by what the ticket has: an amount, a factor, or else the last vendor."""
    amount, times = number(files, r"(\d+\.\d\d)"), factor(files)
    product = (named_rows(files, CATALOG, "product_name") or rows(files, CATALOG))[0]["product_name"]
    vendor = (named_rows(files, SUPPLIERS, "supplier_name") or rows(files, SUPPLIERS))[-1]
    listings = [row for row in rows(files, CATALOG) if row["product_name"] == product]
    theirs = [row for row in listings if row["supplier_id"] == vendor["supplier_id"]] or listings
    edits = []
    for row in sales:
        gross, payout = Decimal(row["revenue_gross_usd"]), Decimal(row.get("vendor_payout_usd") or 0)
        name = {"supplier_name": vendor["supplier_name"]}
        name |= {column: theirs[0][column] for column in ("product_id", "sku")}
        if amount:
            units = row.get("units") or row["unit_count"]
            cells = {"vendor_payout_usd": str(Decimal(amount) * int(units))}
        elif times:
            cells = {"revenue_gross_usd": str(gross * Decimal(times))}
            cells["vendor_payout_usd"] = str(payout * Decimal(times))
        else:
            share = Decimal(theirs[0]["vendor_share_pct"] or 0)
            cells = {**name, "vendor_payout_usd": str(gross * share)}
        edits.append(update(SALES if "units" in row else ORDERS, row, **cells))
    return edits + into_the_catalog(files)


def into_the_catalog(files: Files) -> list[Edit]:
    """Return an edit that puts the amount in the ticket into the first catalog row that it names."""
    amount = number(files, r"(\d+\.\d\d)")
    found = named_rows(files, CATALOG, "product_name")[:1] if amount else []
    return [update(CATALOG, row, vendor_share_pct="", vendor_share_fixed_usd=amount) for row in found]


def sales_of_products(files: Files) -> list[Row]:
    """Return complete sales of all products in the ticket, retail before b2b."""
    ids = {row["product_id"] for row in named_rows(files, CATALOG, "product_name")}
    sales = [*rows(files, SALES), *rows(files, ORDERS)]
    return [row for row in sales if row["product_id"] in ids and row["status"] == "COMPLETE"]


def sales_of_vendors(files: Files) -> list[Row]:
    """Return those of these sales that were booked to a vendor in the ticket."""
    names = {row["supplier_name"] for row in named_rows(files, SUPPLIERS, "supplier_name")}
    return [row for row in sales_of_products(files) if row["supplier_name"] in names]


def first_sale(files: Files) -> list[Edit]:
    return correct(files, rows(files, SALES)[:1])


def last_sale(files: Files) -> list[Edit]:
    return correct(files, rows(files, SALES)[-1:])


def last_five_sales(files: Files) -> list[Edit]:
    return correct(files, rows(files, SALES)[-5:])


def all_of_the_product(files: Files) -> list[Edit]:
    return correct(files, sales_of_products(files))


def everything_in_ticket(files: Files) -> list[Edit]:
    return correct(files, sales_of_vendors(files))


def most_frequent_vendor(files: Files) -> list[Edit]:
    sales = rows(files, SALES)
    name = Counter(row["supplier_name"] for row in sales).most_common(1)[0][0]
    return correct(files, (row for row in sales if row["supplier_name"] == name))


def second_half_of_ticket(files: Files) -> list[Edit]:
    sales = [row for row in sales_of_vendors(files) if "units" in row]
    return correct(files, sales[len(sales) // 2 :])


SCRIPTS = by_name(
    first_sale, last_sale, last_five_sales, all_of_the_product, everything_in_ticket, most_frequent_vendor,
    into_the_catalog,
)  # fmt: skip
GUESSES = by_name(second_half_of_ticket)
