"""Call a Python function as a trial's solution, in a thread of this process."""

import threading
import time
import traceback
from io import BytesIO
from pathlib import Path

from trapcli.calibration.execution.capture import TailBuffer
from trapcli.calibration.execution.messages import Outcome
from trapcli.calibration.execution.supervisor import SHORT
from trapcli.calibration.solutions.environment import TrialDirectories
from trapcli.calibration.solutions.function import Agent, Function, PublicCase
from trapcli.core.contract import Case
from trapcli.core.output import CHUNK


def call_function(
    solution: Function, case: Case, directories: TrialDirectories, limit: float, stem: Path
) -> Outcome:
    """Call a solution's function for one trial; treat what it returns as if it had been printed.

    limit: seconds of wall clock.
    stem: where the outputs are stored, as for a process: with .stdout and .stderr added.

    An exception is a crash with exit code 1, and its traceback is stderr.
    """
    task = PublicCase(case.id, dict(case.files), directories.inputs, directories.outputs)
    call = _Call(solution.require(), task)
    began = time.monotonic()
    call.start()
    call.join(limit)
    seconds = time.monotonic() - began
    timed_out = call.is_alive()
    stdout, stderr, failed = (b"", b"", False) if timed_out else call.result()
    streams = []
    for data, suffix in ((stdout, ".stdout"), (stderr, ".stderr")):
        buffer, stream = TailBuffer(), BytesIO(data)
        while chunk := stream.read(CHUNK):
            buffer.write(chunk)
        streams.append(buffer.store(stem.with_name(stem.name + suffix)))
        buffer.close()
    return Outcome(
        exit_code=int(failed),
        timed_out=timed_out,
        seconds=seconds,
        stdout=streams[0],
        stderr=streams[1],
        survivors=(f"the thread of {solution.given}",) if timed_out else (),
        printed=stdout if len(stdout) <= SHORT else None,
    )


class _Call(threading.Thread):
    """One call of an agent's function. A daemon thread: one that hangs does not keep the program alive."""

    def __init__(self, function: Agent, case: PublicCase) -> None:
        super().__init__(daemon=True)
        self._function, self._case = function, case
        self._returned: object = None
        self._error = ""

    def run(self) -> None:
        try:
            self._returned = self._function(self._case)
            if not isinstance(self._returned, str | bytes):
                raise TypeError(f"it returned {type(self._returned).__name__}, neither text nor bytes")
        except BaseException:
            self._error = traceback.format_exc()

    def result(self) -> tuple[bytes, bytes, bool]:
        """Return stdout, stderr, and whether the call failed."""
        if self._error:
            return b"", self._error.encode("utf-8", "replace"), True
        text = self._returned
        return text if isinstance(text, bytes) else str(text).encode("utf-8", "surrogatepass"), b"", False
