"""What the traps of all edits families share, on a family of one table."""

from collections.abc import Callable
from dataclasses import dataclass, field

import pytest

from trapcli.answers.edits.authoring.plan import PlanFailed
from trapcli.answers.edits.authoring.scenes import (
    History,
    Ids,
    Planner,
    Scene,
    always,
    dangling_keys,
    dollars,
    idle_remarks,
    in_turn,
    longer_name,
)
from trapcli.answers.edits.tables import Row, Table, Tables
from trapcli.core.draw import Draw


def test_a_history_changes_on_its_days() -> None:
    """A step holds from its day on, and a new one replaces all later ones."""
    terms = History((("2025-01-01", "old"), ("2025-03-01", "new")))
    assert [terms.at(day) for day in ("2025-01-01", "2025-02-28", "2025-03-01")] == ["old", "old", "new"]
    assert terms.since("2025-02-01", "other").steps == (("2025-01-01", "old"), ("2025-02-01", "other"))
    assert terms.since("2025-03-01", "other").latest == "other"
    assert always(1).since("2025-02", 2).at("2025-01") == 1


def test_a_history_has_no_value_before_it_begins() -> None:
    """A day before the first step is an error that names both days."""
    with pytest.raises(ValueError, match="at 2024-12-31, before 2025-01-01"):
        History((("2025-01-01", "old"),)).at("2024-12-31")


def test_cents_are_written_as_a_money_cell() -> None:
    """A money cell always has two decimal places."""
    assert [dollars(cents) for cents in (0, 5, 120, 123456)] == ["0.00", "0.05", "1.20", "1234.56"]


def test_ids_are_fresh_and_in_no_order() -> None:
    """No id comes twice, ids are not in order, and equal draws give equal ids."""
    ids, again = Ids(Draw("a"), 40), Ids(Draw("a"), 40)
    taken = [ids.take("X") for _ in range(40)]
    assert len(set(taken)) == 40
    assert taken != sorted(taken)
    assert taken == [again.take("X") for _ in range(40)]


def test_a_longer_name_is_not_taken() -> None:
    """A look-alike's name begins with the other name; if every ending is taken, there is none."""
    assert longer_name(Draw("n"), "Alder", ("East", "West"), {"Alder East"}) == "Alder West"
    assert longer_name(Draw("n"), "Alder", ("East",), {"Alder East"}) == ""


def test_items_come_in_turn() -> None:
    """No item comes again before all others have come."""
    drawn = in_turn(Draw("turns"), "abc", 7)
    assert sorted(drawn[:3]) == ["a", "b", "c"]
    assert drawn[3:6] == drawn[:3]
    assert in_turn(Draw("turns"), "abc", 0) == []


def test_remarks_name_a_look_alike_and_a_bystander() -> None:
    """There are up to two, in this order; without a look-alike there is at most one."""
    drawn = [idle_remarks(Draw(f"r{i}"), "Twin", "Other") for i in range(60)]
    assert {len(remarks) for remarks in drawn} == {0, 1, 2}
    assert all("Twin" in two[0] and "Other" in two[1] for two in drawn if len(two) == 2)
    alone = [idle_remarks(Draw(f"r{i}"), "", "Other") for i in range(60)]
    assert {len(remarks) for remarks in alone} == {0, 1}


World = dict[str, int]


def write(*worlds: World) -> tuple[Tables, Tables]:
    before, after = (
        {"t.csv": [{"k": key, "doubled": f"{2 * n}.00", "n": str(n)} for key, n in world.items()]}
        for world in worlds
    )
    return before, after


TABLE = Table("t.csv", {"k": "id", "doubled": "money", "n": "integer"}, "k")


@dataclass
class Numbers:
    """A world builder of numbers; their rows show them doubled.

    fresh: what a redrawn number grows by.
    stubborn: whether a redrawn number stays as it is.
    """

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


def plan_tables(
    builder: Numbers, change: Callable[[World], World], body: str = "Change {it}."
) -> tuple[Tables, Tables]:
    planner: Planner[World] = Planner(
        (TABLE,), frozenset({("t.csv", "doubled")}), lambda draw, knobs: builder, write
    )
    plan = planner.plan_function(["Title"], [body], lambda _: Scene(change, {"it": "a"}, {"fact": 1}))(
        Draw("p"), None
    )
    assert "Title" in plan.ticket
    assert plan.facts == {"fact": 1}
    return plan.before, plan.after


def test_a_row_that_shows_the_answer_is_redrawn() -> None:
    """A computed value that the right edits set is in no row before; other columns do not matter."""
    builder = Numbers(Draw("s"), {"a": 1, "b": 7, "c": 14, "d": 3})
    before, after = plan_tables(builder, lambda world: {**world, "a": 7})
    assert builder.redrawn == ["b"]
    assert [row["doubled"] for row in before["t.csv"]] == ["2.00", "114.00", "28.00", "6.00"]
    assert [row["doubled"] for row in after["t.csv"]] == ["14.00", "114.00", "28.00", "6.00"]


def test_a_row_that_always_shows_the_answer_fails_the_plan() -> None:
    """After many redraws the plan is given up."""
    builder = Numbers(Draw("s"), {"a": 1, "b": 7}, stubborn=True)
    with pytest.raises(PlanFailed, match="is in the inputs"):
        plan_tables(builder, lambda world: {**world, "a": 7})


def test_an_answer_in_the_ticket_fails_the_plan() -> None:
    """A ticket must not state a figure that is to be computed."""
    with pytest.raises(PlanFailed, match="is in the ticket"):
        plan_tables(Numbers(Draw("s"), {"a": 1}), lambda world: {"a": 7}, "Make {it} $14.00.")


def test_a_new_row_is_part_of_the_answer() -> None:
    """The computed cells of a new row must not be in the inputs either."""
    builder = Numbers(Draw("s"), {"a": 1, "b": 7})
    plan_tables(builder, lambda world: {**world, "z": 7})
    assert builder.redrawn == ["b"]


def test_dangling_keys_are_found() -> None:
    """Each key in a cell must be in the other table; a blank cell holds no key."""
    tables = {"a.csv": [{"x": "1;2"}, {"x": ""}, {"x": "3"}], "b.csv": [{"y": "1"}, {"y": "3"}]}
    assert [str(problem) for problem in dangling_keys(tables, [("a.csv", "x", "b.csv", "y")])] == [
        "a.csv x: 2 is not in b.csv"
    ]
