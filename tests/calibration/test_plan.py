"""What a run is planned to do, and when a stored run can no longer be continued as planned."""

import json
import shutil
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest
from factories import command_of, run_of, solution_of, suite_of
from toy_family import Toy, build_toy, installed

from trapcli.calibration.plan import (
    host,
    plan_suite,
    prepare,
    refuse_changed_plan,
    reopen_suites,
)
from trapcli.calibration.solutions.command import Command
from trapcli.core import registry
from trapcli.core.errors import TrapError
from trapcli.suites.reader import open_suite
from trapcli.system.package import __version__


@pytest.fixture
def suite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A practice suite of the toy family."""
    installed(monkeypatch)
    return build_toy(tmp_path / "traps" / "toy")


def planned(suite: Any, **changes: Any) -> Any:
    """A run of three trials of each case of the suite."""
    return run_of(plan_suite(suite), 3, tool=__version__, **changes)


def refusal(call: Any, *words: Any) -> Any:
    with pytest.raises(TrapError) as caught:
        call(*words)
    return str(caught.value)


def test_a_suite_is_planned_with_everything_that_identifies_it(
    suite: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Recipe, digest and the real paths of both halves are planned."""
    monkeypatch.chdir(tmp_path)
    found = plan_suite(open_suite(Path("traps/toy")))
    assert (found.family, found.recipe.version, found.recipe.seed, found.practice) == ("toy", "1", "1", True)
    assert found.recipe.knobs == {"lines": 6, "largest": 50, "hidden": 3}
    assert found.digest == suite.halves.digest()
    assert found.directory == tmp_path / "traps" / "toy"
    assert found.halves.private == tmp_path / "traps" / "toy" / "expected"
    assert found.cases == ("case_01", "case_02", "case_03", "case_04")
    assert not found.changed


def test_chosen_cases_are_planned_in_the_order_of_the_suite(suite: Any) -> None:
    """The cases that are asked for are planned, each once, in the suite's order."""
    assert plan_suite(suite, ["case_03", "case_01", "case_03", "case_99"]).cases == ("case_01", "case_03")


def test_the_digest_does_not_depend_on_where_the_private_half_is(suite: Any, tmp_path: Path) -> None:
    """A suite built with its private half elsewhere has the digest that it has in one piece."""
    apart = build_toy(tmp_path / "public", expected=tmp_path / "private")
    assert plan_suite(apart).digest == plan_suite(suite).digest


def test_the_true_rate_of_a_flaky_solution_is_known(suite: Any) -> None:
    """It is the mean over the planned cases of the chance that none of a case's mistakes happens."""
    both = 0.9 * 0.9  # each case of the toy family has two mistakes
    assert plan_suite(suite, solution=solution_of("builtin:flaky:0.1:7")).true_rate == pytest.approx(both)
    assert plan_suite(suite, ["case_02"], solution_of("builtin:flaky:1")).true_rate == 0
    for other in ("builtin:solve", "builtin:mistake:void_counted", "python agent.py"):
        assert plan_suite(suite, solution=solution_of(other)).true_rate is None
    assert plan_suite(suite).true_rate is None


def test_the_host_is_described_as_json() -> None:
    """System, processor type, number of usable processors and load are plain data."""
    found = host()
    assert [*found] == ["system", "release", "machine", "cpus", "load"]
    assert found["cpus"] >= 1 and json.loads(json.dumps(found)) == found


def test_the_suites_of_a_stored_run_are_opened(suite: Any) -> None:
    """A suite that has not changed is opened where it was."""
    [found] = reopen_suites(planned(suite))
    assert found == suite


def test_a_private_half_that_is_elsewhere_is_found_again(suite: Any, tmp_path: Path) -> None:
    """A run on a suite in two places opens both."""
    shutil.move(suite.halves.private, tmp_path / "private")
    apart = open_suite(suite.directory, tmp_path / "private")
    assert reopen_suites(planned(apart))[0].halves.private == tmp_path / "private"


@pytest.mark.parametrize("path", ["inputs/case_02/task.md", "traptask.yaml", "README.md"])
def test_a_changed_suite_is_refused(suite: Any, path: str) -> None:
    """A run whose suite has changed in any file is refused, naming the suite."""
    run = planned(suite)
    with open(suite.directory / path, "a") as file:
        file.write("\n")
    message = refusal(reopen_suites, run)
    assert f"{suite.directory} is not the suite that run 1 was started on" in message


def test_a_changed_private_half_is_refused(suite: Any) -> None:
    """A changed record or answer is refused, naming the file or the suite."""
    run = planned(suite)
    for path in ("suite.json", "case_01/answer.json"):
        whole = (suite.halves.private / path).read_text()
        (suite.halves.private / path).write_text(whole + "\n")
        assert str(suite.directory) in refusal(reopen_suites, run)
        (suite.halves.private / path).write_text(whole)
    assert reopen_suites(run)


@pytest.mark.slow
def test_a_suite_built_again_is_refused_unless_it_has_the_same_seed(suite: Any) -> None:
    """Another seed gives other cases, so it is another suite, though it is in the same place."""
    run = planned(suite)
    build_toy(suite.directory, seed="2", force=True)
    assert "it was changed or built again" in refusal(reopen_suites, run)
    build_toy(suite.directory, seed="1", force=True)
    assert reopen_suites(run)


def test_a_suite_that_was_removed_is_refused(suite: Any) -> None:
    """A run whose suite was removed is refused, naming where it was."""
    run = planned(suite)
    shutil.rmtree(suite.directory)
    assert f"there is no suite at {suite.directory}" in refusal(reopen_suites, run)


def test_a_suite_of_another_version_of_its_family_is_refused(
    suite: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If the installed family is not the one that built the suite, both versions are named."""
    run = planned(suite)

    class Newer(Toy):
        version = "2"

    monkeypatch.setattr(registry, "family", lambda name: Newer())
    assert "was built by toy 1, but toy 2 is installed" in refusal(reopen_suites, run)


def test_an_unchanged_plan_is_accepted() -> None:
    """Nothing is refused if solution, options, files, suites and version are the same."""
    run = run_of(3, tool=__version__, plan={"env": ("KEY",)})
    refuse_changed_plan(run, run.plan)


COMMAND: dict[str, Any] = {
    "given": "python other.py",
    "command": ("python", "other.py"),
    "cwd": Path("/elsewhere"),
    "timeout": 5.0,
    "stdin": "ticket.md",
    "setup_cmd": "make",
    "manifest_envvar": "CASE",
    "name": "mine",
    "profile": {"model": ["another"]},
    "has_directory": True,
}


@pytest.mark.parametrize("name", [field.name for field in fields(Command)])
def test_a_changed_solution_is_refused_naming_the_change(name: Any) -> None:
    """Whatever of the solution has changed, command, directory, limit or profile, is named."""
    run = run_of(3, tool=__version__)
    now = replace(run.plan, solution=replace(run.plan.solution, **{name: COMMAND[name]}))
    message = refusal(refuse_changed_plan, run, now)
    assert f"the solution's {name} was " in message and "start a new run without --resume" in message


@pytest.mark.parametrize("given", ["builtin:solve", "builtin:flaky:0.5", "builtin:flaky:0.5:s"])
def test_another_builtin_is_another_solution(given: str) -> None:
    """A builtin that makes other mistakes is refused, and so is one in place of a command."""
    for before in ("builtin:mistake:void_counted", "python agent.py"):
        run = run_of(3, given=before, tool=__version__)
        now = replace(run.plan, solution=solution_of(given))
        assert f"given was '{before}', now '{given}'" in refusal(refuse_changed_plan, run, now)


OPTIONS: dict[str, Any] = {
    "trials": 11,
    "limit": 5.0,
    "isolate": True,
    "no_network": True,
    "fresh_home": True,
    "env": ("KEY",),
}


@pytest.mark.parametrize("name", [*OPTIONS])
def test_a_changed_option_is_refused_naming_it(name: Any) -> None:
    """Trials, limit, isolation, HOME and variables must be the same."""
    run = run_of(3, tool=__version__)
    assert f"{name} was " in refusal(refuse_changed_plan, run, replace(run.plan, **{name: OPTIONS[name]}))


def test_other_suites_or_cases_are_refused() -> None:
    """Another digest or another choice of cases is another run."""
    run = run_of(3, tool=__version__)
    for other in (suite_of(2), suite_of(3, digest="another")):
        message = refusal(refuse_changed_plan, run, replace(run.plan, suites=(other,)))
        assert "the suites or the cases have changed" in message


def test_another_version_is_refused_along_with_everything_else_that_differs() -> None:
    """The version that judged the trials so far is named, and all differences come in one message."""
    run = run_of(3, tool="0.0.1")
    message = refusal(refuse_changed_plan, run, replace(run.plan, trials=11, limit=1.0))
    assert f"it was started by trapcli 0.0.1, and this is {__version__}" in message
    assert "trials was 10, now 11" in message and "limit was 600.0, now 1.0" in message
    assert "\n" not in message


def plan_of(suite: Any, solution: Any, **changes: Any) -> Any:
    return replace(run_of(plan_suite(suite), 3).plan, solution=solution, **changes)


def test_a_damaged_case_stops_the_run_before_it_begins(suite: Any, tmp_path: Path) -> None:
    """Each planned case is read, with its digests, before the first trial; the others are not."""
    answer = suite.halves.private / "case_02" / "answer.json"
    answer.write_text(answer.read_text() + " ")
    whole = plan_of(suite, command_of("true", cwd=tmp_path))
    assert "case_02" in refusal(prepare, whole, [suite])
    first = replace(whole, suites=(replace(whole.suites[0], cases=("case_01",)),))
    prepare(first, [suite])


def test_a_complete_solution_is_prepared_once(suite: Any, tmp_path: Path) -> None:
    """If program, variables and input exist, the setup runs once and nothing is refused."""
    solution = command_of("sh", "-c", "true", cwd=tmp_path, stdin="task.md", setup_cmd="echo done >> setup")
    prepare(plan_of(suite, solution, env=("PATH",)), [suite])
    assert (tmp_path / "setup").read_text() == "done\n"


@pytest.mark.parametrize(
    ("solution", "message"),
    [
        (command_of("no-such-program"), "there is no program 'no-such-program' on PATH"),
        (command_of("./missing.sh"), "there is no program"),
        (command_of("true", stdin="ticket.md"), "but case_01 of "),
        (command_of("true", setup_cmd="echo why; exit 3"), "setup_cmd failed with exit code 3"),
        (solution_of("builtin:mistake:nonsense"), "no family of this run has a mistake of that name"),
    ],
)
def test_whatever_is_missing_stops_the_run_before_the_first_trial(
    suite: Any, solution: Any, message: str
) -> None:
    """A missing program, input or mistake, or a failed setup, is an error before anything is measured."""
    assert message in refusal(prepare, plan_of(suite, solution), [suite])


def test_a_variable_that_is_not_set_stops_the_run(
    suite: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A variable that --env names but that is not set is an error, not an empty one."""
    monkeypatch.delenv("AGENT_KEY", raising=False)
    plan = plan_of(suite, command_of("true", cwd=tmp_path), env=("AGENT_KEY",))
    assert "--env AGENT_KEY: this variable is not set" in refusal(prepare, plan, [suite])


def test_a_setup_may_create_the_program_that_is_run(suite: Any, tmp_path: Path) -> None:
    """The program is looked for after the setup, which may build it."""
    setup = "printf '#!/bin/sh\\necho 1\\n' > agent && chmod +x agent"
    prepare(plan_of(suite, command_of("./agent", cwd=tmp_path, setup_cmd=setup)), [suite])


def test_isolation_without_its_program_is_refused(
    suite: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If bubblewrap is missing, an isolated run is an error; no trial runs without it."""
    monkeypatch.setenv("PATH", str(tmp_path))
    solution = command_of("/bin/sh", "-c", "true", cwd=tmp_path)
    assert "bwrap" in refusal(prepare, plan_of(suite, solution, isolate=True), [suite])
