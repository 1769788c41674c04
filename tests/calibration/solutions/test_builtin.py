"""The solutions that come with the program: how they are named, and which mistake each trial makes."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from factories import solution_of, suite_of
from hypothesis import given
from hypothesis import strategies as st

from trapcli.calibration.solutions.builtin import Builtin, read_builtin
from trapcli.core import registry
from trapcli.core.contract import Case
from trapcli.core.errors import TrapError

HERE = Path("/here")


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        ("builtin:solve", {}),
        ("builtin:mistake:void_counted", {"mistake": "void_counted"}),
        ("builtin:flaky:0.3", {"chance": 0.3}),
        ("builtin:flaky:.5", {"chance": 0.5}),
        ("builtin:flaky:0", {"chance": 0.0}),
        ("builtin:flaky:1:x-7", {"chance": 1.0, "seed": "x-7"}),
    ],
)
def test_forms(text: str, fields: Any) -> None:
    """Each form is read as what it says."""
    assert read_builtin(text, HERE) == Builtin(text, HERE, **fields)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "solved",
        "solve:1",
        "mistake",
        "mistake:",
        "mistake:a:b",
        "flaky",
        "flaky:",
        "flaky:1.1",
        "flaky:-0",
        "flaky:nan",
        "flaky:1e-3",
        "flaky:\u0663",
        "flaky:0.5:1:2",
    ],
)
def test_other_texts_are_refused_listing_the_forms(text: str) -> None:
    """A near miss is refused, and the forms are listed."""
    with pytest.raises(TrapError, match=r"builtin:solve, builtin:mistake:NAME, builtin:flaky:P or"):
        read_builtin(f"builtin:{text}", HERE)


@pytest.mark.parametrize("seed", ["", "a b", "x" * 65])
def test_unusable_seed(seed: str) -> None:
    """A seed that could break a file name or a table is refused."""
    with pytest.raises(TrapError, match="the seed"):
        read_builtin(f"builtin:flaky:0.5:{seed}", HERE)


@given(st.text())
def test_any_text_is_read_or_refused(text: Any) -> None:
    """Nothing but TrapError is raised, whatever follows the colon."""
    try:
        read_builtin(f"builtin:{text}", HERE)
    except TrapError as error:
        assert "builtin:" in str(error)


def test_an_unknown_mistake_is_refused_listing_those_of_each_family() -> None:
    """Some family of the run must have the mistake, before anything runs."""
    solution_of("builtin:solve").prepare(["billing"])
    with pytest.raises(TrapError, match=r"wrong_region.*billing has \w+, .*; payout has "):
        solution_of("builtin:mistake:wrong_region").prepare(["billing", "payout"])
    known = next(iter(registry.family("payout").mistakes))
    solution_of(f"builtin:mistake:{known}").prepare(["billing", "payout"])


def test_a_mistake_is_made_only_where_the_case_has_it() -> None:
    """A case without the mistake is solved, because that one wrong belief does no harm there."""
    mistaken = solution_of("builtin:mistake:a")
    assert mistaken.choose_mistake(("b", "a"), "x") == "a"
    assert mistaken.choose_mistake(("b",), "x") == ""
    assert solution_of("builtin:solve").choose_mistake(("a",), "x") == ""


@pytest.mark.parametrize("chance", [0.0, 0.1, 0.3, 1.0])
def test_a_flaky_solution_has_its_true_rate(chance: float) -> None:
    """Over many trials the share without a mistake is (1 - P) ** m, and no mistake is preferred."""
    flaky, names = solution_of(f"builtin:flaky:{chance}"), ("a", "b", "c")
    made = Counter(flaky.choose_mistake(names, f"t/{n}") for n in range(4000))
    rate = flaky.true_rate(names)
    assert rate == pytest.approx((1 - chance) ** 3)
    assert abs(made[""] / 4000 - rate) < 4 * (rate * (1 - rate) / 4000) ** 0.5 + 1e-9
    for name in names:
        wanted = (1 - rate) / 3
        assert abs(made[name] / 4000 - wanted) < 4 * (wanted * (1 - wanted) / 4000) ** 0.5 + 1e-9


def test_every_trial_has_random_numbers_of_its_own() -> None:
    """Run, suite, case and trial each change the mistakes; with a seed the run plays no part."""
    names = tuple(f"m{n}" for n in range(50))

    def mistakes(given: Any, token: Any = "r", seed: Any = "1", case: Any = "case_01", first: Any = 1) -> Any:
        recipe = suite_of(seed=seed).recipe
        case = Case("toy", "", {}, None, names, id=case)
        commands = [solution_of(given).argv(case, first + n, recipe=recipe, token=token) for n in range(9)]
        return tuple(words[-1] for words in commands)

    changes: list[dict[str, Any]] = [{}, {"token": "q"}, {"seed": "2"}, {"case": "case_02"}, {"first": 2}]
    assert len({mistakes("builtin:flaky:0.5", **change) for change in changes}) == 5
    assert len({mistakes("builtin:flaky:0.5:s", **change) for change in changes}) == 4
    assert mistakes("builtin:flaky:0.5", token="s") != mistakes("builtin:flaky:0.5:s")
