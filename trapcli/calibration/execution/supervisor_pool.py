"""The supervisor pool: a small process that forks supervisors, and the runner's handle on it.

Forking from a process with one thread and little memory takes about a millisecond; starting an
interpreter would take forty. The runner has many threads, and must not fork; the pool's process
has one. Each running trial has its own supervisor, and idle supervisors take the next trials.
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

from trapcli.calibration.execution.helper_process import start
from trapcli.calibration.execution.messages import (
    CHUNK,
    Job,
    Outcome,
    job_to_json,
    outcome_from_json,
    receive,
    send,
)
from trapcli.calibration.execution.processes import adopt_orphans, end_strays
from trapcli.calibration.execution.supervisor import child_wakeup_fd, supervise
from trapcli.calibration.stored_output import Stream
from trapcli.core.errors import TrapError

START_LIMIT = 60.0  # seconds in which a trial's process must have started
BEYOND = 30.0  # seconds past its limit in which a trial must have ended: several times GRACE + DRAIN
LINGERING = 5.0  # seconds in which the pool's process must end by itself


class NeverRan(Exception):
    """The trial did not run, for a reason that says nothing about the solution."""


class Stopped(Exception):
    """The trial was stopped because the run ends."""


class StoppedBefore(Stopped, NeverRan):
    """The run ends, and the trial was not begun."""


def main(words: Sequence[str]) -> None:
    """Fork a supervisor for each socket that the runner sends.

    When the runner's end of the control socket closes, wait for the last supervisor and return.
    """
    control = socket.socket(fileno=int(words[0]))
    adopt_orphans()  # so that what a killed supervisor leaves becomes our child, and can be ended
    wakeup = child_wakeup_fd()
    watched: list[int | socket.socket] = [control, wakeup]
    supervisors: set[int] = set()
    gc.freeze()  # a collection would write to every object, and so copy the memory shared with supervisors
    while supervisors or control in watched:
        readable = select.select(watched, [], [])[0]
        if wakeup in readable:
            os.read(wakeup, CHUNK)
            _reap(supervisors)
        if control in readable:
            _, fds, _, _ = socket.recv_fds(control, 1, 1)
            if fds:
                _spawn(fds[0], control, supervisors)
            else:
                watched.remove(control)


def _spawn(fd: int, control: socket.socket, supervisors: set[int]) -> None:
    """Fork a supervisor for a socket; if that fails, the socket closes, which the runner notices."""
    with suppress(OSError), socket.socket(fileno=fd) as channel:
        pid = os.fork()
        if pid:
            supervisors.add(pid)
            return
        status = 1
        try:
            control.close()  # it must not stay open in a supervisor, or the pool's end would go unnoticed
            supervise(channel)
            status = 0
        finally:
            os._exit(status)


def _reap(supervisors: set[int]) -> None:
    """Reap children that have ended; if a supervisor died, kill what it left."""
    died = False
    with suppress(ChildProcessError):
        while True:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if not pid:
                break
            died |= pid in supervisors and status != 0
            supervisors.discard(pid)
    if died:
        end_strays(spare=supervisors)


class SupervisorPool:
    """Runs jobs, each under a supervisor. Any thread may call `run`; the processes end with this one.

    A supervisor is reached over a socket. The lock guards which sockets are idle and which are
    busy; it is held while a supervisor is taken, never while a job runs.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._idle: list[socket.socket] = []
        self._busy: set[socket.socket] = set()
        self._stopping = False
        self._start()

    def _start(self) -> None:
        self._process, self._control = start("trapcli.calibration.execution.supervisor_pool")

    def run(self, job: Job) -> Outcome:
        """Run the job to its end.

        If the supervisor is killed while the job runs, the job's processes are killed too, and
        `Outcome.lost` says so. That counts as an end: a solution that could kill its supervisor
        could otherwise undo its bad trials until a good one comes.

        A command that cannot be started ends as in a shell, with exit code 126 or 127: a solution can
        remove its own program, and that too is an end. Raises Stopped if `stop` was called, NeverRan if
        the job did not run for a reason that is not the command's, TrapError if its output cannot be
        stored.
        """
        channel = self._take_supervisor()
        try:
            outcome = self._outcome(channel, job)
        except OSError as error:  # the supervisor is gone, or does not answer
            channel.close()
            if self._stopping:
                raise Stopped from None
            raise NeverRan(_why_lost(error)) from error
        except BaseException:
            channel.close()  # which ends the supervisor, whatever it is doing
            raise
        finally:
            with self._lock:
                self._busy.discard(channel)
        if outcome.lost:
            channel.close()
        else:
            with self._lock:
                self._idle.append(channel)
        return outcome

    def _take_supervisor(self) -> socket.socket:
        """Return the socket of a supervisor without a job: an idle one, or a new one."""
        with self._lock:
            if self._stopping:
                raise StoppedBefore
            channel = None
            while self._idle and channel is None:
                channel = self._idle.pop()
                if _is_closed(channel):
                    channel.close()
                    channel = None
            channel = channel or self._new_supervisor()
            self._busy.add(channel)
            return channel

    def _new_supervisor(self) -> socket.socket:
        ours, theirs = socket.socketpair()
        with theirs:
            try:
                socket.send_fds(self._control, [b"."], [theirs.fileno()])
            except OSError:  # the pool's process was killed: start another one
                self._end()
                self._start()
                socket.send_fds(self._control, [b"."], [theirs.fileno()])
        return ours

    def _outcome(self, channel: socket.socket, job: Job) -> Outcome:
        channel.settimeout(START_LIMIT)
        send(channel, job_to_json(job))
        begun = receive(channel)
        if begun is None:
            raise NeverRan("the process that was to start it was killed from outside")
        began = time.monotonic()
        answer = _receive_answer(channel, job.limit + BEYOND)
        if answer is None or "stopped" in answer or "late" in answer:
            if self._stopping:
                raise Stopped
            late = answer is not None and "late" in answer
            if late:
                with suppress(OSError):
                    os.kill(begun["begun"], signal.SIGKILL)  # the pool's process then kills what it leaves
            return _lost_outcome(time.monotonic() - began, late)
        if "busy" in answer:
            raise NeverRan(f"no process can be started: {answer['busy']}")
        if "failed" in answer:
            raise TrapError(
                f"what the solution printed cannot be stored: {answer['failed']}. Make room on the disk, "
                "then continue with `trapcli calibrate --resume`."
            )
        return outcome_from_json(answer["outcome"])

    def stop(self) -> None:
        """End all jobs: the calls of `run` raise Stopped, and so does every later call."""
        with self._lock:
            self._stopping = True
            for channel in self._busy:
                with suppress(OSError):
                    # Not closed: its thread still waits for the answer, and the number of a closed
                    # descriptor could be given to another file meanwhile.
                    channel.shutdown(socket.SHUT_WR)

    def close(self) -> None:
        """End the pool's process and its supervisors; call it when no job runs."""
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


def _receive_answer(channel: socket.socket, patience: float) -> dict[str, Any] | None:
    """Return the answer to a job that was begun.

    patience: seconds to wait once the process was started.

    {"late": true} means that no answer came in time, also to the start: by then the solution may run,
    and may have stopped its supervisor. None means that the supervisor is gone.
    """
    try:
        answer = receive(channel)
        if answer is None or "started" not in answer:
            return answer
        channel.settimeout(patience)
        return receive(channel)
    except TimeoutError:
        return {"late": True}
    except OSError:
        return None


def _is_closed(channel: socket.socket) -> bool:
    """Return whether the supervisor at the other end is gone; an idle one sends nothing."""
    poll = select.poll()  # unlike select, it takes descriptors above 1,023
    poll.register(channel, select.POLLIN)
    return bool(poll.poll(0))


def _why_lost(error: OSError) -> str:
    if isinstance(error, TimeoutError):
        return f"it was not started within {START_LIMIT:.0f} s"
    return f"the process that was to start it was lost: {error.strerror or error}"


def _lost_outcome(seconds: float, late: bool) -> Outcome:
    """Return the outcome of a job whose supervisor was killed or, if `late`, did not answer in time."""
    what = "did not answer after the time limit: it was stopped" if late else "was killed while it ran"
    status = "timed out" if late else "crashed"
    return Outcome(
        exit_code=-signal.SIGKILL,
        timed_out=late,
        seconds=seconds,
        stdout=Stream(),
        stderr=Stream(),
        lost=f"its supervisor {what}, by the solution or from outside; its output is lost, "
        f"and it counts as {status}",
    )
