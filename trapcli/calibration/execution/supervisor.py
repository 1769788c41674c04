"""Supervise one trial process: start it, capture its output, kill it with all its descendants.

A supervisor is a process of its own with a single thread. It runs one job at a time and adopts
orphans, so whatever a solution leaves behind becomes a child of its supervisor and of nobody else.
It talks with the runner over a socket (see `supervise`). When the runner's end closes, because it
stops the trial or because it is dead, the supervisor ends the trial and itself.
"""

import errno
import fcntl
import os
import selectors
import signal
import socket
import subprocess
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from trapcli.calibration.execution.capture import TailBuffer
from trapcli.calibration.execution.messages import (
    CHUNK,
    Job,
    Outcome,
    job_from_json,
    outcome_to_json,
    receive,
    send,
)
from trapcli.calibration.execution.processes import LINUX, adopt_orphans, end_descendants, signal_group
from trapcli.calibration.stored_output import Stream

GRACE = 2.0  # seconds from SIGTERM to SIGKILL
DRAIN = 2.0  # seconds to read what is left in the pipes once all writers are gone
PIPE_SIZE = 1 << 20  # bytes: the most that an unprivileged process may set (/proc/sys/fs/pipe-max-size)
F_SETPIPE_SZ = 1031  # fcntl(2); a number, because the module fcntl has the name on Linux only
SHORT = 64_000  # bytes of stdout that may travel with the outcome
MOST_NAMED = 10  # stragglers and survivors that an outcome names
NOT_EXECUTABLE, NO_PROGRAM = 126, 127  # a shell's exit codes for a command that it cannot start
BUSY = (errno.EAGAIN, errno.ENOMEM, errno.EMFILE, errno.ENFILE)  # the machine's fault, not the command's


def supervise(channel: socket.socket) -> None:
    """Run the jobs that come in over the channel, one after the other, and send what came of each.

    Each job is answered with {"begun": our pid} and then one of
        {"outcome": ...}: the command cannot be started, which its exit code says as a shell's would,
        {"busy": why}: no process can be started at present,
        {"started": true}, followed by {"outcome": ...}, {"stopped": true}, or {"failed": why} if the
            output cannot be stored (the disk is full).

    Returns when the other end is closed, or when a process is left that cannot be killed: the next
    job must not inherit it.
    """
    adopt_orphans()  # so that a descendant that leaves its session becomes our child when its parent ends
    wakeup = child_wakeup_fd()
    while (message := receive(channel)) is not None and not _is_closed(channel):
        survivors = _run_job(channel, job_from_json(message), wakeup)
        if survivors:
            return


def _run_job(channel: socket.socket, job: Job, wakeup: int) -> list[str]:
    """Run one job; return the commands of descendants that could not be killed."""
    # Sent before the process exists: from here on the solution may run, and may kill us, and that
    # must count as a crash and not as a trial that never ran.
    _try_send(channel, {"begun": os.getpid()})
    began = time.monotonic()
    try:
        process = _start_process(job)
    except (OSError, ValueError) as error:
        _try_send(channel, _why_not_started(job, error, time.monotonic() - began))
        return []
    _try_send(channel, {"started": True})
    try:
        with _Watch(job, process, began, channel, wakeup) as watch:
            answer = watch.run()
    except OSError as error:
        answer = {"failed": error.strerror or str(error)}
    _, survivors = end_descendants()  # also after a failure
    _try_send(channel, answer)
    return survivors


def _is_closed(channel: socket.socket) -> bool:
    """Return whether the other end is closed: the runner gave up before the job was begun."""
    with suppress(BlockingIOError):
        return not channel.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT)
    return False


def _try_send(channel: socket.socket, message: Mapping[str, Any]) -> None:
    with suppress(OSError):  # the runner is gone, and nobody reads the answer
        send(channel, message)


def _start_process(job: Job) -> "subprocess.Popen[bytes]":
    with open(job.stdin or os.devnull, "rb") as stdin:
        return subprocess.Popen(
            job.argv,
            cwd=job.cwd,
            env=dict(job.env),
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
            bufsize=0,
        )


def _why_not_started(job: Job, error: OSError | ValueError, seconds: float) -> dict[str, Any]:
    """Return the answer for a job whose process could not be started."""
    number, why = getattr(error, "errno", None), getattr(error, "strerror", None) or str(error)
    if number in BUSY:
        return {"busy": why}
    tail = TailBuffer()
    tail.write(f"trapcli: {job.argv[0]!r} cannot be started: {why}\n".encode("utf-8", "replace"))
    try:
        stderr = tail.store(Path(job.stderr))
    except OSError as failure:
        return {"failed": failure.strerror or str(failure)}
    finally:
        tail.close()
    code = NO_PROGRAM if number == errno.ENOENT else NOT_EXECUTABLE
    return {"outcome": outcome_to_json(Outcome(code, False, seconds, Stream(), stderr))}


class _Watch:
    """One process under supervision."""

    def __init__(
        self, job: Job, process: "subprocess.Popen[bytes]", began: float, channel: socket.socket, wakeup: int
    ) -> None:
        self.job = job
        self.process = process
        self.began = began
        self.tails = {"stdout": TailBuffer(), "stderr": TailBuffer()}
        self.selector = selectors.DefaultSelector()
        self.stopped = False
        self.timed_out = False
        for name, pipe in (("stdout", process.stdout), ("stderr", process.stderr)):
            assert pipe is not None
            os.set_blocking(pipe.fileno(), False)
            _enlarge(pipe.fileno())
            self.selector.register(pipe.fileno(), selectors.EVENT_READ, name)
        self.selector.register(channel, selectors.EVENT_READ, "channel")
        self.selector.register(wakeup, selectors.EVENT_READ, "wakeup")

    def __enter__(self) -> "_Watch":
        return self

    def __exit__(self, *exc: object) -> None:
        self.selector.close()
        for tail in self.tails.values():
            tail.close()
        for pipe in (self.process.stdout, self.process.stderr):
            if pipe is not None:
                pipe.close()

    def run(self) -> dict[str, Any]:
        """Wait for the process, end what it left, store its output; return the answer for the runner."""
        self._read_until_end()
        seconds = time.monotonic() - self.began
        if not LINUX:
            signal_group(self.process.pid, signal.SIGKILL)
        # Before the pipes are drained: a descendant may hold them open and write on.
        stragglers, survivors = end_descendants(asked=self.process.pid if self.timed_out else 0)
        if self.stopped:
            return {"stopped": True}
        self._drain()
        streams = {name: tail.store(Path(getattr(self.job, name))) for name, tail in self.tails.items()}
        outcome = Outcome(
            exit_code=self.process.returncode,
            timed_out=self.timed_out,
            seconds=seconds,
            stdout=streams["stdout"],
            stderr=streams["stderr"],
            stragglers=tuple(stragglers[:MOST_NAMED]),
            survivors=tuple(survivors[:MOST_NAMED]),
            printed=self.tails["stdout"].whole(SHORT),
        )
        return {"outcome": outcome_to_json(outcome)}

    def _read_until_end(self) -> None:
        """Read until the process has ended; at its limit, or when the runner stops it, end it."""
        limit = self.began + self.job.limit
        kill_at: float | None = None  # set once SIGTERM was sent
        while self.process.poll() is None:
            now = time.monotonic()
            if kill_at is not None and now >= kill_at:
                signal_group(self.process.pid, signal.SIGKILL)
                self.process.kill()
                kill_at = now + GRACE
            elif kill_at is None and (now >= limit or self.stopped):
                self.timed_out = not self.stopped
                signal_group(self.process.pid, signal.SIGTERM)
                kill_at = now + GRACE
            self._read(max(0.0, (limit if kill_at is None else kill_at) - now))
            _reap_others(self.process.pid)

    def _read(self, patience: float) -> bool:
        """Handle what can be read, waiting up to `patience` seconds; return whether there was output."""
        found = False
        for key, _ in self.selector.select(patience):
            if key.data == "channel":  # the runner sends nothing during a job: its end was closed
                self.stopped = True
                self.selector.unregister(key.fileobj)
            elif key.data == "wakeup":
                os.read(key.fd, CHUNK)
            else:
                data = _read_pipe(key.fd)
                if data:
                    self.tails[key.data].write(data)
                    found = True
                elif data is not None:
                    self.selector.unregister(key.fileobj)
        return found

    def _drain(self) -> None:
        """Read what is still in the pipes, for a bounded time: a survivor may hold them open."""
        end = time.monotonic() + DRAIN
        while self._read(0) and time.monotonic() < end:
            pass


def _read_pipe(pipe: int) -> bytes | None:
    """Return what a pipe holds: b"" at its end, None if it holds nothing at present."""
    try:
        return os.read(pipe, CHUNK)
    except BlockingIOError:
        return None


def _enlarge(pipe: int) -> None:
    """Let a pipe hold more than 64 KiB, so that a flood of output costs fewer switches between processes."""
    with suppress(OSError):
        fcntl.fcntl(pipe, F_SETPIPE_SZ, PIPE_SIZE)


def child_wakeup_fd() -> int:
    """Return a file descriptor that becomes readable when a child of this process ends.

    Python writes a byte to the other end of the pipe for every signal that has a handler, so SIGCHLD
    gets one that does nothing. A select(2) on the descriptor then misses no child, even one that
    ends just before the call.
    """
    readable, writable = os.pipe()
    for end in (readable, writable):
        os.set_blocking(end, False)
    signal.set_wakeup_fd(writable, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda number, frame: None)
    return readable


def _reap_others(process: int) -> None:
    """Reap adopted orphans that have ended; `process` itself is left for `Popen.poll`."""
    with suppress(ChildProcessError):
        while found := os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT):
            if found.si_pid == process:
                return
            os.waitpid(found.si_pid, 0)
