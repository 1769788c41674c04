"""The reference solver on a small store, with answers worked out by hand."""

import json
from collections.abc import Mapping

import pytest

from families.payout.solver import solve
from families.payout.solver.ticket import find_factors

# Alder Foods was on 50% until March; Kiln Pantry is paid by the unit from 10 March on.
CATALOG = """\
product_id,sku,product_name,supplier_id,vendor_share_pct,vendor_share_fixed_usd,effective_from
P-1,S-1-AF,Date Syrup,V-1,0.50,,2024-06-01
P-1,S-1-AF,Date Syrup,V-1,0.60,,2025-03-01
P-2,S-2-KP,Date Syrup,V-2,0.40,,2024-07-01
P-2,S-2-KP,Date Syrup,V-2,,3.10,2025-03-10
P-3,S-3-AN,Date Syrup,V-3,0.70,,2024-08-01
P-4,S-4-AF,Date Syrup Reserve,V-1,0.55,,2024-06-01
"""
SUPPLIERS = """\
supplier_id,supplier_name,supplier_currency
V-1,Alder Foods,USD
V-2,Kiln Pantry,EUR
V-3,Alder Foods North,USD
V-4,Osprey Larder,GBP
"""
SALES = """\
transaction_id,product_id,sku,supplier_name,sale_date,units,revenue_gross_usd,transaction_fee_usd,\
affiliate_commission_usd,status,promo_id,bundle_name,vendor_payout_usd
T-1,P-1,S-1-AF,Alder Foods,2025-02-14,2,20.00,0.60,0.40,COMPLETE,,,9.50
T-2,P-1,S-1-AF,Alder Foods,2025-03-04,3,30.00,1.00,0.00,COMPLETE,PR-1,,17.40
T-3,P-1,S-1-AF,Alder Foods,2025-03-05,2,20.00,0.50,1.50,COMPLETE,,Picnic Box,10.80
T-4,P-2,S-2-KP,Kiln Pantry,2025-03-06,1,10.00,0.50,0.00,COMPLETE,,,3.80
T-5,P-1,S-1-AF,Alder Foods,2025-03-07,4,40.00,1.00,0.00,REFUNDED,,,23.40
T-6,P-3,S-3-AN,Alder Foods North,2025-03-08,2,20.00,1.00,0.00,COMPLETE,,,13.30
T-7,P-1,S-1-AF,Alder Foods,2025-03-12,5,50.00,1.50,0.50,COMPLETE,,,28.80
T-8,P-1,S-1-AF,Alder Foods,2025-03-13,2,20.00,0.50,0.50,COMPLETE,,,
T-9,P-4,S-4-AF,Alder Foods,2025-03-14,2,24.00,0.50,1.50,COMPLETE,,,12.10
"""
ORDERS = """\
b2b_txn_id,product_id,sku,supplier_name,sale_date,unit_count,unit_price_usd,revenue_gross_usd,\
vendor_share_pct,vendor_share_fixed_usd,status
B-1,P-1,S-1-AF,Alder Foods,2025-02-20,10,8.00,80.00,0.50,,COMPLETE
B-2,P-1,S-1-AF,Alder Foods,2025-03-09,10,8.00,80.00,0.60,,COMPLETE
B-3,P-1,S-1-AF,Alder Foods,2025-03-11,20,8.20,164.00,0.60,,COMPLETE
B-4,P-3,S-3-AN,Alder Foods North,2025-03-11,10,8.00,80.00,0.70,,COMPLETE
B-5,P-1,S-1-AF,Alder Foods,2025-03-12,10,8.00,80.00,0.60,,CANCELLED
"""


def store(ticket: str) -> dict[str, str]:
    """Return the files of a store with four vendors, and a ticket."""
    return {
        "ticket.md": ticket,
        "catalog.csv": CATALOG,
        "suppliers.csv": SUPPLIERS,
        "transactions.csv": SALES,
        "b2b_details.csv": ORDERS,
    }


Changes = dict[str, dict[str, str]]


def changes(text: str) -> Changes:
    """Return the edits of an answer as key of the row ("P-1 2025-03-01" in the catalog) -> cells."""
    found: Changes = {}
    for edit in json.loads(text):
        row = edit["row"] if edit["op"] == "insert" else edit["match"]
        columns = ("product_id", "effective_from") if edit["file"] == "catalog.csv" else row
        key = " ".join(row[column] for column in columns)
        assert key not in found, "two edits of one row"
        found[key] = row if edit["op"] == "insert" else edit["set"]
    return found


def without(right: Changes, *columns: str) -> Changes:
    """Return the changes without these columns."""
    left = {key: {c: cell for c, cell in cells.items() if c not in columns} for key, cells in right.items()}
    return {key: cells for key, cells in left.items() if cells}


def to_kiln(payout: str = "", **terms: str) -> dict[str, str]:
    """Return the cells of a sale that is moved to Kiln Pantry."""
    cells = {"product_id": "P-2", "sku": "S-2-KP", "supplier_name": "Kiln Pantry", **terms}
    return cells | ({"vendor_payout_usd": payout} if payout else {})


def share(pct: str = "", fixed: str = "") -> dict[str, str]:
    return {"vendor_share_pct": pct, "vendor_share_fixed_usd": fixed}


def at_price(gross: str, payout: str = "", price: str = "") -> dict[str, str]:
    """Return the cells of a sale at another price."""
    cells = {"revenue_gross_usd": gross, "vendor_payout_usd": payout, "unit_price_usd": price}
    return {column: cell for column, cell in cells.items() if cell}


BOOKED = """\
The Date Syrup that we have under Alder Foods was delivered by Kiln Pantry, all of it, ever. Put
it right in retail and b2b."""
REBOOKED = {
    "T-1": to_kiln("7.60"),
    "T-2": to_kiln("11.60"),
    "T-3": to_kiln("7.20"),
    "T-7": to_kiln("15.50"),
    "T-8": to_kiln(),
    "B-1": to_kiln(vendor_share_pct="0.40"),
    "B-2": to_kiln(vendor_share_pct="0.40"),
    "B-3": to_kiln(**share(fixed="3.10")),
}
SINCE = """\
Kiln Pantry took over Date Syrup from Alder Foods on 5 March 2025. Sales of that day and later,
b2b too, have to be booked to Kiln Pantry."""
REBOOKED_SINCE = {key: REBOOKED[key] for key in ("T-3", "T-7", "T-8", "B-2", "B-3")}
PRICE = """\
Alder Foods got us to charge one and a half times as much for Date Syrup in the shop from March 5, 2025
on. The tills did not know. B2b stays unchanged."""
PRICED = {"T-3": at_price("30.00", "16.80"), "T-7": at_price("75.00", "43.80"), "T-8": at_price("30.00")}
PRICE_OF_ALL = PRICE.replace("B2b stays unchanged.", "It is the same for business customers.")
ALL_PRICED = PRICED | {"B-2": at_price("120.00", price="12.00"), "B-3": at_price("246.00", price="12.30")}
TERMS = """\
Date Syrup: Alder Foods is on USD 4.25 for a piece since 2025-03-05 (retail, b2b, everything), no
longer on a percentage."""
AGREED = {
    "P-1 2025-03-05": {
        "product_id": "P-1",
        "sku": "S-1-AF",
        "product_name": "Date Syrup",
        "supplier_id": "V-1",
        **share(fixed="4.25"),
        "effective_from": "2025-03-05",
    },
    "T-3": {"vendor_payout_usd": "8.50"},
    "T-7": {"vendor_payout_usd": "21.25"},
    "B-2": share(fixed="4.25"),
    "B-3": share(fixed="4.25"),
}
RIGHT: Mapping[str, Changes] = {
    BOOKED: REBOOKED, SINCE: REBOOKED_SINCE, PRICE: PRICED, PRICE_OF_ALL: ALL_PRICED, TERMS: AGREED,
}  # fmt: skip


@pytest.mark.parametrize("ticket", RIGHT)
def test_tickets_in_other_words(ticket: str) -> None:
    """A ticket in words that are in no template is solved to the cent."""
    assert changes(solve(store(ticket))) == RIGHT[ticket]


@pytest.mark.parametrize("ticket", RIGHT)
@pytest.mark.parametrize(
    "aside",
    [
        "Please do not mix it up with Date Syrup from Alder Foods North, which stays as it is.",
        "I know that Date Syrup Reserve from Alder Foods sounds alike; leave that one alone.",
        "(Osprey Larder is happy with its payouts, by the way.)",
        "Morning, Osprey Larder asked something similar; that is a ticket of its own.",
    ],
)
def test_asides_decide_nothing(ticket: str, aside: str) -> None:
    """A remark that names others changes no edit, whether it comes before or after the request."""
    assert changes(solve(store(f"{aside}\n\n{ticket}\n"))) == RIGHT[ticket]
    assert changes(solve(store(f"{ticket} {aside}\n"))) == RIGHT[ticket]


@pytest.mark.parametrize(
    "sentence",
    [
        "Date Syrup is booked to {wrong} and belongs to {right}.",
        "Date Syrup comes from {right} instead of {wrong}.",
        "The vendor of what stands under {wrong} as Date Syrup should be {right}.",
        "{wrong} has never delivered any Date Syrup; it was stock of {right}.",
        "What we sold of Date Syrup was bought from {right}, not {wrong}.",
        "Please move the Date Syrup to {right}. {wrong} gets nothing for it.",
        "Rebook Date Syrup to {right}; it had been entered for {wrong}.",
        "Date Syrup has to be booked to {right} rather than {wrong}.",
    ],
)
def test_who_is_wrong_and_who_is_right(sentence: str) -> None:
    """The wrong vendor and the right one are recognised, whichever is named first."""
    there = changes(solve(store(sentence.format(wrong="Alder Foods", right="Kiln Pantry"))))
    back = changes(solve(store(sentence.format(wrong="Kiln Pantry", right="Alder Foods"))))
    assert there == REBOOKED
    assert list(back) == ["T-4"]


NORTH = {"sku": "S-2-KP", "supplier_name": "Kiln Pantry", "product_id": "P-2"}


@pytest.mark.parametrize(
    ("ticket", "mistake", "instead"),
    [
        (BOOKED, "lookup_only", {key: {"product_id": "P-2"} for key in REBOOKED}),
        (BOOKED, "baked_only", without(REBOOKED, "product_id")),
        (BOOKED, "payout_stale", without(REBOOKED, "vendor_payout_usd", *share())),
        (BOOKED, "fees_not_deducted", {
            "T-1": to_kiln("8.00"), "T-2": to_kiln("12.00"), "T-3": to_kiln("8.00")}),
        (BOOKED, "fixed_per_sale", {"T-7": to_kiln("3.10")}),
        (BOOKED, "latest_terms", {
            "T-1": to_kiln("6.20"), "T-2": to_kiln("9.30"), "T-3": to_kiln("6.20"),
            "B-1": to_kiln(**share(fixed="3.10")), "B-2": to_kiln(**share(fixed="3.10"))}),
        (BOOKED, "b2b_forgotten", dict.fromkeys(("B-1", "B-2", "B-3"))),
        (BOOKED, "neighbour_touched", {
            "T-6": {**NORTH, "vendor_payout_usd": "7.60"}, "B-4": {**NORTH, **share(fixed="3.10")}}),
        (SINCE, "all_dates", REBOOKED),
        (SINCE, "boundary_missed", {"T-3": None}),
        (SINCE, "day_before_touched", {"T-2": REBOOKED["T-2"]}),
        (PRICE, "payout_stale", without(PRICED, "vendor_payout_usd")),
        (PRICE, "gross_stale", {**without(PRICED, "revenue_gross_usd"), "T-8": None}),
        (PRICE, "payout_scaled", {"T-3": at_price("30.00", "16.20"), "T-7": at_price("75.00", "43.20")}),
        (PRICE, "fees_not_deducted", {"T-3": at_price("30.00", "18.00"), "T-7": at_price("75.00", "45.00")}),
        (PRICE, "fees_scaled", {
            "T-3": {**at_price("30.00", "16.20"), "transaction_fee_usd": "0.75",
                    "affiliate_commission_usd": "2.25"},
            "T-7": {**at_price("75.00", "43.20"), "transaction_fee_usd": "2.25",
                    "affiliate_commission_usd": "0.75"},
            "T-8": {**at_price("30.00"), "transaction_fee_usd": "0.75", "affiliate_commission_usd": "0.75"}}),
        (PRICE, "b2b_other_way", ALL_PRICED),
        (PRICE_OF_ALL, "b2b_other_way", {"B-2": None, "B-3": None}),
        (TERMS, "lookup_only", dict.fromkeys(("T-3", "T-7", "B-2", "B-3"))),
        (TERMS, "catalog_forgotten", {"P-1 2025-03-05": None}),
        (TERMS, "catalog_in_place", {"P-1 2025-03-05": None, "P-1 2025-03-01": share(fixed="4.25")}),
        (TERMS, "payout_stale", {"T-3": None, "T-7": None}),
        (TERMS, "fixed_per_sale", {key: {"vendor_payout_usd": "4.25"} for key in ("T-3", "T-7")}),
        (TERMS, "boundary_missed", {
            "P-1 2025-03-05": None, "T-3": None,
            "P-1 2025-03-06": {**AGREED["P-1 2025-03-05"], "effective_from": "2025-03-06"}}),
        (TERMS, "b2b_forgotten", {"B-2": None, "B-3": None}),
    ],
)  # fmt: skip
def test_a_mistake_is_that_one_mistake(
    ticket: str, mistake: str, instead: Mapping[str, dict[str, str] | None]
) -> None:
    """A mistake changes what its rule says, to the cent, and everything else stays right."""
    wanted = {key: cells for key, cells in {**RIGHT[ticket], **instead}.items() if cells is not None}
    assert changes(solve(store(ticket), mistake)) == wanted


def test_terms_from_the_day_of_an_older_change() -> None:
    """New terms that begin on the day of a catalog row replace the terms of this row."""
    found = changes(solve(store(TERMS.replace("2025-03-05", "2025-03-01"))))
    assert found["P-1 2025-03-01"] == share(fixed="4.25")
    assert found["T-2"] == {"vendor_payout_usd": "12.75"}


@pytest.mark.parametrize(
    ("ticket", "why"),
    [
        ("Hi all,\n\nOsprey Larder is happy with its payouts.", "does not ask for a known change"),
        ("Date Syrup of Alder Foods and Date Syrup of Kiln Pantry are wrong.", "which vendor is wrong"),
        (PRICE.replace("B2b stays unchanged.", ""), "whether it includes b2b"),
        (TERMS.replace("since 2025-03-05 ", ""), "names no date"),
        (SINCE + " Or was it 2025-03-06?", "may mean 2025-03-05 or 2025-03-06"),
        (PRICE_OF_ALL + " Twice as much, I think.", "may mean 3/2 or 2"),
        (TERMS.replace("2025-03-05", "2025-02-05"), "other terms from 2025-03-01"),
        (TERMS.replace("Alder Foods", "Osprey Larder"), "Osprey Larder has no listings of Date Syrup"),
        (BOOKED.replace("Kiln Pantry", "Osprey Larder"), "which vendor is wrong"),
    ],
)
def test_an_unclear_ticket_is_not_guessed(ticket: str, why: str) -> None:
    """If the files do not decide the answer, the solver says what is unclear instead of guessing."""
    output = solve(store(ticket))
    assert output.startswith("It is unclear what to do: ")
    assert why in output


@pytest.mark.parametrize(
    ("text", "times"),
    [
        ("twice the price, double it, or triple", ["2", "2", "3"]),
        ("2.5 times; two and a half times; three times", ["5/2", "5/2", "3"]),
        ("1.2x of that, 3-fold", ["6/5", "3"]),
        ("at times, some times, 2 timesheets, twiced, 3xy, 12.5, -3 times, at one time", []),
    ],
)
def test_how_many_times(text: str, times: list[str]) -> None:
    """A factor is read in its usual spellings; text that only looks like one is not read."""
    assert [value for _, _, value in find_factors(text)] == times
