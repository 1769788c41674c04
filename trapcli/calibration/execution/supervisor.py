"""Keeping a trial's process: start it, read what it writes, end it and all that it started.

A keeper is a process of its own, with a single thread, that keeps one trial at a time: so
whatever a solution leaves behind comes back to the keeper as a child, and to nobody else. It
talks with the runner over a socket: a job comes in, "started" and the outcome go out. When
the runner's end closes, because it wants the trial stopped or because it is dead, the keeper
ends the trial and itself.
"""

import errno
import fcntl
import json
import os
import selectors
import signal
import socket
import struct
import subprocess
import time
from base64 import b64decode, b64encode
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from trapcli.calibration.execution.capture import Tail
from trapcli.calibration.execution.processes import LINUX, adopt_orphans, end_descendants, signal_group
from trapcli.calibration.records import Stream

GRACE = 2.0  # seconds from SIGTERM to SIGKILL
DRAIN = 2.0  # seconds to read what is left in the pipes, once all that wrote to them is gone
CHUNK = 1 << 18
PIPE = 1 << 20  # bytes that a pipe holds, where it can be set
SET_PIPE_SIZE = 1031  # fcntl(2), Linux: F_SETPIPE_SZ
SHORT = 64_000  # bytes of a stdout that goes to the runner with the outcome
LENGTH = struct.Struct("!Q")
BUSY = (errno.EAGAIN, errno.ENOMEM, errno.EMFILE, errno.ENFILE)  # the machine's fault, not the command's


@dataclass(frozen=True, slots=True)
class Job:
    """A process to be run. stdin: a file, or None for an empty input. limit: seconds.

    stdout, stderr: the files that are to hold what it wrote; they must not be there yet.
    """

    argv: tuple[str, ...]
    cwd: str
    env: Mapping[str, str]
    stdin: str | None
    limit: float
    stdout: str
    stderr: str


@dataclass(frozen=True, slots=True)
class Ended:
    """How a process ended. exit_code: negative for a signal. seconds: of wall clock.

    printed: all of its stdout, if that is short; a file could be changed by other solutions before it
    is judged. stragglers: commands of what it left behind, killed; survivors: what could not be killed. lost:
    what happened if its keeper could not tell how it ended; what it wrote is lost then too.
    """

    exit_code: int
    timed_out: bool
    seconds: float
    stdout: Stream
    stderr: Stream
    stragglers: tuple[str, ...] = ()
    survivors: tuple[str, ...] = ()
    lost: str = ""
    printed: bytes | None = None


def send(channel: socket.socket, message: Mapping[str, Any]) -> None:
    """Send one message, JSON data, over a stream socket."""
    data = json.dumps(message).encode()
    channel.sendall(LENGTH.pack(len(data)) + data)


def receive(channel: socket.socket) -> dict[str, Any] | None:
    """The next message; None if the other end is closed."""
    head = _exactly(channel, LENGTH.size)
    data = _exactly(channel, LENGTH.unpack(head)[0]) if head else None
    return None if data is None else dict(json.loads(data))


def _exactly(channel: socket.socket, count: int) -> bytes | None:
    parts = []
    while count:
        part = channel.recv(min(count, CHUNK))
        if not part:
            return None
        parts.append(part)
        count -= len(part)
    return b"".join(parts)


def job_to_json(job: Job) -> dict[str, Any]:
    """The job as a message."""
    return {name: getattr(job, name) for name in Job.__slots__}


def ended_to_json(ended: Ended) -> dict[str, Any]:
    """The outcome as a message."""
    data = {name: getattr(ended, name) for name in Ended.__slots__}
    printed = None if ended.printed is None else b64encode(ended.printed).decode()
    return {**data, "stdout": ended.stdout.to_json(), "stderr": ended.stderr.to_json(), "printed": printed}


def ended_from_json(data: Mapping[str, Any]) -> Ended:
    """The outcome in a message."""
    streams = {name: Stream.from_json(data[name]) for name in ("stdout", "stderr")}
    lists = {name: tuple(data[name]) for name in ("stragglers", "survivors")}
    printed = None if data["printed"] is None else b64decode(data["printed"])
    return Ended(**{**data, **streams, **lists, "printed": printed})


def keep(channel: socket.socket) -> None:
    """Run the jobs that come in over the channel, one after the other, and send what came of each.

    The answers are {"begun": our pid} and then {"refused": why} if the command cannot be started,
    {"busy": why} if nothing can be just now, or {"started": true} and then {"ended": ...},
    {"stopped": true} or {"failed": why} (the disk is full). Ends when the other end is closed,
    or when a process is left that cannot be killed.
    """
    adopt_orphans()
    ear = hears_when_a_child_ends()
    while (message := receive(channel)) is not None and not _is_closed(channel):
        survivors = _keep_one(channel, Job(**message), ear)
        if survivors:
            return


def _keep_one(channel: socket.socket, job: Job, ear: int) -> list[str]:
    """Run one job; gives what is left of it."""
    _quietly_send(channel, {"begun": os.getpid()})  # from here on the solution may be at work, and end us
    began = time.monotonic()
    try:
        process = _started(job)
    except (OSError, ValueError) as error:
        word = "busy" if getattr(error, "errno", None) in BUSY else "refused"
        _quietly_send(channel, {word: getattr(error, "strerror", None) or str(error)})
        return []
    _quietly_send(channel, {"started": True})
    try:
        with _Watch(job, process, began, channel, ear) as watch:
            answer = watch.run()
    except OSError as error:
        answer = {"failed": error.strerror or str(error)}
    _, survivors = end_descendants()
    _quietly_send(channel, answer)
    return survivors


def _is_closed(channel: socket.socket) -> bool:
    """Whether the other end is closed: the runner gave up before the job was begun."""
    with suppress(BlockingIOError):
        return not channel.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT)
    return False


def _quietly_send(channel: socket.socket, message: Mapping[str, Any]) -> None:
    with suppress(OSError):  # the runner is gone, and nobody asks any more
        send(channel, message)


def _started(job: Job) -> "subprocess.Popen[bytes]":
    with open(job.stdin or os.devnull, "rb") as given:
        return subprocess.Popen(
            job.argv,
            cwd=job.cwd,
            env=dict(job.env),
            stdin=given,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
            bufsize=0,
        )


class _Watch:
    """One process under watch."""

    def __init__(
        self,
        job: Job,
        process: "subprocess.Popen[bytes]",
        began: float,
        channel: socket.socket,
        ear: int,
    ) -> None:
        self.job = job
        self.process = process
        self.began = began
        self.tails = {"stdout": Tail(), "stderr": Tail()}
        self.watched = selectors.DefaultSelector()
        self.stopped = False
        self.timed_out = False
        for name, pipe in (("stdout", process.stdout), ("stderr", process.stderr)):
            assert pipe is not None
            os.set_blocking(pipe.fileno(), False)
            _widen(pipe.fileno())
            self.watched.register(pipe.fileno(), selectors.EVENT_READ, name)
        self.watched.register(channel, selectors.EVENT_READ, "channel")
        self.watched.register(ear, selectors.EVENT_READ, "child")

    def __enter__(self) -> "_Watch":
        return self

    def __exit__(self, *exc: object) -> None:
        self.watched.close()
        for tail in self.tails.values():
            tail.close()
        for pipe in (self.process.stdout, self.process.stderr):
            if pipe is not None:
                pipe.close()

    def run(self) -> dict[str, Any]:
        self._until_ended()
        seconds = time.monotonic() - self.began
        if not LINUX:
            signal_group(self.process.pid, signal.SIGKILL)
        stragglers, survivors = end_descendants(asked=self.process.pid if self.timed_out else 0)
        if self.stopped:
            return {"stopped": True}
        self._drain()
        streams = {name: tail.store(Path(getattr(self.job, name))) for name, tail in self.tails.items()}
        ended = Ended(
            self.process.returncode, self.timed_out, seconds, streams["stdout"], streams["stderr"],
            tuple(stragglers[:10]), tuple(survivors[:10]), printed=self.tails["stdout"].whole(SHORT),
        )  # fmt: skip
        return {"ended": ended_to_json(ended)}

    def _until_ended(self) -> None:
        """Read until the process itself has ended; at the limit, or if told to stop, end it."""
        limit = self.began + self.job.limit
        kill: float | None = None
        while self.process.poll() is None:
            now = time.monotonic()
            if kill is not None and now >= kill:
                signal_group(self.process.pid, signal.SIGKILL)
                self.process.kill()
                kill = now + GRACE
            elif kill is None and (now >= limit or self.stopped):
                self.timed_out = not self.stopped
                signal_group(self.process.pid, signal.SIGTERM)
                kill = now + GRACE
            self._read(max(0.0, (limit if kill is None else kill) - now))
            _reap_others(self.process.pid)

    def _read(self, patience: float) -> bool:
        """Take in what there is, waiting for it so long; whether anything was read."""
        some = False
        for key, _ in self.watched.select(patience):
            if key.data == "channel":
                self.stopped = True
                self.watched.unregister(key.fileobj)
            elif key.data == "child":
                os.read(key.fd, CHUNK)
            else:
                data = _part(key.fd)
                if data:
                    self.tails[key.data].write(data)
                    some = True
                elif data is not None:
                    self.watched.unregister(key.fileobj)
        return some

    def _drain(self) -> None:
        """Read what is in the pipes still, for a bounded time: a survivor may hold them open."""
        end = time.monotonic() + DRAIN
        while self._read(0) and time.monotonic() < end:
            pass


def _part(pipe: int) -> bytes | None:
    """What a pipe holds; empty at its end, None if there is nothing just now."""
    try:
        return os.read(pipe, CHUNK)
    except BlockingIOError:
        return None


def _widen(pipe: int) -> None:
    """Let a pipe hold more, so that a flood of output costs fewer turns."""
    with suppress(OSError):
        fcntl.fcntl(pipe, SET_PIPE_SIZE, PIPE)


def hears_when_a_child_ends() -> int:
    """A file descriptor that can be read when a child has ended."""
    ear, mouth = os.pipe()
    for end in (ear, mouth):
        os.set_blocking(end, False)
    signal.set_wakeup_fd(mouth, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda number, frame: None)
    return ear


def _reap_others(process: int) -> None:
    """Do away with orphans that came to us and have ended; the process itself is left to be polled."""
    with suppress(ChildProcessError):
        while found := os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT):
            if found.si_pid == process:
                return
            os.waitpid(found.si_pid, 0)
