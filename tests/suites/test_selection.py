"""Which suite a command means, from what is named and where we stand."""

import sys
from collections.abc import Callable
from pathlib import Path

import click
import pytest
from toy_family import TOY, Knobs, Toy, installed

from trapcli.building.builder import build_suite
from trapcli.core.errors import TrapError
from trapcli.suites.reader import Suite
from trapcli.suites.selection import (
    command_for,
    complete_cases,
    complete_families,
    runs_directory,
    select_suite,
    suite_around,
)


class Other(Toy):
    """Another family, with suites of its own."""

    name = "other"


OTHER = Other()


@pytest.fixture(autouse=True)
def toys(monkeypatch: pytest.MonkeyPatch) -> None:
    installed(monkeypatch, other=f"{__name__}:OTHER")


Build = Callable[..., Suite]


@pytest.fixture
def build(tmp_path: Path) -> Build:
    """Builds a suite at a path below the test's directory."""

    def make(place: str, family: Toy = TOY, count: int = 2, expected: Path | None = None) -> Suite:
        return build_suite(
            family, seed="1", knobs=Knobs(), count=count, target=tmp_path / place, expected=expected
        )

    return make


def select(cwd: Path, **given: object) -> Path:
    wanted = {"suite": None, "family": None, "case": None, "expected": None, **given}
    return select_suite(cwd=cwd, **wanted).directory  # type: ignore[arg-type]


def refusal(cwd: Path, **given: object) -> str:
    with pytest.raises(TrapError) as raised:
        select(cwd, **given)
    return str(raised.value)


def test_the_directory_given_comes_first(tmp_path: Path, build: Build) -> None:
    """--suite is taken as it is, wherever we stand and whatever else would fit."""
    build("traps/toy")
    build("elsewhere")
    assert select(tmp_path / "traps/toy", suite=tmp_path / "elsewhere") == tmp_path / "elsewhere"
    assert "nothing is there" in refusal(tmp_path, suite=tmp_path / "none")


def test_then_the_family_that_was_named(tmp_path: Path, build: Build) -> None:
    """--family finds the suite of that family under traps/, whatever its directory is called."""
    build("traps/toy")
    build("traps/hard", OTHER)
    assert select(tmp_path, family="other") == tmp_path / "traps/hard"
    assert select(tmp_path, family="toy") == tmp_path / "traps/toy"
    message = refusal(tmp_path, family="payout")
    assert "no suite of payout in" in message
    assert "`trapcli build payout`" in message


def test_a_family_may_be_that_of_the_suite_we_stand_in(tmp_path: Path, build: Build) -> None:
    """The suite we stand in is found by its family too, as its README says."""
    suite = build("somewhere/suite").directory
    assert select(suite, family="toy") == suite
    assert select(suite / "inputs/case_01", family="toy") == suite
    assert "no suite of other" in refusal(suite, family="other")


def test_then_the_suite_we_stand_in(tmp_path: Path, build: Build) -> None:
    """Anywhere inside a suite, that suite is meant."""
    suite = build("suite").directory
    build("suite-2")
    for inside in (".", "inputs", "inputs/case_01/data", "expected/case_02"):
        assert select(suite / inside, case="case_01") == suite
        assert suite_around(suite / inside) == suite
    assert suite_around(tmp_path) is None


def test_then_the_only_suite_that_has_the_case(tmp_path: Path, build: Build) -> None:
    """Under traps/ a suite is found by a case that only it has, and if it is the only one."""
    build("traps/small", count=2)
    assert select(tmp_path) == tmp_path / "traps/small"
    assert select(tmp_path, case="case_02") == tmp_path / "traps/small"
    build("traps/large", count=5)
    assert select(tmp_path, case="case_05") == tmp_path / "traps/large"
    message = refusal(tmp_path, case="case_77")
    assert "has a case 'case_77': large has case_01 to case_05; small has case_01 to case_02" in message


def test_nothing_there_says_what_to_do(tmp_path: Path) -> None:
    """Where there is no suite at all the error tells how to build one, and --suite."""
    for case in (None, "case_01"):
        assert "`trapcli build FAMILY`" in refusal(tmp_path, case=case)
    assert "--suite DIR" in refusal(tmp_path)


@pytest.mark.parametrize("named", [{"case": "case_01"}, {"family": "toy"}, {}], ids=str)
def test_several_that_fit_are_commands_to_choose_from(
    tmp_path: Path, build: Build, named: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is guessed: the error has a line for each suite, the command as typed with --suite added."""
    build("traps/a")
    build("traps/b c")
    monkeypatch.setattr(sys, "argv", ["trapcli", "judge", "--case", "case_01", "it's.json"])
    with click.Context(click.Command("judge"), info_name="judge"):
        message = refusal(tmp_path, **named)
    assert message.splitlines()[1:] == [
        """  trapcli judge --suite traps/a --case case_01 'it'"'"'s.json'""",
        """  trapcli judge --suite 'traps/b c' --case case_01 'it'"'"'s.json'""",
    ]


def test_a_command_can_be_given_without_what_was_typed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If it is not known what was typed, the command is a plain one."""
    monkeypatch.setattr(sys, "argv", ["python"])
    assert command_for(tmp_path / "a", "case_01", tmp_path) == "trapcli judge --suite a --case case_01"
    assert command_for(tmp_path / "a", None, tmp_path / "b") == f"trapcli judge --suite {tmp_path / 'a'}"


def test_a_suite_of_another_family_is_refused(tmp_path: Path, build: Build) -> None:
    """--suite and --family that contradict each other are an error."""
    build("suite")
    message = refusal(tmp_path, suite=tmp_path / "suite", family="other")
    assert "suite is a suite of toy, not of other" in message


def test_a_damaged_suite_hides_no_other(tmp_path: Path, build: Build) -> None:
    """A suite without its task file fits no case; if its family was named it is the error."""
    build("traps/toy")
    build("traps/whole", OTHER)
    (tmp_path / "traps/toy/traptask.yaml").unlink()
    assert select(tmp_path, case="case_01") == tmp_path / "traps/whole"
    assert "traptask.yaml is missing" in refusal(tmp_path, family="toy")


def test_a_private_half_may_be_named_with_those_of_other_families(tmp_path: Path, build: Build) -> None:
    """--expected is the private half, or the directory in which `build --all` put one for each family."""
    private = tmp_path / "private"
    build("traps/toy", expected=private / "toy")
    for expected in (private, private / "toy"):
        found = select_suite(suite=None, family=None, case="case_01", expected=expected, cwd=tmp_path)
        assert found.expected == private / "toy"
    assert "is no private half" in refusal(tmp_path, expected=tmp_path)


def test_families_are_completed() -> None:
    """The names of installed families that begin as typed are offered, and none is imported."""
    argument = click.Argument(["family"])
    context = click.Context(click.Command("build"))
    assert [item.value for item in complete_families(context, argument, "")] == ["other", "toy"]
    assert [item.value for item in complete_families(context, argument, "to")] == ["toy"]


def test_cases_are_completed_without_the_private_half(
    tmp_path: Path, build: Build, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The ids of the suite that is meant so far are offered; if none or several are meant, none."""
    monkeypatch.chdir(tmp_path)
    option, context = click.Option(["--case"]), click.Context(click.Command("judge"))

    def offered(typed: str, **given: object) -> list[str]:
        context.params = given
        return [item.value for item in complete_cases(context, option, typed)]

    assert offered("case") == []
    build("traps/toy", count=3, expected=tmp_path / "private")
    assert offered("case_") == ["case_01", "case_02", "case_03"]
    build("traps/other", OTHER)
    assert offered("case_") == []
    assert offered("case_", family="other") == ["case_01", "case_02"]
    assert offered("case_03", suite=tmp_path / "traps/toy", family=None) == ["case_03"]


def test_runs_are_kept_where_we_stand_but_never_in_a_suite(build: Build, tmp_path: Path) -> None:
    """Runs stand in .trapcli here; of a place inside a suite, where traps/ or the suite stands."""
    build("project/traps/toy")
    build("alone/toy")
    for place, kept in {
        "project": Path(".trapcli"),
        "project/traps": Path(".trapcli"),
        "project/traps/toy": tmp_path / "project/.trapcli",
        "project/traps/toy/inputs/case_01": tmp_path / "project/.trapcli",
        "alone/toy/inputs": tmp_path / "alone/.trapcli",
    }.items():
        assert runs_directory(tmp_path / place) == kept
