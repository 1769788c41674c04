"""A family of edits made from declarations: traps by turn, plans that fail, and its own checks."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from types import ModuleType
from typing import Any

import pytest

from families.billing.report_scripts import invoice_detail
from trapcli.answers import edits
from trapcli.answers.edits import EditsAnswers, EditsFamily, Plan, PlanFailed, Table, Tables, Trap
from trapcli.core.contract import Case, Problem
from trapcli.core.draw import Draw
from trapcli.core.errors import TrapError

GOODS = Table("goods.csv", {"sku": "id", "price": "integer"}, "sku")
RIGHT = '[{"file": "goods.csv", "op": "update", "match": {"sku": "A"}, "set": {"price": "11"}}]'


def plan(draw: Draw, knobs: Any) -> Plan:
    before, after = ({"goods.csv": [{"sku": "A", "price": price}]} for price in ("10", "11"))
    return Plan(before, after, "# Prices\n\nRaise A by 1.\n", {"item": "A"})


def plan_nothing(draw: Draw, knobs: Any) -> Plan:
    raise PlanFailed("the shop is empty")


def plan_at_last(draw: Draw, knobs: Any) -> Plan:
    if draw.name.endswith("plan-3"):
        return plan(draw, knobs)
    raise PlanFailed("not yet")


def solve(files: Mapping[str, str], mistake: str | None) -> str:
    return "[]" if mistake == "idle" else RIGHT


def find_problems(before: Tables, after: Tables) -> Iterator[Problem]:
    if after["goods.csv"][0]["price"] == "11":
        yield Problem("eleven", "superstition")


def report() -> ModuleType:
    module = ModuleType("pkg.report")
    module.report = lambda read: [["sku", "price"], *(list(row.values()) for row in read("goods.csv"))]  # type: ignore[attr-defined]
    module.__file__ = invoice_detail.__file__  # any text will do
    return module


FAMILY = EditsFamily(
    name="shop",
    title="A shop",
    version="1",
    answers=EditsAnswers(tables=(GOODS,), reports=(report(),)),
    trap_types=(
        Trap("rise", "a price rises", plan, ("idle",)),
        Trap("empty", "there is nothing", plan_nothing, ()),
        Trap("late", "the fourth plan succeeds", plan_at_last, ()),
    ),
    mistakes={"idle": "does nothing"},
    knobs=dict,
    levels=({},),
    cases=1,
    readme="# A shop\n",
    solver=solve,
)
CASE = FAMILY.generate("1", None, 0)


def problems(family: EditsFamily, case: Case) -> list[str]:
    return [str(problem) for problem in family.check(case)]


def test_case_k_sets_trap_k() -> None:
    """Traps come in turn, and a plan that fails is drawn again."""
    assert FAMILY.traps == {trap.name: trap.about for trap in FAMILY.trap_types}
    assert [FAMILY.generate("1", None, k).trap for k in (0, 2, 3, 5)] == ["rise", "late", "rise", "late"]


def test_a_trap_that_cannot_be_planned_is_an_error() -> None:
    """After many plans that failed the error names the trap and the reason."""
    with pytest.raises(TrapError, match=r"shop: no case of trap empty can be planned .*: the shop is empty"):
        FAMILY.generate("1", None, 1)


def test_a_case_holds_its_readme_ticket_tables_and_scripts() -> None:
    """The README ends with the instructions of the answer kind, and the gold edits are the difference."""
    assert list(CASE.files) == ["README.md", "ticket.md", "goods.csv", "report.py"]
    assert CASE.files["README.md"] == f"# A shop\n\n{FAMILY.answers.instructions()}"
    assert CASE.files["goods.csv"] == "sku,price\nA,10\n"
    assert CASE.gold == [{"file": "goods.csv", "op": "update", "match": {"sku": "A"}, "set": {"price": "11"}}]
    assert (CASE.mistakes, CASE.facts) == (("idle",), {"item": "A"})


def test_functions_may_be_named() -> None:
    """A solver given as "module:name" is imported when it is first used."""
    named = replace(FAMILY, solver="operator:is_")
    assert named.solve(CASE.files) == "False"
    assert FAMILY.solve(CASE.files, "idle") == "[]"


@pytest.mark.slow
def test_a_sound_case_has_no_problem() -> None:
    """Gold edits that are needed and not shown are sound; the family's own checks are heard too."""
    assert problems(replace(FAMILY, computed=frozenset({("goods.csv", "price")})), CASE) == []
    assert problems(replace(FAMILY, checks=find_problems), CASE) == ["superstition: eleven"]


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"gold": []}, "solvable: 0 gold edits, not 1 to 28"),
        ({"gold": [*CASE.gold, *CASE.gold]}, "needed: gold edit 1 can be left out"),
        (
            {"gold": [*CASE.gold, {"file": "x", "set": {}, "row": {}}]},
            "gold edits are ignored: edit 2: ignored, there is no table 'x'",
        ),
        ({"files": {**CASE.files, "ticket.md": "Make it 11."}}, "leak: 11 is in the ticket"),
        (
            {"files": {**CASE.files, "goods.csv": "sku,price\nA,10\nB,11\n"}},
            "leak: 11 is already in goods.csv price",
        ),
    ],
)
def test_an_unsound_case_is_found(changes: dict[str, Any], problem: str) -> None:
    """Gold edits that are too few, not needed, ignored or shown are named after their invariant."""
    family = replace(FAMILY, computed=frozenset({("goods.csv", "price")}))
    assert problem in problems(family, replace(CASE, **changes))


def test_only_the_private_view_gives_the_answer_away() -> None:
    """The public view of a case has its ticket and tables, the private one also facts, gold and effect."""
    public, private = (FAMILY.explain(CASE, public) for public in (True, False))
    assert [section.title for section in public] == ["Ticket", "Tables"]
    assert [section.title for section in private[2:]] == [
        "Facts of the trap",
        "Gold edits",
        "Change in the reports",
    ]
    assert private[-1].rows == (("report", "A", "price", "10", "11"),)


def test_authors_import_from_the_package() -> None:
    """The package hands on every public name, and refuses others."""
    assert {getattr(edits, name) for name in edits.__all__}
    assert set(edits.__all__) <= set(dir(edits))
    with pytest.raises(AttributeError, match="no attribute 'Tabel'"):
        edits.Tabel  # noqa: B018
