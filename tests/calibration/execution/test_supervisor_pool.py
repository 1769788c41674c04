"""The nursery and its keepers: any may be killed or stopped, and no trial is invented or lost by it."""

import os
import resource
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from checkout import MODULES
from sandbox import children, command, has_ended, pids, wait_for

from trapcli.calibration.execution import supervisor_pool
from trapcli.calibration.execution.supervisor import Ended, Job
from trapcli.calibration.execution.supervisor_pool import CannotStart, NeverRan, Nursery, Stopped
from trapcli.core.errors import TrapError

LEAVES = "setsid sh -c 'trap \"\" TERM; sleep 1000; :' {mark} & "
HANGS = LEAVES + "echo $$ > {here}/begun; while :; do sleep 0.05; done"


class Nursing:
    """A nursery, and jobs for it that leave their traces in a directory."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.mark = f"mark-of-{directory.name}-{os.getpid()}"
        self.nursery = Nursery()
        self.threads = ThreadPoolExecutor(8)

    def job(self, script: str, limit: float = 30.0) -> Job:
        words = (
            "sh",
            "-c",
            script.replace("{here}", str(self.directory)).replace("{mark}", self.mark),
            self.mark,
        )
        name = os.urandom(4).hex()
        out, err = self.directory / f"{name}.stdout", self.directory / f"{name}.stderr"
        return Job(words, str(self.directory), {"PATH": os.environ["PATH"]}, None, limit, str(out), str(err))

    def run(self, script: str, limit: float = 30.0) -> Ended:
        return self.nursery.run(self.job(script, limit))

    def begin(self, script: str = HANGS) -> "Future[Ended]":
        """Start a job; comes back when it has written that it runs."""
        future = self.threads.submit(self.run, script)
        wait_for(lambda: self.begun() or future.done())
        return future

    def begun(self) -> int:
        path = self.directory / "begun"
        return int(path.read_text() or 0) if path.exists() else 0

    def process(self) -> int:
        return self.nursery._process.pid

    def alive(self) -> list[int]:
        """The processes that jobs started."""
        return [pid for pid in pids() if self.mark.encode() in command(pid)]


@pytest.fixture
def nursing(tmp_path: Path) -> Iterator[Nursing]:
    """A nursery; after the test nothing of it is left."""
    made = Nursing(tmp_path)
    yield made
    made.nursery.stop()
    made.threads.shutdown()
    made.nursery.close()
    wait_for(lambda: not made.alive())


def test_a_command_that_is_not_there_cannot_start(nursing: Nursing) -> None:
    """No program, no directory to run in, no permission: the error names the command and says why."""
    job = nursing.job("")
    (nursing.directory / "plain").write_text("no program")
    for argv, why in (
        ("nowhere-at-all", "No such file"),
        (str(nursing.directory / "plain"), "Permission denied"),
    ):
        with pytest.raises(CannotStart, match=f"{argv}.* cannot be started: {why}"):
            nursing.nursery.run(replace(job, argv=(argv,)))
    with pytest.raises(CannotStart, match="No such file"):
        nursing.nursery.run(replace(job, cwd=str(nursing.directory / "away")))
    with pytest.raises(CannotStart, match="null byte"):
        nursing.nursery.run(replace(job, argv=("sh", "a\0b")))
    assert nursing.run("exit 4").exit_code == 4


def test_a_machine_that_can_start_nothing_is_not_the_commands_fault(nursing: Nursing) -> None:
    """If no process can be started just now, the trial never ran; a moment later the next one does."""
    assert nursing.run("exit 1").exit_code == 1
    (idle,) = children(nursing.process())
    _, hard = resource.prlimit(idle, resource.RLIMIT_NOFILE)
    resource.prlimit(idle, resource.RLIMIT_NOFILE, (3, hard))
    with pytest.raises(NeverRan, match="no process can be started: Too many open files"):
        nursing.run("exit 2")
    assert nursing.run("exit 3").exit_code == 3


def test_stopping_ends_what_runs_and_begins_no_more(nursing: Nursing) -> None:
    """After `stop` the job is gone, deaf to signals as it was; its call and later ones end with Stopped."""
    future = nursing.begin(f"trap '' TERM; {HANGS}")
    assert nursing.alive()
    nursing.nursery.stop()
    with pytest.raises(Stopped):
        future.result(60)
    assert nursing.alive() == []
    with pytest.raises(Stopped):
        nursing.run("exit 0")


def test_a_nursery_that_was_killed_is_replaced(nursing: Nursing) -> None:
    """What runs under a keeper goes on to its end without the nursery, and new jobs get a new one."""
    future = nursing.begin("echo $$ > {here}/begun; while [ ! -e {here}/go ]; do sleep 0.02; done; exit 7")
    first = nursing.process()
    os.kill(first, signal.SIGKILL)
    wait_for(lambda: has_ended(first))
    assert nursing.run("exit 3").exit_code == 3
    assert nursing.process() != first
    (nursing.directory / "go").touch()
    assert future.result(60).exit_code == 7


def test_a_keeper_that_was_killed_takes_its_solution_along(nursing: Nursing) -> None:
    """That is its end, and told; what it had started is ended too, children and all; the next job runs."""
    future = nursing.begin()
    wait_for(lambda: len(nursing.alive()) == 2)
    (watcher,) = children(nursing.process())
    os.kill(watcher, signal.SIGKILL)
    ended = future.result(60)
    assert (ended.exit_code, ended.timed_out, ended.stdout.size) == (-signal.SIGKILL, False, 0)
    assert "was killed while it ran" in ended.lost and "counts as crashed" in ended.lost
    wait_for(lambda: not nursing.alive())
    assert nursing.run("exit 3").exit_code == 3


def test_the_neighbours_of_a_killed_keeper_go_on(nursing: Nursing) -> None:
    """Ending what one keeper left does not touch what other keepers watch over."""
    doomed = nursing.begin()
    other = nursing.threads.submit(
        nursing.run, "touch {here}/other; while [ ! -e {here}/go ]; do sleep 0.02; done; exit 7"
    )
    wait_for((nursing.directory / "other").exists)
    (watcher,) = [pid for pid in children(nursing.process()) if nursing.begun() in children(pid)]
    os.kill(watcher, signal.SIGKILL)
    assert doomed.result(60).lost
    wait_for(lambda: len(nursing.alive()) == 1)
    (nursing.directory / "go").touch()
    assert other.result(60).exit_code == 7


def test_a_keeper_that_was_killed_while_it_waited_is_not_missed(nursing: Nursing) -> None:
    """A keeper without a job may die: the next job gets another one."""
    assert nursing.run("exit 1").exit_code == 1
    (idle,) = children(nursing.process())
    os.kill(idle, signal.SIGKILL)
    wait_for(lambda: idle not in children(nursing.process()))
    assert nursing.run("exit 2").exit_code == 2


def test_what_was_not_started_in_time_never_ran(nursing: Nursing, monkeypatch: pytest.MonkeyPatch) -> None:
    """While the nursery is stopped nothing starts: the trial never ran; nor does it run later, when nobody
    waits for it any more."""
    monkeypatch.setattr(supervisor_pool, "START_LIMIT", 0.2)
    os.kill(nursing.process(), signal.SIGSTOP)
    try:
        with pytest.raises(NeverRan, match="it was not started within"):
            nursing.run("touch {here}/ran")
    finally:
        os.kill(nursing.process(), signal.SIGCONT)
    monkeypatch.setattr(supervisor_pool, "START_LIMIT", 60)
    assert nursing.run("exit 3").exit_code == 3
    assert not (nursing.directory / "ran").exists()


def test_what_does_not_end_after_its_limit_has_timed_out(
    nursing: Nursing, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If the keeper itself was stopped, the call comes back all the same, and nothing is left."""
    monkeypatch.setattr(supervisor_pool, "BEYOND", 0.2)
    future = nursing.threads.submit(nursing.run, HANGS, 0.5)
    wait_for(nursing.begun)
    (watcher,) = children(nursing.process())
    os.kill(watcher, signal.SIGSTOP)
    ended = future.result(60)
    assert ended.timed_out and "did not answer though the limit had passed" in ended.lost
    wait_for(lambda: not nursing.alive() and watcher not in children(nursing.process()))


@pytest.mark.parametrize("kill", ["the runner", "the runner and the keeper", "the runner and the nursery"])
def test_nothing_outlives_the_runner(tmp_path: Path, kill: str) -> None:
    """When the process that uses a nursery is killed, whatever else is killed too, the rest ends itself."""
    code = """
import os, sys
from pathlib import Path
from calibration.execution.test_supervisor_pool import HANGS, Nursing
nursing = Nursing(Path(sys.argv[1]))
nursing.mark = sys.argv[2]
nursing.run(HANGS)
"""
    mark = f"mark-of-{tmp_path.name}-{os.getpid()}"
    paths = os.pathsep.join(map(str, MODULES))
    runner = subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path), mark], env={**os.environ, "PYTHONPATH": paths}
    )
    begun = tmp_path / "begun"
    wait_for(lambda: begun.exists() and begun.read_text().strip())
    (nurse,) = children(runner.pid)
    (watcher,) = children(nurse)
    doomed = {"the runner": [], "the runner and the keeper": [watcher], "the runner and the nursery": [nurse]}
    for pid in (runner.pid, *doomed[kill]):
        os.kill(pid, signal.SIGKILL)
    runner.wait()
    wait_for(lambda: not [pid for pid in pids() if mark.encode() in command(pid)])
    wait_for(lambda: has_ended(nurse) and has_ended(watcher))


def test_a_disk_that_is_full_is_told(nursing: Nursing) -> None:
    """What cannot be stored is an error that says so, and the solution is gone."""
    job = nursing.job("echo out; sh -c 'sleep 1000; :' {mark} &")
    with pytest.raises(TrapError, match="cannot be stored: No such file"):
        nursing.nursery.run(replace(job, stdout=str(nursing.directory / "away" / "out")))
    assert nursing.alive() == []
    assert nursing.run("exit 3").exit_code == 3


def test_closing_ends_every_process(tmp_path: Path) -> None:
    """After `close` neither the nursery nor a keeper is left."""
    made = Nursing(tmp_path)
    barrier = threading.Barrier(3)
    jobs = [made.threads.submit(lambda: (barrier.wait(), made.run("sleep 0.1"))) for _ in range(3)]
    for job in jobs:
        job.result(60)
    ours = [made.process(), *children(made.process())]
    assert len(ours) >= 2
    made.nursery.stop()
    made.threads.shutdown()
    made.nursery.close()
    wait_for(lambda: all(map(has_ended, ours)))
