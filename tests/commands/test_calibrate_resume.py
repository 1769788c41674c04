"""`trapcli calibrate --resume`: a stopped run goes on as it was planned, or not at all; and what is kept."""

import json
import os
import platform
import shutil
import sqlite3

import pytest
from agents import (
    CASES,
    OUTPUTS,
    RIGHT,
    SECRET,
    VOID_COUNTED,
    agent,
    assert_error,
    kept_here,
    starts,
)
from factories import trial

from trapcli import __version__
from trapcli.calibration import plan
from trapcli.calibration.plan import digest_now, files_of, plan_suite
from trapcli.calibration.records import Plan
from trapcli.calibration.solutions.command import read_solution
from trapcli.calibration.store.store import open_store


def cut_short(directory, *, left):
    """Make the last run one that was stopped after its first `left` trials."""
    database = sqlite3.connect(directory / ".trapcli" / "runs.db")
    [(last,)] = database.execute("SELECT MAX(number) FROM run")
    database.execute("UPDATE run SET ended = '' WHERE number = ?", (last,))
    first = "SELECT rowid FROM trial WHERE run = ? ORDER BY number, case_id LIMIT ?"
    database.execute(f"DELETE FROM trial WHERE run = ? AND rowid NOT IN ({first})", (last, last, left))
    database.commit()
    database.close()


# Going on.


@pytest.fixture
def stopped(toy, tmp_path):
    """A run of 8 trials of which 3 are there, as if it had been killed."""
    solution = read_solution("sh agent.sh", tmp_path)
    plan = Plan(solution, (plan_suite(toy),), trials=2, limit=300.0, files=files_of(solution))
    with open_store(tmp_path / ".trapcli", create=True) as store:
        about = {"jobs": 1, "tool": __version__, "python": "3", "host": {}, "scratch": "", "instrument": None}
        run = store.begin(plan, token="t", **about)
        store.keep(run.number, [trial(case, 1) for case in CASES[:3]])
    return run


@pytest.mark.parametrize("words", [["--resume"], ["--resume", "1"], ["--resume", "-j", "2"]])
def test_a_stopped_run_goes_on_with_what_is_missing(run, stopped, tmp_path, words):
    """--resume runs the trials that are not there, and no other; the run is complete then."""
    done = run("calibrate", *words)
    assert done.code == 0, done.err
    assert done.err == "run 1: 5 trials of sh agent.sh on traps/toy\n"
    assert starts(tmp_path) == 5
    with kept_here(tmp_path) as kept:
        assert kept.done(1) == {(0, case, number) for case in CASES for number in (1, 2)}
        assert kept.run(1).ended and kept.run(1).plan.limit == 300.0


def test_a_complete_run_starts_no_agent(run, stopped, tmp_path):
    """A second --resume finds every trial by its key, starts none, and prints the result again."""
    first = run("calibrate", "--resume", "1", "--json")
    (tmp_path / "starts").unlink()
    again = run("calibrate", "--resume", "1", "--json")
    assert (again.code, again.err) == (0, "run 1 is complete: nothing is left to run\n")
    assert starts(tmp_path) == 0
    assert json.loads(again.out)["suites"] == json.loads(first.out)["suites"]
    assert_error(run("calibrate", "--resume"), "every run is complete; there is nothing to resume")


def test_resume_without_a_number_takes_the_last_that_is_not_complete(run, calibrate, stopped, tmp_path):
    """A later run that is complete is passed over."""
    assert calibrate("--trials", 1, "--only", "case_01").code == 0
    assert "run 1: 5 trials" in run("calibrate", "--resume").err


def test_there_is_nothing_to_resume_where_no_run_was_made(run, toy, tmp_path):
    """Without runs --resume is an error, and makes no store."""
    assert_error(run("calibrate", "--resume"), "there are no runs here: .trapcli/runs.db is missing")
    assert not (tmp_path / ".trapcli").exists()


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("9", "has no run 9; it has 1."),
        ("0", "'0' is no number of a run"),
        ("-1", "-1"),
        ("last", "'last' is no number of a run"),
        ("toy", "'toy' is no number of a run"),
        ("99999999999999999999", "is no number of a run"),
        ("\u0663", "is no number of a run"),
    ],
)
def test_numbers_of_runs_that_are_none(run, stopped, tmp_path, word, said):
    """A run that is not there, and what is no number, is named; nothing is made for it."""
    assert_error(run("calibrate", "--resume", word), said)
    assert_error(run("calibrate", "--compare", "1", word), said)
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
        (["--fresh-home"], "--fresh-home"),
    ],
)
def test_another_option_beside_resume_is_refused_naming_it(run, stopped, tmp_path, words, name):
    """What would make it another run is refused, even where it is as it was."""
    assert_error(
        run("calibrate", "--resume=1", *words), f"--resume takes the run as it is; leave {name} out. Another"
    )
    assert starts(tmp_path) == 0


def test_a_run_that_is_at_work_is_not_resumed(run, stopped, tmp_path):
    """While one process carries a run out no other goes on with it."""
    with kept_here(tmp_path) as other, other.claimed(1):
        assert_error(run("calibrate", "--resume"), "run 1 is at work in another process")
    assert run("calibrate", "--resume").code == 0


def change_input(directory):
    with open(directory / "traps" / "toy" / "inputs" / "case_01" / "task.md", "a") as file:
        file.write("\n")


def remove_suite(directory):
    shutil.rmtree(directory / "traps")


def change_agent(directory):
    agent(directory, VOID_COUNTED)


def remove_agent(directory):
    (directory / "agent.sh").unlink()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (change_input, "traps/toy is not the suite that run 1 is on: it was changed or built anew"),
        (remove_suite, "there is no suite at "),
        (change_agent, "run 1 cannot go on: agent.sh is not the file that it was"),
        (remove_agent, "run 1 cannot go on: agent.sh is not the file that it was"),
    ],
)
def test_what_changed_since_is_named_and_nothing_is_mixed(run, stopped, tmp_path, change, said):
    """A run whose suite or agent is not the one that it was does not go on."""
    change(tmp_path)
    assert_error(run("calibrate", "--resume"), said)
    with kept_here(tmp_path) as kept:
        assert sum(kept.counts(1).values()) == 3


def test_another_version_of_the_program_does_not_go_on(run, stopped, monkeypatch):
    """A run that another trapcli began, and judged, is not mixed with this one's verdicts."""
    monkeypatch.setattr(plan, "__version__", "99.0")
    assert_error(run("calibrate", "--resume"), "it was begun by trapcli ", "and this is 99.0")


def test_another_version_of_the_family_does_not_go_on(run, stopped, monkeypatch):
    """A run whose family was replaced is refused, naming both versions."""
    from toy_family import Toy

    monkeypatch.setattr(Toy, "version", "2")
    assert_error(run("calibrate", "--resume"), "was built by toy 1, but toy 2 is installed")


OTHER_YAML = {
    "cmd: sh other.sh\n": "the solution's argv was ('sh', 'agent.sh'), now ('sh', 'other.sh')",
    "cmd: sh agent.sh\ntimeout: 9\n": "the solution's timeout was 600.0, now 9.0",
    "cmd: sh agent.sh\nprofile: {model: new}\n": "the solution's profile was {}, now",
    "cmd: sh agent.sh\nmanifest_envvar: CASE\n": "the solution's manifest_envvar was",
    "": "trap.yaml is empty",
}


def test_a_trap_yaml_that_changed_since_is_named(run, toy, tmp_path):
    """Another command, limit or profile in trap.yaml is another run; a comment is not."""
    (tmp_path / "trap.yaml").write_text("cmd: sh agent.sh\n")
    assert run("calibrate", "--solution", ".", "--trials", 1).code == 0
    cut_short(tmp_path, left=1)
    for text, said in OTHER_YAML.items():
        (tmp_path / "trap.yaml").write_text(text)
        assert_error(run("calibrate", "--resume"), said)
    (tmp_path / "trap.yaml").write_text("# a comment\ncmd: sh agent.sh\n")
    assert run("calibrate", "--resume").code == 0


def test_a_program_that_the_setup_makes_may_be_there_when_the_run_goes_on(run, toy, tmp_path):
    """What setup_cmd builds is known as it was when the first trial began."""
    build = "printf '#!/bin/sh\\necho 1\\n' > built && chmod +x built"
    (tmp_path / "trap.yaml").write_text(f"cmd: ./built\nsetup_cmd: {json.dumps(build)}\n")
    assert run("calibrate", "--solution", ".", "--trials", 1).code == 0
    cut_short(tmp_path, left=1)
    assert run("calibrate", "--resume").code == 0
    cut_short(tmp_path, left=1)
    (tmp_path / "built").write_text("#!/bin/sh\necho 2\n")
    assert_error(run("calibrate", "--resume"), "./built is not the file that it was")


def test_resumed_figures_cover_both_parts(run, toy, tmp_path):
    """Tokens, costs and times of the trials before the stop are in the sums after it."""
    agent(tmp_path, OUTPUTS + """echo '{"input_tokens": 7}' > "$outputs/usage.json"\n""" + RIGHT)
    whole = run("calibrate", "--solution", "sh agent.sh", "--trials", 2, "--json")
    cut_short(tmp_path, left=5)
    resumed = run("calibrate", "--resume", "--json")
    for done in (whole, resumed):
        usage = json.loads(done.out)["suites"][0]["usage"]
        assert usage["input_tokens"] == {"sum": 56, "known": 8, "of": 8}


# What is kept.


@pytest.fixture
def kept(run, toy, tmp_path):
    """A run of one trial on each of two cases, as it was stored, with its first trial."""
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
    with kept_here(tmp_path) as opened:
        return opened.run(1), opened.trial(1, 0, "case_02", 1)


def test_kept_suite(kept, toy):
    """A run keeps which suite it is on, by digest, and what that was built from: seed, knobs, version."""
    [suite] = kept[0].plan.suites
    assert suite.digest == digest_now(toy.directory, toy.expected)
    assert (suite.family, suite.version, suite.seed, suite.practice) == ("toy", "1", SECRET, False)
    assert suite.knobs == {"lines": 6, "largest": 50, "hidden": 3}
    assert suite.cases == ("case_02", "case_03")


def test_kept_solution(kept, tmp_path):
    """A run keeps the command, where it runs, the file that it names, its name and its profile."""
    plan = kept[0].plan
    assert (plan.solution.given, plan.solution.argv) == (".", ("sh", "agent.sh"))
    assert (plan.solution.cwd, plan.solution.name) == (tmp_path, "mine")
    assert plan.solution.profile == {"model": ["m-1"], "framework": ["a", "b"]}
    assert [*plan.files] == ["agent.sh"] and len(plan.files["agent.sh"]) == 64


def test_kept_settings(kept):
    """A run keeps limit, trials of a case, trials at a time, and how the solution was run."""
    found = kept[0]
    assert (found.plan.limit, found.plan.trials, found.jobs) == (50.0, 1, 2)
    assert (found.plan.isolate, found.plan.fresh_home, found.plan.env) == (False, False, ())


def test_kept_host_and_versions(kept):
    """A run keeps the version of the program, of Python, and what machine it was on."""
    found = kept[0]
    assert (found.tool, found.python) == (__version__, platform.python_version())
    assert found.host["system"] == platform.system() and found.host["cpus"] >= 1


def test_kept_times(kept):
    """A run keeps when it began and ended, each trial when it began and how long it took."""
    found, trial = kept
    assert found.started <= trial.started <= found.ended
    assert 0 < trial.seconds < trial.limit == 50.0


def test_kept_process(kept):
    """A trial keeps its exit code, whether it was ended by us, and what ran beside it."""
    trial = kept[1]
    assert (trial.status, trial.exit_code, trial.timed_out) == ("crashed", 3, False)
    assert trial.running in (1, 2) and trial.load >= 0 and trial.stragglers == ()


def test_kept_outputs(kept, tmp_path):
    """A trial keeps both of its streams, raw, with size and digest."""
    trial = kept[1]
    with kept_here(tmp_path) as opened:
        assert opened.output(1, trial.stderr).read_bytes() == b"thinking\n"
        raw = opened.output(1, trial.stdout).read_bytes()
    assert (trial.stdout.size, trial.stdout.kept, trial.stdout.head) == (len(raw), len(raw), b"Th")
    assert raw.startswith(b"The sum is ")


def test_kept_usage(kept):
    """A trial keeps the tokens and costs that the solution reports."""
    assert kept[1].usage == {"input_tokens": 120, "output_tokens": 7, "cost_usd": 0.5}
