"""What the audit of payout finds in tables that do not hold together."""

from functools import cache

import pytest

from families.payout import FAMILY, Knobs
from families.payout.checks import audit
from trapcli.answers.edits.judging.applied_edits import apply_edits
from trapcli.answers.edits.tables import Row

Books = dict[str, list[Row]]


@cache
def _case() -> tuple[Books, Books]:
    case = FAMILY.generate("7", Knobs(), 3)
    before = FAMILY.read_tables(case.files)
    return before, {
        name: list(rows) for name, rows in apply_edits(FAMILY.schema, before, case.gold).tables.items()
    }


def books() -> tuple[Books, Books]:
    """The tables of a case as recorded and as they should be, free to be changed."""
    before, after = ({name: [dict(row) for row in rows] for name, rows in side.items()} for side in _case())
    return before, after


def complete(rows: list[Row], recorded: bool = True) -> Row:
    """A sale that counts, with a recorded payout or without one."""
    return next(
        r for r in rows if r["status"] == "COMPLETE" and bool(r.get("vendor_payout_usd", "1")) == recorded
    )


def found(before: Books, after: Books) -> str:
    return "\n".join(map(str, audit(before, after)))


def test_a_generated_case_has_no_problem() -> None:
    """The audit passes what the family generates."""
    assert found(*books()) == ""


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
    """A changed cell of a sale that counts is named, in either state of the tables."""
    both = books()
    row = complete(both[side][file])
    if column == "vendor_share_pct":
        row["vendor_share_fixed_usd"] = ""
    row[column] = value
    if column == "product_id":
        with pytest.raises(KeyError):
            found(*both)
        assert problem in str(next(iter(audit(*both))))
        return
    assert problem in found(*both)


def test_a_payout_that_would_be_rounded_is_found() -> None:
    """Terms that give a fraction of a cent on a sale without a recorded payout are refused."""
    before, after = books()
    row = complete(after["transactions.csv"], recorded=False)
    for tables in (before, after):
        for listing in tables["catalog.csv"]:
            if listing["product_id"] == row["product_id"]:
                listing |= {"vendor_share_pct": "0.3333", "vendor_share_fixed_usd": ""}
    assert "the terms give" in found(before, after)


def test_a_vendor_has_a_name_of_its_own() -> None:
    """Two vendors of one name could not be told apart in a ticket."""
    before, after = books()
    before["suppliers.csv"][0]["supplier_name"] = before["suppliers.csv"][1]["supplier_name"]
    assert "two vendors have one name" in found(before, after)


def test_a_vendor_lists_a_product_once() -> None:
    """A product that stands twice under a vendor could not be told apart in a ticket."""
    before, after = books()
    row = after["catalog.csv"][0]
    after["catalog.csv"].append({**row, "product_id": "PID-9999", "sku": "SKU-9999-ZZ"})
    assert "two listings" in found(before, after)


def test_some_sale_falls_back_to_the_catalog() -> None:
    """A case in which every payout is recorded would not need the catalog's terms."""
    before, after = books()
    after["transactions.csv"] = [r for r in after["transactions.csv"] if r["vendor_payout_usd"]]
    assert "no sale has a blank payout" in found(before, after)


def test_what_does_not_count_need_not_follow() -> None:
    """A sale that is not complete keeps its record when the terms change."""
    before, after = books()
    for row in after["transactions.csv"]:
        if row["status"] != "COMPLETE":
            row["vendor_payout_usd"] = "0.01"
    assert found(before, after) == ""
