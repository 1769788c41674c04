"""What each ticket asks for, as edits.

A mistake changes one rule, at the place where an agent would get it wrong.
"""

from collections.abc import Callable, Mapping
from fractions import Fraction

from families.payout.solver.books import Books, listing_of, listings_of, terms_on
from families.payout.solver.payouts import (
    COMMISSION,
    FEE,
    FIXED,
    GROSS,
    PAYOUT,
    PCT,
    first_day,
    multiply,
    payout,
    sale_coverage,
    terms_for,
)
from families.payout.solver.ticket import includes_b2b, only_value, wrong_and_right
from trapcli.answers.edits.solving.edits import Edit, insert, updates
from trapcli.answers.edits.solving.tables import Row, Unclear
from trapcli.answers.edits.solving.ticket import Ticket
from trapcli.answers.edits.solving.values import cents, dollars

Cells = Callable[[Row], Mapping[str, str]]


def rebook(books: Books, ticket: Ticket, mistake: str | None) -> list[Edit]:
    """Sales were booked to the wrong vendor: move each to the right listing, at the terms of its day."""
    product = ticket.one("product")
    listings = listings_of(books, product)
    suppliers = {books.catalog[key][0]["supplier_id"] for key in listings}
    wrong, right = wrong_and_right(ticket, [key for key in ticket.all("vendor") if key in suppliers])
    listing, booked = listing_of(books, product, right), [listing_of(books, product, wrong)]
    if mistake == "neighbour_touched":
        booked = [key for key in listings if key != listing]

    def move(row: Row, terms: Row, changes: Mapping[str, str]) -> dict[str, str]:
        """Return the cells that name the listing and the vendor, and the changes of what is paid."""
        if mistake == "lookup_only":
            return {"product_id": listing}
        name = books.suppliers[terms["supplier_id"]]["supplier_name"]
        cells = {"product_id": listing, "sku": terms["sku"], "supplier_name": name}
        if mistake == "baked_only":
            del cells["product_id"]
        return cells if mistake == "payout_stale" else {**cells, **changes}

    def sale(row: Row) -> dict[str, str]:
        terms = terms_for(books, listing, row, mistake)
        return move(row, terms, {PAYOUT: payout(terms, row, mistake)} if row[PAYOUT] else {})

    def order(row: Row) -> dict[str, str]:
        terms = terms_for(books, listing, row, mistake)
        return move(row, terms, {PCT: terms[PCT], FIXED: terms[FIXED]})

    if mistake == "listing_given_away":
        return _give_away(books, booked, right)
    is_covered = sale_coverage(booked, only_value(ticket, "date") if ticket.all("date") else "", mistake)
    return _sale_edits(
        books, is_covered, sale, order if includes_b2b(ticket, default=True) else None, mistake
    )


def reprice(books: Books, ticket: Ticket, mistake: str | None) -> list[Edit]:
    """A price is a multiple of the recorded one: edit the gross of the covered sales, and their payout."""
    listings, times = _listings_in_ticket(books, ticket, mistake), Fraction(only_value(ticket, "factor"))

    def sale(row: Row) -> dict[str, str]:
        cells = {GROSS: multiply(row, GROSS, times)}
        if mistake == "fees_scaled":
            cells |= {column: multiply(row, column, times) for column in (FEE, COMMISSION)}
        if row[PAYOUT] and mistake != "payout_stale":
            terms = terms_for(books, row["product_id"], row, mistake)
            cells[PAYOUT] = payout(terms, {**row, **cells}, mistake)
            if mistake == "payout_scaled":
                cells[PAYOUT] = multiply(row, PAYOUT, times)
        if mistake == "gross_stale":
            del cells[GROSS]
        return cells

    def order(row: Row) -> dict[str, str]:
        return {column: multiply(row, column, times) for column in ("unit_price_usd", GROSS)}

    is_covered = sale_coverage(listings, only_value(ticket, "date"), mistake)
    both = includes_b2b(ticket) != (mistake == "b2b_other_way")
    return _sale_edits(books, is_covered, sale, order if both else None, mistake)


def renegotiate(books: Books, ticket: Ticket, mistake: str | None) -> list[Edit]:
    """A share becomes a fixed amount for each unit: edit the catalog, and the sales from a day on."""
    listings, start = _listings_in_ticket(books, ticket, mistake), only_value(ticket, "date")
    terms = {PCT: "", FIXED: dollars(cents(only_value(ticket, "amount")))}

    def sale(row: Row) -> dict[str, str]:
        is_stated = row[PAYOUT] or mistake == "catalog_filled_in"
        return {PAYOUT: payout(terms, row, mistake)} if is_stated and mistake != "payout_stale" else {}

    def order(row: Row) -> dict[str, str]:
        return terms

    catalog = [edit for key in listings for edit in _catalog_edits(books, key, start, terms, mistake)]
    if mistake == "lookup_only":
        return catalog
    is_covered = sale_coverage(listings, start, mistake)
    sold = _sale_edits(
        books, is_covered, sale, order if includes_b2b(ticket, default=True) else None, mistake
    )
    return sold if mistake in ("catalog_forgotten", "catalog_filled_in") else [*catalog, *sold]


def _give_away(books: Books, listings: list[str], vendor: str) -> list[Edit]:
    """Return the edits that give listings to a vendor, and to their sales that vendor's name."""
    name = books.suppliers[vendor]["supplier_name"]
    rows = [row for listing in listings for row in books.catalog[listing]]
    is_covered = sale_coverage(listings, "", None)
    return [
        *updates("catalog.csv", rows, lambda row: {"supplier_id": vendor}, ("product_id", "effective_from")),
        *updates("transactions.csv", filter(is_covered, books.sales), lambda row: {"supplier_name": name}),
        *updates("b2b_details.csv", filter(is_covered, books.orders), lambda row: {"supplier_name": name}),
    ]


def _catalog_edits(
    books: Books, listing: str, start: str, terms: Mapping[str, str], mistake: str | None
) -> list[Edit]:
    """Return the edit of the catalog: a new row, unless a row of the listing begins on that very day."""
    newest = books.catalog[listing][-1]
    if mistake in ("catalog_in_place", "all_dates"):
        return updates("catalog.csv", [newest], lambda row: terms, ("product_id", "effective_from"))
    if newest["effective_from"] > start and mistake is None:
        raise Unclear(f"{listing} has other terms from {newest['effective_from']} on")
    first = first_day(start, mistake)
    current = terms_on(books, listing, first)
    if current["effective_from"] == first:
        return updates("catalog.csv", [current], lambda row: terms, ("product_id", "effective_from"))
    return [insert("catalog.csv", {**current, **terms, "effective_from": first})]


def _listings_in_ticket(books: Books, ticket: Ticket, mistake: str | None) -> list[str]:
    """Return the listing that the ticket is about; by mistake those of all vendors of the product."""
    product = ticket.one("product")
    listing = listing_of(books, product, ticket.one("vendor"))
    return listings_of(books, product) if mistake == "neighbour_touched" else [listing]


def _sale_edits(
    books: Books, is_covered: Callable[[Row], bool], sale: Cells, order: Cells | None, mistake: str | None
) -> list[Edit]:
    """Return an edit for each covered sale, retail and b2b.

    sale, order: return the new cells of a retail and of a b2b sale; without `order`, b2b is left out.
    """
    edits = updates("transactions.csv", filter(is_covered, books.sales), sale)
    if order and mistake != "b2b_forgotten":
        edits += updates("b2b_details.csv", filter(is_covered, books.orders), order)
    return edits
