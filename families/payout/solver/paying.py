"""Which sales a ticket covers, and what is owed for them."""

from collections.abc import Callable, Collection
from datetime import date, timedelta
from fractions import Fraction

from families.payout.solver.books import Books, terms_on
from trapcli.answers.edits.solving.edits import counting_from
from trapcli.answers.edits.solving.tables import Row
from trapcli.answers.edits.solving.values import cents, dollars, half_up

PCT, FIXED = "vendor_share_pct", "vendor_share_fixed_usd"
GROSS, FEE, COMMISSION = "revenue_gross_usd", "transaction_fee_usd", "affiliate_commission_usd"
PAYOUT = "vendor_payout_usd"
SLIPS = {"all_dates": "all", "boundary_missed": "late", "day_before_touched": "early"}


def days_after(day: str, by: int) -> str:
    return (date.fromisoformat(day) + timedelta(days=by)).isoformat()


def covers(listings: Collection[str], start: str, mistake: str | None) -> Callable[[Row], bool]:
    """Whether a sale counts, is of one of the listings and falls under a change from the day `start` on.

    No `start` means all time.
    """
    before = days_after(start, -1) if start else ""
    in_time = counting_from("sale_date", start, SLIPS.get(mistake or ""), before)
    return lambda row: row["product_id"] in listings and row["status"] == "COMPLETE" and in_time(row)


def first_day(start: str, mistake: str | None) -> str:
    """The first day that is covered, of a change from the day `start` on."""
    return days_after(start, {"boundary_missed": 1, "day_before_touched": -1}.get(mistake or "", 0))


def terms_for(books: Books, listing: str, row: Row, mistake: str | None) -> Row:
    """The listing's terms on the day of a sale."""
    if mistake == "latest_terms":
        return books.catalog[listing][-1]
    return terms_on(books, listing, row["sale_date"])


def owed(terms: Row, sale: Row, mistake: str | None) -> str:
    """The payout of a retail sale at these terms, as a cell: a fixed amount for each unit, else a share."""
    if terms[FIXED]:
        units = 1 if mistake == "fixed_per_sale" else int(sale["units"])
        return dollars(cents(terms[FIXED]) * units)
    base = cents(sale[GROSS])
    if mistake != "fees_not_deducted":
        base -= cents(sale[FEE]) + cents(sale[COMMISSION])
    return dollars(half_up(Fraction(terms[PCT]) * base))


def multiplied(row: Row, column: str, times: Fraction) -> str:
    """The money cell of a row so many times as large."""
    return dollars(half_up(cents(row[column]) * times))
