"""The suites of a run: their names, the commands that show a case, and which suite a name refers to."""

from pathlib import Path

import pytest
from factories import run_of, suite_of

from trapcli.calibration.suite_names import (
    case_name,
    find_case,
    find_suites,
    inspect_command,
    short_path,
    suite_name,
)
from trapcli.core.errors import TrapError


def test_names_of_suites() -> None:
    """A suite is named by its family, or by its directory if the run has several of the family."""
    run = run_of([suite_of(1, family="toy"), suite_of(1, family="other")])
    assert [suite_name(run, position) for position in (0, 1)] == ["toy", "other"]
    assert case_name(run, 1, "case_01") == "other case_01"
    assert case_name(run_of(1), 0, "case_01") == "case_01"
    same = run_of([suite_of(1), suite_of(1, directory=Path("traps/hard"))])
    assert [suite_name(same, position) for position in (0, 1)] == ["traps/toy", "traps/hard"]


def test_command_names_the_suite_only_if_needed() -> None:
    """A command names the suite if several suites have the case."""
    run = run_of([suite_of(2, family="toy"), suite_of(3, family="other")], number=3)
    assert inspect_command(run, 1, "case_01") == "trapcli inspect run 3 other case_01"
    assert inspect_command(run, 1, "case_03", 2) == "trapcli inspect run 3 case_03 --trial 2"


def test_case_of_the_only_suite_that_has_it() -> None:
    """A case that one suite has needs no suite; a family or a directory may be given."""
    run = run_of([suite_of(2, family="toy"), suite_of(3, family="other")])
    assert find_case(run, "case_03", None) == 1
    assert find_case(run, "case_01", "other") == find_case(run, "case_01", "traps/other") == 1


def test_case_of_several_suites_lists_the_commands() -> None:
    """If several suites have the case, the error lists the commands to choose from."""
    run = run_of([suite_of(2, family="toy"), suite_of(3, family="other")], number=3)
    with pytest.raises(TrapError) as error:
        find_case(run, "case_01", None)
    assert str(error.value).splitlines()[1:] == [
        "  trapcli inspect run 3 toy case_01",
        "  trapcli inspect run 3 other case_01",
    ]


def test_several_suites_of_a_family_are_named_by_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Suites of one family are named by directory, relative to the current one if below it."""
    monkeypatch.chdir(tmp_path)
    directories = [tmp_path / "traps" / "toy", Path("/elsewhere/toy")]
    run = run_of([suite_of(1, directory=directory) for directory in directories])
    with pytest.raises(TrapError) as error:
        find_case(run, "case_01", "toy")
    assert str(error.value).splitlines()[1:] == [
        "  trapcli inspect run 1 traps/toy case_01",
        "  trapcli inspect run 1 /elsewhere/toy case_01",
    ]
    assert find_case(run, "case_01", "traps/toy/") == 0
    assert find_case(run, "case_01", "/elsewhere/toy") == 1
    assert short_path(directories[0]) == "traps/toy"


def test_unknown_names_are_refused() -> None:
    """An unknown case and an unknown suite are errors that name the known ones."""
    run = run_of(2)
    with pytest.raises(TrapError, match="run 1 has no case 'case_07': toy has case_01 to case_02"):
        find_case(run, "case_07", None)
    with pytest.raises(TrapError, match="has no suite 'billing'; its suites are toy"):
        find_suites(run, "billing")
