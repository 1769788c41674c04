"""Generated payout cases: what their tickets say, what their traps need, and how they scale."""

import json
import re
from collections.abc import Iterator
from dataclasses import fields
from itertools import pairwise
from typing import Any

import pytest

from families.payout import FAMILY, LADDER, Knobs
from families.payout.traps import misattributed, price_renegotiated, terms_renegotiated
from trapcli.answers.edits.tables import Row
from trapcli.core.contract import Case

BODIES = {
    "misattributed_sales": misattributed.ALL_BODIES,
    "misattributed_from_date": misattributed.FROM_BODIES,
    "price_renegotiated": price_renegotiated.BODIES,
    "terms_renegotiated": terms_renegotiated.BODIES,
}
KINDS = [kind.name for kind in FAMILY.trap_kinds]


def cases(kind: str, seeds: int = 12) -> Iterator[Case]:
    for seed in range(seeds):
        yield FAMILY.generate(str(seed), Knobs(), KINDS.index(kind))


def sold(case: Case, listing: str) -> list[Row]:
    """Complete sales of the listing as recorded, retail and b2b."""
    tables = FAMILY.read_tables(case.files)
    rows = [*tables["transactions.csv"], *tables["b2b_details.csv"]]
    return [row for row in rows if row["product_id"] == listing and row["status"] == "COMPLETE"]


def edited(case: Case, file: str) -> list[dict[str, Any]]:
    return [edit for edit in case.gold if edit["file"] == file]


@pytest.mark.parametrize("kind", KINDS)
def test_a_case_holds_the_familys_invariants(kind: str) -> None:
    """Cases of 150 seeds are sound, need every edit, and show no figure of the answer."""
    for case in cases(kind, 150):
        assert [str(problem) for problem in FAMILY.check(case)] == []


@pytest.mark.parametrize("rung", range(len(LADDER)))
def test_every_rung_of_the_ladder_can_be_built(rung: int) -> None:
    """A case of each kind (of one at the top, for the time) holds the invariants, with at most 28 edits."""
    for k in range(len(KINDS)) if rung < 5 else (rung % len(KINDS),):
        case = FAMILY.generate("3", Knobs(**LADDER[rung]), k)
        assert [str(problem) for problem in FAMILY.check(case)] == []
        assert len(case.gold) <= 28


def test_the_ladder_climbs() -> None:
    """Each rung has more sales and more to correct than the one before, or as much."""
    rungs = [Knobs(**rung) for rung in LADDER]
    assert len(rungs) >= 6
    for lower, upper in pairwise(rungs):
        assert lower.sales < upper.sales
        assert lower.affected <= upper.affected


@pytest.mark.parametrize("name", [field.name for field in fields(Knobs)])
def test_a_knob_can_be_turned_to_its_ends(name: str) -> None:
    """A case of each kind can be made at the lowest and at the highest value of any one knob."""
    limits = next(field.metadata for field in fields(Knobs) if field.name == name)
    for value in (limits["low"], limits["high"]):
        for k in range(len(KINDS)):
            assert 0 < len(FAMILY.generate("1", Knobs(**{name: value}), k).gold) <= 28


@pytest.mark.parametrize("kind", KINDS)
def test_a_ticket_names_no_file_and_no_column(kind: str) -> None:
    """Tickets speak a colleague's language: nothing in them is a name of a table, a column or a key."""
    words = {table.name.partition(".")[0] for table in FAMILY.tables}
    words |= {column for table in FAMILY.tables for column in table.columns if "_" in column}
    for case in cases(kind):
        ticket = case.files["ticket.md"]
        assert [word for word in words if word in ticket.lower()] == []
        assert re.findall(r"\b(?:PID|SKU|SUP|TXN|B2B)-\d|[{}_]", ticket) == []


@pytest.mark.parametrize("kind", KINDS)
def test_a_ticket_says_its_scope(kind: str) -> None:
    """Every phrasing has retail and b2b in it, and every dated one its day and what is before it."""
    assert len(BODIES[kind]) >= 4
    for body in BODIES[kind]:
        assert re.search(r"[Rr]etail|shop", body)
        assert "b2b" in body or "business customers" in body
        if kind != "misattributed_sales":
            assert re.search(r"that day|(?:or|and) later|or after|first day|the day before", body)
            assert re.search(r"before|earlier|older", body)


@pytest.mark.parametrize("kind", KINDS)
def test_the_files_tell_no_kind_apart(kind: str) -> None:
    """README, scripts and table headers are the same for every kind."""
    first, case = (FAMILY.generate("0", Knobs(), k) for k in (0, KINDS.index(kind)))
    for path, text in case.files.items():
        if path.endswith(".csv"):
            assert text.splitlines()[0] == first.files[path].splitlines()[0]
        elif path != "ticket.md":
            assert text == first.files[path]


def test_wrongly_booked_sales_move_whole() -> None:
    """Every complete sale of the listing gets the other product, sku and vendor, retail and b2b."""
    for case in cases("misattributed_sales"):
        rows = sold(case, case.facts["booked as"])
        assert len(case.gold) == len(rows)
        assert len(edited(case, "b2b_details.csv")) >= 1
        for edit in case.gold:
            assert {"product_id", "sku", "supplier_name"} <= edit["set"].keys()


def test_a_date_parts_the_sales() -> None:
    """Sales lie on the first day covered, the day before it, and earlier; only the first is corrected."""
    for kind in KINDS[1:]:
        for case in cases(kind):
            start = case.facts["first day covered"]
            rows = sold(case, case.facts.get("booked as") or case.facts["listing"])
            keys = {next(iter(edit["match"].values())) for edit in case.gold if edit["op"] == "update"}
            touched = [row["sale_date"] for row in rows if next(iter(row.values())) in keys]
            assert min(touched) == start
            assert len({row["sale_date"] for row in rows if row["sale_date"] < start}) >= 2


def test_terms_of_the_right_vendor_change_on_the_way() -> None:
    """Sales that move are paid at a share on some days and at a fixed amount on others."""
    for case in cases("misattributed_from_date"):
        rows = FAMILY.read_tables(case.files)["catalog.csv"]
        terms = [row for row in rows if row["product_id"] == case.facts["should be"]]
        assert {bool(row["vendor_share_pct"]) for row in terms} == {True, False}
        days = [row["sale_date"] for row in sold(case, case.facts["booked as"])]
        assert min(days) < case.facts["its terms change on"] <= max(days)


def test_a_new_price_leaves_the_fees() -> None:
    """Gross and payout of retail sales change; b2b changes exactly where the ticket includes it."""
    with_b2b = set()
    for case in cases("price_renegotiated"):
        columns = {column for edit in edited(case, "transactions.csv") for column in edit["set"]}
        assert columns == {"revenue_gross_usd", "vendor_payout_usd"}
        orders = edited(case, "b2b_details.csv")
        assert bool(orders) == case.facts["b2b"]
        assert all(edit["set"].keys() == {"unit_price_usd", "revenue_gross_usd"} for edit in orders)
        with_b2b.add(case.facts["b2b"])
    assert with_b2b == {True, False}


def test_new_terms_need_the_catalog_and_spare_earlier_days() -> None:
    """The catalog gets a row of the new date; it is needed, and putting it over the old one is wrong."""
    for case in cases("terms_renegotiated"):
        (catalog,) = edited(case, "catalog.csv")
        assert catalog["op"] == "insert"
        assert catalog["row"]["effective_from"] == case.facts["first day covered"]
        others = [edit for edit in case.gold if edit is not catalog]
        assert not FAMILY.passes(case, others)
        rows = FAMILY.read_tables(case.files)["catalog.csv"]
        newest = max(row["effective_from"] for row in rows if row["product_id"] == case.facts["listing"])
        over = {
            "file": "catalog.csv",
            "op": "update",
            "match": {"product_id": case.facts["listing"], "effective_from": newest},
            "set": {"vendor_share_fixed_usd": catalog["row"]["vendor_share_fixed_usd"]},
        }
        assert not FAMILY.passes(case, [over, *others])


def test_a_blank_payout_may_be_filled_in() -> None:
    """Only what the reports print decides: with the right payouts put in, the catalog edit is not needed."""
    for case in cases("terms_renegotiated", 4):
        (catalog,) = edited(case, "catalog.csv")
        blank = [
            row
            for row in sold(case, case.facts["listing"])
            if row.get("vendor_payout_usd") == "" and row["sale_date"] >= case.facts["first day covered"]
        ]
        fixed = float(catalog["row"]["vendor_share_fixed_usd"])
        filled = [
            {
                "file": "transactions.csv",
                "op": "update",
                "match": {"transaction_id": row["transaction_id"]},
                "set": {"vendor_payout_usd": f"{fixed * int(row['units']):.2f}"},
            }
            for row in blank
        ]
        assert FAMILY.passes(case, [*(edit for edit in case.gold if edit is not catalog), *filled])


@pytest.mark.parametrize("kind", KINDS)
def test_a_sale_that_does_not_count_may_be_corrected_or_not(kind: str) -> None:
    """An edit of a sale that is not complete changes no report, and gold has none."""
    for case in cases(kind):
        tables = FAMILY.read_tables(case.files)
        idle = [row for row in tables["transactions.csv"] if row["status"] != "COMPLETE"]
        keys = {row["transaction_id"] for row in idle}
        assert not keys & {edit["match"]["transaction_id"] for edit in edited(case, "transactions.csv")}
        extra = [
            {
                "file": "transactions.csv",
                "op": "update",
                "match": {"transaction_id": key},
                "set": {"sku": "SKU-0000-XX", "vendor_payout_usd": "1.00"},
            }
            for key in keys
        ]
        assert FAMILY.passes(case, [*case.gold, *extra])


def test_a_case_is_the_same_again() -> None:
    """Equal seeds give equal cases, other seeds and places others."""
    one, again, other, next_ = (
        FAMILY.generate(seed, Knobs(), k) for seed, k in (("5", 0), ("5", 0), ("6", 0), ("5", 4))
    )
    assert (one.files, json.dumps(one.gold)) == (again.files, json.dumps(again.gold))
    assert one.files["ticket.md"] not in (other.files["ticket.md"], next_.files["ticket.md"])
