"""A session: runs are started, interrupted and resumed without a command line, and nothing is printed."""

import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from trial_place import Place

from trapcli.calibration.execution.scheduler import Progress
from trapcli.calibration.plan import processors
from trapcli.calibration.run_request import RunRequest
from trapcli.calibration.session import RunResult, Session
from trapcli.calibration.solutions.solution import read_solution
from trapcli.core.errors import TrapError


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    monkeypatch.chdir(tmp_path)
    return Place(tmp_path, cases=2).activate(monkeypatch)


class Recorder:
    """A session in a place, and everything that it reported."""

    def __init__(self, place: Place, act: Callable[[Progress], None] = lambda progress: None) -> None:
        self.place, self.act = place, act
        self.progress: list[Progress] = []
        self.checked: list[tuple[int, int]] = []
        self.notes: list[str] = []
        self.session = Session(
            place.root / ".trapcli",
            on_progress=self._on_progress,
            on_self_check=lambda done, total: self.checked.append((done, total)),
            on_note=self.notes.append,
        )

    def start(self, script: str, **options: Any) -> RunResult:
        """Start a run of an agent that runs this script."""
        solution = read_solution(self.place.agent(script), self.place.root)
        return self.session.start(RunRequest((self.place.suite,), solution, **options))

    def _on_progress(self, progress: Progress) -> None:
        self.progress.append(progress)
        self.act(progress)


def interrupt_at(done: int) -> Callable[[Progress], None]:
    """Return a callback that sends SIGINT when this many trials are done."""
    sent: list[int] = []

    def act(progress: Progress) -> None:
        if progress.done >= done and not sent:
            sent.append(done)
            os.kill(os.getpid(), signal.SIGINT)

    return act


@pytest.mark.slow
def test_a_run_is_carried_out_and_summed_up(place: Place, capsys: pytest.CaptureFixture[str]) -> None:
    """The result has the rates, progress and notes are reported, trials are stored, nothing is printed."""
    recorder = Recorder(place)
    result = recorder.start("right", trials=3, timeout=20.0)
    assert (result.complete, result.interrupted, result.judge_errors) == (True, False, 0)
    assert (result.succeeded, result.self_check_passed) == (True, None)
    assert [suite.rate for suite in result.summary.suites] == [1.0]
    assert (recorder.progress[0].done, recorder.progress[-1].passed) == (0, 6)
    assert recorder.notes == [f"run 1: 6 trials of sh {place.root / 'agent.sh'} on traps/toy"]
    assert recorder.checked == []
    with place.store() as store:
        run = store.run(1)
        assert (run.plan.trials, run.plan.limit, run.jobs, bool(run.ended)) == (3, 20.0, 1, True)
    assert capsys.readouterr() == ("", "")


@pytest.mark.slow
def test_failures_are_a_result(place: Place) -> None:
    """An agent that fails every trial is measured: that is success."""
    result = Recorder(place).start("echo 7", only=("case_02",))
    assert result.succeeded and result.summary.counts.pair == (0, 10)


@pytest.mark.slow
def test_without_a_solution_suites_and_judge_are_checked(place: Place) -> None:
    """Known mistakes are judged first, then the reference solver runs, on all processors."""
    recorder = Recorder(place)
    result = recorder.session.start(RunRequest((place.suite,), trials=1))
    assert (result.succeeded, result.self_check_passed) == (True, True)
    assert recorder.checked == [(1, 2), (2, 2)]
    with place.store() as store:
        assert store.run(1).self_check == {"cases": 2, "outputs": 8, "wrong": []}
        assert (store.run(1).plan.solution.given, store.run(1).jobs) == ("builtin:solve", processors())


@pytest.mark.slow
def test_an_interrupted_run_is_resumed(place: Place) -> None:
    """The result says that the run is not complete; a resume runs the open trials and no other."""
    recorder = Recorder(place, interrupt_at(2))
    script = 'echo started >> "$log"; [ -e "$root/go" ] || [ "$(wc -l < "$log")" -le 2 ] || sleep 100; right'
    result = recorder.start(script, trials=2)
    assert (result.interrupted, result.complete, result.succeeded) == (True, False, False)
    done = result.summary.counts.done
    assert 2 <= done < 4
    (place.root / "go").touch()
    place.log.unlink()
    again = Recorder(place)
    result = again.session.resume(jobs=2)
    assert (result.interrupted, result.complete) == (False, True)
    assert again.notes[0].startswith(f"run 1: {4 - done} trial")
    assert place.starts() == 4 - done
    with place.store() as store:
        assert (store.run(1).jobs, store.run(1).resumes) == (2, 1)


@pytest.mark.slow
def test_resuming_a_complete_run_runs_nothing(place: Place) -> None:
    """Its result is returned again, with a note; without a number there is nothing to resume."""
    recorder = Recorder(place)
    recorder.start('echo started >> "$log"; right', trials=1)
    result = recorder.session.resume(1)
    assert result.succeeded and place.starts() == 2
    assert recorder.notes[-1] == "run 1 is complete: nothing is left to run"
    with pytest.raises(TrapError, match="every run is complete"):
        recorder.session.resume()


def test_resuming_without_a_store_creates_none(place: Place) -> None:
    """Where no run was started, there is nothing to resume, and nothing is written."""
    with pytest.raises(TrapError, match="there are no runs here"):
        Recorder(place).session.resume()
    assert not (place.root / ".trapcli").exists()


def test_a_run_that_another_process_works_on_is_not_resumed(place: Place) -> None:
    """Two sessions never run the same run at once."""
    recorder = Recorder(place, interrupt_at(0))
    recorder.start("sleep 100")
    with place.store() as store, store.claim(1), pytest.raises(TrapError, match="another process"):
        recorder.session.resume(1)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"trials": 0}, "0 trials of each case: give 1 to 10,000"),
        ({"trials": 10_001}, "give 1 to 10,000"),
        ({"jobs": 0}, "0 jobs: give 1 to 1,000"),
        ({"timeout": 0.0}, "a timeout of 0.0 s"),
        ({"timeout": float("nan")}, "a timeout of nan s"),
        ({"timeout": float("inf")}, "a timeout of inf s"),
        ({"env": ("HOME",)}, "sets or removes this variable"),
        ({"only": ("case_99",)}, "no suite of this run has that case: toy has case_01 to case_02"),
        ({"env": ("NOT_SET_HERE",), "isolate": True}, "NOT_SET_HERE"),
    ],
)
def test_runs_that_cannot_be_started(place: Place, options: dict[str, Any], message: str) -> None:
    """A request that makes no sense is an error before anything runs or is stored as a run."""
    with pytest.raises(TrapError, match=message):
        Recorder(place).start("right", **options)
    with place.store() as store:
        assert store.runs() == []


def test_a_run_needs_a_suite() -> None:
    """A run of no trials, which would look sound, cannot be requested."""
    with pytest.raises(TrapError, match="there is no suite to run on"):
        RunRequest(())
