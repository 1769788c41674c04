"""What completion offers for families, cases, knobs and the words of `inspect`."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import pytest
from click.shell_completion import BashComplete
from factories import run_of, stored, suite_of
from toy_family import installed

from trapcli.cli import cli
from trapcli.commands.completion import complete_cases, complete_families, complete_knobs

Run = Callable[..., Any]


@pytest.fixture(autouse=True)
def toys(monkeypatch: pytest.MonkeyPatch) -> None:
    installed(monkeypatch, other="no_such_module:OTHER")


def offered(
    completer: Callable[..., list[Any]], incomplete: str, **given: object
) -> list[tuple[str, str | None]]:
    """Return what is offered after these parameters, each word with its help."""
    context = click.Context(click.Command("any"))
    context.params = given
    return [(item.value, item.help) for item in completer(context, click.Option(["--any"]), incomplete)]


def words(completer: Callable[..., list[Any]], incomplete: str, **given: object) -> list[str]:
    return [word for word, _ in offered(completer, incomplete, **given)]


def at_prompt(line: str) -> list[str]:
    """Return what the program offers for the last word of a line, "" if it ends with a blank."""
    *before, last = line.split(" ")
    return [item.value for item in BashComplete(cli, {}, "trapcli", "_X").get_completions(before, last)]


def test_families_are_offered_and_none_is_imported() -> None:
    """The installed families that begin as typed are offered, also those that do not load."""
    assert words(complete_families, "") == ["other", "toy"]
    assert words(complete_families, "to") == ["toy"]


def test_cases_are_offered_without_the_private_half(run: Run, tmp_path: Path) -> None:
    """The cases of the suite chosen so far are offered; none if no suite, or several, can be chosen."""
    assert words(complete_cases, "case") == []
    assert run("build", "toy", "--cases", 3, "--expected", "private").code == 0
    assert words(complete_cases, "case_") == ["case_01", "case_02", "case_03"]
    (tmp_path / "traps/toy").rename(tmp_path / "traps/first")
    assert run("build", "toy", "--cases", 2).code == 0
    assert words(complete_cases, "case_") == []
    assert words(complete_cases, "case_", family="toy") == []
    assert words(complete_cases, "case_03", suite=Path("traps/first"), family=None) == ["case_03"]


def test_knobs_are_offered_with_their_ranges() -> None:
    """The knobs of the family on the line, or of all that load, are offered with a line of help."""
    assert offered(complete_knobs, "l", family="toy") == [
        ("largest=", "the largest amount; 10 to 1000000, default 50"),
        ("lines=", "amounts in the file; 4 to 10000, default 6"),
    ]
    assert len(words(complete_knobs, "")) == 3
    assert words(complete_knobs, "", family="none") == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("line", "choices"),
    [
        ("inspect ", ["other", "toy", "case_01", "case_02", "case_03", "case_04", "run"]),
        ("inspect t", ["toy"]),
        ("inspect toy case_0", ["case_01", "case_02", "case_03", "case_04"]),
        ("inspect --suite traps/toy case_0", ["case_01", "case_02", "case_03", "case_04"]),
        ("inspect case_01 ", []),
        ("inspect traps/toy case_04", ["case_04"]),
        ("inspect absent ", []),
    ],
)
def test_inspect_completes_families_and_cases(run: Run, line: str, choices: list[str]) -> None:
    """Family names and case ids are offered, case ids of the suite chosen so far."""
    assert run("build", "toy").code == 0
    assert at_prompt(line) == choices


def test_inspect_leaves_directories_to_the_shell(run: Run) -> None:
    """What looks like a path is completed as a directory."""
    [item] = BashComplete(cli, {}, "trapcli", "_X").get_completions(["inspect"], "./tr")
    assert (item.value, item.type) == ("./tr", "dir")


def test_inspect_run_completes_runs_families_and_cases(run: Run, tmp_path: Path) -> None:
    """After `run` the numbers of runs are offered, then the families and cases of that run."""
    stored(tmp_path, run_of(2, 2))
    stored(tmp_path, run_of([suite_of(2), suite_of(3, family="other")], 3))
    assert at_prompt("inspect r") == ["run"]
    assert at_prompt("inspect run ") == ["1", "2"]
    assert at_prompt("inspect run 2 ") == ["toy", "other", "case_01", "case_02", "case_03"]
    assert at_prompt("inspect run 2 toy case_") == ["case_01", "case_02"]
    for word in ("9", "x", "9" * 30, "\u0663"):
        assert at_prompt(f"inspect run {word} ") == []


def test_inspect_run_without_runs_offers_nothing(run: Run, tmp_path: Path) -> None:
    """Where there are no runs nothing is offered after `run`, and nothing is created."""
    assert at_prompt("inspect run ") == []
    assert list(tmp_path.iterdir()) == []
