"""Worlds of payout: what terms pay, and what a sale records."""

from dataclasses import replace

import pytest

from families.payout.store.world import Listing, Order, Sale, Supplier, Terms, World, tables, write_tables
from trapcli.answers.edits.authoring.scenes import History

TERMS = History((("2025-01-01", Terms(percent=60)), ("2025-03-10", Terms(fixed=215))))
WORLD = World(
    suppliers={"S-1": Supplier("Alder Farms", "EUR")},
    listings={"P-1": Listing("K-1", "Honey", "S-1", TERMS)},
    sales={
        "T-1": Sale("P-1", "2025-03-09", "COMPLETE", True, 2, 1100, 60, 40),
        "T-2": Sale("P-1", "2025-03-10", "COMPLETE", True, 2, 1100, 60, 40),
        "T-3": Sale("P-1", "2025-03-10", "COMPLETE", False, 2, 1100, 60, 40),
        "T-4": Sale("P-1", "2025-03-11", "REFUNDED", True, 3, 1650, 50, 0),
    },
    orders={
        "B-1": Order("P-1", "2025-03-09", "COMPLETE", 10, 440),
        "B-2": Order("P-1", "2025-03-11", "PENDING", 20, 420),
    },
)


def test_terms_pay_a_fixed_amount_for_each_unit_or_a_share() -> None:
    """A fixed amount is paid for each unit, a share of the amount; both are in cents."""
    assert Terms(fixed=215).payout(3, 1000) == 645
    assert Terms(percent=65).payout(3, 1020) == 663


def test_a_fraction_of_a_cent_is_refused() -> None:
    """A payout that would have to be rounded is a ValueError."""
    with pytest.raises(ValueError, match="65% of 1010 cents"):
        Terms(percent=65).payout(3, 1010)


def test_a_sale_records_the_terms_of_its_day() -> None:
    """Retail sales record the payout, unless it is not worked out yet, and b2b sales the terms."""
    found = tables(WORLD)
    assert [row["vendor_payout_usd"] for row in found["transactions.csv"]] == ["6.00", "4.30", "", "6.45"]
    shares = [(row["vendor_share_pct"], row["vendor_share_fixed_usd"]) for row in found["b2b_details.csv"]]
    assert shares == [("0.60", ""), ("", "2.15")]
    assert [row["revenue_gross_usd"] for row in found["b2b_details.csv"]] == ["44.00", "84.00"]


def test_the_catalog_has_a_row_for_each_step_of_the_terms() -> None:
    """A listing has one row for each day on which its terms changed."""
    rows = tables(WORLD)["catalog.csv"]
    terms = [
        (r["product_id"], r["vendor_share_pct"], r["vendor_share_fixed_usd"], r["effective_from"])
        for r in rows
    ]
    assert terms == [("P-1", "0.60", "", "2025-01-01"), ("P-1", "", "2.15", "2025-03-10")]


def test_a_sale_that_is_not_complete_stays_as_recorded() -> None:
    """New terms change the complete sales from their first day on, and no others."""
    listing = WORLD.listings["P-1"]
    other = replace(listing, terms=listing.terms.since("2025-03-10", Terms(fixed=300)))
    before, after = write_tables(WORLD, replace(WORLD, listings={"P-1": other}))
    assert [row["vendor_payout_usd"] for row in after["transactions.csv"]] == ["6.00", "6.00", "", "6.45"]
    assert after["b2b_details.csv"] == before["b2b_details.csv"]
