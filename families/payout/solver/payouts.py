"""Which sales a ticket covers, and what is paid for them."""

from collections.abc import Callable, Collection
from datetime import date, timedelta
from fractions import Fraction

from families.payout.solver.books import Books, terms_on
from trapcli.answers.edits.solving.edits import coverage
from trapcli.answers.edits.solving.tables import Row
from trapcli.answers.edits.solving.values import cents, dollars, round_half_up

PCT, FIXED = "vendor_share_pct", "vendor_share_fixed_usd"
GROSS, FEE, COMMISSION = "revenue_gross_usd", "transaction_fee_usd", "affiliate_commission_usd"
PAYOUT = "vendor_payout_usd"
# Mistakes about the days that a change covers -> how `coverage` makes them.
SHIFTS = {"all_dates": "all", "boundary_missed": "late", "day_before_touched": "early"}


def days_after(day: str, by: int) -> str:
    """Return the day ("YYYY-MM-DD") `by` days later; earlier if negative."""
    return (date.fromisoformat(day) + timedelta(days=by)).isoformat()


def sale_coverage(listings: Collection[str], start: str, mistake: str | None) -> Callable[[Row], bool]:
    """Return a function that says whether a sale is covered: it counts, has one of the listings, is in time.

    start: the first day of the change, or "" for all time.
    """
    before = days_after(start, -1) if start else ""
    in_time = coverage("sale_date", start, SHIFTS.get(mistake or ""), before)
    every = mistake == "incomplete_touched"
    return lambda row: (
        row["product_id"] in listings and (every or row["status"] == "COMPLETE") and in_time(row)
    )


def first_day(start: str, mistake: str | None) -> str:
    """Return the first day of new terms that hold from the day `start` on, with this mistake."""
    shifts = {"boundary_missed": 1, "catalog_late": 1, "day_before_touched": -1}
    return days_after(start, shifts.get(mistake or "", 0))


def terms_for(books: Books, listing: str, row: Row, mistake: str | None) -> Row:
    """Return the listing's terms on the day of a sale."""
    if mistake == "latest_terms":
        return books.catalog[listing][-1]
    return terms_on(books, listing, row["sale_date"])


def payout(terms: Row, sale: Row, mistake: str | None) -> str:
    """Return the payout of a retail sale as a cell: a fixed amount for each unit, or else a share."""
    if terms[FIXED]:
        units = 1 if mistake == "fixed_per_sale" else int(sale["units"])
        return dollars(cents(terms[FIXED]) * units)
    base = cents(sale[GROSS])
    if mistake != "fees_not_deducted":
        base -= cents(sale[FEE]) + cents(sale[COMMISSION])
    return dollars(round_half_up(Fraction(terms[PCT]) * base))


def multiply(row: Row, column: str, times: Fraction) -> str:
    """Return a money cell of a row, multiplied."""
    return dollars(round_half_up(cents(row[column]) * times))
