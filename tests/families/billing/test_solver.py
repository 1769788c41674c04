"""The reference solver on a small company, with answers worked out by hand."""

import json
from collections.abc import Mapping

import pytest

from families.billing.solver import solve

REGIONS = "region_id,region_name,tax_rate_pct\nR-1,Marston,8.2\nR-2,Lorne,5.4\nR-3,Lorne Shore,9.1\n"
CUSTOMERS = """\
customer_id,customer_name,region_id,signup_date
C-1,Alder Foods,R-1,2024-05-02
C-2,Alder Foods East,R-1,2024-06-11
C-3,Kiln Media,R-2,2024-07-20
"""
PLANS = """\
plan_id,plan_name,tier_id,base_price_usd
P-1,Atlas,T-1,200.00
P-2,Atlas Plus,T-1,300.00
P-3,Nova,T-1,120.00
P-4,Nova Plus,T-1,180.00
"""
ADDONS = "addon_id,addon_name,addon_price_usd\nA-1,Help Desk,20.00\nA-2,Help Desk Pro,35.00\n"
CODES = """\
code,discount_pct,discount_fixed_usd,expires_on
FLAT,,15.00,2025-12-28
LOYAL5,0.20,,2025-12-28
SPRING20,0.10,,2025-12-28
"""
# Until March S-3 had the code FLAT, and its customer was in Lorne.
SUBSCRIPTIONS = """\
subscription_id,customer_id,plan_id,addon_ids,discount_code,status,start_date
S-1,C-1,P-1,A-1,SPRING20,active,2024-12-01
S-2,C-1,P-3,,,active,2024-12-01
S-3,C-2,P-1,,LOYAL5,active,2024-12-01
S-4,C-3,P-2,A-2,LOYAL5,active,2024-12-01
"""
HEADER = (
    "invoice_id,subscription_id,period,baked_customer_name,baked_plan_name,baked_addon_names,baked_base_price_usd,"
    "baked_addon_total_usd,baked_discount_applied_usd,baked_tax_usd,baked_total_usd,status\n"
)
ISSUED = """\
I-{m}1,S-1,2025-0{m},Alder Foods,Atlas,Help Desk,200.00,20.00,22.00,16.24,214.24,paid
I-{m}2,S-2,2025-0{m},Alder Foods,Nova,,120.00,0.00,0.00,9.84,129.84,open
I-{m}3,S-3,2025-0{m},Alder Foods East,Atlas,,200.00,0.00,15.00,9.99,194.99,paid
I-{m}4,S-4,2025-0{m},Kiln Media,Atlas Plus,Help Desk Pro,300.00,35.00,67.00,14.47,282.47,paid
"""
DRAFTS = """\
I-41,S-1,2025-04,Alder Foods,Atlas,Help Desk,200.00,20.00,22.00,,,draft
I-42,S-2,2025-04,Alder Foods,Nova,,120.00,0.00,0.00,,,draft
"""


def company(ticket: str) -> dict[str, str]:
    """Return the files of a company with three customers, and a ticket."""
    return {
        "ticket.md": ticket,
        "customers.csv": CUSTOMERS,
        "subscriptions.csv": SUBSCRIPTIONS,
        "plans.csv": PLANS,
        "addons.csv": ADDONS,
        "discount_codes.csv": CODES,
        "regions.csv": REGIONS,
        "invoices.csv": HEADER + "".join(ISSUED.format(m=month) for month in (1, 2, 3)) + DRAFTS,
    }


def changes(text: str) -> dict[str, dict[str, str]]:
    """Return the edits of an answer as key of the row ("new" for an inserted one) -> cells."""
    found = {}
    for edit in json.loads(text):
        key = "new" if edit["op"] == "insert" else next(iter(edit["match"].values()))
        assert key not in found, "two edits of one row"
        found[key] = edit["row"] if edit["op"] == "insert" else edit["set"]
    return found


def figures(
    base: str = "", discount: str = "", tax: str = "", total: str = "", **more: str
) -> dict[str, str]:
    """Return the cells of an invoice that change."""
    money = {"base_price": base, "discount_applied": discount, "tax": tax, "total": total}
    return {f"baked_{name}_usd": cell for name, cell in money.items() if cell} | {
        f"baked_{name}_name": cell for name, cell in more.items()
    }


MOVE = """\
Alder Foods has been at home in Lorne, not Marston, since 15 January 2025. Fix the account
and the issued invoices."""
MOVED = {
    "C-1": {"region_id": "R-2"},
    "I-21": figures(tax="10.69", total="208.69"),
    "I-22": figures(tax="6.48", total="126.48"),
    "I-31": figures(tax="10.69", total="208.69"),
    "I-32": figures(tax="6.48", total="126.48"),
}
PRICE = """\
Atlas is $250.00 as of the March 2025 invoices. Flat discounts stay, the others follow.
Restate what is out."""
PRICED = {
    "P-1": {"base_price_usd": "250.00"},
    "I-31": figures("250.00", "27.00", "19.93", "262.93"),
    "I-33": figures("250.00", tax="12.69", total="247.69"),
    "I-41": figures("250.00", "27.00"),
}
BRAND = 'We sell "Help Desk" as "Care Line" now, for 24 dollars. No backfill.'
BRANDED = {"A-1": {"addon_name": "Care Line", "addon_price_usd": "24.00"}}
CODE = """\
SPRING20 is worth 12 percent, not 10 percent. The 2025-03 invoice of Alder Foods was made
out with it."""
CODED = {"SPRING20": {"discount_pct": "0.12"}, "I-31": figures("", "26.40", "15.88", "209.48")}
HANDOVER = """\
Effective March 1, 2025 the Atlas subscription of Alder Foods is Osprey Labs'. Osprey Labs
is new, in Lorne."""
OSPREY = {"customer_name": "Osprey Labs", "region_id": "R-2"}
HANDED = {
    "new": {"customer_id": "C-4", **OSPREY, "signup_date": "2025-03-01"},
    "S-1": {"customer_id": "C-4"},
    "I-31": figures(tax="10.69", total="208.69", customer="Osprey Labs"),
    "I-41": figures(customer="Osprey Labs"),
}
UPGRADE = """\
From February 2025 Alder Foods has Atlas Plus instead of Nova, with code LOYAL5. Subscription
and invoices, please."""
UPGRADED = {
    "S-2": {"plan_id": "P-2", "discount_code": "LOYAL5"},
    "I-22": figures("300.00", "60.00", "19.68", "259.68", plan="Atlas Plus"),
    "I-32": figures("300.00", "60.00", "19.68", "259.68", plan="Atlas Plus"),
    "I-42": figures("300.00", "60.00", plan="Atlas Plus"),
}
RIGHT = {MOVE: MOVED, PRICE: PRICED, BRAND: BRANDED, CODE: CODED, HANDOVER: HANDED, UPGRADE: UPGRADED}


@pytest.mark.parametrize("ticket", RIGHT)
def test_tickets_in_other_words(ticket: str) -> None:
    """A ticket in words that are in no template is solved to the cent."""
    assert changes(solve(company(ticket))) == RIGHT[ticket]


@pytest.mark.parametrize("ticket", RIGHT)
@pytest.mark.parametrize(
    "aside",
    [
        "Please do not mix it up with Alder Foods East, Nova Plus or Help Desk Pro.",
        "(Kiln Media is happy with its invoices, by the way.)",
        "Morning, Kiln Media asked something similar; that is a ticket of its own.",
    ],
)
def test_asides_decide_nothing(ticket: str, aside: str) -> None:
    """A remark that names others changes no edit, whether it comes before or after the request."""
    assert changes(solve(company(f"{aside}\n\n{ticket}\n"))) == RIGHT[ticket]
    assert changes(solve(company(f"{ticket} {aside}\n"))) == RIGHT[ticket]


TOO_EARLY = {"I-11": figures(tax="10.69", total="208.69"), "I-12": figures(tax="6.48", total="126.48")}
AT_SHORE_RATE = {
    "I-21": figures(tax="18.02", total="216.02"),
    "I-22": figures(tax="10.92", total="130.92"),
    "I-31": figures(tax="18.02", total="216.02"),
    "I-32": figures(tax="10.92", total="130.92"),
}
FILLED = {"I-41": figures(tax="10.69", total="208.69"), "I-42": figures(tax="6.48", total="126.48")}
ON_OLD_PLAN = figures(discount="24.00", tax="7.87", total="103.87")


@pytest.mark.parametrize(
    ("ticket", "mistake", "instead"),
    [
        (MOVE, "boundary_missed", {"I-21": None, "I-22": None}),
        (MOVE, "one_too_early", TOO_EARLY),
        (MOVE, "wrong_rate", AT_SHORE_RATE),
        (MOVE, "draft_filled", FILLED),
        (PRICE, "live_only", {"I-31": None, "I-33": None, "I-41": None}),
        (PRICE, "baked_only", {"P-1": None}),
        (PRICE, "fixed_rescaled", {"I-33": figures("250.00", "18.75", "12.49", "243.74")}),
        (PRICE, "discount_stale", {
            "I-31": figures("250.00", tax="20.34", total="268.34"), "I-41": figures("250.00")}),
        (BRAND, "rename_only", {"A-1": {"addon_name": "Care Line"}}),
        (BRAND, "neighbour_touched", {"A-2": BRANDED["A-1"]}),
        (CODE, "code_name_pct", {
            "SPRING20": {"discount_pct": "0.2"}, "I-31": figures("", "44.00", "14.43", "190.43")}),
        (CODE, "tax_stale", {"I-31": figures(discount="26.40", total="209.84")}),
        (CODE, "total_stale", {"I-31": figures(discount="26.40", tax="15.88")}),
        (CODE, "tax_before_discount", {"I-31": figures("", "26.40", "18.04", "211.64")}),
        (HANDOVER, "renamed_in_place", {"new": None, "S-1": None, "C-1": OSPREY}),
        (HANDOVER, "not_reassigned", {"S-1": None}),
        (UPGRADE, "discount_only", {
            "S-2": {"discount_code": "LOYAL5"}, "I-22": ON_OLD_PLAN, "I-32": ON_OLD_PLAN,
            "I-42": figures(discount="24.00")}),
    ],
)  # fmt: skip
def test_a_mistake_is_that_one_mistake(
    ticket: str, mistake: str, instead: Mapping[str, dict[str, str] | None]
) -> None:
    """A mistake changes what its rule says, to the cent, and everything else stays right."""
    wanted = {key: cells for key, cells in {**RIGHT[ticket], **instead}.items() if cells is not None}
    assert changes(solve(company(ticket), mistake)) == wanted


@pytest.mark.parametrize(
    "ticket",
    [
        "Hi all,\n\nKiln Media is happy with its invoices.",
        "As of 2025-03-01 the Nova subscription of Kiln Media belongs to Osprey Labs, which is in Lorne.",
        "SPRING20 is worth 12 percent, not 10 percent. Kiln Media got it in 2025-03.",
    ],
)
def test_an_unclear_ticket_is_not_guessed(ticket: str) -> None:
    """If the files do not decide the answer, the solver says so instead of guessing."""
    assert solve(company(ticket)).startswith("It is unclear what to do: ")


def test_equal_tables_give_equal_answers() -> None:
    """Files that differ in one cell are not answered from those that were solved before."""
    files = company(PRICE)
    solve(files)
    files["regions.csv"] = REGIONS.replace("8.2", "8.3")
    files["invoices.csv"] = files["invoices.csv"].replace("16.24,214.24", "16.43,214.43")
    assert changes(solve(files))["I-31"]["baked_tax_usd"] == "20.17"
