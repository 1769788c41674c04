"""The JSON Schemas of what `calibrate`, `inspect run` and `judge --run` print, and of what is read."""

import json
import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from agents import OUTPUTS, RIGHT, agent, toy_only
from factories import kept_files, run_of, stored, trial
from schemas.checks import changed, checked, errors
from toy_family import build_toy, installed

from trapcli.calibration.plan import plan_suite
from trapcli.calibration.records import TRIAL_STATUSES, RunSuite
from trapcli.calibration.reports.run_warnings import SUITE_WARNINGS
from trapcli.calibration.solutions.function import Function
from trapcli.calibration.solutions.usage import read_usage
from trapcli.schemas import load_schema

Run = Callable[..., Any]

OLD_RUNS = Path(__file__).parents[1] / "calibration/store/format_1.sql"
CHECK = {"cases": 4, "outputs": 16, "wrong": [{"suite": 0, "case": "case_01", "mistake": "a", "what": "b"}]}
INCIDENTS = ((0, "case_01", 1, "lost"), (0, "case_04", 2, "never ran"))

# The runs of `home`, by number.
AGENT, SELF_CHECK, PARTIAL, EMPTY, FUNCTION = 1, 2, 3, 4, 5


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with a suite of the toy family and stored runs of every type."""
    home = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch:
        installed(patch)
        suite = plan_suite(build_toy(home / "traps" / "toy"))
    store_agent(home, suite)
    check = run_of(suite, 1, given="builtin:solve", self_check=CHECK)
    stored(home, check, [(trial(case), b"7\n", b"") for case in suite.cases])
    partial = run_of(suite, 2, given="builtin:flaky:0.5", ended="", incidents=INCIDENTS, resumes=1)
    stored(home, partial, [(trial("case_01"), b"7\n", b"")])
    stored(home, run_of(replace(suite, true_rate=0.5), 1, given="builtin:mistake:void_counted", ended=""))
    function = run_of([suite, suite_elsewhere(suite)], 2, ended="")
    stored(home, replace(function, plan=replace(function.plan, solution=Function("python:a.b", home))))
    return home


def store_agent(home: Path, suite: RunSuite) -> None:
    """Store a run with trials that ended in every way."""
    ends = [
        trial("case_01", 1, usage={"input_tokens": 5, "cost_usd": 0.25}),
        trial("case_01", 2, stragglers=("sleep 9",), files=kept_files("x")),
        trial("case_02", 1, "failed", mistake="void_counted"),
        trial("case_02", 2, "empty", started=""),
        trial("case_03", 1, "unreadable"),
        trial("case_03", 2, "judge_error", reason="lost"),
        trial("case_04", 1, "timed_out", output_status="empty", load=9.0),
        trial("case_04", 2, "crashed", output_status="empty", exit_code=-9, usage={"problem": "not JSON"}),
    ]
    stored(home, run_of(suite, 2), [(one, b"" if one.timed_out else b"7\n", b"HTTP 429\n") for one in ends])


def suite_elsewhere(suite: RunSuite) -> RunSuite:
    return replace(suite, digest="0" * 64, cases=suite.cases[:1])


@pytest.fixture
def at_home(run: Run, home: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: Any) -> Run:
    """Runs the program in `home`, which no test may change."""
    toy_only(monkeypatch, tmp_path_factory.mktemp("declared"))
    monkeypatch.chdir(home)
    return run


@pytest.mark.slow
@pytest.mark.parametrize("number", [AGENT, SELF_CHECK, PARTIAL, EMPTY, FUNCTION])
def test_runs(at_home: Run, number: int) -> None:
    """`inspect run N --json` matches its schema, for any solution and whatever is not known."""
    document = checked(at_home("inspect", "run", number, "--json").out, "run")
    assert document["run"] == number
    if number == FUNCTION:
        checked(at_home("inspect", "run", number, "toy", "--json").out, "run")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("place", "value"),
    [
        ("status", "done"),
        ("status", "partial"),  # but no trial is open
        ("resume", "trapcli calibrate --resume 1"),
        ("plan/solution/type", "program"),
        ("plan/solution/command", []),
        ("plan/suites/0/recipe/seed", 1),
        ("plan/suites/0/cases/0", "case_1"),
        ("suites/0/extra", 1),
        ("suites/0/rate", 1.5),
        ("suites/0/passes", ...),
        ("suites/0/on_these_cases", [0.5]),
        ("suites/0/outcomes/killed", ...),
        ("suites/0/outcomes/lost", 1),
        ("suites/0/pass_at_k_unbiased/0", 0.5),
        ("suites/0/usage/calls", 3),
        ("suites/0/cases/0/extra", 1),
        ("suites/0/cases/0/trap", ""),
        ("suites/0/cases/0/mistakes/void_counted", 0),
        ("warnings/0/type", "No warning"),
        ("warnings/0/suite", ...),
    ],
)
def test_near_misses_of_a_run(at_home: Run, place: str, value: object) -> None:
    """A run with one wrong part does not match."""
    document = json.loads(at_home("inspect", "run", AGENT, "--json").out)
    assert errors("run", document) == []
    assert errors("run", changed(document, place, value))


def test_types_of_warnings_are_listed() -> None:
    """The schema names every type of warning about a suite as an example."""
    warning = load_schema("run")["properties"]["warnings"]["items"]["properties"]["type"]
    assert {*SUITE_WARNINGS} < {*warning["examples"]}


def test_lists_of_runs(at_home: Run) -> None:
    """The list of runs matches its schema, also as a part of the overview."""
    runs = checked(at_home("inspect", "run", "--json").out, "runs")
    assert len(runs["runs"]) == FUNCTION
    assert errors("runs", changed(runs, "runs/0/status", "interrupted"))
    overview = checked(at_home("inspect", "--json").out, "overview")
    assert overview["runs"] == runs["runs"]


@pytest.mark.slow
def test_trials(at_home: Run) -> None:
    """The trials of a case, and each alone, match their schemas, however they ended."""
    statuses = []
    for case in ("case_01", "case_02", "case_03", "case_04"):
        trials = checked(at_home("inspect", "run", AGENT, case, "--json").out, "trials")
        for number in (1, 2):
            one = checked(at_home("inspect", "run", AGENT, case, "--trial", number, "--json").out, "trial")
            statuses.append(one["status"])
            assert one["verdict"] == trials["trials"][number - 1]["verdict"]
            assert errors("trial", changed(one, "stdout/path", ...))
            other = "passed" if one["status"] == "judge_error" else "judge_error"
            assert errors("trial", {**one, "status": other})
            assert errors("trials", changed(trials, f"trials/{number - 1}/verdict/schema", "verdict/1"))
    assert {*statuses} == {*TRIAL_STATUSES}


@pytest.mark.parametrize(
    ("place", "value"),
    [
        ("usage", {}),
        ("usage", {"input_tokens": 5, "problem": "not JSON"}),
        ("usage/input_tokens", 5.5),
        ("stdout/head", "0"),
        ("stdout/digest", "abc"),
        ("files", None),
        ("files/over_limit", -1),
        ("files/judged", ...),
        ("files/entries", ...),
        ("files/extra", 1),
        ("stdout/extra", 1),
        ("stdout/judged", True),
        ("verdict/output_status", "timed_out"),
        ("verdict/partial_credit", 2),
        ("exit_code", None),
    ],
)
def test_near_misses_of_a_trial(at_home: Run, place: str, value: object) -> None:
    """A trial with one wrong part does not match."""
    document = json.loads(at_home("inspect", "run", AGENT, "case_01", "--trial", 1, "--json").out)
    assert errors("trial", document) == []
    assert errors("trial", changed(document, place, value))


@pytest.mark.slow
def test_comparisons(at_home: Run) -> None:
    """`calibrate --compare --json` matches its schema, also if there is nothing to compare."""
    compared = checked(at_home("calibrate", "--compare", AGENT, SELF_CHECK, "--json").out, "comparison")
    assert compared["suites"][0]["result"]["cases"] == 4 and compared["all_suites"] is None
    assert errors("comparison", changed(compared, "suites/0/result/p", 1.1))
    assert errors("comparison", changed(compared, "suites/0/cases/0/a", None))
    empty = checked(at_home("calibrate", "--compare", AGENT, EMPTY, "--json").out, "comparison")
    assert empty["suites"][0]["result"] is None


@pytest.mark.slow
def test_trials_that_were_judged_again(at_home: Run) -> None:
    """Each line of `judge --run --json` matches its schema, with and without a verdict."""
    lines = at_home("judge", "--run", AGENT, "--json").out.splitlines()
    found = [checked(line, "rejudged-trial") for line in lines]
    assert len(found) == 8
    [lost] = [one for one in found if one["stored"] == "judge_error"]
    assert errors("rejudged-trial", {**lost, "verdict": {"reason": "lost"}})
    assert errors("rejudged-trial", {**lost, "status": "judge_error", "verdict": {"reason": "lost"}}) == []


@pytest.mark.slow
def test_runs_of_an_earlier_format(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs that an earlier version stored match the schemas as well."""
    installed(monkeypatch)
    (tmp_path / ".trapcli").mkdir()
    with closing(sqlite3.connect(tmp_path / ".trapcli" / "runs.db")) as old:
        old.executescript(OLD_RUNS.read_text())
    for one in checked(run("inspect", "run", "--json").out, "runs")["runs"]:
        document = checked(run("inspect", "run", one["run"], "--json").out, "run")
        for case in document["plan"]["suites"][0]["cases"]:
            checked(run("inspect", "run", one["run"], case, "--json").out, "trials")


# Runs that are really carried out.


@pytest.mark.slow
def test_a_run_as_it_is_carried_out(
    run: Run, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A self-check, an interrupted run, the same resumed and a crashing agent match the schema of a run."""
    toy_only(monkeypatch, tmp_path_factory.mktemp("declared"))
    check = checked(run("calibrate", "--trials", 1, "--json").out, "run")
    assert check["self_check_passed"] is True
    usage = OUTPUTS + """echo '{"output_tokens": 3, "calls": 1, "other": "x"}' > "$outputs/usage.json"\n"""
    stop = f"[ -e go ] || [ $(wc -l < starts) -lt 3 ] || {{ kill -INT {os.getpid()}; sleep 100; }}\n"
    command = ("calibrate", "--solution", agent(tmp_path, usage + stop + RIGHT), "--trials", 1, "--json")
    interrupted = run(*command)
    assert interrupted.code == 130
    document = checked(interrupted.out, "run")
    assert (document["status"], document["done"]) == ("partial", 2)
    assert document["suites"][0]["usage"]["calls"] == {"sum": 2, "known": 2, "of": 2}
    (tmp_path / "go").touch()
    resumed = checked(run("calibrate", "--resume", "--json").out, "run")
    assert (resumed["status"], resumed["resumes"]) == ("complete", 1)
    crashed = run("calibrate", "--solution", agent(tmp_path, RIGHT + "exit 3\n"), "--trials", 1, "--json")
    assert checked(crashed.out, "run")["suites"][0]["outcomes"]["crashed"] == 4
    checked(run("calibrate", "--compare", 2, 3, "--json").out, "comparison")
    checked(run("inspect", "run", 3, "case_01", "--trial", 1, "--json").out, "trial")
    for line in run("judge", "--run", 3, "--json").out.splitlines():
        checked(line, "rejudged-trial")


# What is read.


@pytest.mark.parametrize(
    ("usage", "matches"),
    [
        ({"input_tokens": 5}, True),
        ({"prompt_tokens": 5, "completion_tokens": 0, "cost_usd": 0.25}, True),
        ({"calls": 1, "cost_usd": None, "other": "x"}, True),
        ({"calls": None}, False),
        ({"other": 1}, False),
        ({}, False),
        ({"calls": 1.5}, False),
        ({"calls": -1}, False),
        ({"calls": True}, False),
        ({"cost_usd": "0.25"}, False),
        ({"input_tokens": 2**53}, False),
        ([], False),
    ],
)
def test_usage(tmp_path: Path, usage: object, matches: bool) -> None:
    """A usage.json matches its schema if it is read, and only then."""
    (tmp_path / "usage.json").write_text(json.dumps(usage))
    assert (not errors("usage", usage)) == matches
    assert ("problem" not in (read_usage(tmp_path) or {})) == matches


@pytest.mark.parametrize(
    "answer",
    [
        {"output": "7"},
        {"case": "case_01"},
        {"case": "case_1", "output": "7"},
        {"case": "case_01", "output": 7},
        {"case": "case_01", "output": "7", "exit_code": "1"},
        {"case": "case_01", "output": "7", "timed_out": 1},
        {"case": "case_01", "output": "7", "files": {"a": 1}},
        [],
    ],
)
def test_answers_that_are_refused(at_home: Run, answer: object) -> None:
    """A line of --answers that is refused does not match its schema."""
    assert errors("answer", answer)
    assert at_home("judge", "--answers", "-", input=json.dumps(answer)).code == 2
