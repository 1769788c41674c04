"""Next month's records show whether the current records are right, and never help a wrong answer."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import ModuleType
from typing import Any

import pytest

from families.billing import FAMILY as BILLING
from families.payout import FAMILY as PAYOUT
from trapcli.answers.edits import EditsAnswers, EditsFamily, Table
from trapcli.answers.edits.tables import Row, Tables
from trapcli.core.contract import Answer, Case
from trapcli.core.draw import Draw
from trapcli.core.knobs import parse_knobs

GOODS = Table("goods.csv", {"sku": "id", "price": "money"}, "sku")
SALES = Table("sales.csv", {"sale": "id", "sku": "id", "paid": "money"}, "sale")
FILES = {"goods.csv": "sku,price\nA,10\nB,20\n", "sales.csv": "sale,sku,paid\nS1,A,9\n"}
GOLD = [{"file": "goods.csv", "op": "update", "match": {"sku": "B"}, "set": {"price": "21"}}]


def _takings(read: Any) -> list[list[str]]:
    return [["sale", "paid"], *([row["sale"], row["paid"]] for row in read("sales.csv"))]


def _next_month(before: Tables, now: Tables) -> Mapping[str, Sequence[Row]]:
    prices = {row["sku"]: row["price"] for row in now["goods.csv"]}
    keys = [row["sku"] for row in before["goods.csv"]]
    return {"sales.csv": [{"sale": f"N-{key}", "sku": key, "paid": prices[key]} for key in keys]}


takings = ModuleType("shop.takings")
takings.report = _takings  # type: ignore[attr-defined]
ANSWERS = EditsAnswers(tables=(GOODS, SALES), reports=(takings,), next_month=_next_month)
CASE = Case("shop", "price", FILES, GOLD, ())


def price(sku: str, value: str, column: str = "price") -> dict[str, Any]:
    return {"file": "goods.csv", "op": "update", "match": {"sku": sku}, "set": {column: value}}


def test_a_current_record_that_no_sale_has_used_yet_is_seen() -> None:
    """A price that only next month's sales show decides: right passes, left out or another one fails."""
    assert ANSWERS.judge(CASE, Answer((price("B", "$21"),))).passed
    for edits in ([], [price("B", "22")], [price("B", "21"), price("A", "11")]):
        verdict = ANSWERS.judge(CASE, Answer(tuple(edits)))
        assert not verdict.passed and not ANSWERS.passes(CASE, edits)
        assert verdict.details["reports"] == {"takings": "matches", "takings, next month": "differs"}


def test_a_record_that_leads_nowhere_next_month_fails() -> None:
    """If next month's records cannot be made, all its reports fail, and the verdict says why."""
    verdict = ANSWERS.judge(CASE, Answer((price("B", "C", "sku"),)))
    assert verdict.reason == "1 of 1 reports differ; takings, next month fails: KeyError: 'B'"


def test_a_cell_that_differs_now_and_next_month_is_shown_once() -> None:
    """What a report shows wrong in the same place in both months is one differing cell."""
    same = replace(ANSWERS, next_month=lambda before, now: {"sales.csv": now["sales.csv"]})
    gold = [{"file": "sales.csv", "op": "update", "match": {"sale": "S1"}, "set": {"paid": "8"}}]
    verdict = same.judge(replace(CASE, gold=gold), Answer(()))
    assert [cell["report"] for cell in verdict.details["cells"]] == ["takings"]


@pytest.mark.slow
@pytest.mark.parametrize("family", [BILLING, PAYOUT], ids=lambda family: family.name)
def test_random_corruptions_of_a_right_answer_fail_or_are_noted(family: EditsFamily) -> None:
    """Of single cells that a report reads, spoiled after the right edits, 95 of 100 fail; none is silent."""
    failed = total = 0
    for k in range(2 * len(family.traps)):
        case = family.generate("23", parse_knobs(family, {}), k)
        prepared, draw = family.answers.prepared(case), Draw(f"spoil/{k}")
        columns = sorted(prepared.columns)
        for _ in range(60):
            file, column = draw.choice(columns)
            table, row = family.answers.schema[file], draw.choice(prepared.gold.tables[file])
            others = sorted({other[column] for other in prepared.gold.tables[file]} - {row[column], ""})
            if column in table.keys or not row[column] or not others:
                continue
            spoiled = {"file": file, "op": "update", "match": table.match(row)}
            verdict = family.answers.judge(
                case, Answer((*case.gold, {**spoiled, "set": {column: draw.choice(others)}}))
            )
            assert not verdict.passed or verdict.details["collateral"]
            total, failed = total + 1, failed + (not verdict.passed)
    assert total > 120 and failed >= 0.95 * total


@pytest.mark.parametrize("family", [BILLING, PAYOUT], ids=lambda family: family.name)
def test_next_month_uses_every_current_record(family: EditsFamily) -> None:
    """Next month's records refer to each plan, add-on, code, region and listing that there was before."""
    uses = {
        "billing": {
            "plans.csv": ("subscriptions.csv", "plan_id", "plan_id"),
            "addons.csv": ("subscriptions.csv", "addon_id", "addon_ids"),
            "discount_codes.csv": ("subscriptions.csv", "code", "discount_code"),
            "regions.csv": ("customers.csv", "region_id", "region_id"),
        },
        "payout": {"catalog.csv": ("transactions.csv", "product_id", "product_id")},
    }
    case = family.generate("7", parse_knobs(family, {}), 0)
    tables = family.answers.read_tables(case)
    rows = family.answers.next_rows(case, case.gold)
    for file, (user, key, column) in uses[family.name].items():
        known = {row[key] for row in tables[file]}
        new = [row for row in rows[user] if "NEXT" in next(iter(row.values())) or file == "catalog.csv"]
        assert known <= {row[column] for row in new}
