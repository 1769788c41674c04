"""`trapcli inspect run`: runs, a run, its trials, one trial; and what is refused."""

import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from factories import results, run_of, stored, suite_of, trial
from toy_family import installed


@pytest.fixture(autouse=True)
def toy_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    installed(monkeypatch)


def printed(trials: Any) -> Any:
    """Return trials, each with its own text on stdout, and nothing on stderr."""
    return [(one, f"The sum is {one.number} of {one.case}.\n".encode(), b"") for one in trials]


@pytest.fixture
def runs(tmp_path: Path) -> None:
    """A complete run on one suite, and an incomplete one on two that both have case_01."""
    stored(tmp_path, run_of(2, 2), printed(results([(2, 2), (1, 2)])))
    two = [suite_of(2), suite_of(3, family="other")]
    trials = [*results([(1, 3)]), *results([(2, 2)], suite=1), trial("case_03", 2, "failed", suite=1)]
    stored(tmp_path, run_of(two, 3, given="my agent", ended=""), printed(trials))


def document(result: Any) -> Any:
    assert (result.code, result.err) == (0, "")
    return json.loads(result.out)


# Runs


def test_runs_are_listed(run: Callable[..., Any], runs: Any) -> None:
    """Without a number all runs are listed, with their trials, whether they are complete, and their rates."""
    out = run("inspect", "run").out
    assert re.search(r"1  +\S+ \d\d:\d\d  +python agent.py  +4/4  +complete  +toy 0.75\n", out)
    assert re.search(r"2  +\S+ \d\d:\d\d  +my agent  +6/15  +partial  +toy 0.33, other 0.50\n", out)
    found = document(run("inspect", "run", "--json"))["runs"]
    assert [(one["run"], one["done"], one["planned"], one["status"]) for one in found] == [
        (1, 4, 4, "complete"),
        (2, 6, 15, "partial"),
    ]
    assert found[1]["suites"][1]["rate"] == 0.5


def test_overview_lists_runs(run: Callable[..., Any], runs: Any) -> None:
    """The bare `inspect` lists the runs beside families and suites."""
    out = run("inspect").out
    assert "Families" in out and "Runs" in out and re.search(r"my agent  +6/15", out)
    assert len(document(run("inspect", "--json"))["runs"]) == 2
    assert "runs" not in document(run("inspect", "--public", "--json"))


def test_overview_survives_a_damaged_database(run: Callable[..., Any], tmp_path: Path) -> None:
    """A database that cannot be read is a problem to the bare `inspect`, and an error to `inspect run`."""
    (tmp_path / ".trapcli").mkdir()
    (tmp_path / ".trapcli" / "runs.db").write_bytes(b"no database, but long enough to look like one" * 50)
    result = run("inspect")
    assert result.code == 0 and "Families" in result.out and re.search(r"\.trapcli  .*runs\.db", result.out)
    assert document(run("inspect", "--json"))["problems"][0]["where"] == ".trapcli"
    refused = run("inspect", "run", 1)
    assert (refused.code, refused.out) == (2, "") and "runs.db" in refused.err


def test_without_runs(run: Callable[..., Any]) -> None:
    """Without runs `inspect` works as before, and `inspect run` says what makes runs."""
    assert run("inspect").code == 0
    for words in ([], [3], [3, "case_01", "--trial", 1]):
        refused = run("inspect", "run", *words)
        assert (refused.code, refused.out) == (2, "")
        assert "there are no runs here" in refused.err and "trapcli calibrate" in refused.err


# A run, a case of it, a trial


@pytest.mark.slow
def test_run_shows_its_tables(run: Callable[..., Any], runs: Any) -> None:
    """A run is shown with all its suites; with a family or directory only that one."""
    whole = run("inspect", "run", 2)
    assert whole.code == 0 and "stopped" in whole.out and "All suites" in whole.out
    assert re.search(r"case_01  +void_amount  +1/3  +0.33", whole.out)
    for name in ("other", "traps/other"):
        one = run("inspect", "run", 2, name).out
        assert "\nother\n" in one and "\ntoy\n" not in one
    assert len(document(run("inspect", "run", 2, "--json"))["suites"]) == 2
    assert [one["family"] for one in document(run("inspect", "run", 2, "other", "--json"))["suites"]] == [
        "other"
    ]


def test_case_shows_its_trials(run: Callable[..., Any], runs: Any) -> None:
    """A case of a run is shown with its trials one a row."""
    out = run("inspect", "run", 1, "case_02").out
    assert re.search(r"1  +passed  +2.00  +0  +it is passed\n +2  +failed  ", out)
    assert len(document(run("inspect", "run", 1, "case_02", "--json"))["trials"]) == 2
    assert (
        run("inspect", "run", 2, "case_01", "other").out == run("inspect", "run", 2, "other", "case_01").out
    )


def test_trial_is_shown_whole(run: Callable[..., Any], runs: Any, tmp_path: Path) -> None:
    """A trial is shown with its verdict explained and what it printed; JSON has the paths of that."""
    out = run("inspect", "run", 1, "case_02", "--trial", 2).out
    assert "Answer read\n  the sum\n" in out and "The sum is 2 of case_02.\n" in out
    found = document(run("inspect", "run", 1, "case_02", "--trial", 2, "--json"))
    assert (found["run"], found["case"], found["trial"], found["status"]) == (1, "case_02", 2, "failed")
    assert (tmp_path / found["stdout"]["path"]).read_bytes() == b"The sum is 2 of case_02.\n"


def test_case_of_several_suites_lists_the_commands(run: Callable[..., Any], runs: Any) -> None:
    """If several suites of the run have the case, the commands to choose from are listed."""
    refused = run("inspect", "run", 2, "case_01")
    assert (refused.code, refused.out) == (2, "")
    assert "  trapcli inspect run 2 toy case_01\n  trapcli inspect run 2 other case_01\n" in refused.err
    assert run("inspect", "run", 2, "case_03").code == 0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["7"], "has no run 7"),
        (["99999999999999999999"], "is not a run number"),
        (["-1"], "-1"),
        (["last"], "'last' is not a run number"),
        (["1", "case_09"], "run 1 has no case 'case_09': toy has case_01 to case_02"),
        (["1", "billing"], "has no suite 'billing'; its suites are toy"),
        (["1", "toy", "other"], "unexpected argument 'other'"),
        (["1", "case_01", "case_02"], "unexpected argument 'case_02'"),
        (["1", "case_01", "--trial", "3"], "no finished trial 3 of case_01"),
        (["1", "case_01", "--trial", "0"], "--trial"),
        (["1", "--trial", "1"], "--trial needs a case"),
        (["--trial", "1"], "--trial needs a run"),
        (["1", "--public"], "none of the other options"),
        (["1", "--suite", "traps/toy"], "none of the other options"),
    ],
)
def test_wrong_words_are_refused(run: Callable[..., Any], runs: Any, words: Any, message: str) -> None:
    """What a run does not have, and options that do not go with runs, are one error and exit code 2."""
    refused = run("inspect", "run", *words)
    assert (refused.code, refused.out) == (2, "")
    assert message in refused.err and "Traceback" not in refused.err


def test_trial_needs_a_run(run: Callable[..., Any], runs: Any) -> None:
    """--trial without `run` is refused, with a command that works."""
    refused = run("inspect", "case_01", "--trial", 1)
    assert refused.code == 2 and "trapcli inspect run" in refused.err


def test_word_run_comes_first(run: Callable[..., Any], runs: Any, tmp_path: Path) -> None:
    """A directory called `run` can be named as ./run."""
    (tmp_path / "run").mkdir()
    assert "python agent.py" in run("inspect", "run").out
    assert "run is not a complete suite" in run("inspect", "./run").err


@pytest.mark.slow
@pytest.mark.usefixtures("unmeasured")
def test_inspect_without_runs_loads_no_database(tmp_path: Path) -> None:
    """`inspect` without runs imports neither sqlite3 nor the statistics."""
    code = (
        "import sys; from trapcli.cli import main; main(['inspect']); "
        "print(*{'sqlite3', 'trapcli.calibration'} & {*sys.modules}, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "\n")
