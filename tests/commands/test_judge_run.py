"""`trapcli judge --run`: the stored outputs of a run are judged again without the agent."""

import json
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from agents import INPUTS, RIGHT, VOID_COUNTED, agent, open_runs, program, starts
from factories import run_of, stored, trial
from toy_family import declare

from trapcli import __version__
from trapcli.calibration.plan import plan_suite
from trapcli.suites.reader import open_suite, read_case

pytestmark = pytest.mark.slow


@pytest.fixture
def toy(
    run: Callable[..., Any],
    tmp_path: Path,
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
) -> Any:
    """A suite of the toy family in traps/toy."""
    from agents import toy_only

    toy_only(monkeypatch, tmp_path_factory.mktemp("declared"))
    assert run("build", "toy").code == 0
    return open_suite(tmp_path / "traps" / "toy")


@pytest.fixture
def made(run: Callable[..., Any], toy: Any, tmp_path: Path) -> Any:
    """The stored trials of an agent that is right on case_01 only."""
    amounts = "traps/toy/inputs/case_01/data/lines.csv"
    agent(tmp_path, INPUTS + f'cmp -s "$inputs/data/lines.csv" {amounts} || exec echo 7\n' + RIGHT)
    assert run("calibrate", "--solution", "sh agent.sh", "--trials", 2).code == 0
    (tmp_path / "starts").unlink()
    with open_runs(tmp_path) as kept:
        return [*kept.trials(1)]


def lines(result: Any) -> Any:
    return [json.loads(line) for line in result.out.splitlines()]


def verdicts(directory: Any, number: Any = 1) -> Any:
    with open_runs(directory) as kept:
        return [(one.case, one.number, one.status, one.verdict) for one in kept.trials(number)]


def assert_error(result: Any, *parts: Any) -> None:
    assert (result.code, result.out) == (2, ""), result.out
    assert "Traceback" not in result.err
    for part in parts:
        assert part in result.err


def test_the_verdicts_are_the_stored_ones(run: Callable[..., Any], made: Any, tmp_path: Path) -> None:
    """Each trial and a closing line are printed; no agent is started; exit code 0 if nothing differs."""
    done = run("judge", "--run", 1)
    assert (done.code, done.err) == (0, "")
    printed = done.out.splitlines()
    assert printed[0] == "toy case_01 trial 1  PASSED  the sum is right"
    assert printed[2].startswith("toy case_02 trial 1  FAILED  7 is not the sum")
    assert printed[-1] == "run 1: 8 trials judged again: 6 failed, 2 passed"
    assert starts(tmp_path) == 0


def test_json_lines(run: Callable[..., Any], made: Any) -> None:
    """With --json each trial is a line with its verdict and stored status; the closing line is on stderr."""
    done = run("judge", "--run", 1, "--json")
    assert done.code == 0
    assert done.err == "run 1: 8 trials judged again: 6 failed, 2 passed\n"
    found = lines(done)
    assert [(one["case"], one["trial"], one["status"]) for one in found[:3]] == [
        ("case_01", 1, "passed"),
        ("case_01", 2, "passed"),
        ("case_02", 1, "failed"),
    ]
    assert all(one["run"] == 1 and one["suite"] == "toy" and one["same"] for one in found)
    assert [one["verdict"] for one in found] == [trial.verdict for trial in made]


def test_verdicts_do_not_depend_on_the_environment(declared: Path, tmp_path: Path) -> None:
    """Another process with another hash seed and locale gives the same verdicts."""
    assert program(tmp_path, "build", "toy", families=declared).returncode == 0
    agent(tmp_path, "printf '\\377\\376 \\303\\251 12 7'\n")
    words = ("calibrate", "toy", "--solution", "sh agent.sh", "--trials", 1)
    assert program(tmp_path, *words, families=declared, PYTHONHASHSEED="0").returncode == 0
    for changes in ({"PYTHONHASHSEED": "1", "LC_ALL": "C"}, {"LC_ALL": "de_DE.UTF-8", "PYTHONUTF8": "0"}):
        done = program(tmp_path, "judge", "--run", 1, families=declared, **changes)
        assert done.returncode == 0, done.stdout


FIXED = """
from toy_family import Toy, ToyAnswers

class FixedAnswers(ToyAnswers):
    def judge(self, case, answer):
        return super().judge(case, answer if answer.value != 7 else type(answer)(case.gold))

class Fixed(Toy):
    answers = FixedAnswers()

FAMILY = Fixed()
"""


@pytest.fixture
def fixed(declared: Path, tmp_path: Path) -> Any:
    """A fixed judge, which takes 7 for right, and a run with verdicts of the judge before."""
    assert program(tmp_path, "build", "toy", families=declared).returncode == 0
    agent(tmp_path, "echo 7\n")
    words = ("calibrate", "toy", "--solution", "sh agent.sh", "--trials", 1)
    assert program(tmp_path, *words, families=declared).returncode == 0
    (tmp_path / "fixed.py").write_text(FIXED)
    plugin = declare(tmp_path / "plugin", "toy = fixed:FAMILY")
    return Path(f"{plugin}:{tmp_path}")


def test_a_fixed_judge_gives_other_verdicts(fixed: Any, tmp_path: Path) -> None:
    """Differences to the stored verdicts are printed, the exit code is 1, and nothing is stored."""
    before = verdicts(tmp_path)
    done = program(tmp_path, "judge", "--run", 1, families=fixed)
    assert done.returncode == 1
    printed = done.stdout.splitlines()
    assert printed[0] == "toy case_01 trial 1  PASSED  (was FAILED) the sum is right"
    assert printed[-1] == "run 1: 4 trials judged again: 4 passed; 4 not as stored"
    assert verdicts(tmp_path) == before


def test_new_verdicts_are_saved_and_old_ones_kept(fixed: Any, tmp_path: Path) -> None:
    """With --save the run has the new verdicts, and judging it again changes nothing."""
    done = program(tmp_path, "judge", "--run", 1, "--save", families=fixed)
    assert (done.returncode, done.stdout.splitlines()[-1]) == (
        1,
        "run 1: 4 trials judged again: 4 passed; 4 not as stored, 4 of them stored now",
    )
    assert [status for _, _, status, _ in verdicts(tmp_path)] == ["passed"] * 4
    with open_runs(tmp_path) as kept:
        earlier = kept._db.execute("SELECT case_id, tool, verdict FROM earlier_verdict").fetchall()
    assert [(case, tool, json.loads(text)["status"]) for case, tool, text in earlier] == [
        (f"case_0{n}", __version__, "failed") for n in (1, 2, 3, 4)
    ]
    assert program(tmp_path, "judge", "--run", 1, families=fixed).returncode == 0
    shown = program(tmp_path, "calibrate", "--resume", 1, "--json", families=fixed).stdout
    assert json.loads(shown)["suites"][0]["rate"] == 1.0


def test_a_missing_output_is_a_judge_error(run: Callable[..., Any], made: Any, tmp_path: Path) -> None:
    """If a stored output is missing, its trial gets a judge error; the others are judged; exit code 1."""
    with open_runs(tmp_path) as kept:
        kept.output_path(1, made[0].stdout).unlink()
    done = run("judge", "--run", 1, "--json")
    assert done.code == 1
    first, *others = lines(done)
    assert (first["status"], first["stored"], first["same"]) == ("judge_error", "passed", False)
    assert "is missing or was changed" in first["verdict"]["reason"]
    assert len(others) == 7 and all(one["same"] for one in others)


def test_judge_errors_are_never_saved(run: Callable[..., Any], made: Any, tmp_path: Path) -> None:
    """A judge error never replaces a verdict, not even with --save."""
    shutil.rmtree(tmp_path / ".trapcli" / "outputs")
    before = verdicts(tmp_path)
    done = run("judge", "--run", 1, "--save")
    assert done.code == 1
    assert done.out.splitlines()[-1] == (
        "run 1: 8 trials judged again: 8 judge error; 8 not as stored, 0 of them stored now"
    )
    assert verdicts(tmp_path) == before


def test_a_stored_judge_error_is_replaced(run: Callable[..., Any], toy: Any, tmp_path: Path) -> None:
    """A trial on which the judge failed gets its verdict with --save."""
    suite = plan_suite(toy)
    right = f"The sum is {read_case(toy, 'case_01').gold}.\n".encode()
    run_then = run_of(suite, 1)
    stored(tmp_path, run_then, [(trial(status="judge_error", reason="the judge died"), right, b"")])
    done = run("judge", "--run", 1, "--save")
    assert done.out.splitlines()[0] == "toy case_01 trial 1  PASSED  (was JUDGE_ERROR) the sum is right"
    assert [status for _, _, status, _ in verdicts(tmp_path)] == ["passed"]


def test_only_finished_trials_are_judged(run: Callable[..., Any], toy: Any, tmp_path: Path) -> None:
    """Trials of an interrupted run that never ended stay open, whatever they had printed."""
    run_then = run_of(plan_suite(toy), 3, ended="")
    stored(tmp_path, run_then, [(trial(status="failed", number=2), b"-1", b"")])
    (tmp_path / ".trapcli" / "outputs" / "run_1" / "case_01-1-ab.stdout").write_bytes(b"half an answ")
    run("judge", "--run", 1, "--save")
    assert [(case, number) for case, number, *_ in verdicts(tmp_path)] == [("case_01", 2)]
    with open_runs(tmp_path) as kept:
        assert kept.unfinished_runs() == [1]


def test_how_the_process_ended_still_counts(run: Callable[..., Any], toy: Any, tmp_path: Path) -> None:
    """A right answer of a trial that crashed or timed out still scores nothing."""
    right = f"{read_case(toy, 'case_01').gold}\n".encode()
    trials = [trial(number=1, status="crashed"), trial(number=2, status="timed_out")]
    stored(tmp_path, run_of(plan_suite(toy), 3), [(one, right, b"") for one in trials])
    found = lines(run("judge", "--run", 1, "--json"))
    assert [one["status"] for one in found] == ["crashed", "timed_out"]


def test_an_answer_nested_without_end_gets_a_verdict(run: Callable[..., Any], tmp_path: Path) -> None:
    """Thousands of brackets get a verdict, not a judge error, whichever exception Python raises for them."""
    assert run("build", "billing", "--cases", 1).code == 0
    suite = open_suite(tmp_path / "traps" / "billing")
    bombs = [b"[" * 200_000, b'[{"a":' * 50_000, b"[" * 99_000 + b"]" * 99_000]
    trials = [(trial(number=n, status="failed"), bomb, b"") for n, bomb in enumerate(bombs, 1)]
    stored(tmp_path, run_of(plan_suite(suite), 3), trials)
    found = lines(run("judge", "--run", 1, "--json"))
    assert [one["verdict"].get("score") for one in found] == [0.0] * 3, found


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (["answer.txt"], "--run knows its suites and answers; leave ANSWER_FILE out"),
        (["--answers", "a.jsonl"], "leave --answers out"),
        (["--case", "case_01"], "leave --case out"),
        (["--family", "toy"], "leave --family out"),
        (["--suite", "traps/toy"], "leave --suite out"),
        (["--expected", "x"], "leave --expected out"),
    ],
)
def test_other_options_are_refused(run: Callable[..., Any], toy: Any, words: Any, error: str) -> None:
    """An option that says which answers to judge is refused by name."""
    assert_error(run("judge", "--run", 1, *words), error)


def test_wrong_runs(run: Callable[..., Any], toy: Any, tmp_path: Path) -> None:
    """Without a store, run or number there is an error, and nothing is created; --save needs --run."""
    assert_error(run("judge", "--run", 1), "there are no runs here")
    assert not (tmp_path / ".trapcli").exists()
    stored(tmp_path, run_of(plan_suite(toy), 1))
    assert_error(run("judge", "--run", 2), "has no run 2; it has 1.")
    for number in ("0", "-1", "x", "1.5", str(2**40)):
        assert_error(run("judge", "--run", number), "--run")
    assert_error(run("judge", "--save"), "--save is only for --run")
    assert run("judge", "--run", 1).out == "run 1: 0 trials judged again: none\n"


def test_a_changed_suite_judges_nothing(run: Callable[..., Any], made: Any, tmp_path: Path) -> None:
    """Outputs are judged only by the suite that they were made for."""
    with open(tmp_path / "traps" / "toy" / "README.md", "a") as file:
        file.write("\n")
    assert_error(run("judge", "--run", 1), "is not the suite that run 1 was started on")
    shutil.rmtree(tmp_path / "traps")
    assert_error(run("judge", "--run", 1), "there is no suite at")


def test_verdicts_of_a_running_run_are_not_replaced(fixed: Any, tmp_path: Path) -> None:
    """While another process works on the run, --save is an error."""
    before = verdicts(tmp_path)
    with open_runs(tmp_path) as kept, kept.claim(1):
        done = program(tmp_path, "judge", "--run", 1, "--save", families=fixed)
    assert done.returncode == 2 and "another process is working on run 1" in done.stderr
    assert verdicts(tmp_path) == before


def test_mistakes_are_named_again(run: Callable[..., Any], toy: Any, tmp_path: Path) -> None:
    """The mistake that an answer matches is found again from the stored output."""
    agent(tmp_path, VOID_COUNTED)
    assert run("calibrate", "--solution", "sh agent.sh", "--trials", 1).code == 0
    found = lines(run("judge", "--run", 1, "--json"))
    assert [one["verdict"]["mistake"] for one in found] == ["void_counted"] * 4


@pytest.mark.parametrize("change", ["suite = 1", "suite = -1", "case_id = 'case_77'", "status = 'odd'"])
def test_a_trial_that_the_run_did_not_plan_is_an_error(
    run: Callable[..., Any], made: Any, tmp_path: Path, change: str
) -> None:
    """A stored trial of another suite, case or status is named, here and in the report."""
    with closing(sqlite3.connect(tmp_path / ".trapcli" / "runs.db")) as db:
        db.execute(f"UPDATE trial SET {change} WHERE case_id = 'case_01' AND number = 1")
        db.commit()
    for words in (("judge", "--run", 1), ("inspect", "run", 1)):
        done = run(*words)
        assert done.code == 2 and "run 1 has a trial that it did not plan: suite " in done.err
