"""`trapcli judge --run`: the stored outputs of a run, judged again without the agent."""

import json
import shutil
from pathlib import Path

import pytest
from agents import INPUTS, RIGHT, VOID_COUNTED, agent, kept_here, program, starts
from factories import run_of, stored, trial
from toy_family import declare

from trapcli import __version__
from trapcli.calibration.plan import plan_suite
from trapcli.suites.reader import open_suite, read_case


@pytest.fixture
def toy(run, tmp_path, tmp_path_factory, monkeypatch):
    """A suite of the toy family in traps/toy."""
    from agents import toy_only

    toy_only(monkeypatch, tmp_path_factory.mktemp("declared"))
    assert run("build", "toy").code == 0
    return open_suite(tmp_path / "traps" / "toy")


@pytest.fixture
def made(run, toy, tmp_path):
    """A run of an agent that is right on case_01 alone, as it was stored."""
    amounts = "traps/toy/inputs/case_01/data/lines.csv"
    agent(tmp_path, INPUTS + f'cmp -s "$inputs/data/lines.csv" {amounts} || exec echo 7\n' + RIGHT)
    assert run("calibrate", "--solution", "sh agent.sh", "--trials", 2).code == 0
    (tmp_path / "starts").unlink()
    with kept_here(tmp_path) as kept:
        return [*kept.trials(1)]


def lines(result):
    return [json.loads(line) for line in result.out.splitlines()]


def verdicts(directory, number=1):
    with kept_here(directory) as kept:
        return [(one.case, one.number, one.status, one.verdict) for one in kept.trials(number)]


def assert_error(result, *parts):
    assert (result.code, result.out) == (2, ""), result.out
    assert "Traceback" not in result.err
    for part in parts:
        assert part in result.err


def test_the_verdicts_are_those_that_were_stored(run, made, tmp_path):
    """Judging a run again tells each trial and the sum, starts no agent, and exits 0 if nothing differs."""
    done = run("judge", "--run", 1)
    assert (done.code, done.err) == (0, "")
    told = done.out.splitlines()
    assert told[0] == "toy case_01 trial 1  PASSED  the sum is right"
    assert told[2].startswith("toy case_02 trial 1  FAILED  7 is not the sum")
    assert told[-1] == "run 1: 8 trials judged again: 6 failed, 2 passed"
    assert starts(tmp_path) == 0


def test_json_lines_hold_each_verdict_and_nothing_else(run, made):
    """With --json each trial is a line with its verdict and the stored status; the sum goes to stderr."""
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


def test_verdicts_are_the_same_in_another_process_hash_seed_and_locale(declared, tmp_path):
    """What one process judged gets the same verdicts from another, whatever its surroundings."""
    assert program(tmp_path, "build", "toy", families=declared).returncode == 0
    agent(tmp_path, "printf '\\377\\376 \\303\\251 12 7'\n")
    words = ("calibrate", "toy", "--solution", "sh agent.sh", "--trials", 1)
    assert program(tmp_path, *words, families=declared, PYTHONHASHSEED="0").returncode == 0
    for changes in ({"PYTHONHASHSEED": "1", "LC_ALL": "C"}, {"LC_ALL": "de_DE.UTF-8", "PYTHONUTF8": "0"}):
        done = program(tmp_path, "judge", "--run", 1, families=declared, **changes)
        assert done.returncode == 0, done.stdout


FIXED = """
from toy_family import Toy

class Fixed(Toy):
    def judge(self, case, answer):
        return super().judge(case, answer if answer.value != 7 else type(answer)(case.gold))

FAMILY = Fixed()
"""


@pytest.fixture
def fixed(declared, tmp_path):
    """A run of which every verdict is wrong by today's judge, which takes 7 for right; and that judge."""
    assert program(tmp_path, "build", "toy", families=declared).returncode == 0
    agent(tmp_path, "echo 7\n")
    words = ("calibrate", "toy", "--solution", "sh agent.sh", "--trials", 1)
    assert program(tmp_path, *words, families=declared).returncode == 0
    (tmp_path / "fixed.py").write_text(FIXED)
    plugin = declare(tmp_path / "plugin", "toy = fixed:FAMILY")
    return Path(f"{plugin}:{tmp_path}")


def test_a_judge_that_was_fixed_finds_other_verdicts(fixed, tmp_path):
    """Old outputs are judged by today's judge: what differs is told, exit 1, nothing is stored unasked."""
    before = verdicts(tmp_path)
    done = program(tmp_path, "judge", "--run", 1, families=fixed)
    assert done.returncode == 1
    told = done.stdout.splitlines()
    assert told[0] == "toy case_01 trial 1  PASSED  (was FAILED) the sum is right"
    assert told[-1] == "run 1: 4 trials judged again: 4 passed; 4 not as stored"
    assert verdicts(tmp_path) == before


def test_new_verdicts_are_stored_when_asked_and_the_old_ones_kept(fixed, tmp_path):
    """With --save the run has the new verdicts, the next judging finds nothing to change."""
    done = program(tmp_path, "judge", "--run", 1, "--save", families=fixed)
    assert (done.returncode, done.stdout.splitlines()[-1]) == (
        1,
        "run 1: 4 trials judged again: 4 passed; 4 not as stored, 4 of them stored now",
    )
    assert [status for _, _, status, _ in verdicts(tmp_path)] == ["passed"] * 4
    with kept_here(tmp_path) as kept:
        earlier = kept._db.execute("SELECT case_id, tool, verdict FROM earlier_verdict").fetchall()
    assert [(case, tool, json.loads(text)["status"]) for case, tool, text in earlier] == [
        (f"case_0{n}", __version__, "failed") for n in (1, 2, 3, 4)
    ]
    assert program(tmp_path, "judge", "--run", 1, families=fixed).returncode == 0
    shown = program(tmp_path, "calibrate", "--resume", 1, "--json", families=fixed).stdout
    assert json.loads(shown)["suites"][0]["rate"] == 1.0


def test_an_output_that_is_gone_is_a_judge_error_of_that_trial_alone(run, made, tmp_path):
    """A stored output that cannot be read is told for its trial; the others are judged, and it exits 1."""
    with kept_here(tmp_path) as kept:
        kept.output(1, made[0].stdout).unlink()
    done = run("judge", "--run", 1, "--json")
    assert done.code == 1
    first, *others = lines(done)
    assert (first["status"], first["stored"], first["same"]) == ("judge_error", "passed", False)
    assert "is missing or was changed" in first["verdict"]["reason"]
    assert len(others) == 7 and all(one["same"] for one in others)


def test_all_outputs_gone_is_no_crash_and_replaces_no_verdict(run, made, tmp_path):
    """That no verdict can be given now never takes the place of one that was given, not even with --save."""
    shutil.rmtree(tmp_path / ".trapcli" / "outputs")
    before = verdicts(tmp_path)
    done = run("judge", "--run", 1, "--save")
    assert done.code == 1
    assert done.out.splitlines()[-1] == (
        "run 1: 8 trials judged again: 8 judge error; 8 not as stored, 0 of them stored now"
    )
    assert verdicts(tmp_path) == before


def test_a_judge_error_can_be_mended(run, toy, tmp_path):
    """A trial on which the judge failed gets its verdict when it is judged again and that is stored."""
    suite = plan_suite(toy)
    right = f"The sum is {read_case(toy, 'case_01').gold}.\n".encode()
    run_then = run_of(suite, 1)
    stored(tmp_path, run_then, [(trial(status="judge_error", reason="the judge died"), right, b"")])
    done = run("judge", "--run", 1, "--save")
    assert done.out.splitlines()[0] == "toy case_01 trial 1  PASSED  (was JUDGE_ERROR) the sum is right"
    assert [status for _, _, status, _ in verdicts(tmp_path)] == ["passed"]


def test_only_trials_that_ended_are_judged_again(run, toy, tmp_path):
    """Of a run that was interrupted the trials that never ended stay open, whatever they had printed."""
    run_then = run_of(plan_suite(toy), 3, ended="")
    stored(tmp_path, run_then, [(trial(status="failed", number=2), b"-1", b"")])
    (tmp_path / ".trapcli" / "outputs" / "run_1" / "case_01-1-ab.stdout").write_bytes(b"half an answ")
    run("judge", "--run", 1, "--save")
    assert [(case, number) for case, number, *_ in verdicts(tmp_path)] == [("case_01", 2)]
    with kept_here(tmp_path) as kept:
        assert kept.unfinished() == [1]


def test_how_a_trial_ended_is_judged_again_with_its_output(run, toy, tmp_path):
    """A right answer of a trial that crashed or ran into its limit stays what it was."""
    right = f"{read_case(toy, 'case_01').gold}\n".encode()
    trials = [trial(number=1, status="crashed"), trial(number=2, status="timed_out")]
    stored(tmp_path, run_of(plan_suite(toy), 3), [(one, right, b"") for one in trials])
    found = lines(run("judge", "--run", 1, "--json"))
    assert [one["status"] for one in found] == ["crashed", "timed_out"]


def test_an_answer_that_is_nested_without_end_is_unreadable_on_every_python(run, tmp_path):
    """Brackets without end get a verdict, not a judge error, whichever exception Python has for them."""
    assert run("build", "billing", "--cases", 1).code == 0
    suite = open_suite(tmp_path / "traps" / "billing")
    bombs = [b"[" * 200_000, b'[{"a":' * 50_000, b"[" * 99_000 + b"]" * 99_000]
    trials = [(trial(number=n, status="failed"), bomb, b"") for n, bomb in enumerate(bombs, 1)]
    stored(tmp_path, run_of(plan_suite(suite), 3), trials)
    found = lines(run("judge", "--run", 1, "--json"))
    assert [one["verdict"].get("score") for one in found] == [0.0] * 3, found


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["answer.txt"], "--run knows its suites and answers; leave ANSWER_FILE out"),
        (["--answers", "a.jsonl"], "leave --answers out"),
        (["--case", "case_01"], "leave --case out"),
        (["--family", "toy"], "leave --family out"),
        (["--suite", "traps/toy"], "leave --suite out"),
        (["--expected", "x"], "leave --expected out"),
    ],
)
def test_other_options_do_not_go_with_a_run(run, toy, words, said):
    """What says which answers are meant is refused beside --run, naming it."""
    assert_error(run("judge", "--run", 1, *words), said)


def test_ugly_runs(run, toy, tmp_path):
    """No store, no such run, no number, --save alone: each is an error, and nothing is made."""
    assert_error(run("judge", "--run", 1), "there are no runs here")
    assert not (tmp_path / ".trapcli").exists()
    stored(tmp_path, run_of(plan_suite(toy), 1))
    assert_error(run("judge", "--run", 2), "has no run 2; it has 1.")
    for number in ("0", "-1", "x", "1.5", str(2**40)):
        assert_error(run("judge", "--run", number), "--run")
    assert_error(run("judge", "--save"), "--save goes with --run")
    assert run("judge", "--run", 1).out == "run 1: 0 trials judged again: none\n"


def test_a_suite_that_is_another_one_now_judges_nothing(run, made, tmp_path):
    """Outputs are judged only by the cases that they were made for."""
    with open(tmp_path / "traps" / "toy" / "README.md", "a") as file:
        file.write("\n")
    assert_error(run("judge", "--run", 1), "is not the suite that run 1 is on")
    shutil.rmtree(tmp_path / "traps")
    assert_error(run("judge", "--run", 1), "there is no suite at")


def test_verdicts_are_not_stored_while_the_run_is_at_work(fixed, tmp_path):
    """While another process has the run its verdicts are not replaced."""
    before = verdicts(tmp_path)
    with kept_here(tmp_path) as kept, kept.claimed(1):
        done = program(tmp_path, "judge", "--run", 1, "--save", families=fixed)
    assert done.returncode == 2 and "run 1 is at work in another process" in done.stderr
    assert verdicts(tmp_path) == before


def test_an_agent_that_makes_a_mistake_is_recognised_again(run, toy, tmp_path):
    """The mistake that an answer equals is found again from the stored output."""
    agent(tmp_path, VOID_COUNTED)
    assert run("calibrate", "--solution", "sh agent.sh", "--trials", 1).code == 0
    found = lines(run("judge", "--run", 1, "--json"))
    assert [one["verdict"]["slip"] for one in found] == ["void_counted"] * 4
