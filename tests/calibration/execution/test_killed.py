"""The program killed or interrupted at any moment, and resumed: every trial once, and nothing left."""

import os
import random
import signal
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import hostile_families
import pytest
from sandbox import Place, Program, children, command, wait_for

KILLS = 5
TRIALS = 50  # of each of four cases
LOGS = 'echo begun >> "$log"; '
# Each leaves a session that is deaf to signals, as it goes.
LEAVES = "setsid sh -c 'trap \"\" TERM INT HUP; sleep 1000; :' $root & "
SUITE = ("--suite", "traps/toy")


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    made = Place(tmp_path)
    yield made
    made.leave()


def started(place: Place, agent: str, trials: int = 3, jobs: int = 2, *more: object) -> Program:
    return place.calibrate(*SUITE, "--solution", agent, "--trials", trials, "-j", jobs, *more)


def assert_whole(place: Place, total: int, run: int = 1) -> None:
    """Run 1 has every trial once, with its output; the database is sound; no process or file is left."""
    rows = place.query("SELECT case_id, number FROM trial WHERE run = ?", run)
    wanted = {(case, number) for case in place.suite.cases for number in range(1, total // place.cases + 1)}
    assert len(rows) == total and set(rows) == wanted
    assert place.query("PRAGMA integrity_check") == [("ok",)]
    assert place.query("SELECT ended FROM run WHERE number = ?", run) != [("",)]
    for trial in place.trials(run):
        assert trial.status == "passed" and len(place.output(trial, run)) == trial.stdout.size
    assert place.is_clean()


def test_killed_again_and_again_every_trial_is_there_once(place: Place) -> None:
    """The runner is killed at random moments and resumed each time, at once or when all has ended: in the end
    each trial is there once, and what the solutions left is gone."""
    total = TRIALS * place.cases
    draw = random.Random(7)
    begun_at = sorted(draw.sample(range(1, total), KILLS))
    agent = place.agent(LOGS + LEAVES + "sleep 0.02; right")
    program = started(place, agent, TRIALS)
    for number, mark in enumerate(begun_at):
        wait_for(lambda: place.begun() >= mark or program.poll() is not None)  # noqa: B023
        time.sleep(draw.random() * 0.03)
        assert program.poll() is None, program.communicate()
        program.killed()
        if number % 2:
            wait_for(lambda: not place.alive())
        program = place.calibrate("--resume", 1, "-j", 2)
    code, out, err = program.ended()
    assert (code, "Traceback" in err) == (0, False) and f"{total}, complete" in out
    assert_whole(place, total)
    begun = place.begun()
    assert (
        total <= begun <= total + 4 * KILLS
    )  # no more than those in flight ran twice: two at work, two after
    code, out, err = place.calibrate("--resume", 1).ended()
    assert code == 0 and "nothing is left to run" in err
    assert place.begun() == begun and place.stored() == total


@pytest.mark.parametrize("what", ["the process group", "the runner", "the nursery", "a keeper", "a judge"])
def test_whatever_is_killed_the_run_can_go_on(place: Place, what: str) -> None:
    """Killed with trials under way: nothing is left behind, and the rest runs, each trial once."""
    waits = '[ $n -le 3 ] || while [ ! -e "$root/go" ]; do sleep 0.02; done; '
    program = started(place, place.agent("take_number; " + LOGS + LEAVES + waits + "right"))
    wait_for(lambda: place.stored() == 3 and place.begun() == 5)
    (nurse,) = program.children("execution.supervisor_pool")
    judge = program.children("execution.judge_pool")[0]
    if what == "the process group":
        os.killpg(program.pid, signal.SIGKILL)
    else:
        pid = {
            "the runner": program.pid,
            "the nursery": nurse,
            "a judge": judge,
            "a keeper": children(nurse)[0],
        }[what]
        os.kill(pid, signal.SIGKILL)
    if what in ("the process group", "the runner"):
        program.ended()
        wait_for(lambda: not place.alive())
        assert place.stored() < 12
    (place.root / "go").touch()
    if program.poll() is None:
        code, out, err = program.ended()
        assert code in (0, 1) and "Traceback" not in err
        if what == "a keeper":
            assert code == 0 and place.stored() == 12 and "its keeper was killed" in out
            return
    code, out, err = place.calibrate("--resume", 1).ended()
    assert code == 0 and "12, complete" in out
    assert_whole(place, 12)


def test_a_judge_that_hangs_does_not_outlive_the_runner(tmp_path: Path) -> None:
    """A judge that would hear nothing any more is gone when the runner was killed."""
    place = Place(tmp_path, entry="toy = hostile_families:ODD")
    program = started(place, place.agent(LOGS + f"echo {hostile_families.HANGS}"))
    wait_for(lambda: place.begun() >= 2 and program.children("execution.judge_pool"))
    program.killed()
    wait_for(lambda: not place.alive())
    assert place.stored() == 0


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_keeps_and_shows_what_has_ended(place: Place, number: signal.Signals) -> None:
    """What has ended is kept and shown, what runs is killed and not recorded; exit 130, and how to go on is
    said."""
    agent = place.agent(LOGS + LEAVES + 'take_number; [ $n -le 7 ] || [ -e "$root/go" ] || sleep 1000; right')
    program = started(place, agent, 5, 4)
    wait_for(lambda: place.stored() == 7 and place.begun() == 11)
    program.send_signal(number)
    code, out, err = program.ended()
    assert (code, "Traceback" in err) == (130, False)
    assert "7 of 20" in out and "case_01" in out and "--resume 1" in err
    assert place.stored() == 7 and place.is_clean()
    assert Counter(trial.status for trial in place.trials()) == {"passed": 7}
    (place.root / "go").touch()
    code, out, _ = place.calibrate("--resume").ended()
    assert code == 0
    assert_whole(place, 20)
    assert place.begun() == 11 + 13


def test_a_second_interruption_ends_at_once(place: Place) -> None:
    """Agents that are deaf to the first signal are killed at the second; no process or file is left."""
    agent = place.agent(LOGS + LEAVES + "trap 'echo heard >> \"$log\"' TERM; while :; do sleep 0.02; done")
    program = started(place, agent, 10, 3)
    wait_for(lambda: place.begun() == 3)
    program.send_signal(signal.SIGINT)
    wait_for(lambda: place.begun() >= 4)  # an agent has heard
    program.send_signal(signal.SIGINT)
    code, out, err = program.ended()
    assert (code, out, "Traceback" in err) == (130, "", False) and "Interrupted" in err
    assert place.stored() == 0
    wait_for(place.is_clean)


def test_an_interruption_while_a_suite_is_built_leaves_nothing(tmp_path: Path) -> None:
    """No suite, no run, no temporary file, exit 130."""
    place = Place(tmp_path)
    (tmp_path / "traps").rename(tmp_path / "away")
    program = place.calibrate("toy", "--solution", place.agent("right"), env={"TOY_SECONDS": "0.5"})
    wait_for(lambda: (tmp_path / "traps").exists() and os.listdir(tmp_path / "traps"))
    program.send_signal(signal.SIGINT)
    code, out, err = program.ended()
    assert (code, out, "Traceback" in err) == (130, "", False)
    assert place.query("SELECT * FROM run") == []
    assert not (tmp_path / "traps" / "toy").exists()
    assert place.is_clean()


def test_an_interruption_of_the_instrument_check_leaves_nothing(tmp_path: Path) -> None:
    """No run was begun, no temporary file is left, exit 130."""
    place = Place(tmp_path, entry="toy = hostile_families:SLOW")
    program = place.calibrate(*SUITE)
    wait_for(lambda: (tmp_path / "judging").exists())
    program.send_signal(signal.SIGINT)
    code, out, err = program.ended()
    assert (code, out, "Traceback" in err) == (130, "", False)
    assert place.query("SELECT * FROM run") == [] and place.is_clean()


def test_a_run_that_is_at_work_is_not_resumed(place: Place) -> None:
    """Two programs never carry out the same run; the first is not disturbed, and goes on to its end."""
    program = started(place, place.agent(LOGS + 'while [ ! -e "$root/go" ]; do sleep 0.02; done; right'))
    wait_for(lambda: place.begun() == 2)
    code, out, err = place.calibrate("--resume", 1).ended()
    assert (code, out) == (2, "") and "at work in another process" in err
    (place.root / "go").touch()
    assert program.ended()[0] == 0
    assert_whole(place, 12)


def test_two_runs_at_the_same_time_do_not_mix(place: Place) -> None:
    """Two programs in one place each end with their own run, whole; neither clears what is the other's."""
    agent = place.agent(LOGS + LEAVES + "sleep 0.05; right")
    first = started(place, agent, 5)
    wait_for(place.begun)
    ends = [program.ended() for program in (started(place, agent, 5), first)]
    assert [code for code, _, _ in ends] == [0, 0], ends
    assert place.begun() == 40
    for run in (1, 2):
        assert_whole(place, 20, run)


def test_a_terminal_that_goes_away_does_not_end_what_ignores_it(place: Place) -> None:
    """Under nohup a run goes on to its end when the terminal hangs up."""
    program = started(
        place, place.agent(LOGS + 'while [ ! -e "$root/go" ]; do sleep 0.02; done; right'), 3, 2
    )
    wait_for(lambda: place.begun() == 2)
    program.send_signal(signal.SIGHUP)
    code, _, err = program.ended()
    assert code == 130 and "--resume 1" in err
    deaf = place.calibrate(
        "--resume", 1, "-j", 1, preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN)
    )
    wait_for(lambda: place.begun() == 3 or deaf.poll() is not None)
    deaf.send_signal(signal.SIGHUP)
    (place.root / "go").touch()
    assert deaf.ended()[0] == 0 and not command(deaf.pid)
    assert_whole(place, 12)
