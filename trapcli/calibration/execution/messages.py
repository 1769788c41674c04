"""Messages between the runner and its helper processes: JSON over a socket, each after its length."""

import json
import socket
import struct
from base64 import b64decode, b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from trapcli.calibration.stored_output import Stream

CHUNK = 1 << 18  # bytes read at a time
LENGTH = struct.Struct("!Q")  # how many bytes of JSON follow


@dataclass(frozen=True, slots=True)
class Job:
    """A process to run.

    argv: the command and its arguments.
    cwd: the directory to run it in.
    env: its whole environment.
    stdin: the file to read from, or None for an empty input.
    limit: seconds of wall clock before it is ended.
    stdout, stderr: paths of the files to store its output in; they must not exist yet.
    """

    argv: tuple[str, ...]
    cwd: str
    env: Mapping[str, str]
    stdin: str | None
    limit: float
    stdout: str
    stderr: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a process ended, and what it left.

    exit_code: negative for a signal.
    timed_out: whether it was ended at its limit.
    seconds: of wall clock.
    stdout, stderr: what is stored of its output.
    stragglers: commands of the descendants that outlived it and were killed.
    survivors: commands of the descendants that could not be killed.
    lost: what happened to its supervisor, if that could not report the end; the output is lost then too.
    printed: all of stdout, if it is short: a file could be changed by another trial before it is judged.
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
    """Return the next message, or None if the other end is closed, even if it closed in mid-message."""
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


def bytes_to_json(data: bytes | None) -> str | None:
    """Return bytes as text for a message; None stays None."""
    return None if data is None else b64encode(data).decode()


def bytes_from_json(text: str | None) -> bytes | None:
    """Return the bytes that `bytes_to_json` turned into this text."""
    return None if text is None else b64decode(text)


def job_to_json(job: Job) -> dict[str, Any]:
    """Return the job as a message."""
    return {name: getattr(job, name) for name in Job.__slots__}


def job_from_json(data: Mapping[str, Any]) -> Job:
    """Return the job in a message."""
    return Job(**{**data, "argv": tuple(data["argv"])})


def outcome_to_json(outcome: Outcome) -> dict[str, Any]:
    """Return the outcome as a message."""
    return {
        **{name: getattr(outcome, name) for name in Outcome.__slots__},
        "stdout": outcome.stdout.to_json(),
        "stderr": outcome.stderr.to_json(),
        "printed": bytes_to_json(outcome.printed),
    }


def outcome_from_json(data: Mapping[str, Any]) -> Outcome:
    """Return the outcome in a message."""
    streams = {name: Stream.from_json(data[name]) for name in ("stdout", "stderr")}
    commands = {name: tuple(data[name]) for name in ("stragglers", "survivors")}
    return Outcome(**{**data, **streams, **commands, "printed": bytes_from_json(data["printed"])})
