"""The two reports on a small store, with figures worked out by hand."""

from collections.abc import Callable, Sequence

import pytest

from families.payout.report_scripts import itemised_statement, vendor_statement
from families.payout.tables import TABLES
from trapcli.answers.edits.tables import Row, read_table

FILES = {
    "catalog.csv": """\
product_id,sku,product_name,supplier_id,vendor_share_pct,vendor_share_fixed_usd,effective_from
P-1,K-1,Honey,S-1,0.60,,2025-01-01
P-1,K-1,Honey,S-1,,2.00,2025-03-10
P-2,K-2,Honey,S-2,0.50,,2025-01-01
""",
    "suppliers.csv": """\
supplier_id,supplier_name,supplier_currency
S-1,Alder Farms,USD
S-2,Briar Foods,EUR
""",
    "transactions.csv": """\
transaction_id,product_id,sku,supplier_name,sale_date,units,revenue_gross_usd,transaction_fee_usd,\
affiliate_commission_usd,status,promo_id,bundle_name,vendor_payout_usd
T-1,P-1,K-1,Alder Farms,2025-03-09,2,11.00,0.50,0.50,COMPLETE,,,
T-2,P-1,K-1,Alder Farms,2025-03-10,3,16.50,0.70,0.00,COMPLETE,,,
T-3,P-2,K-old,Another Name,2025-03-11,1,5.00,0.20,0.00,COMPLETE,,,2.4
T-4,P-2,K-2,Briar Foods,2025-03-12,1,5.00,0.20,0.00,REFUNDED,,,2.40
""",
    "b2b_details.csv": """\
b2b_txn_id,product_id,sku,supplier_name,sale_date,unit_count,unit_price_usd,revenue_gross_usd,vendor_share_pct,\
vendor_share_fixed_usd,status
B-1,P-2,K-2,Briar Foods,2025-03-08,10,4.00,40.00,0.40,,COMPLETE
B-2,P-2,K-2,Briar Foods,2025-03-13,10,4.00,40.00,0.40,1.50,COMPLETE
B-3,P-2,K-2,Briar Foods,2025-03-13,10,4.00,40.00,0.40,,PENDING
""",
}
SCHEMA = {table.name: table for table in TABLES}
Change = tuple[str, str, str]  # a file, a text in it, and what replaces this text


def reader(*changes: Change) -> Callable[[str], Sequence[Row]]:
    """Return the `read` of a report over the store's files with these changes."""
    files = dict(FILES)
    for file, old, new in changes:
        assert old in files[file]
        files[file] = files[file].replace(old, new)
    return lambda name: read_table(SCHEMA[name], files[name])


def itemised(*changes: Change) -> dict[str, list[str]]:
    return {line[0]: line[1:] for line in itemised_statement.report(reader(*changes))[1:]}


def by_vendor(*changes: Change) -> dict[str, list[str]]:
    return {line[0]: line[1:] for line in vendor_statement.report(reader(*changes))[1:]}


def test_a_vendor_is_owed_what_its_products_sold() -> None:
    """Vendors are looked up; payouts are taken as recorded, or else worked out at the terms of the day."""
    assert vendor_statement.report(reader()) == [
        ["supplier_name", "transaction_count", "revenue_usd", "deductions_usd", "net_usd", "payout_usd"],
        ["Alder Farms", "2", "27.50", "1.70", "25.80", "12.00"],  # 60% of 10.00, and 3 at 2.00
        ["Briar Foods", "3", "85.00", "0.20", "84.80", "33.40"],  # 2.40, 40% of 40.00, 10 at 1.50
    ]


def test_every_sale_is_listed_as_recorded() -> None:
    """The itemised statement shows sku, vendor and status as recorded, sorted by day and id."""
    columns = "txn_id sale_date sku channel supplier_name units unit_price_usd revenue_usd deductions_usd"
    briar, alder = ("b2b", "Briar Foods", "10", "4.00", "40.00", "0.00"), ("retail", "Alder Farms")
    assert itemised_statement.report(reader()) == [
        [*columns.split(), "payout_usd", "status"],
        ["B-1", "2025-03-08", "K-2", *briar, "16.00", "COMPLETE"],
        ["T-1", "2025-03-09", "K-1", *alder, "2", "", "11.00", "1.00", "6.00", "COMPLETE"],
        ["T-2", "2025-03-10", "K-1", *alder, "3", "", "16.50", "0.70", "6.00", "COMPLETE"],
        ["T-3", "2025-03-11", "K-old", "retail", "Another Name", "1", "", "5.00", "0.20", "2.40", "COMPLETE"],
        ["T-4", "2025-03-12", "K-2", "retail", "Briar Foods", "1", "", "5.00", "0.20", "2.40", "REFUNDED"],
        ["B-2", "2025-03-13", "K-2", *briar, "15.00", "COMPLETE"],
        ["B-3", "2025-03-13", "K-2", *briar, "16.00", "PENDING"],
    ]


def test_terms_of_a_new_date_leave_the_sales_before_it() -> None:
    """A new catalog row applies from its day on, this day included."""
    row = "P-1,K-1,Honey,S-1,,2.00,2025-03-10\n"
    new = ("catalog.csv", row, f"{row}P-1,K-1,Honey,S-1,0.10,,2025-03-12\n")
    assert itemised(new) == itemised()
    assert by_vendor(new) == by_vendor()
    earlier = ("catalog.csv", row, f"{row}P-1,K-1,Honey,S-1,0.10,,2025-03-09\n")
    assert itemised(earlier)["T-1"][-2] == "1.00"
    assert itemised(earlier)["T-2"][-2] == "6.00"


def test_the_order_of_catalog_rows_decides_nothing() -> None:
    """The newest row that is not after the sale applies, wherever it is in the file."""
    first, second = "P-1,K-1,Honey,S-1,0.60,,2025-01-01\n", "P-1,K-1,Honey,S-1,,2.00,2025-03-10\n"
    assert by_vendor(("catalog.csv", first + second, second + first)) == by_vendor()


def test_a_recorded_payout_does_not_follow_the_catalog() -> None:
    """Other terms change only payouts that are not recorded."""
    changed = ("catalog.csv", "P-2,K-2,Honey,S-2,0.50", "P-2,K-2,Honey,S-2,0.90")
    assert by_vendor(changed) == by_vendor()
    blank = ("transactions.csv", "COMPLETE,,,2.4\n", "COMPLETE,,,\n")
    assert itemised(blank)["T-3"][-2] == "2.40"  # 50% of 4.80
    assert itemised(blank, changed)["T-3"][-2] == "4.32"


def test_only_the_lookup_follows_the_product() -> None:
    """A sale under another product_id goes to that vendor, and is itemised as it was."""
    moved = ("transactions.csv", "T-3,P-2,", "T-3,P-1,")
    assert by_vendor(moved)["Alder Farms"] == ["3", "32.50", "1.90", "30.60", "14.40"]
    assert itemised(moved) == itemised()


@pytest.mark.parametrize("spelling", ["2.4", "2.40", "2.400", "2.404", "2.3951", "+2.4"])
def test_money_is_printed_as_its_cents(spelling: str) -> None:
    """A recorded payout counts and prints as cents, rounded half-up, however it is spelled."""
    assert by_vendor(("transactions.csv", ",,2.4\n", f",,{spelling}\n")) == by_vendor()
    assert itemised(("transactions.csv", ",,2.4\n", f",,{spelling}\n")) == itemised()


def test_units_are_printed_in_one_form() -> None:
    """A whole number is printed without decimal places; anything else is printed as it is."""
    assert itemised(("b2b_details.csv", "2025-03-13,10,4.00", "2025-03-13,10.0,4.00"))["B-2"][4] == "10"
    assert itemised(("transactions.csv", "2025-03-11,1,", "2025-03-11,1.5,"))["T-3"][4] == "1.5"
    assert itemised(("transactions.csv", "2025-03-11,1,", "2025-03-11,1e999,"))["T-3"][4] == "1e999"


def test_text_in_place_of_a_recorded_payout() -> None:
    """Text that is not a number is listed as it is, and cannot be added up."""
    broken = ("transactions.csv", ",,2.4\n", ",,unknown\n")
    assert itemised(broken)["T-3"][-2] == "unknown"
    with pytest.raises(ArithmeticError):
        by_vendor(broken)


@pytest.mark.parametrize(
    "change",
    [
        ("transactions.csv", "T-4,P-2", "T-3,P-2"),
        ("b2b_details.csv", "B-3,P-2", "B-2,P-2"),
        ("catalog.csv", "2.00,2025-03-10", "2.00,2025-01-01"),
    ],
)
def test_a_repeated_key_is_an_error(change: Change) -> None:
    """Two rows with one key fail both reports, even if one of them does not count."""
    for report in (itemised_statement, vendor_statement):
        with pytest.raises(ValueError, match="two rows with"):
            report.report(reader(change))


def test_a_sale_before_its_product_was_listed_is_an_error() -> None:
    """Before its first catalog row a product has no terms and no vendor."""
    late = ("catalog.csv", "P-1,K-1,Honey,S-1,0.60,,2025-01-01", "P-1,K-1,Honey,S-1,0.60,,2025-03-11")
    for report in (itemised_statement, vendor_statement):
        with pytest.raises(ValueError, match="no catalog row of P-1 on 2025-03-09"):
            report.report(reader(late))
