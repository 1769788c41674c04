"""The nursery: a small process that forks keepers, one for each trial at a time, and the runner's way to it.

Forking from a process with one thread and little memory takes a millisecond, where starting
an interpreter would take forty. The runner may have many threads; the nursery never has.
"""

import gc
import os
import select
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from trapcli.calibration.execution.child_process import start
from trapcli.calibration.execution.processes import adopt_orphans, end_strays
from trapcli.calibration.execution.supervisor import (
    CHUNK,
    Ended,
    Job,
    ended_from_json,
    hears_when_a_child_ends,
    job_to_json,
    keep,
    receive,
    send,
)
from trapcli.calibration.records import Stream
from trapcli.core.errors import TrapError

START_LIMIT = 60.0  # seconds in which the command must have been started
BEYOND = 30.0  # seconds after its limit in which a trial must have been ended
LINGERING = 5.0  # seconds in which the nursery ends by itself


class NeverRan(Exception):
    """The trial did not run, for a reason that says nothing about the solution."""


class CannotStart(TrapError):
    """The solution's command cannot be started, and no trial of it can."""


class Stopped(Exception):
    """The trial was stopped because the run ends."""


def main(words: Sequence[str]) -> None:
    """The nursery's program: fork a keeper for each socket that comes in; end after the runner, when
    the last keeper has."""
    control = socket.socket(fileno=int(words[0]))
    adopt_orphans()
    ear = hears_when_a_child_ends()
    watched: list[int | socket.socket] = [control, ear]
    keepers: set[int] = set()
    gc.freeze()  # what is shared with keepers stays shared
    while keepers or control in watched:
        heard = select.select(watched, [], [])[0]
        if ear in heard:
            os.read(ear, CHUNK)
            _bury(keepers)
        if control in heard:
            _, fds, _, _ = socket.recv_fds(control, 1, 1)
            if fds:
                _beget(fds[0], control, keepers)
            else:
                watched.remove(control)


def _beget(fd: int, control: socket.socket, keepers: set[int]) -> None:
    """Fork a keeper; if that cannot be, its socket closes, and so the runner hears of it."""
    with suppress(OSError), socket.socket(fileno=fd) as channel:
        keeper = os.fork()
        if keeper:
            keepers.add(keeper)
            return
        failed = 1
        try:
            control.close()
            keep(channel)
            failed = 0
        finally:
            os._exit(failed)


def _bury(keepers: set[int]) -> None:
    """Do away with children that have ended; if a keeper did not end by itself, with what it left too."""
    lost = False
    with suppress(ChildProcessError):
        while (ended := os.waitpid(-1, os.WNOHANG))[0]:
            lost |= ended[0] in keepers and ended[1] != 0
            keepers.discard(ended[0])
    if lost:
        end_strays(spare=keepers)


class Nursery:
    """Runs jobs, each under a keeper. Any thread may call `run`; the processes end with this one."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._idle: list[socket.socket] = []  # ways to keepers that wait for a job
        self._busy: set[socket.socket] = set()
        self._stopping = False
        self._start()

    def _start(self) -> None:
        self._process, self._control = start("trapcli.calibration.execution.supervisor_pool")

    def run(self, job: Job) -> Ended:
        """Run the job to its end.

        A process that runs and whose keeper is killed, which it may have done itself, is killed and
        has ended by that, as `Ended.lost` tells: who could undo a bad trial so would be tried until
        he has a good one. Raises CannotStart if there is no such command, Stopped if `stop` was
        called, NeverRan if the job was not run, through no fault of its own, TrapError if what it
        wrote cannot be stored.
        """
        channel = self._keeper()
        try:
            ended = self._outcome(channel, job)
        except OSError as error:  # the keeper is gone, or does not answer
            channel.close()
            if self._stopping:
                raise Stopped from None
            raise NeverRan(_lost(error)) from error
        except BaseException:
            channel.close()  # and with it the keeper, whatever it is doing
            raise
        finally:
            with self._lock:
                self._busy.discard(channel)
        if ended.lost:
            channel.close()
        else:
            with self._lock:
                self._idle.append(channel)
        return ended

    def _keeper(self) -> socket.socket:
        """The way to a keeper that has nothing to do: one that waits, or a new one."""
        with self._lock:
            if self._stopping:
                raise Stopped
            channel = None
            while self._idle and channel is None:
                channel = self._idle.pop()
                if _is_closed(channel):
                    channel.close()
                    channel = None
            channel = channel or self._new_keeper()
            self._busy.add(channel)
            return channel

    def _new_keeper(self) -> socket.socket:
        ours, theirs = socket.socketpair()
        with theirs:
            try:
                socket.send_fds(self._control, [b"."], [theirs.fileno()])
            except OSError:  # the nursery was killed: a new one takes its place
                self._end()
                self._start()
                socket.send_fds(self._control, [b"."], [theirs.fileno()])
        return ours

    def _outcome(self, channel: socket.socket, job: Job) -> Ended:
        channel.settimeout(START_LIMIT)
        send(channel, job_to_json(job))
        begun = receive(channel)
        if begun is None:
            raise NeverRan("the process that was to start it was ended from outside")
        began = time.monotonic()
        answer = _answer(channel, job.limit + BEYOND)
        if answer is None or "stopped" in answer or "late" in answer:
            if self._stopping:
                raise Stopped
            late = answer is not None and "late" in answer
            if late:
                with suppress(OSError):
                    os.kill(begun["begun"], signal.SIGKILL)  # the nursery ends what it leaves
            return _lost_after(time.monotonic() - began, late)
        if "refused" in answer:
            raise CannotStart(f"{job.argv[0]!r} cannot be started: {answer['refused']}.")
        if "busy" in answer:
            raise NeverRan(f"no process can be started: {answer['busy']}")
        if "failed" in answer:
            raise TrapError(
                f"what the solution printed cannot be stored: {answer['failed']}. Make room on the disk, "
                "then go on with `trapcli calibrate --resume`."
            )
        return ended_from_json(answer["ended"])

    def stop(self) -> None:
        """End all that runs; the calls of `run` end with Stopped."""
        with self._lock:
            self._stopping = True
            for channel in self._busy:
                with suppress(OSError):
                    channel.shutdown(socket.SHUT_WR)

    def close(self) -> None:
        """End the nursery and its keepers, once nothing runs."""
        for channel in self._idle:
            channel.close()
        self._end()

    def _end(self) -> None:
        self._control.close()
        try:
            self._process.wait(LINGERING)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


def _answer(channel: socket.socket, patience: float) -> dict[str, Any] | None:
    """What came of a job that was begun: {"late": ...} if its keeper does not say, None if it is gone.

    patience: seconds, once it was started. Raises TimeoutError if it was not started in time.
    """
    try:
        answer = receive(channel)
        if answer is None or "started" not in answer:
            return answer
        channel.settimeout(patience)
    except TimeoutError:
        raise
    except OSError:
        return None
    try:
        return receive(channel)
    except TimeoutError:
        return {"late": True}
    except OSError:
        return None


def _is_closed(channel: socket.socket) -> bool:
    """Whether the keeper of a way that should be silent is gone."""
    waiting = select.poll()  # unlike select, it knows numbers beyond 1,023
    waiting.register(channel, select.POLLIN)
    return bool(waiting.poll(0))


def _lost(error: OSError) -> str:
    if isinstance(error, TimeoutError):
        return f"it was not started within {START_LIMIT:.0f} s"
    return f"the process that was to start it was lost: {error.strerror or error}"


def _lost_after(seconds: float, late: bool) -> Ended:
    """The end of a process whose keeper was killed, or did not end it though its limit had passed."""
    what = "did not answer though the limit had passed: it was stopped" if late else "was killed while it ran"
    return Ended(
        exit_code=-signal.SIGKILL,
        timed_out=late,
        seconds=seconds,
        stdout=Stream(),
        stderr=Stream(),
        lost=f"its keeper {what}, by the solution or from outside: what it printed is lost, and it counts as "
        + ("timed out" if late else "crashed"),
    )
