"""Notice a run whose first trials show that its solution does not run at all, before it measures nothing.

The trials that show it have ended, so they are stored and count like any other: an exit code, which
the solution chooses, never buys a second try.
"""

import os
from contextlib import suppress

from trapcli.calibration.records import Run, Trial
from trapcli.calibration.store.reader import StoreReader
from trapcli.calibration.stored_output import Stream
from trapcli.calibration.suite_names import inspect_command
from trapcli.core.shorten import one_line
from trapcli.system.ordinary_files import open_ordinary

FIRST = 5  # trials that must end alike, if the run has that many
NOT_FOUND = (126, 127)  # a shell's exit codes for a command that cannot be executed, or does not exist
TAIL_BYTES, TAIL_LINES = 4096, 5  # at the end of an output, in the message


class FalseStart:
    """Watches how the first trials of a run end.

    They are suspect if each of them says that its command was not found, or if there are `FIRST` that
    crashed with the same exit code and no readable answer. The first trial that ends otherwise ends
    the watch, also if it was running beside suspect ones.
    """

    def __init__(self, total: int) -> None:
        """Watch a run of which no trial is finished. `total`: how many trials it has."""
        self.watching = True
        self._needed = min(FIRST, total)
        self._trials: list[Trial] = []

    def add(self, trial: Trial) -> None:
        """Note a trial that has ended."""
        if not self.watching:
            return
        self._trials.append(trial)
        self.watching = _gave_nothing(trial) and trial.exit_code == self._trials[0].exit_code
        if not self.watching:
            self._trials.clear()

    @property
    def not_found(self) -> bool:
        """Whether each trial so far says that there is no such command."""
        return bool(self._trials) and all(map(_is_not_found, self._trials))

    @property
    def suspected(self) -> bool:
        """Whether the run should start no more trials."""
        return self.not_found or len(self._trials) >= self._needed

    def message(self, run: Run, store: StoreReader) -> str:
        """Return what happened, the last lines that a trial printed, and what to do."""
        first = self._trials[0]
        given, code, count = run.plan.solution.given, first.exit_code, len(self._trials)
        last, complete = _last_lines(store, run, first), count == run.plan.total
        go_on = (
            f"; or, if the solution is right as it is, go on with `trapcli calibrate --resume {run.number}` "
            "(--keep-going does not stop in the first place)"
        )
        if self.not_found:
            happened = (
                f"{given!r} cannot be started: exit code {code} and nothing on stdout{_in_brackets(last)}."
            )
        else:
            ended = f"exit code {code}" if code >= 0 else f"signal {-code}"
            trials = f"its first {count} trials all" if count > 1 else "its first trial"
            happened = (
                f"run {run.number} measured nothing: {trials} ended with {ended} and no readable answer."
            )
            happened += "".join(f"\n  {line}" for line in last)
        return (
            f"{happened}\n`{inspect_command(run, first.suite, first.case, first.number)}` shows more. What "
            "ran is stored and counts as crashed. Fix the cause and start a new run"
            f"{'' if complete else go_on}."
        )


def _gave_nothing(trial: Trial) -> bool:
    """Return whether a trial crashed and left no answer that can be read."""
    return trial.status == "crashed" and trial.verdict.get("output_status") not in ("passed", "failed")


def _is_not_found(trial: Trial) -> bool:
    return trial.exit_code in NOT_FOUND and not trial.stdout.size and not trial.files.size


def _last_lines(store: StoreReader, run: Run, trial: Trial) -> list[str]:
    """Return the last lines of a trial's stderr or, if that is blank, of its stdout."""
    for stream in (trial.stderr, trial.stdout):
        lines = [one_line(line) for line in _end(store, run, stream).splitlines() if line.strip()]
        if lines:
            return lines[-TAIL_LINES:]
    return []


def _end(store: StoreReader, run: Run, stream: Stream) -> str:
    with suppress(OSError):
        if stream.file:
            with open_ordinary(store.output_path(run.number, stream)) as file:
                file.seek(max(0, file.seek(0, os.SEEK_END) - TAIL_BYTES))
                return file.read(TAIL_BYTES).decode("utf-8", "replace")
    return ""


def _in_brackets(lines: list[str]) -> str:
    return f" ({' '.join(lines)})" if lines else ""
