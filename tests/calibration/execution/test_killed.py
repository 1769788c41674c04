"""A run that is killed or interrupted at any moment and resumed has every trial once and leaves nothing."""

import os
import random
import signal
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import hostile_families
import pytest
from process_table import children, command, wait_for
from trial_place import Place, Program

pytestmark = pytest.mark.slow

KILLS = 5
TRIALS = 50  # of each of four cases
LOGS = 'echo started >> "$log"; '
# Leaves a process that ignores signals, in a session of its own.
LEAVES_CHILD = "setsid sh -c 'trap \"\" TERM INT HUP; sleep 1000; :' $root & "
SUITE = ("--suite", "traps/toy")


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    made = Place(tmp_path)
    yield made
    made.clean_up()


def start(place: Place, agent: str, trials: int = 3, jobs: int = 2, *more: object) -> Program:
    return place.calibrate(*SUITE, "--solution", agent, "--trials", trials, "-j", jobs, *more)


def assert_complete(place: Place, total: int, run: int = 1) -> None:
    """Assert that the run has every trial once, with its output, and that nothing else is left."""
    rows = place.query("SELECT case_id, number FROM trial WHERE run = ?", run)
    wanted = {(case, number) for case in place.suite.cases for number in range(1, total // place.cases + 1)}
    assert len(rows) == total and set(rows) == wanted
    assert place.query("PRAGMA integrity_check") == [("ok",)]
    assert place.query("SELECT ended FROM run WHERE number = ?", run) != [("",)]
    for trial in place.trials(run):
        assert trial.status == "passed" and len(place.output(trial, run)) == trial.stdout.size
    assert place.is_clean()


def test_a_run_that_is_killed_again_and_again_has_every_trial_once(place: Place) -> None:
    """The runner is killed at random moments and resumed, at once or when its processes have ended: in the
    end each trial is stored once, and what the solutions left is gone."""
    total = TRIALS * place.cases
    draw = random.Random(7)
    marks = sorted(draw.sample(range(1, total), KILLS))
    agent = place.agent(LOGS + LEAVES_CHILD + "sleep 0.02; right")
    program = start(place, agent, TRIALS)
    for number, mark in enumerate(marks):
        wait_for(lambda: place.starts() >= mark or program.poll() is not None)  # noqa: B023
        time.sleep(draw.random() * 0.03)
        assert program.poll() is None, program.communicate()
        program.kill_alone()
        if number % 2:
            wait_for(lambda: not place.processes())
        program = place.calibrate("--resume", 1, "-j", 2)
    code, out, err = program.finish()
    assert (code, "Traceback" in err) == (0, False) and f"{total}, complete" in out
    assert_complete(place, total)
    starts = place.starts()
    # Only trials that were in flight may have run twice: at each kill two at work and two prepared.
    assert total <= starts <= total + 4 * KILLS
    code, out, err = place.calibrate("--resume", 1).finish()
    assert code == 0 and "nothing is left to run" in err
    assert place.starts() == starts and place.trial_count() == total


@pytest.mark.parametrize("what", ["the process group", "the runner", "the pool", "a supervisor", "a judge"])
def test_the_run_can_go_on_whatever_is_killed(place: Place, what: str) -> None:
    """If a process is killed during trials, nothing is left of it, and every trial runs once."""
    waits = '[ $n -le 3 ] || while [ ! -e "$root/go" ]; do sleep 0.02; done; '
    program = start(place, place.agent("take_number; " + LOGS + LEAVES_CHILD + waits + "right"))
    wait_for(lambda: place.trial_count() == 3 and place.starts() == 5)
    (pool,) = program.children("execution.supervisor_pool")
    judge = program.children("execution.judge_pool")[0]
    if what == "the process group":
        os.killpg(program.pid, signal.SIGKILL)
    else:
        pid = {
            "the runner": program.pid,
            "the pool": pool,
            "a judge": judge,
            "a supervisor": children(pool)[0],
        }[what]
        os.kill(pid, signal.SIGKILL)
    if what in ("the process group", "the runner"):
        program.finish()
        wait_for(lambda: not place.processes())
        assert place.trial_count() < 12
    (place.root / "go").touch()
    if program.poll() is None:
        code, out, err = program.finish()
        assert code in (0, 1) and "Traceback" not in err
        if what == "a supervisor":
            assert code == 0 and place.trial_count() == 12 and "its supervisor was killed" in out
            return
    code, out, err = place.calibrate("--resume", 1).finish()
    assert code == 0 and "12, complete" in out
    assert_complete(place, 12)


def test_a_judge_that_hangs_does_not_outlive_the_runner(tmp_path: Path) -> None:
    """A judge that does not read its socket is gone after the runner is killed."""
    place = Place(tmp_path, entry="toy = hostile_families:FAILING")
    program = start(place, place.agent(LOGS + f"echo {hostile_families.HANGS}"))
    wait_for(lambda: place.starts() >= 2 and program.children("execution.judge_pool"))
    program.kill_alone()
    wait_for(lambda: not place.processes())
    assert place.trial_count() == 0


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_keeps_and_shows_its_finished_trials(place: Place, number: signal.Signals) -> None:
    """Finished trials are kept and shown, running ones are killed and not recorded; the exit code is 130, and
    the message says how to go on."""
    waits = '[ $n -le 7 ] || [ -e "$root/go" ] || sleep 1000; '
    agent = place.agent(LOGS + LEAVES_CHILD + "take_number; " + waits + "right")
    program = start(place, agent, 5, 4)
    wait_for(lambda: place.trial_count() == 7 and place.starts() == 11)
    program.send_signal(number)
    code, out, err = program.finish()
    assert (code, "Traceback" in err) == (130, False)
    assert "7 of 20, interrupted\n" in out and "case_01" in out and "--resume" not in out
    assert err.endswith("Interrupted. `trapcli calibrate --resume 1` runs the 13 open trials.\n")
    assert place.trial_count() == 7 and place.is_clean()
    assert Counter(trial.status for trial in place.trials()) == {"passed": 7}
    (place.root / "go").touch()
    code, out, _ = place.calibrate("--resume").finish()
    assert code == 0
    assert_complete(place, 20)
    assert place.starts() == 11 + 13


def test_a_second_interrupt_ends_the_run_at_once(place: Place) -> None:
    """Agents that ignore the first signal are killed at the second; no process or file is left."""
    ignores = "trap 'echo ignored >> \"$log\"' TERM; while :; do sleep 0.02; done"
    agent = place.agent(LOGS + LEAVES_CHILD + ignores)
    program = start(place, agent, 10, 3)
    wait_for(lambda: place.starts() == 3)
    program.send_signal(signal.SIGINT)
    wait_for(lambda: place.starts() >= 4)  # an agent has ignored SIGTERM
    program.send_signal(signal.SIGINT)
    code, out, err = program.finish()
    assert (code, out, "Traceback" in err) == (130, "", False)
    assert err.endswith("`trapcli calibrate --resume 1` runs the open trials\nInterrupted.\n")
    assert place.trial_count() == 0
    wait_for(place.is_clean)


def test_an_interrupt_while_a_suite_is_built_leaves_nothing(tmp_path: Path) -> None:
    """There is no suite, no run and no temporary file, and the exit code is 130."""
    place = Place(tmp_path)
    (tmp_path / "traps").rename(tmp_path / "away")
    program = place.calibrate("toy", "--solution", place.agent("right"), env={"TOY_SECONDS": "0.5"})
    wait_for(lambda: (tmp_path / "traps").exists() and os.listdir(tmp_path / "traps"))
    program.send_signal(signal.SIGINT)
    code, out, err = program.finish()
    assert (code, out, "Traceback" in err) == (130, "", False)
    assert place.query("SELECT * FROM run") == []
    assert not (tmp_path / "traps" / "toy").exists()
    assert place.is_clean()


def test_an_interrupt_of_the_self_check_leaves_nothing(tmp_path: Path) -> None:
    """There is no run and no temporary file, and the exit code is 130."""
    place = Place(tmp_path, entry="toy = hostile_families:SLOW")
    program = place.calibrate(*SUITE)
    wait_for(lambda: (tmp_path / "judging").exists())
    program.send_signal(signal.SIGINT)
    code, out, err = program.finish()
    assert (code, out, "Traceback" in err) == (130, "", False)
    assert place.query("SELECT * FROM run") == [] and place.is_clean()


def test_a_run_in_progress_cannot_be_resumed(place: Place) -> None:
    """Two programs never carry out the same run; the first one is not disturbed."""
    program = start(place, place.agent(LOGS + 'while [ ! -e "$root/go" ]; do sleep 0.02; done; right'))
    wait_for(lambda: place.starts() == 2)
    code, out, err = place.calibrate("--resume", 1).finish()
    assert (code, out) == (2, "") and "another process is working on run 1" in err
    (place.root / "go").touch()
    assert program.finish()[0] == 0
    assert_complete(place, 12)


def test_two_simultaneous_runs_do_not_mix(place: Place) -> None:
    """Two programs in one place each complete a run of their own, and neither removes the other's files."""
    agent = place.agent(LOGS + LEAVES_CHILD + "sleep 0.05; right")
    first = start(place, agent, 5)
    wait_for(place.starts)
    results = [program.finish() for program in (start(place, agent, 5), first)]
    assert [code for code, _, _ in results] == [0, 0], results
    assert place.starts() == 40
    for run in (1, 2):
        assert_complete(place, 20, run)


def test_a_run_under_nohup_survives_its_terminal(place: Place) -> None:
    """SIGHUP interrupts a run, but not one that was started with SIGHUP ignored."""
    program = start(place, place.agent(LOGS + 'while [ ! -e "$root/go" ]; do sleep 0.02; done; right'), 3, 2)
    wait_for(lambda: place.starts() == 2)
    program.send_signal(signal.SIGHUP)
    code, _, err = program.finish()
    assert code == 130 and "--resume 1" in err
    deaf = place.calibrate(
        "--resume", 1, "-j", 1, preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN)
    )
    wait_for(lambda: place.starts() == 3 or deaf.poll() is not None)
    deaf.send_signal(signal.SIGHUP)
    (place.root / "go").touch()
    assert deaf.finish()[0] == 0 and not command(deaf.pid)
    assert_complete(place, 12)
