"""Jobs of a supervisor pool: shell scripts that leave their traces in a directory."""

import os
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

from process_table import command, pids, wait_for

from trapcli.calibration.execution.messages import Job, Outcome
from trapcli.calibration.execution.supervisor_pool import SupervisorPool

LONG = 30.0  # seconds: a limit that is not reached
# In scripts, {here} is the directory and {mark} a word that only processes of these jobs have.
LEAVES_CHILD = "setsid sh -c 'trap \"\" TERM; sleep 1000; :' {mark} & "
HANGS = LEAVES_CHILD + "echo $$ > {here}/pid; while :; do sleep 0.05; done"


class PooledJobs:
    """A supervisor pool and a directory in which its jobs run and their output is stored."""

    def __init__(self, directory: Path, mark: str = "") -> None:
        self.directory = directory
        self.mark = mark or f"mark-of-{directory.name}-{os.getpid()}"
        self.pool = SupervisorPool()
        self.threads = ThreadPoolExecutor(8)

    def job(self, script: str, limit: float = LONG, name: str = "") -> Job:
        """Return a job that runs the script; its output goes to files with this name, or a random one."""
        name = name or os.urandom(4).hex()
        text = script.replace("{here}", str(self.directory)).replace("{mark}", self.mark)
        return Job(
            argv=("sh", "-c", text, self.mark),
            cwd=str(self.directory),
            env={"PATH": os.environ["PATH"]},
            stdin=None,
            limit=limit,
            stdout=str(self.directory / f"{name}.stdout"),
            stderr=str(self.directory / f"{name}.stderr"),
        )

    def run(self, script: str, limit: float = LONG, name: str = "") -> Outcome:
        return self.pool.run(self.job(script, limit, name))

    def begin(self, script: str = HANGS) -> "Future[Outcome]":
        """Start a job in a thread; return when it has written its process id."""
        future = self.threads.submit(self.run, script)
        wait_for(lambda: self.written_pid() or future.done())
        return future

    def written_pid(self) -> int:
        """Return the process id that a job wrote to the file `pid`; 0 if there is none."""
        path = self.directory / "pid"
        return int(path.read_text() or 0) if path.exists() else 0

    def output(self, name: str, stream: str = "stdout") -> bytes:
        """Return what is stored of a job's output."""
        path = self.directory / f"{name}.{stream}"
        return path.read_bytes() if path.exists() else b""

    def pool_pid(self) -> int:
        return self.pool._process.pid

    def processes(self) -> list[int]:
        """Return the running processes that jobs have started."""
        return [pid for pid in pids() if self.mark.encode() in command(pid)]

    def close(self) -> None:
        """Stop all jobs and end the pool."""
        self.pool.stop()
        self.threads.shutdown()
        self.pool.close()
