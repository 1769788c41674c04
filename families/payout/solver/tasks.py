"""What each kind of ticket asks for, as edits.

A mistake switches one rule at the place where an agent would get it wrong.
"""

from collections.abc import Callable, Mapping
from fractions import Fraction

from families.payout.solver.books import Books, listing_of, listings_of, terms_on
from families.payout.solver.paying import (
    COMMISSION,
    FEE,
    FIXED,
    GROSS,
    PAYOUT,
    PCT,
    covers,
    first_day,
    multiplied,
    owed,
    terms_for,
)
from families.payout.solver.ticket import b2b_too, only, wrong_and_right
from trapcli.answers.edits.solving.edits import Edit, insert, updates
from trapcli.answers.edits.solving.tables import Row, Unclear
from trapcli.answers.edits.solving.ticket import Ticket
from trapcli.answers.edits.solving.values import cents, dollars

Cells = Callable[[Row], Mapping[str, str]]


def rebook(books: Books, ticket: Ticket, mistake: str | None) -> list[Edit]:
    """Sales were booked to the wrong vendor: each to the other's listing, at the terms of its day."""
    product = ticket.one("product")
    listings = listings_of(books, product)
    suppliers = {books.catalog[key][0]["supplier_id"] for key in listings}
    wrong, right = wrong_and_right(ticket, [key for key in ticket.all("vendor") if key in suppliers])
    listing, booked = listing_of(books, product, right), [listing_of(books, product, wrong)]
    if mistake == "neighbour_touched":
        booked = [key for key in listings if key != listing]

    def moved(row: Row, terms: Row, changes: Mapping[str, str]) -> dict[str, str]:
        """The cells that say whose sale it is, and the changes of what is owed."""
        if mistake == "lookup_only":
            return {"product_id": listing}
        name = books.suppliers[terms["supplier_id"]]["supplier_name"]
        cells = {"product_id": listing, "sku": terms["sku"], "supplier_name": name}
        if mistake == "baked_only":
            del cells["product_id"]
        return cells if mistake == "payout_stale" else {**cells, **changes}

    def sale(row: Row) -> dict[str, str]:
        terms = terms_for(books, listing, row, mistake)
        return moved(row, terms, {PAYOUT: owed(terms, row, mistake)} if row[PAYOUT] else {})

    def order(row: Row) -> dict[str, str]:
        terms = terms_for(books, listing, row, mistake)
        return moved(row, terms, {PCT: terms[PCT], FIXED: terms[FIXED]})

    covered = covers(booked, only(ticket, "date") if ticket.all("date") else "", mistake)
    return _sold(books, covered, sale, order if b2b_too(ticket, silent=True) else None, mistake)


def reprice(books: Books, ticket: Ticket, mistake: str | None) -> list[Edit]:
    """A price is a multiple of what was recorded: the gross of the sales covered, and what is owed."""
    listings, times = _concerned(books, ticket, mistake), Fraction(only(ticket, "factor"))

    def sale(row: Row) -> dict[str, str]:
        cells = {GROSS: multiplied(row, GROSS, times)}
        if mistake == "fees_scaled":
            cells |= {column: multiplied(row, column, times) for column in (FEE, COMMISSION)}
        if row[PAYOUT] and mistake != "payout_stale":
            terms = terms_for(books, row["product_id"], row, mistake)
            cells[PAYOUT] = owed(terms, {**row, **cells}, mistake)
            if mistake == "payout_scaled":
                cells[PAYOUT] = multiplied(row, PAYOUT, times)
        if mistake == "gross_stale":
            del cells[GROSS]
        return cells

    def order(row: Row) -> dict[str, str]:
        return {column: multiplied(row, column, times) for column in ("unit_price_usd", GROSS)}

    covered = covers(listings, only(ticket, "date"), mistake)
    both = b2b_too(ticket) != (mistake == "b2b_other_way")
    return _sold(books, covered, sale, order if both else None, mistake)


def renegotiate(books: Books, ticket: Ticket, mistake: str | None) -> list[Edit]:
    """A share becomes a fixed amount for each unit: in the catalog from a day on, and in the sales since."""
    listings, start = _concerned(books, ticket, mistake), only(ticket, "date")
    terms = {PCT: "", FIXED: dollars(cents(only(ticket, "amount")))}

    def sale(row: Row) -> dict[str, str]:
        return {PAYOUT: owed(terms, row, mistake)} if row[PAYOUT] and mistake != "payout_stale" else {}

    def order(row: Row) -> dict[str, str]:
        return terms

    catalog = [edit for key in listings for edit in _agreed(books, key, start, terms, mistake)]
    if mistake == "lookup_only":
        return catalog
    covered = covers(listings, start, mistake)
    sold = _sold(books, covered, sale, order if b2b_too(ticket, silent=True) else None, mistake)
    return sold if mistake == "catalog_forgotten" else [*catalog, *sold]


def _agreed(
    books: Books, listing: str, start: str, terms: Mapping[str, str], mistake: str | None
) -> list[Edit]:
    """The listing's new terms in the catalog: a row of their own, unless one begins on that very day."""
    newest = books.catalog[listing][-1]
    if mistake in ("catalog_in_place", "all_dates"):
        return updates("catalog.csv", [newest], lambda row: terms, ("product_id", "effective_from"))
    if newest["effective_from"] > start and mistake is None:
        raise Unclear(f"{listing} has other terms from {newest['effective_from']} on")
    first = first_day(start, mistake)
    standing = terms_on(books, listing, first)
    if standing["effective_from"] == first:
        return updates("catalog.csv", [standing], lambda row: terms, ("product_id", "effective_from"))
    return [insert("catalog.csv", {**standing, **terms, "effective_from": first})]


def _concerned(books: Books, ticket: Ticket, mistake: str | None) -> list[str]:
    """The listing that the ticket is about, as a list; by mistake every vendor's of the same product."""
    product = ticket.one("product")
    listing = listing_of(books, product, ticket.one("vendor"))
    return listings_of(books, product) if mistake == "neighbour_touched" else [listing]


def _sold(
    books: Books, covered: Callable[[Row], bool], sale: Cells, order: Cells | None, mistake: str | None
) -> list[Edit]:
    """An edit for each sale that is covered, retail and, unless there is no `order`, b2b."""
    edits = updates("transactions.csv", filter(covered, books.sales), sale)
    if order and mistake != "b2b_forgotten":
        edits += updates("b2b_details.csv", filter(covered, books.orders), order)
    return edits
