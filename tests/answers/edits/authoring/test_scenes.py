"""Machinery that is no family's own, on a family of one table."""

from collections.abc import Callable
from dataclasses import dataclass, field

import pytest

from trapcli.answers.edits.authoring.scenes import (
    History,
    Ids,
    Scene,
    Stage,
    always,
    dangling,
    dollars,
    idle_remarks,
    in_turn,
    longer_name,
)
from trapcli.answers.edits.family import Unlucky
from trapcli.answers.edits.tables import Row, Table, Tables
from trapcli.core.draw import Draw


def test_a_history_changes_on_its_days() -> None:
    """A step holds from its very day on, and replaces what was to come later."""
    terms = History((("2025-01-01", "old"), ("2025-03-01", "new")))
    assert [terms.at(day) for day in ("2025-01-01", "2025-02-28", "2025-03-01")] == ["old", "old", "new"]
    assert terms.since("2025-02-01", "other").steps == (("2025-01-01", "old"), ("2025-02-01", "other"))
    assert terms.since("2025-03-01", "other").latest == "other"
    assert always(1).since("2025-02", 2).at("2025-01") == 1


def test_a_history_has_no_value_before_it_begins() -> None:
    """A day before the first step is an error that names both."""
    with pytest.raises(ValueError, match="at 2024-12-31, before 2025-01-01"):
        History((("2025-01-01", "old"),)).at("2024-12-31")


def test_cents_are_spelled_as_a_money_cell() -> None:
    """Two places, always."""
    assert [dollars(cents) for cents in (0, 5, 120, 123456)] == ["0.00", "0.05", "1.20", "1234.56"]


def test_ids_are_fresh_and_in_no_order() -> None:
    """No id comes twice, their order is not that of drawing, and equal draws give equal ids."""
    ids, again = Ids(Draw("a"), 40), Ids(Draw("a"), 40)
    taken = [ids.take("X") for _ in range(40)]
    assert len(set(taken)) == 40
    assert taken != sorted(taken)
    assert taken == [again.take("X") for _ in range(40)]


def test_a_longer_name_is_not_taken() -> None:
    """A look-alike's name begins with the other's; when every ending is taken there is none."""
    assert longer_name(Draw("n"), "Alder", ("East", "West"), {"Alder East"}) == "Alder West"
    assert longer_name(Draw("n"), "Alder", ("East",), {"Alder East"}) == ""


def test_items_come_in_turn() -> None:
    """Every item has come before one comes again."""
    drawn = in_turn(Draw("turns"), "abc", 7)
    assert sorted(drawn[:3]) == ["a", "b", "c"]
    assert drawn[3:6] == drawn[:3]
    assert in_turn(Draw("turns"), "abc", 0) == []


def test_remarks_name_a_look_alike_and_a_bystander() -> None:
    """There are up to two of them, in this order; without a look-alike none speaks of it."""
    drawn = [idle_remarks(Draw(f"r{i}"), "Twin", "Other") for i in range(60)]
    assert {len(said) for said in drawn} == {0, 1, 2}
    assert all("Twin" in said[0] and "Other" in said[1] for said in drawn if len(said) == 2)
    alone = [idle_remarks(Draw(f"r{i}"), "", "Other") for i in range(60)]
    assert {len(said) for said in alone} == {0, 1}


World = dict[str, int]


def written(*worlds: World) -> tuple[Tables, Tables]:
    before, after = (
        {"t.csv": [{"k": key, "doubled": f"{2 * n}.00", "n": str(n)} for key, n in world.items()]}
        for world in worlds
    )
    return before, after


TABLE = Table("t.csv", {"k": "id", "doubled": "money", "n": "integer"}, "k")


@dataclass
class Numbers:
    """A sketch of numbers, whose rows show them doubled; redrawn ones count up from `fresh`."""

    draw: Draw
    numbers: dict[str, int]
    fresh: int = 50
    stubborn: bool = False
    redrawn: list[str] = field(default_factory=list)

    def world(self) -> World:
        return dict(self.numbers)

    def redraw(self, file: str, row: Row) -> None:
        self.redrawn.append(row["k"])
        self.numbers[row["k"]] += 0 if self.stubborn else self.fresh


def planned(
    sketch: Numbers, change: Callable[[World], World], body: str = "Change {it}."
) -> tuple[Tables, Tables]:
    stage: Stage[World] = Stage(
        (TABLE,), frozenset({("t.csv", "doubled")}), lambda draw, knobs: sketch, written
    )
    plan = stage.plan(["Title"], [body], lambda _: Scene(change, {"it": "a"}, {"fact": 1}))(Draw("p"), None)
    assert "Title" in plan.ticket
    assert plan.facts == {"fact": 1}
    return plan.before, plan.after


def test_a_row_that_shows_the_answer_is_redrawn() -> None:
    """What the right edits set stands in no row; other columns do not matter."""
    sketch = Numbers(Draw("s"), {"a": 1, "b": 7, "c": 14, "d": 3})
    before, after = planned(sketch, lambda world: {**world, "a": 7})
    assert sketch.redrawn == ["b"]
    assert [row["doubled"] for row in before["t.csv"]] == ["2.00", "114.00", "28.00", "6.00"]
    assert [row["doubled"] for row in after["t.csv"]] == ["14.00", "114.00", "28.00", "6.00"]


def test_a_row_that_cannot_be_cleared_is_bad_luck() -> None:
    """After many redraws the plan is given up, not emitted."""
    sketch = Numbers(Draw("s"), {"a": 1, "b": 7}, stubborn=True)
    with pytest.raises(Unlucky, match="stands in the inputs"):
        planned(sketch, lambda world: {**world, "a": 7})


def test_an_answer_in_the_ticket_is_bad_luck() -> None:
    """A ticket that states a figure to be computed is not emitted."""
    with pytest.raises(Unlucky, match="stands in the ticket"):
        planned(Numbers(Draw("s"), {"a": 1}), lambda world: {"a": 7}, "Make {it} $14.00.")


def test_a_new_row_is_part_of_the_answer() -> None:
    """The computed cells of a row that is added may stand nowhere either."""
    sketch = Numbers(Draw("s"), {"a": 1, "b": 7})
    planned(sketch, lambda world: {**world, "z": 7})
    assert sketch.redrawn == ["b"]


def test_keys_that_lead_nowhere_are_found() -> None:
    """Each key of a cell must stand in the other table; a blank cell has none."""
    tables = {"a.csv": [{"x": "1;2"}, {"x": ""}, {"x": "3"}], "b.csv": [{"y": "1"}, {"y": "3"}]}
    assert [str(problem) for problem in dangling(tables, [("a.csv", "x", "b.csv", "y")])] == [
        "a.csv x: 2 is not in b.csv"
    ]
