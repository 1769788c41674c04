"""Generated payout cases: what tickets say, what traps need, and how cases scale."""

import json
import re
from collections.abc import Iterator
from dataclasses import fields
from itertools import pairwise
from typing import Any

import pytest

from families.payout import FAMILY
from families.payout.knobs import LEVELS, Knobs
from families.payout.traps import misattributed, price_renegotiated, terms_renegotiated
from trapcli.answers.edits.tables import Row
from trapcli.core.contract import Answer, Case

BODIES = {
    "misattributed_sales": misattributed.ALL_BODIES,
    "misattributed_from_date": misattributed.FROM_BODIES,
    "price_renegotiated": price_renegotiated.BODIES,
    "terms_renegotiated": terms_renegotiated.BODIES,
}
TRAPS = list(FAMILY.traps)


def cases(trap: str, seeds: int = 12) -> Iterator[Case]:
    for seed in range(seeds):
        yield FAMILY.generate(str(seed), Knobs(), TRAPS.index(trap))


def sales_of(case: Case, listing: str) -> list[Row]:
    """Return the complete sales of a listing as recorded, retail and b2b."""
    tables = FAMILY.answers.read_tables(case)
    rows = [*tables["transactions.csv"], *tables["b2b_details.csv"]]
    return [row for row in rows if row["product_id"] == listing and row["status"] == "COMPLETE"]


def gold_edits(case: Case, file: str) -> list[dict[str, Any]]:
    """Return the gold edits of a file."""
    return [edit for edit in case.gold if edit["file"] == file]


@pytest.mark.slow
@pytest.mark.parametrize("trap", TRAPS)
def test_a_case_holds_the_familys_invariants(trap: str) -> None:
    """Cases of 150 seeds are sound, need every gold edit, and show no figure of the answer."""
    for case in cases(trap, 150):
        assert [str(problem) for problem in FAMILY.check(case)] == []


@pytest.mark.slow
@pytest.mark.parametrize("level", range(len(LEVELS)))
def test_every_level_can_be_built(level: int) -> None:
    """A case of each trap (of one at the top levels, to save time) is sound, with at most 28 edits."""
    for k in range(len(TRAPS)) if level < 5 else (level % len(TRAPS),):
        case = FAMILY.generate("3", Knobs(**LEVELS[level]), k)
        assert [str(problem) for problem in FAMILY.check(case)] == []
        assert len(case.gold) <= 28


def test_levels_get_harder() -> None:
    """Each level has more sales than the one before, and at least as many to correct."""
    levels = [Knobs(**level) for level in LEVELS]
    assert len(levels) >= 6
    for lower, upper in pairwise(levels):
        assert lower.sales < upper.sales
        assert lower.affected <= upper.affected


@pytest.mark.slow
@pytest.mark.parametrize("name", [field.name for field in fields(Knobs)])
def test_every_knob_works_at_its_limits(name: str) -> None:
    """A case of each trap can be made at the lowest and at the highest value of any one knob."""
    limits = next(field.metadata for field in fields(Knobs) if field.name == name)
    for value in (limits["low"], limits["high"]):
        for k in range(len(TRAPS)):
            assert 0 < len(FAMILY.generate("1", Knobs(**{name: value}), k).gold) <= 28


@pytest.mark.parametrize("trap", TRAPS)
def test_a_ticket_names_no_file_and_no_column(trap: str) -> None:
    """Tickets are written in a colleague's words: without names of tables, columns or keys."""
    words = {table.name.partition(".")[0] for table in FAMILY.answers.tables}
    words |= {column for table in FAMILY.answers.tables for column in table.columns if "_" in column}
    for case in cases(trap):
        ticket = case.files["ticket.md"]
        assert [word for word in words if word in ticket.lower()] == []
        assert re.findall(r"\b(?:PID|SKU|SUP|TXN|B2B)-\d|[{}_]", ticket) == []


@pytest.mark.parametrize("trap", TRAPS)
def test_a_ticket_says_its_scope(trap: str) -> None:
    """Every body mentions retail and b2b, and every dated one its first day and earlier sales."""
    assert len(BODIES[trap]) >= 4
    for body in BODIES[trap]:
        assert re.search(r"[Rr]etail|shop", body)
        assert "b2b" in body or "business customers" in body
        if trap != "misattributed_sales":
            assert re.search(r"that day|(?:or|and) later|or after|first day|the day before", body)
            assert re.search(r"before|earlier|older", body)


@pytest.mark.parametrize("trap", TRAPS)
def test_the_files_do_not_show_the_trap(trap: str) -> None:
    """README, scripts and table headers are the same for every trap."""
    first, case = (FAMILY.generate("0", Knobs(), k) for k in (0, TRAPS.index(trap)))
    for path, text in case.files.items():
        if path.endswith(".csv"):
            assert text.splitlines()[0] == first.files[path].splitlines()[0]
        elif path != "ticket.md":
            assert text == first.files[path]


def test_wrongly_booked_sales_move_whole() -> None:
    """Every complete sale of the listing, retail and b2b, gets the other product_id, sku and vendor."""
    for case in cases("misattributed_sales"):
        rows = sales_of(case, case.facts["booked as"])
        assert len(case.gold) == len(rows)
        assert len(gold_edits(case, "b2b_details.csv")) >= 1
        for edit in case.gold:
            assert {"product_id", "sku", "supplier_name"} <= edit["set"].keys()


def test_a_date_divides_the_sales() -> None:
    """There are sales on the first day covered, the day before, and earlier; only the first are corrected."""
    for trap in TRAPS[1:]:
        for case in cases(trap):
            start = case.facts["first day covered"]
            rows = sales_of(case, case.facts.get("booked as") or case.facts["listing"])
            keys = {next(iter(edit["match"].values())) for edit in case.gold if edit["op"] == "update"}
            touched = [row["sale_date"] for row in rows if next(iter(row.values())) in keys]
            assert min(touched) == start
            assert len({row["sale_date"] for row in rows if row["sale_date"] < start}) >= 2


def test_terms_of_the_right_vendor_change_on_the_way() -> None:
    """Sales that move are paid a share on some days and a fixed amount on others."""
    for case in cases("misattributed_from_date"):
        rows = FAMILY.answers.read_tables(case)["catalog.csv"]
        terms = [row for row in rows if row["product_id"] == case.facts["should be"]]
        assert {bool(row["vendor_share_pct"]) for row in terms} == {True, False}
        days = [row["sale_date"] for row in sales_of(case, case.facts["booked as"])]
        assert min(days) < case.facts["its terms change on"] <= max(days)


def test_a_new_price_leaves_the_fees() -> None:
    """Gross and payout of retail sales change; b2b sales change only if the ticket includes them."""
    with_b2b = set()
    for case in cases("price_renegotiated"):
        columns = {column for edit in gold_edits(case, "transactions.csv") for column in edit["set"]}
        assert columns == {"revenue_gross_usd", "vendor_payout_usd"}
        orders = gold_edits(case, "b2b_details.csv")
        assert bool(orders) == case.facts["b2b"]
        assert all(edit["set"].keys() == {"unit_price_usd", "revenue_gross_usd"} for edit in orders)
        with_b2b.add(case.facts["b2b"])
    assert with_b2b == {True, False}


@pytest.mark.slow
def test_new_terms_need_a_row_of_their_own() -> None:
    """The catalog needs a row with the new date; overwriting the old row is wrong."""
    for case in cases("terms_renegotiated"):
        (catalog,) = gold_edits(case, "catalog.csv")
        assert catalog["op"] == "insert"
        assert catalog["row"]["effective_from"] == case.facts["first day covered"]
        others = [edit for edit in case.gold if edit is not catalog]
        assert not FAMILY.answers.passes(case, others)
        rows = FAMILY.answers.read_tables(case)["catalog.csv"]
        newest = max(row["effective_from"] for row in rows if row["product_id"] == case.facts["listing"])
        over = {
            "file": "catalog.csv",
            "op": "update",
            "match": {"product_id": case.facts["listing"], "effective_from": newest},
            "set": {"vendor_share_fixed_usd": catalog["row"]["vendor_share_fixed_usd"]},
        }
        assert not FAMILY.answers.passes(case, [over, *others])


def test_a_blank_payout_may_be_filled_in() -> None:
    """Blank payouts may be filled in as well, but next month's sales need the catalog edit."""
    for case in cases("terms_renegotiated", 4):
        (catalog,) = gold_edits(case, "catalog.csv")
        blank = [
            row
            for row in sales_of(case, case.facts["listing"])
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
        assert FAMILY.answers.passes(case, [*case.gold, *filled])
        rest = [edit for edit in case.gold if edit is not catalog]
        verdict = FAMILY.answers.judge(case, Answer((*rest, *filled)))
        differing = {name for name, result in verdict.details["reports"].items() if result == "differs"}
        assert differing == {"vendor_statement, next month", "itemised_statement, next month"}


@pytest.mark.parametrize("trap", TRAPS)
def test_a_sale_that_does_not_count_stays_as_it_was_entered(trap: str) -> None:
    """No sale that is not complete is edited in gold, and an answer that edits one fails."""
    for case in cases(trap):
        tables = FAMILY.answers.read_tables(case)
        idle = [row for row in tables["transactions.csv"] if row["status"] != "COMPLETE"]
        keys = {row["transaction_id"] for row in idle}
        assert not keys & {edit["match"]["transaction_id"] for edit in gold_edits(case, "transactions.csv")}
        extra = [
            {
                "file": "transactions.csv",
                "op": "update",
                "match": {"transaction_id": key},
                "set": {"sku": "SKU-0000-XX", "vendor_payout_usd": "1.00"},
            }
            for key in keys
        ]
        assert keys and not any(FAMILY.answers.passes(case, [*case.gold, one]) for one in extra)


def test_a_case_is_the_same_again() -> None:
    """Equal seeds give equal cases; another seed or number gives another case."""
    one, again, other, next_ = (
        FAMILY.generate(seed, Knobs(), k) for seed, k in (("5", 0), ("5", 0), ("6", 0), ("5", 4))
    )
    assert (one.files, json.dumps(one.gold)) == (again.files, json.dumps(again.gold))
    assert one.files["ticket.md"] not in (other.files["ticket.md"], next_.files["ticket.md"])


def test_the_number_of_sales_does_not_give_the_wrong_vendor_away() -> None:
    """In a hundred cases the vendor to whom sales were booked wrongly has more of them in 30 to 70."""
    more = 0
    for seed in range(50):
        for k in (0, 1):
            case = FAMILY.generate(str(seed), Knobs(), k)
            wrong, right = (len(sales_of(case, case.facts[name])) for name in ("booked as", "should be"))
            more += wrong > right
    assert 30 <= more <= 70
