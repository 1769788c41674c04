"""Judging trials in processes of their own, so that a judge that hangs or dies is not the run's end.

Each judge works in the main thread of its process. It reads no suite: it gets each case, with
the first trial of it, from the runner, who read it before any solution could change it. A
judge that gives no verdict says nothing about the solution: that is a judge error.
"""

import queue
import socket
import threading
from base64 import b64decode, b64encode
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from io import BytesIO
from pathlib import Path
from typing import Any

from trapcli.calibration.execution.child_process import start
from trapcli.calibration.execution.processes import die_with_parent
from trapcli.calibration.execution.supervisor import receive, send
from trapcli.calibration.execution.supervisor_pool import Stopped
from trapcli.calibration.records import Stream
from trapcli.calibration.store.encoding import Told
from trapcli.core import registry
from trapcli.core.contract import Case, Slip, Verdict
from trapcli.core.errors import TrapError
from trapcli.core.files import digest_of
from trapcli.core.output import Output, read_tail
from trapcli.judging.judge import dumped, judge_output
from trapcli.suites.reader import Suite, read_case

LIMIT = 60.0  # seconds for one verdict
CASES_KEPT = 64_000_000  # characters of public files


class JudgeError(Exception):
    """No verdict can be given, through no fault of the answer."""


class Cases:
    """The cases of some suites, their digests checked against those of the suite as it was opened, and
    kept as far as memory allows."""

    def __init__(self, suites: Sequence[Suite]) -> None:
        self._suites = suites
        self._kept: dict[tuple[int, str], Case] = {}
        self._size = 0

    def get(self, suite: int, case_id: str) -> Case:
        """The case of the suite at this position; TrapError if it is damaged or was changed."""
        key = suite, case_id
        if key not in self._kept:
            case = read_case(self._suites[suite], case_id)
            if self._size + _size(case) > CASES_KEPT:
                return case
            self._size += _size(case)
            self._kept[key] = case
        return self._kept[key]


def _size(case: Case) -> int:
    return sum(map(len, case.files.values()))


def judge_stored(
    case: Case, printed: Path | bytes | None, stream: Stream, exit_code: int, timed_out: bool
) -> Verdict:
    """The verdict on an output, or on that in a file, or on an empty one; TrapError if none can be given."""
    family = registry.family(case.family)
    if printed is None:
        output = Output("", cut=False, size=0)
    else:
        raw = _stored(printed) if isinstance(printed, Path) else printed
        if digest_of(raw) != stream.digest:
            where = f"the stored output {printed}" if isinstance(printed, Path) else "the output"
            raise TrapError(f"{where} is not what the solution printed: it is missing or was changed.")
        output = read_tail(BytesIO(raw), stream.size, stream.head)
    return judge_output(family, case, output, exit_code=exit_code, timed_out=timed_out)


def _stored(file: Path) -> bytes:
    try:
        return file.read_bytes() if file.is_file() else b""
    except OSError as error:
        raise TrapError(f"the stored output {file} cannot be read: {error.strerror}.") from error


def main(words: Sequence[str]) -> None:
    """A judge's program: trials come in over the socket, verdicts go out."""
    die_with_parent(int(words[1]))
    kept: dict[str, Case] = {}
    with socket.socket(fileno=int(words[0])) as channel:
        while (request := receive(channel)) is not None:
            case = kept.get(request["key"]) or _case_from_json(request["case"])
            if request["keep"]:
                kept[request["key"]] = case
            send(channel, _answer(case, request))


def _answer(case: Case, request: Mapping[str, Any]) -> dict[str, Any]:
    stream = Stream.from_json(request["stream"])
    printed: Path | bytes | None = Path(request["file"]) if request["file"] else None
    if request["printed"] is not None:
        printed = b64decode(request["printed"])
    try:
        verdict = judge_stored(case, printed, stream, request["exit_code"], request["timed_out"])
        return {"status": verdict.status, "verdict": dumped(verdict)}
    except TrapError as error:
        return {"error": str(error)}
    except Exception as error:  # a fault of ours or of a family: the trial must not be lost by it
        return {"error": f"{type(error).__name__}: {error}"}


class Judges:
    """Judges at work: at most `count` at a time. Any thread may call `judge`."""

    def __init__(self, cases: Cases, count: int) -> None:
        self._cases = cases
        self._count = count
        self._idle: queue.LifoQueue[_Judge | None] = queue.LifoQueue()
        for _ in range(count):
            self._idle.put(None)  # started when it is needed
        self._lock = threading.Lock()
        self._busy: set[_Judge | None] = set()
        self._stopping = False

    def judge(
        self,
        suite: int,
        case_id: str,
        printed: Path | bytes | None,
        stream: Stream,
        exit_code: int,
        timed_out: bool,
    ) -> Told:
        """The verdict as JSON data on a trial of a case of the suite at this position.

        printed: the output, or where it is stored, None if it is empty. Raises JudgeError if none can
        be given, or not in time, Stopped if `stop` was called.
        """
        try:
            case = self._cases.get(suite, case_id)
        except TrapError as error:
            raise JudgeError(str(error)) from error
        request = {
            "key": f"{suite} {case_id}",
            "file": str(printed) if isinstance(printed, Path) else None,
            "printed": b64encode(printed).decode() if isinstance(printed, bytes) else None,
            "stream": stream.to_json(),
            "exit_code": exit_code,
            "timed_out": timed_out,
        }
        judge = self._idle.get()
        try:
            judge = self._at_work(judge)
            return judge.ask(case, request)
        except OSError as error:
            if judge is not None:
                judge.end()
            if self._stopping:
                raise Stopped from None
            raise JudgeError(_lost(error)) from error
        finally:
            with self._lock:
                self._busy.discard(judge)
            self._idle.put(judge)

    def _at_work(self, judge: "_Judge | None") -> "_Judge":
        """The judge; another one if there is none yet, or if it ended or was killed since it last worked."""
        with self._lock:
            if self._stopping:
                raise Stopped
            if judge is not None and judge.has_ended():
                judge.end()
                judge = None
            judge = judge or _Judge()
            self._busy.add(judge)
            return judge

    def stop(self) -> None:
        """End the judges that are at work: their calls of `judge` end with Stopped."""
        with self._lock:
            self._stopping = True
            for judge in filter(None, self._busy):
                judge.kill()

    def close(self) -> None:
        """End all judges, once none is at work."""
        for _ in range(self._count):
            judge = self._idle.get()
            if judge is not None:
                judge.end()


def _lost(error: OSError) -> str:
    if isinstance(error, TimeoutError):
        return f"the judge gave no verdict within {LIMIT:.0f} s"
    return f"the judge's process was lost while it judged: {error.strerror or error}"


class _Judge:
    """One judge's process."""

    def __init__(self) -> None:
        self._process, self._channel = start("trapcli.calibration.execution.judge_pool")
        self._kept: set[str] = set()
        self._size = 0

    def ask(self, case: Case, request: Mapping[str, Any]) -> Told:
        """The judge's verdict; OSError if it does not answer, JudgeError if it gives none."""
        key = request["key"]
        known = key in self._kept
        keep = known or self._size + _size(case) <= CASES_KEPT
        self._channel.settimeout(LIMIT)
        send(self._channel, {**request, "case": None if known else _case_to_json(case), "keep": keep})
        if keep and not known:
            self._kept.add(key)
            self._size += _size(case)
        answer = receive(self._channel)
        if answer is None:
            raise OSError("it ended")
        if "error" in answer:
            raise JudgeError(answer["error"])
        return Told(answer["status"], answer["verdict"])

    def has_ended(self) -> bool:
        return self._process.poll() is not None

    def kill(self) -> None:
        self._process.kill()

    def end(self) -> None:
        self._channel.close()
        self._process.kill()
        self._process.wait()


def _case_to_json(case: Case) -> dict[str, Any]:
    return asdict(case)


def _case_from_json(data: Mapping[str, Any]) -> Case:
    slips = tuple(Slip(**slip) for slip in data["slips"])
    return Case(**{**data, "mechanisms": tuple(data["mechanisms"]), "slips": slips})
