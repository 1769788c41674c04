"""How many edits count: 30, and more only where a case says so."""

from typing import Any

import pytest

from trapcli.answers.edits import EditsAnswers, Table
from trapcli.answers.edits.limits import EDITS_READ, MOST_EDITS_READ, READ, edits_read
from trapcli.core.contract import Answer, Case

GOODS = Table("goods.csv", {"sku": "id", "price": "money"}, "sku")


class prices:
    """A report."""

    __name__ = "shop.prices"

    @staticmethod
    def report(read: Any) -> list[list[str]]:
        return [["sku", "price"], *([row["sku"], row["price"]] for row in read("goods.csv"))]


@pytest.mark.parametrize(
    ("facts", "count"), [({}, EDITS_READ), ({READ: 60}, 60), ({READ: "many"}, EDITS_READ)]
)
def test_facts_say_how_many_edits_count(facts: dict[str, object], count: int) -> None:
    """Without a number in the facts, thirty edits count."""
    assert edits_read(facts) == count <= MOST_EDITS_READ


@pytest.mark.parametrize(("read", "passed"), [(EDITS_READ, False), (60, True)])
def test_edits_beyond_the_number_are_dropped_with_a_note(read: int, passed: bool) -> None:
    """The right edit in place 31 counts only where more are read; else a note says what was dropped."""
    answers = EditsAnswers(tables=(GOODS,), reports=(prices(),))  # type: ignore[arg-type]
    right = {"file": "goods.csv", "op": "update", "match": {"sku": "A"}, "set": {"price": "2"}}
    case = Case("shop", "price", {"goods.csv": "sku,price\nA,1\n"}, [right], (), {READ: read})
    idle = {**right, "match": {"sku": "A"}, "set": {"price": "1"}}
    verdict = answers.judge(case, Answer((*[idle] * EDITS_READ, right)))
    assert verdict.passed == passed
    assert verdict.notes == (() if passed else ("edit 31 was dropped: only the first 30 count",))
