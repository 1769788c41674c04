"""Judge trials in processes of their own, so that a judge that hangs or dies does not end the run.

Each judge works in the main thread of its process. It reads no suite: the runner sends it each case
once, as it was read before any solution could change it. A judge that gives no verdict says nothing
about the solution: that is a judge error.
"""

import queue
import socket
import threading
from base64 import b64decode, b64encode
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from io import BytesIO
from pathlib import Path
from typing import Any

from trapcli.calibration.execution.helper_process import start
from trapcli.calibration.execution.messages import bytes_from_json, bytes_to_json, receive, send
from trapcli.calibration.execution.processes import die_with_parent
from trapcli.calibration.execution.supervisor_pool import Stopped
from trapcli.calibration.stored_output import RawVerdict, Stream
from trapcli.core import registry
from trapcli.core.contract import Case, KnownMistake, Verdict
from trapcli.core.errors import TrapError
from trapcli.core.output import Output, read_tail
from trapcli.judging.judge import judge_output, stored_verdict_json
from trapcli.suites.reader import Suite, read_case
from trapcli.system.files import digest_of
from trapcli.system.ordinary_files import open_ordinary

LIMIT = 60.0  # seconds for one verdict
CASES_KEPT = 64_000_000  # characters of public files that the runner and each judge keep


class JudgeError(Exception):
    """No verdict can be given, for a reason that is not the answer's fault."""


class CaseCache:
    """The cases of some suites, each checked against the digests of its suite as it was opened.

    Cases are kept up to `CASES_KEPT` characters; those beyond are read again each time. Threads that
    miss the same case at once both read it, which costs time and nothing else.
    """

    def __init__(self, suites: Sequence[Suite]) -> None:
        self._suites = suites
        self._kept: dict[tuple[int, str], Case] = {}
        self._size = 0

    def get(self, suite: int, case_id: str) -> Case:
        """Return a case of the suite at this position; TrapError if it is damaged or was changed."""
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
    case: Case,
    printed: Path | bytes | None,
    stream: Stream,
    exit_code: int,
    timed_out: bool,
    files: Mapping[str, bytes] | None = None,
) -> Verdict:
    """Return the verdict on a trial.

    printed: its output, or the file it is stored in, or None if it is empty.
    stream: what is recorded of the output.
    files: what the agent left in its output directory.

    Raises TrapError if the output is not the recorded one, or if no verdict can be given.
    """
    family = registry.family(case.family)
    output = Output("") if printed is None else _read_printed(printed, stream)
    if files:
        output = replace(output, files=files)
    return judge_output(family, case, output, exit_code=exit_code, timed_out=timed_out)


def _read_printed(printed: Path | bytes, stream: Stream) -> Output:
    raw = _read_stored(printed, stream) if isinstance(printed, Path) else printed
    if digest_of(raw) != stream.digest:
        where = f"the stored output {printed}" if isinstance(printed, Path) else "the output"
        raise TrapError(f"{where} is not what the solution printed: it is missing or was changed.")
    return read_tail(BytesIO(raw), stream.size, stream.head)


def _read_stored(path: Path, stream: Stream) -> bytes:
    """Return the bytes of a stored stream; none if it is missing, and one more if it has grown."""
    try:
        with open_ordinary(path) as file:
            return file.read(stream.kept + 1)
    except PermissionError as error:
        raise TrapError(f"the stored output {path} cannot be read: {error.strerror}.") from error
    except OSError:
        return b""


def main(words: Sequence[str]) -> None:
    """Answer each request that comes in over the socket with a verdict, until the other end closes."""
    die_with_parent(int(words[1]))  # a judge that hangs would not notice that the socket was closed
    kept: dict[str, Case] = {}
    with socket.socket(fileno=int(words[0])) as channel:
        while (request := receive(channel)) is not None:
            case = kept.get(request["key"]) or _case_from_json(request["case"])
            if request["keep"]:
                kept[request["key"]] = case
            send(channel, _answer(case, request))


def _answer(case: Case, request: Mapping[str, Any]) -> dict[str, Any]:
    printed = Path(request["file"]) if request["file"] else bytes_from_json(request["printed"])
    try:
        verdict = judge_stored(
            case,
            printed,
            Stream.from_json(request["stream"]),
            request["exit_code"],
            request["timed_out"],
            _files_from_json(request["files"]),
        )
        return {"status": verdict.status, "verdict": stored_verdict_json(verdict)}
    except TrapError as error:
        return {"error": str(error)}
    except Exception as error:  # our fault or the family's: it must not cost the trial
        return {"error": f"{type(error).__name__}: {error}"}


class JudgePool:
    """At most `count` judges at work at a time. Any thread may call `judge`.

    A judge is taken from the queue before the lock is acquired, never the other way round: `stop`,
    which needs the lock, must not wait for a judge.
    """

    def __init__(self, cases: CaseCache, count: int) -> None:
        self._cases = cases
        self._count = count
        # Last in, first out: the judge that worked last has the most cases, and one judge may be enough.
        self._idle: queue.LifoQueue[_JudgeProcess | None] = queue.LifoQueue()
        for _ in range(count):
            self._idle.put(None)  # started when it is needed
        self._lock = threading.Lock()  # guards _busy and _stopping
        self._busy: set[_JudgeProcess | None] = set()
        self._stopping = False

    def judge(
        self,
        suite: int,
        case_id: str,
        printed: Path | bytes | None,
        stream: Stream,
        exit_code: int,
        timed_out: bool,
        files: Mapping[str, bytes] | None = None,
    ) -> RawVerdict:
        """Return the verdict on a trial of a case of the suite at this position.

        The other parameters are those of `judge_stored`. Raises JudgeError if no verdict can be
        given, or not in time, and Stopped if `stop` was called.
        """
        try:
            case = self._cases.get(suite, case_id)
        except TrapError as error:
            raise JudgeError(str(error)) from error
        request = {
            "key": f"{suite} {case_id}",
            "file": str(printed) if isinstance(printed, Path) else None,
            "printed": None if isinstance(printed, Path) else bytes_to_json(printed),
            "stream": stream.to_json(),
            "exit_code": exit_code,
            "timed_out": timed_out,
            "files": _files_to_json(files or {}),
        }
        judge = self._idle.get()
        try:
            judge = self._ready(judge)
            return judge.ask(case, request)
        except OSError as error:
            if judge is not None:
                judge.end()
            if self._stopping:
                raise Stopped from None
            raise JudgeError(_why_lost(error)) from error
        finally:
            with self._lock:
                self._busy.discard(judge)
            self._idle.put(judge)

    def _ready(self, judge: "_JudgeProcess | None") -> "_JudgeProcess":
        """Return the judge, or another one if it was not started yet or has ended since it last worked."""
        with self._lock:
            if self._stopping:
                raise Stopped
            if judge is not None and judge.has_ended():
                judge.end()
                judge = None
            judge = judge or _JudgeProcess()
            self._busy.add(judge)
            return judge

    def stop(self) -> None:
        """Kill the judges that are at work: their calls of `judge` raise Stopped, and so do later ones."""
        with self._lock:
            self._stopping = True
            for judge in filter(None, self._busy):
                judge.kill()

    def close(self) -> None:
        """End all judges; call it when none is at work."""
        for _ in range(self._count):
            judge = self._idle.get()
            if judge is not None:
                judge.end()


def _why_lost(error: OSError) -> str:
    if isinstance(error, TimeoutError):
        return f"the judge gave no verdict within {LIMIT:.0f} s"
    return f"the judge's process was lost while it judged: {error.strerror or error}"


class _JudgeProcess:
    """One judge, and which cases it has."""

    def __init__(self) -> None:
        self._process, self._channel = start("trapcli.calibration.execution.judge_pool")
        self._kept: set[str] = set()
        self._size = 0

    def ask(self, case: Case, request: Mapping[str, Any]) -> RawVerdict:
        """Return the judge's verdict; OSError if it does not answer, JudgeError if it gives none."""
        key = request["key"]
        known = key in self._kept
        keep = known or self._size + _size(case) <= CASES_KEPT
        self._channel.settimeout(LIMIT)
        send(self._channel, {**request, "case": None if known else asdict(case), "keep": keep})
        if keep and not known:
            self._kept.add(key)
            self._size += _size(case)
        answer = receive(self._channel)
        if answer is None:
            raise OSError("it ended")
        if "error" in answer:
            raise JudgeError(answer["error"])
        return RawVerdict(answer["status"], answer["verdict"])

    def has_ended(self) -> bool:
        return self._process.poll() is not None

    def kill(self) -> None:
        """Kill the process; a thread that waits for its answer gets an OSError."""
        self._process.kill()

    def end(self) -> None:
        """Kill the process, and release it and its socket."""
        self._channel.close()
        self._process.kill()
        self._process.wait()


def _case_from_json(data: Mapping[str, Any]) -> Case:
    known = tuple(KnownMistake(**mistake) for mistake in data["known_mistakes"])
    return Case(**{**data, "mistakes": tuple(data["mistakes"]), "known_mistakes": known})


def _files_to_json(files: Mapping[str, bytes]) -> dict[str, str]:
    return {name: b64encode(data).decode() for name, data in files.items()}


def _files_from_json(files: Mapping[str, str]) -> dict[str, bytes]:
    return {name: b64decode(text) for name, text in files.items()}
