"""The supervisor pool: any of its processes may be killed or stopped, and no trial is invented or lost."""

import os
import resource
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from checkout import MODULES
from pooled_jobs import HANGS, PooledJobs
from process_table import children, command, has_ended, pids, wait_for

from trapcli.calibration.execution import supervisor_pool
from trapcli.calibration.execution.supervisor_pool import NeverRan, Stopped
from trapcli.core.errors import TrapError


@pytest.fixture
def jobs(tmp_path: Path) -> Iterator[PooledJobs]:
    """Jobs of a pool; after the test no process of it is left."""
    made = PooledJobs(tmp_path)
    yield made
    made.close()
    wait_for(lambda: not made.processes())


def test_a_command_that_cannot_be_started_ends_as_in_a_shell(jobs: PooledJobs) -> None:
    """Exit code 126 or 127, and stderr that names the command: a solution may have removed its program."""

    def ended(**changes: Any) -> tuple[int, str]:
        job = replace(jobs.job(""), **changes)
        outcome = jobs.pool.run(job)
        assert (outcome.stdout.size, outcome.timed_out, outcome.lost) == (0, False, "")
        return outcome.exit_code, Path(job.stderr).read_text()

    plain = jobs.directory / "plain"
    plain.write_text("not a program")
    missing = "'nowhere-at-all' cannot be started: No such file or directory\n"
    assert ended(argv=("nowhere-at-all",)) == (127, f"trapcli: {missing}")
    assert ended(argv=(str(plain),)) == (126, f"trapcli: '{plain}' cannot be started: Permission denied\n")
    code, message = ended(cwd=str(jobs.directory / "away"))
    assert code == 127 and "No such file" in message
    code, message = ended(argv=("sh", "a\0b"))
    assert code == 126 and "null byte" in message
    assert jobs.run("exit 4").exit_code == 4


def test_a_machine_that_can_start_no_process_is_not_the_commands_fault(jobs: PooledJobs) -> None:
    """If no process can be started at present, the trial never ran, and the next one runs."""
    assert jobs.run("exit 1").exit_code == 1
    (idle,) = children(jobs.pool_pid())
    _, hard = resource.prlimit(idle, resource.RLIMIT_NOFILE)
    resource.prlimit(idle, resource.RLIMIT_NOFILE, (3, hard))
    with pytest.raises(NeverRan, match="no process can be started: Too many open files"):
        jobs.run("exit 2")
    assert jobs.run("exit 3").exit_code == 3


@pytest.mark.slow
def test_stop_ends_running_jobs_and_starts_no_more(jobs: PooledJobs) -> None:
    """After `stop` a job that ignores signals is gone; its call and later ones raise Stopped."""
    future = jobs.begin(f"trap '' TERM; {HANGS}")
    assert jobs.processes()
    jobs.pool.stop()
    with pytest.raises(Stopped):
        future.result(60)
    assert jobs.processes() == []
    with pytest.raises(Stopped):
        jobs.run("exit 0")


def test_a_killed_pool_process_is_replaced(jobs: PooledJobs) -> None:
    """A running job ends normally without the pool's process, and new jobs get another one."""
    future = jobs.begin("echo $$ > {here}/pid; while [ ! -e {here}/go ]; do sleep 0.02; done; exit 7")
    first = jobs.pool_pid()
    os.kill(first, signal.SIGKILL)
    wait_for(lambda: has_ended(first))
    assert jobs.run("exit 3").exit_code == 3
    assert jobs.pool_pid() != first
    (jobs.directory / "go").touch()
    assert future.result(60).exit_code == 7


def test_a_killed_supervisor_takes_its_job_with_it(jobs: PooledJobs) -> None:
    """The job counts as crashed, and the outcome says why; its descendants are killed; the next job runs."""
    future = jobs.begin()
    wait_for(lambda: len(jobs.processes()) == 2)
    (supervisor,) = children(jobs.pool_pid())
    os.kill(supervisor, signal.SIGKILL)
    outcome = future.result(60)
    assert (outcome.exit_code, outcome.timed_out, outcome.stdout.size) == (-signal.SIGKILL, False, 0)
    assert "was killed while it ran" in outcome.lost and "counts as crashed" in outcome.lost
    wait_for(lambda: not jobs.processes())
    assert jobs.run("exit 3").exit_code == 3


def test_a_killed_supervisor_does_not_affect_the_others(jobs: PooledJobs) -> None:
    """Killing what one supervisor left does not touch the jobs of other supervisors."""
    doomed = jobs.begin()
    other = jobs.threads.submit(
        jobs.run, "touch {here}/other; while [ ! -e {here}/go ]; do sleep 0.02; done; exit 7"
    )
    wait_for((jobs.directory / "other").exists)
    (supervisor,) = [pid for pid in children(jobs.pool_pid()) if jobs.written_pid() in children(pid)]
    os.kill(supervisor, signal.SIGKILL)
    assert doomed.result(60).lost
    wait_for(lambda: len(jobs.processes()) == 1)
    (jobs.directory / "go").touch()
    assert other.result(60).exit_code == 7


def test_an_idle_supervisor_that_was_killed_is_replaced(jobs: PooledJobs) -> None:
    """If a supervisor dies while it has no job, the next job gets another one."""
    assert jobs.run("exit 1").exit_code == 1
    (idle,) = children(jobs.pool_pid())
    os.kill(idle, signal.SIGKILL)
    wait_for(lambda: idle not in children(jobs.pool_pid()))
    assert jobs.run("exit 2").exit_code == 2


@pytest.mark.slow
def test_a_job_that_is_not_started_in_time_never_runs(
    jobs: PooledJobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While the pool's process is stopped no job starts; a job that was given up does not run later."""
    monkeypatch.setattr(supervisor_pool, "START_LIMIT", 0.2)
    os.kill(jobs.pool_pid(), signal.SIGSTOP)
    try:
        with pytest.raises(NeverRan, match="it was not started within"):
            jobs.run("touch {here}/ran")
    finally:
        os.kill(jobs.pool_pid(), signal.SIGCONT)
    monkeypatch.setattr(supervisor_pool, "START_LIMIT", 60)
    assert jobs.run("exit 3").exit_code == 3
    assert not (jobs.directory / "ran").exists()


@pytest.mark.slow
def test_a_job_whose_supervisor_does_not_answer_has_timed_out(
    jobs: PooledJobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If the supervisor itself is stopped, the call returns some time after the limit; nothing is left."""
    monkeypatch.setattr(supervisor_pool, "BEYOND", 0.2)
    future = jobs.threads.submit(jobs.run, HANGS, 0.5)
    wait_for(jobs.written_pid)
    (supervisor,) = children(jobs.pool_pid())
    os.kill(supervisor, signal.SIGSTOP)
    outcome = future.result(60)
    assert outcome.timed_out and "did not answer after the time limit" in outcome.lost
    wait_for(lambda: not jobs.processes() and supervisor not in children(jobs.pool_pid()))


@pytest.mark.slow
@pytest.mark.parametrize("kill", ["the runner", "the runner and the supervisor", "the runner and the pool"])
def test_nothing_outlives_the_runner(tmp_path: Path, kill: str) -> None:
    """When the runner is killed, alone or with another process, all the others end."""
    code = """
import sys
from pathlib import Path
from pooled_jobs import HANGS, PooledJobs
PooledJobs(Path(sys.argv[1]), mark=sys.argv[2]).run(HANGS)
"""
    mark = f"mark-of-{tmp_path.name}-{os.getpid()}"
    paths = os.pathsep.join(map(str, MODULES))
    runner = subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path), mark], env={**os.environ, "PYTHONPATH": paths}
    )
    pid_file = tmp_path / "pid"
    wait_for(lambda: pid_file.exists() and pid_file.read_text().strip())
    (pool,) = children(runner.pid)
    (supervisor,) = children(pool)
    also = {"the runner and the supervisor": [supervisor], "the runner and the pool": [pool]}
    for pid in (runner.pid, *also.get(kill, [])):
        os.kill(pid, signal.SIGKILL)
    runner.wait()
    wait_for(lambda: not [pid for pid in pids() if mark.encode() in command(pid)])
    wait_for(lambda: has_ended(pool) and has_ended(supervisor))


def test_output_that_cannot_be_stored_is_an_error(jobs: PooledJobs) -> None:
    """The error says why the output cannot be stored, and the job's processes are gone."""
    job = jobs.job("echo out; sh -c 'sleep 1000; :' {mark} &")
    with pytest.raises(TrapError, match="cannot be stored: No such file"):
        jobs.pool.run(replace(job, stdout=str(jobs.directory / "away" / "out")))
    assert jobs.processes() == []
    assert jobs.run("exit 3").exit_code == 3


@pytest.mark.slow
def test_close_ends_every_process(tmp_path: Path) -> None:
    """After `close` neither the pool's process nor a supervisor is left."""
    jobs = PooledJobs(tmp_path)
    barrier = threading.Barrier(3)
    futures = [jobs.threads.submit(lambda: (barrier.wait(), jobs.run("sleep 0.1"))) for _ in range(3)]
    for future in futures:
        future.result(60)
    processes = [jobs.pool_pid(), *children(jobs.pool_pid())]
    assert len(processes) >= 2
    jobs.close()
    wait_for(lambda: all(map(has_ended, processes)))
