"""What the checks of payout find in tables that contradict each other."""

from functools import cache

import pytest

from families.payout import FAMILY
from families.payout.checks import find_problems
from families.payout.knobs import Knobs
from trapcli.answers.edits.judging.applied_edits import apply_edits
from trapcli.answers.edits.tables import Row

Books = dict[str, list[Row]]


@cache
def read_case() -> tuple[Books, Books]:
    case = FAMILY.generate("7", Knobs(), 3)
    before = FAMILY.answers.read_tables(case)
    return before, {
        name: list(rows)
        for name, rows in apply_edits(FAMILY.answers.schema, before, case.gold).tables.items()
    }


def books() -> tuple[Books, Books]:
    """Return the tables of a case as recorded and as they should be, as copies."""
    before, after = (
        {name: [dict(row) for row in rows] for name, rows in side.items()} for side in read_case()
    )
    return before, after


def complete(rows: list[Row], recorded: bool = True) -> Row:
    """Return a sale that counts, with or without a recorded payout."""
    return next(
        r for r in rows if r["status"] == "COMPLETE" and bool(r.get("vendor_payout_usd", "1")) == recorded
    )


def problems(before: Books, after: Books) -> str:
    """Return what the checks find, one problem a line."""
    return "\n".join(map(str, find_problems(before, after)))


def test_a_generated_case_has_no_problem() -> None:
    """The checks find nothing in a generated case."""
    assert problems(*books()) == ""


@pytest.mark.parametrize("side", [0, 1], ids=["as recorded", "as it should be"])
@pytest.mark.parametrize(
    ("file", "column", "value", "problem"),
    [
        ("transactions.csv", "product_id", "PID-1", "PID-1 is not in catalog.csv"),
        ("transactions.csv", "sku", "SKU-1", "not that of its product"),
        ("transactions.csv", "supplier_name", "Nobody", "not that of its product"),
        ("transactions.csv", "sale_date", "1999-01-01", "not listed yet"),
        ("transactions.csv", "vendor_payout_usd", "0.01", "recorded is '0.01'"),
        ("transactions.csv", "transaction_fee_usd", "9999.00", "net"),
        ("b2b_details.csv", "revenue_gross_usd", "1.00", "units times price is not the gross"),
        ("b2b_details.csv", "vendor_share_pct", "0.123456", "whole cents"),
        ("b2b_details.csv", "vendor_share_pct", "0.10", "not those of the catalog"),
    ],
)
def test_a_record_that_contradicts_the_others_is_found(
    file: str, column: str, value: str, problem: str, side: int
) -> None:
    """A changed cell of a sale that counts is found, before and after the right edits."""
    both = books()
    row = complete(both[side][file])
    if column == "vendor_share_pct":
        row["vendor_share_fixed_usd"] = ""
    row[column] = value
    if column == "product_id":
        with pytest.raises(KeyError):
            problems(*both)
        assert problem in str(next(iter(find_problems(*both))))
        return
    assert problem in problems(*both)


def test_a_payout_that_would_be_rounded_is_found() -> None:
    """Terms that give a fraction of a cent on a sale without a recorded payout are refused."""
    before, after = books()
    row = complete(after["transactions.csv"], recorded=False)
    for tables in (before, after):
        for listing in tables["catalog.csv"]:
            if listing["product_id"] == row["product_id"]:
                listing |= {"vendor_share_pct": "0.3333", "vendor_share_fixed_usd": ""}
    assert "the terms give" in problems(before, after)


def test_a_vendor_has_a_name_of_its_own() -> None:
    """Two vendors with one name could not be distinguished in a ticket."""
    before, after = books()
    before["suppliers.csv"][0]["supplier_name"] = before["suppliers.csv"][1]["supplier_name"]
    assert "two vendors have one name" in problems(before, after)


def test_a_vendor_lists_a_product_once() -> None:
    """A product that a vendor lists twice could not be distinguished in a ticket."""
    before, after = books()
    row = after["catalog.csv"][0]
    after["catalog.csv"].append({**row, "product_id": "PID-9999", "sku": "SKU-9999-ZZ"})
    assert "two listings" in problems(before, after)


def test_a_case_without_blank_payouts_is_found() -> None:
    """If every payout were recorded, the terms in the catalog would not matter."""
    before, after = books()
    after["transactions.csv"] = [r for r in after["transactions.csv"] if r["vendor_payout_usd"]]
    assert "no sale has a blank payout" in problems(before, after)


def test_a_sale_that_does_not_count_may_keep_its_record() -> None:
    """A sale that is not complete keeps its record when the terms change."""
    before, after = books()
    for row in after["transactions.csv"]:
        if row["status"] != "COMPLETE":
            row["vendor_payout_usd"] = "0.01"
    assert problems(before, after) == ""
