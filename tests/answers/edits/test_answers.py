"""Edits as an answer kind, on a family of one table and one report."""

from dataclasses import replace
from types import ModuleType
from typing import Any

import pytest

from trapcli.answers.edits import EditsAnswers, Table
from trapcli.core.contract import Answer, AnswerKind, Case, Problem, Verdict
from trapcli.core.errors import TrapError
from trapcli.core.output import output_of


def price_list() -> ModuleType:
    """Return a report that prints each item's price, in cents."""
    module = ModuleType("pkg.price_list")

    def report(read: Any) -> list[list[str]]:
        return [["sku", "cents"], *([row["sku"], str(100 * int(row["price"]))] for row in read("goods.csv"))]

    module.report = report  # type: ignore[attr-defined]
    return module


GOODS = Table("goods.csv", {"sku": "id", "name": "text", "price": "integer"}, "sku")
ANSWERS = EditsAnswers(tables=(GOODS,), reports=(price_list(),))
CSV = "sku,name,price\nA,Lamp,10\nB,Rug,20\nC,Vase,30\n"


def update(sku: str, **cells: object) -> dict[str, object]:
    return {"file": "goods.csv", "op": "update", "match": {"sku": sku}, "set": cells}


GOLD = [update("A", price="11"), update("B", price="21")]
CASE = Case("shop", "rise", {"goods.csv": CSV}, GOLD, (), id="case_02")


def judge(*edits: object) -> Verdict:
    return ANSWERS.judge(CASE, Answer(edits))


def test_it_is_an_answer_kind() -> None:
    """An output's text is read as edits, no file is read, and doing nothing is an empty array."""
    kind: AnswerKind = ANSWERS
    assert (kind.noop, kind.reads_files) == ("[]", False)
    assert kind.extract(output_of(f"Done: {kind.noop}")) == Answer(())
    assert isinstance(kind.extract(output_of("Done.")), Problem)
    assert kind.instructions().startswith("## What to print\n")


def test_the_effect_decides() -> None:
    """Edits in another form and order pass, if every report prints what it prints with the gold edits."""
    verdict = judge(update("B", price=21), update("A", price=" 11 "), update("C", name="Jug"))
    assert (verdict.status, verdict.reason, verdict.partial_credit) == ("passed", "all reports match", 1.0)
    assert verdict.details == {
        "reports": {"price_list": "matches"},
        "cells_differ": 0,
        "cells": [],
        "collateral": 1,
    }
    assert verdict.result == judge(*GOLD).result
    assert verdict.notes == ("edit 3: unseen, no report shows goods.csv 'name'",)


def test_text_among_numbers_is_ignored_with_a_note() -> None:
    """A value that is not a number leaves a column of numbers as it is, and a note says so."""
    verdict = judge(*GOLD, update("C", price="thirty"))
    assert verdict.passed
    assert verdict.notes == (
        "edit 3: column 'price' ignored, 'thirty' is not a number",
        "edit 3: ignored, it sets nothing",
    )


def test_collateral_is_noted_and_counted() -> None:
    """A change beyond the right edits that no report shows is noted with its edit, and counted."""
    extra = {"file": "goods", "op": "insert", "row": {"sku": "D", "name": "Mat", "price": 4}}
    plain = replace(CASE, gold=GOLD[:1])
    shown = ANSWERS.judge(plain, Answer((GOLD[0], update("C", price=31, name="Urn"), extra)))
    assert shown.details["collateral"] == 3
    assert shown.notes == (
        "edit 2: not as in the right edits, goods.csv: C name, C price",
        "edit 3: not as in the right edits, goods.csv: D sku",
    )
    back = ANSWERS.judge(plain, Answer((GOLD[0], update("C", price=31), update("C", price=30))))
    assert back.passed and back.details["collateral"] == 0 and back.notes == ()


def test_a_right_cell_with_an_unseen_wrong_value_is_collateral() -> None:
    """A cell that the right edits change, changed to another value that no report shows, is noted, too."""
    renamed = replace(CASE, gold=[*GOLD, update("C", name="Jug")])
    found = ANSWERS.judge(
        renamed, Answer((*GOLD[:1], update("B", price=21), update("C", name="Urn", price=30)))
    )
    assert found.passed and found.details["collateral"] == 1
    right = ANSWERS.judge(renamed, Answer((*GOLD, update("C", name="Jug"))))
    assert right.passed and right.details["collateral"] == 0
    wrong = ANSWERS.judge(renamed, Answer((update("A", price=12), GOLD[1])))
    assert not wrong.passed and wrong.details["collateral"] == 0


def test_a_wrong_cell_is_named() -> None:
    """The first differing cell is in the reason, all are in the details, and fixed ones give credit."""
    verdict = judge(GOLD[0])
    assert verdict.status == "failed"
    assert verdict.reason == '1 of 1 reports differ; first price_list B cents: "2000", not "2100"'
    assert verdict.partial_credit == 0.5
    assert verdict.details == {
        "reports": {"price_list": "differs"},
        "cells_differ": 1,
        "cells": [{"report": "price_list", "row": "B", "column": "cents", "yours": "2000", "right": "2100"}],
        "collateral": 0,
    }
    assert judge(*GOLD, update("C", price=31)).partial_credit == 0.5
    assert judge(update("C", price=31)).partial_credit == 0.0


def test_no_edits_is_said_plainly() -> None:
    """An empty answer fails with a reason of its own."""
    assert judge().reason == "no edits were made"


def test_a_report_that_fails_is_a_mismatch() -> None:
    """Edits that a report cannot read fail with what the report raised."""
    verdict = judge(update("A", price=""))
    assert verdict.reason.startswith("1 of 1 reports differ; price_list fails: ValueError: invalid literal")
    assert verdict.details["reports"]["price_list"].startswith("ValueError: ")


def test_passing_is_the_same_without_a_verdict() -> None:
    """`passes` agrees with `judge`."""
    for edits in ([], GOLD, GOLD[:1], [*GOLD, update("C", name="Jug")], [*GOLD, update("C", price=1)]):
        assert ANSWERS.passes(CASE, edits) == judge(*edits).passed


def test_the_view_shows_reports_and_cells() -> None:
    """A failed verdict shows the differing cells, a passed one only the reports; others show nothing."""
    reports, cells = ANSWERS.view(judge(GOLD[0]))
    assert reports.rows == (("price_list", "differs"),)
    assert (cells.title, cells.rows) == ("Differing cells", (("price_list", "B", "cents", "2000", "2100"),))
    assert [section.title for section in ANSWERS.view(judge(*GOLD))] == ["Reports"]
    assert ANSWERS.view(Verdict("unreadable", "no JSON")) == []


@pytest.mark.parametrize(
    ("files", "gold", "why"),
    [
        ({}, GOLD, "its tables are damaged: 'goods.csv'"),
        ({"goods.csv": "sku\nA\n"}, GOLD, "its tables are damaged: goods.csv: the header is"),
        ({"goods.csv": CSV}, [update("A", price="")], "with the gold edits price_list fails: ValueError"),
    ],
)
def test_a_broken_case_gives_no_verdict(files: dict[str, str], gold: list[Any], why: str) -> None:
    """A case that cannot be judged is an error that names the case, what is wrong and what to do."""
    with pytest.raises(TrapError) as error:
        ANSWERS.judge(replace(CASE, files=files, gold=gold), Answer(()))
    assert str(error.value).startswith(f"case case_02 of shop is broken: {why}")
    assert str(error.value).endswith("No answer to it can be judged; build the suite again.")


@pytest.mark.parametrize(("key", "name", "collateral"), [("D", "D", 0), ("E", "E", 0), ("E", "C", 1)])
def test_the_key_of_a_new_row_is_free(key: str, name: str, collateral: int) -> None:
    """A cell that refers to a new row may hold that row's key, whatever it is, but no other."""
    total = ModuleType("pkg.total")
    total.report = lambda read: [["cents"], [str(sum(int(row["price"]) for row in read("goods.csv")))]]  # type: ignore[attr-defined]
    answers = EditsAnswers(tables=(GOODS,), reports=(total,))

    def edits(key: str, name: str) -> list[object]:
        row = {"sku": key, "name": "Mat", "price": 4}
        return [{"file": "goods.csv", "op": "insert", "row": row}, update("A", name=name)]

    case = Case("shop", "rise", {"goods.csv": CSV}, edits("D", "D"), (), id="case_02")
    found = answers.judge(case, Answer(tuple(edits(key, name))))
    assert found.passed and found.details["collateral"] == collateral
