"""`trapcli calibrate --resume`: a stopped run continues as it was planned, or not at all; what is stored."""

import json
import os
import platform
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from agents import (
    CASES,
    OUTPUTS,
    RIGHT,
    SECRET,
    VOID_COUNTED,
    agent,
    assert_error,
    cut_short,
    open_runs,
    starts,
)
from factories import trial

from trapcli import __version__
from trapcli.calibration import plan
from trapcli.calibration.configuration import Configuration
from trapcli.calibration.plan import plan_suite
from trapcli.calibration.records import Plan
from trapcli.calibration.solutions.solution import read_solution
from trapcli.calibration.solutions.solution_files import files_of
from trapcli.calibration.store.store import open_store

pytestmark = pytest.mark.slow


# Continuing.


@pytest.fixture
def stopped(toy: Any, tmp_path: Path) -> Any:
    """A run of 8 trials that was killed when 3 were stored."""
    solution = read_solution("sh agent.sh", tmp_path)
    configuration = Configuration(files=files_of(solution).digests)
    plan = Plan(solution, (plan_suite(toy),), trials=2, limit=300.0, configuration=configuration)
    with open_store(tmp_path / ".trapcli", create=True) as store:
        about: dict[str, Any] = {
            "jobs": 1,
            "tool": __version__,
            "python": "3",
            "host": {},
            "scratch": "",
            "self_check": None,
        }
        run = store.begin(plan, token="t", **about)
        store.add_trials(run.number, [trial(case, 1) for case in CASES[:3]])
    return run


@pytest.mark.parametrize("words", [["--resume"], ["--resume", "1"], ["--resume", "-j", "2"]])
def test_a_stopped_run_is_completed(
    run: Callable[..., Any], stopped: Any, tmp_path: Path, words: Any
) -> None:
    """--resume runs the open trials and no other; the run is complete then."""
    done = run("calibrate", *words)
    assert done.code == 0, done.err
    assert done.err == "run 1: 5 trials of sh agent.sh on traps/toy\n"
    assert starts(tmp_path) == 5
    with open_runs(tmp_path) as kept:
        assert kept.trial_keys(1) == {(0, case, number) for case in CASES for number in (1, 2)}
        assert kept.run(1).ended and kept.run(1).plan.limit == 300.0


def test_resuming_a_complete_run_starts_no_agent(
    run: Callable[..., Any], stopped: Any, tmp_path: Path
) -> None:
    """A second --resume starts no agent and prints the result again."""
    first = run("calibrate", "--resume", "1", "--json")
    (tmp_path / "starts").unlink()
    again = run("calibrate", "--resume", "1", "--json")
    assert (again.code, again.err) == (0, "run 1 is complete: nothing is left to run\n")
    assert starts(tmp_path) == 0
    assert json.loads(again.out)["suites"] == json.loads(first.out)["suites"]
    assert_error(run("calibrate", "--resume"), "every run is complete; there is nothing to resume")


def test_the_last_unfinished_run_is_resumed(
    run: Callable[..., Any], calibrate: Callable[..., Any], stopped: Any, tmp_path: Path
) -> None:
    """Without a number, --resume skips a later run that is complete."""
    assert calibrate("--trials", 1, "--only", "case_01").code == 0
    assert "run 1: 5 trials" in run("calibrate", "--resume").err


def test_nothing_to_resume(run: Callable[..., Any], toy: Any, tmp_path: Path) -> None:
    """Without runs --resume is an error, and creates no store."""
    assert_error(run("calibrate", "--resume"), "there are no runs here: .trapcli/runs.db does not exist")
    assert not (tmp_path / ".trapcli").exists()


@pytest.mark.parametrize(
    ("word", "error"),
    [
        ("9", "has no run 9; it has 1."),
        ("0", "'0' is not a run number"),
        ("-1", "-1"),
        ("last", "'last' is not a run number"),
        ("toy", "'toy' is not a run number"),
        ("99999999999999999999", "is not a run number"),
        ("\u0663", "is not a run number"),
    ],
)
def test_wrong_run_numbers(
    run: Callable[..., Any], stopped: Any, tmp_path: Path, word: str, error: str
) -> None:
    """A run that does not exist, or a word that is not a number, is named; nothing is created."""
    assert_error(run("calibrate", "--resume", word), error)
    assert_error(run("calibrate", "--compare", "1", word), error)
    assert os.listdir(tmp_path / ".trapcli" / "outputs") == ["run_1"]


@pytest.mark.parametrize(
    ("words", "name"),
    [
        (["toy"], "FAMILY"),
        (["--solution", "sh agent.sh"], "--solution"),
        (["--trials", "2"], "--trials"),
        (["--timeout", "300"], "--timeout"),
        (["--suite", "traps/toy"], "--suite"),
        (["--expected", "traps/toy/expected"], "--expected"),
        (["--only", "case_01"], "--only"),
        (["--isolate"], "--isolate"),
        (["--env", "HOME"], "--env"),
        (["--no-network"], "--no-network"),
        (["--fresh-home"], "--fresh-home"),
    ],
)
def test_other_options_are_refused(
    run: Callable[..., Any], stopped: Any, tmp_path: Path, words: Any, name: str
) -> None:
    """An option that could change the run is refused by name, even with the value that the run has."""
    assert_error(
        run("calibrate", "--resume=1", *words),
        f"--resume continues the run as it was planned; leave {name} out.",
    )
    assert starts(tmp_path) == 0


def test_a_running_run_is_not_resumed(run: Callable[..., Any], stopped: Any, tmp_path: Path) -> None:
    """While one process works on a run, no other continues it."""
    with open_runs(tmp_path) as other, other.claim(1):
        assert_error(run("calibrate", "--resume"), "another process is working on run 1")
    assert run("calibrate", "--resume").code == 0


def change_input(directory: Any) -> None:
    with open(directory / "traps" / "toy" / "inputs" / "case_01" / "task.md", "a") as file:
        file.write("\n")


def remove_suite(directory: Any) -> None:
    shutil.rmtree(directory / "traps")


def change_agent(directory: Any) -> None:
    agent(directory, VOID_COUNTED)


def remove_agent(directory: Any) -> None:
    (directory / "agent.sh").unlink()


@pytest.mark.parametrize(
    ("change", "error"),
    [
        (change_input, "traps/toy is not the suite that run 1 was started on: it was changed or built again"),
        (remove_suite, "there is no suite at "),
        (change_agent, "run 1 cannot be resumed: the file agent.sh has changed"),
        (remove_agent, "run 1 cannot be resumed: the file agent.sh is missing"),
    ],
)
def test_a_run_whose_suite_or_agent_changed_is_not_resumed(
    run: Callable[..., Any], stopped: Any, tmp_path: Path, change: Any, error: str
) -> None:
    """The error names what has changed, and no trial is added."""
    change(tmp_path)
    assert_error(run("calibrate", "--resume"), error)
    with open_runs(tmp_path) as kept:
        assert sum(kept.count_by_status(1).values()) == 3


def test_another_version_of_trapcli_does_not_resume(
    run: Callable[..., Any], stopped: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run that another version started is not mixed with verdicts of this one."""
    monkeypatch.setattr(plan, "__version__", "99.0")
    assert_error(run("calibrate", "--resume"), "it was started by trapcli ", "and this is 99.0")


def test_another_version_of_the_family_does_not_resume(
    run: Callable[..., Any], stopped: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If the family was replaced, the error names both versions."""
    from toy_family import Toy

    monkeypatch.setattr(Toy, "version", "2")
    assert_error(run("calibrate", "--resume"), "was built by toy 1, but toy 2 is installed")


OTHER_YAML = {
    "cmd: sh other.sh\n": "the solution's command was ['sh', 'agent.sh'], now ['sh', 'other.sh']",
    "cmd: sh agent.sh\ntimeout: 9\n": "the solution's timeout was 600.0, now 9.0",
    "cmd: sh agent.sh\nprofile: {model: new}\n": "the solution's profile was {}, now",
    "cmd: sh agent.sh\nmanifest_envvar: CASE\n": "the solution's manifest_envvar was",
    "": "trap.yaml is empty",
}


def test_a_changed_trap_yaml_is_named(run: Callable[..., Any], toy: Any, tmp_path: Path) -> None:
    """Another command, limit or profile in trap.yaml is another run; a comment is not."""
    (tmp_path / "trap.yaml").write_text("cmd: sh agent.sh\n")
    assert run("calibrate", "--solution", ".", "--trials", 1).code == 0
    cut_short(tmp_path, left=1)
    for text, error in OTHER_YAML.items():
        (tmp_path / "trap.yaml").write_text(text)
        assert_error(run("calibrate", "--resume"), error)
    (tmp_path / "trap.yaml").write_text("# a comment\ncmd: sh agent.sh\n")
    assert run("calibrate", "--resume").code == 0


def test_a_program_that_setup_cmd_builds(run: Callable[..., Any], toy: Any, tmp_path: Path) -> None:
    """A resume compares the program that setup_cmd built, not its absence before."""
    build = "printf '#!/bin/sh\\necho 1\\n' > built && chmod +x built"
    (tmp_path / "trap.yaml").write_text(f"cmd: ./built\nsetup_cmd: {json.dumps(build)}\n")
    assert run("calibrate", "--solution", ".", "--trials", 1).code == 0
    cut_short(tmp_path, left=1)
    assert run("calibrate", "--resume").code == 0
    cut_short(tmp_path, left=1)
    (tmp_path / "built").write_text("#!/bin/sh\necho 2\n")
    assert_error(run("calibrate", "--resume"), "the file ./built has changed")


def test_usage_covers_both_parts_of_a_resumed_run(run: Callable[..., Any], toy: Any, tmp_path: Path) -> None:
    """Tokens of the trials before the stop are in the sums after it."""
    agent(tmp_path, OUTPUTS + """echo '{"input_tokens": 7}' > "$outputs/usage.json"\n""" + RIGHT)
    whole = run("calibrate", "--solution", "sh agent.sh", "--trials", 2, "--json")
    cut_short(tmp_path, left=5)
    resumed = run("calibrate", "--resume", "--json")
    for done in (whole, resumed):
        usage = json.loads(done.out)["suites"][0]["usage"]
        assert usage["input_tokens"] == {"sum": 56, "known": 8, "of": 8}


# What is stored.


@pytest.fixture
def stored(run: Callable[..., Any], toy: Any, tmp_path: Path) -> Any:
    """A stored run of one trial on each of two cases, and its first trial."""
    agent(
        tmp_path,
        OUTPUTS
        + """echo '{"input_tokens": 120, "output_tokens": 7, "cost_usd": 0.5}' > "$outputs/usage.json"
        echo thinking >&2
\n"""
        + RIGHT
        + "exit 3\n",
    )
    (tmp_path / "trap.yaml").write_text(
        "cmd: sh agent.sh\ntimeout: 50\nname: mine\nprofile: {model: m-1, framework: [a, b]}\n"
    )
    words = ("--solution", ".", "--trials", 1, "-j", 2, "--only", "case_02", "--only", "case_03")
    assert run("calibrate", *words).code == 0
    with open_runs(tmp_path) as opened:
        return opened.run(1), opened.trial(1, 0, "case_02", 1)


def test_stored_suite(stored: Any, toy: Any) -> None:
    """A run has its suite's digest and recipe, and the cases that it uses."""
    [suite] = stored[0].plan.suites
    assert suite.digest == toy.halves.digest()
    assert (suite.family, suite.recipe.version, suite.recipe.seed, suite.practice) == (
        "toy",
        "1",
        SECRET,
        False,
    )
    assert suite.recipe.knobs == {"lines": 6, "largest": 50, "hidden": 3}
    assert suite.cases == ("case_02", "case_03")


def test_stored_solution(stored: Any, tmp_path: Path) -> None:
    """A run has the command, where it runs, the files that it names, its name and its profile."""
    plan = stored[0].plan
    assert (plan.solution.given, plan.solution.command) == (".", ("sh", "agent.sh"))
    assert (plan.solution.cwd, plan.solution.name) == (tmp_path, "mine")
    assert plan.solution.profile == {"model": ["m-1"], "framework": ["a", "b"]}
    files = plan.configuration.files
    assert "agent.sh" in files and "trap.yaml" not in files and len(files["agent.sh"]) == 64


def test_stored_settings(stored: Any) -> None:
    """A run has its limit, trials, jobs, and how the solution was run."""
    found = stored[0]
    assert (found.plan.limit, found.plan.trials, found.jobs) == (50.0, 1, 2)
    assert (found.plan.isolate, found.plan.fresh_home, found.plan.env) == (False, False, ())


def test_stored_host_and_versions(stored: Any) -> None:
    """A run has the versions of trapcli and Python, and the machine."""
    found = stored[0]
    assert (found.tool, found.python) == (__version__, platform.python_version())
    assert found.host["system"] == platform.system() and found.host["cpus"] >= 1


def test_stored_times(stored: Any) -> None:
    """A run has its start and end, a trial its start and duration."""
    found, trial = stored
    assert found.started <= trial.started <= found.ended
    assert 0 < trial.seconds < trial.limit == 50.0


def test_stored_process(stored: Any) -> None:
    """A trial has its exit code, whether it timed out, and how many ran beside it."""
    trial = stored[1]
    assert (trial.status, trial.exit_code, trial.timed_out) == ("crashed", 3, False)
    assert trial.running in (1, 2) and trial.load >= 0 and trial.stragglers == ()


def test_stored_outputs(stored: Any, tmp_path: Path) -> None:
    """A trial has both of its streams, raw, with size and digest."""
    trial = stored[1]
    with open_runs(tmp_path) as opened:
        assert opened.output_path(1, trial.stderr).read_bytes() == b"thinking\n"
        raw = opened.output_path(1, trial.stdout).read_bytes()
    assert (trial.stdout.size, trial.stdout.kept, trial.stdout.head) == (len(raw), len(raw), b"Th")
    assert raw.startswith(b"The sum is ")


def test_stored_usage(stored: Any) -> None:
    """A trial has the tokens and costs that the solution reported."""
    assert stored[1].usage == {"input_tokens": 120, "output_tokens": 7, "cost_usd": 0.5}
