"""One process under watch: how it ends, what is kept of what it writes, and that nothing outlives it."""

import json
import os
import signal
import socket
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest
from sandbox import command, pids

from trapcli.calibration.execution.supervisor import (
    Ended,
    Job,
    ended_from_json,
    ended_to_json,
    job_to_json,
    receive,
    send,
)
from trapcli.calibration.execution.supervisor_pool import Nursery
from trapcli.calibration.records import Stream
from trapcli.core.output import LIMIT

LONG = 30.0  # seconds: a limit that is not reached

# By name: a shell's script, and its limit. They run all at once; those with a short limit reach it.
SCRIPTS: Mapping[str, tuple[str, float]] = {
    "plain": ("echo out; echo err >&2", LONG),
    "nothing": ("", LONG),
    "exit 3": ("echo out; exit 3", LONG),
    "exit 124": ("echo out; exit 124", LONG),
    "a signal of its own": ("echo out; kill -SEGV $$", LONG),
    "only stderr": ("echo err >&2", LONG),
    "bytes": (r"printf 'a\0\377\376\n'", LONG),
    "stdin": ("cat; echo end", LONG),
    "closed and goes on": ("exec >&- 2>&-; sleep 0.3; exit 5", LONG),
    "hangs": ("echo out; sleep 1000", 0.3),
    "hangs in silence": ("sleep 1000", 0.3),
    "deaf": ("trap '' TERM; echo out; sleep 1000; sleep 1000", 0.3),
    "deaf and in a loop": ("trap '' TERM INT HUP; echo out; while :; do sleep 0.05; done", 0.3),
    "stopped": ("echo out; kill -STOP $$; echo never", 0.3),
    "says goodbye": ("trap 'echo goodbye; exit 0' TERM; echo out; while :; do sleep 0.05; done", 0.3),
    "child holds the pipe": ("sh -c 'sleep 1000; :' {mark} & echo out", LONG),
    "session holds the pipe": (
        "setsid sh -c 'trap \"\" TERM; sleep 1000; :' {mark} & echo out; sleep 0.1", LONG
    ),
    "orphan without environment": (
        "(env -i setsid sh -c 'sleep 1000; :' {mark} &) ; echo out; sleep 0.1", LONG
    ),
    "hangs with children": (
        "setsid sh -c 'trap \"\" TERM; sleep 1000; :' {mark} & sh -c 'sleep 1000; :' {mark} & sleep 1000", 0.3
    ),
    "many children": ("for n in 1 2 3 4 5 6 7 8 9 10 11 12; do sh -c 'sleep 1000; :' {mark} & done", LONG),
}  # fmt: skip
ENDED: Mapping[str, tuple[int, bool, bytes]] = {
    "plain": (0, False, b"out\n"),
    "nothing": (0, False, b""),
    "exit 3": (3, False, b"out\n"),
    "exit 124": (124, False, b"out\n"),
    "a signal of its own": (-signal.SIGSEGV, False, b"out\n"),
    "only stderr": (0, False, b""),
    "bytes": (0, False, b"a\0\xff\xfe\n"),
    "stdin": (0, False, b"end\n"),
    "closed and goes on": (5, False, b""),
    "hangs": (-signal.SIGTERM, True, b"out\n"),
    "hangs in silence": (-signal.SIGTERM, True, b""),
    "deaf": (-signal.SIGKILL, True, b"out\n"),
    "deaf and in a loop": (-signal.SIGKILL, True, b"out\n"),
    "stopped": (-signal.SIGKILL, True, b"out\n"),
    "says goodbye": (0, True, b"out\ngoodbye\n"),
    "child holds the pipe": (0, False, b"out\n"),
    "session holds the pipe": (0, False, b"out\n"),
    "orphan without environment": (0, False, b"out\n"),
    "hangs with children": (-signal.SIGTERM, True, b""),
    "many children": (0, False, b""),
}


class Kept:
    """Jobs that run under keepers of one nursery, and what is kept of them in a directory."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.mark = f"mark-of-{directory.name}-{os.getpid()}"
        self.nursery = Nursery()

    def job(self, script: str, limit: float = LONG, name: str = "job") -> Job:
        words = ("sh", "-c", script.replace("{mark}", self.mark), self.mark)
        env = {"PATH": os.environ["PATH"]}
        out, err = self.directory / f"{name}.stdout", self.directory / f"{name}.stderr"
        return Job(words, str(self.directory), env, None, limit, str(out), str(err))

    def run(self, script: str, limit: float = LONG, name: str = "job") -> Ended:
        return self.nursery.run(self.job(script, limit, name))

    def written(self, name: str, stream: str = "stdout") -> bytes:
        path = self.directory / f"{name}.{stream}"
        return path.read_bytes() if path.exists() else b""

    def alive(self) -> list[int]:
        return [pid for pid in pids() if self.mark.encode() in command(pid)]


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kept]:
    """Keepers at work."""
    made = Kept(tmp_path_factory.mktemp("kept"))
    yield made
    made.nursery.close()


@pytest.fixture(scope="module")
def outcomes(kept: Kept) -> Mapping[str, Ended]:
    """How all scripts ended, run at once."""
    with ThreadPoolExecutor(len(SCRIPTS)) as threads:
        found = {name: threads.submit(kept.run, *given, name=name) for name, given in SCRIPTS.items()}
    return {name: future.result() for name, future in found.items()}


@pytest.mark.parametrize("name", SCRIPTS)
def test_how_it_ended_and_what_it_printed(kept: Kept, outcomes: Mapping[str, Ended], name: str) -> None:
    """Exit code or signal, whether we ended it, its output to the byte; only our own limit is a timeout."""
    ended = outcomes[name]
    assert (ended.exit_code, ended.timed_out, kept.written(name)) == ENDED[name]
    assert ended.stdout.digest == sha256(kept.written(name)).hexdigest()
    assert (ended.stdout.size, ended.stdout.cut) == (len(kept.written(name)), False)
    assert ended.survivors == ()


def test_streams_are_kept_apart(kept: Kept, outcomes: Mapping[str, Ended]) -> None:
    """What goes to stderr is stored as such; a stream that is empty has no file."""
    assert kept.written("plain", "stderr") == kept.written("only stderr", "stderr") == b"err\n"
    assert outcomes["only stderr"].stdout.file == outcomes["nothing"].stderr.file == ""
    assert outcomes["plain"].stderr.file == "plain.stderr"


def test_seconds_are_measured_and_not_those_of_the_limit(outcomes: Mapping[str, Ended]) -> None:
    """A process that ends by itself has its own time; one that is ended has at least the limit."""
    assert outcomes["plain"].seconds < LONG and outcomes["closed and goes on"].seconds >= 0.3
    assert all(outcomes[name].seconds >= limit for name, (_, limit) in SCRIPTS.items() if limit < LONG)


def test_what_was_left_is_ended_and_told(kept: Kept, outcomes: Mapping[str, Ended]) -> None:
    """Children, other sessions, orphans without environment: none is left, each is named, ten at most."""
    assert kept.alive() == []
    for name in ("child holds the pipe", "session holds the pipe", "orphan without environment"):
        assert any(kept.mark in told for told in outcomes[name].stragglers), name
    assert len(outcomes["many children"].stragglers) == 10
    assert sum(kept.mark in told for told in outcomes["hangs with children"].stragglers) >= 1
    assert outcomes["plain"].stragglers == outcomes["exit 3"].stragglers == ()


def test_a_flood_is_read_to_its_end_in_bounded_memory_and_disk(kept: Kept) -> None:
    """Of 64 MB on two streams the last 10 MB of each are stored; the keeper fills no memory and no disk."""
    flood = "yes 0123456 | head -c 32000000; yes abcdefg | head -c 32000000 >&2; printf end"
    memory, disk = "grep VmHWM /proc/$PPID/status >&2", "echo files $(stat -L -c %s /proc/$PPID/fd/*) >&2"
    ended = kept.run(f"{flood}; {memory}; {disk}", name="flood")
    assert (ended.exit_code, ended.stdout.size, ended.stdout.kept) == (0, 32_000_003, LIMIT)
    assert ended.stdout.head == b"01" and ended.stdout.cut and ended.stderr.cut
    assert kept.written("flood") == (b"0123456\n" * (LIMIT // 8 + 1) + b"end")[-LIMIT:]
    told = dict(line.split(maxsplit=1) for line in kept.written("flood", "stderr").decode().splitlines()[-2:])
    assert int(told["VmHWM:"].split()[0]) < 64_000  # kB
    assert sum(map(int, told["files"].split())) <= 4 * LIMIT
    assert sum(path.stat().st_size for path in kept.directory.glob("flood*")) <= 2 * LIMIT


def test_orphans_that_end_are_done_away_with(kept: Kept) -> None:
    """A process that leaves hundreds of children that end at once leaves no defunct ones behind, while it
    runs."""
    begets = "n=0; while [ $n -lt 400 ]; do (: &); n=$((n + 1)); done; sleep 0.2; "
    counts = """awk -v p=$PPID '{ sub(/.*\\) /, ""); if ($1 == "Z" && $2 == p) z++ } END { print z + 0 }' """
    ended = kept.run(f"{begets} cat /proc/[0-9]*/stat 2>/dev/null | {counts}", name="orphans")
    assert (ended.exit_code, ended.stragglers) == (0, ())
    assert int(kept.written("orphans")) <= 2


def test_the_same_keeper_keeps_one_after_the_other(kept: Kept) -> None:
    """A keeper that is done takes the next job, and nothing of the one before is in it."""
    first = kept.run("echo $PPID; sh -c 'sleep 1000; :' {mark} &", name="first")
    second = kept.run("echo $PPID", name="second")
    assert kept.written("first") == kept.written("second")
    assert first.stragglers and not second.stragglers
    assert second.stderr.size == 0


def test_input_is_the_file_given(kept: Kept, tmp_path: Path) -> None:
    """A job with a file for its input reads that, and sees its end."""
    (tmp_path / "given").write_bytes(b"one\xfftwo")
    ended = kept.nursery.run(replace(kept.job("cat", name="given"), stdin=str(tmp_path / "given")))
    assert (ended.exit_code, kept.written("given")) == (0, b"one\xfftwo")


def test_messages_come_as_they_were_sent() -> None:
    """Jobs and outcomes survive the way through the socket, odd bytes in names and variables too."""
    job = Job(("a", "\udcff\n"), "/é", {"X": "\udc80 \u2028"}, None, 0.5, "o", "e")
    ours, theirs = socket.socketpair()
    with ours, theirs:
        send(ours, job_to_json(job))
        message = receive(theirs)
        assert message is not None
        assert Job(**{**message, "argv": tuple(message["argv"])}) == job
        ours.close()
        assert receive(theirs) is None


def test_half_a_message_is_none() -> None:
    """If the other end dies while it sends, nothing was said."""
    ours, theirs = socket.socketpair()
    with theirs:
        with ours:
            ours.sendall(b"\0\0\0\0\0\0\0\x09{}")
        assert receive(theirs) is None


def test_outcomes_are_read_back() -> None:
    """An outcome in a message is the outcome, its bytes and tuples too."""
    stdout = Stream("o", 9, 9, b"\xff\xfe", "d")
    for printed in (None, b"", b"\xff\0 7\n"):
        ended = Ended(-9, True, 1.5, stdout, Stream(), ("a b",), ("init",), "lost", printed)
        assert ended_from_json(json.loads(json.dumps(ended_to_json(ended)))) == ended
