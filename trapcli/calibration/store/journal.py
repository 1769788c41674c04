"""The journal of a run: which trials have begun, so that one that ran twice is known after any stop.

A line is appended without being synced: it survives the death of this process, which a solution may
cause, though not a power cut, which it cannot.
"""

import os
from collections import Counter
from contextlib import suppress
from pathlib import Path

from trapcli.calibration.store.reader import TrialKey
from trapcli.system.ordinary_files import open_ordinary

NAME = ".begun"  # in a run's directory of outputs
BEGUN, NEVER_RAN = "+", "-"


class Journal:
    """An open journal. Any thread may write to it."""

    def __init__(self, directory: Path) -> None:
        """Open the journal in a run's directory of outputs, and create it if it is missing."""
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW
        self._handle = os.open(directory / NAME, flags, 0o600)

    def begin(self, key: TrialKey) -> None:
        """Note that a trial is about to run."""
        self._write(BEGUN, key)

    def take_back(self, key: TrialKey) -> None:
        """Note that the trial never ran."""
        self._write(NEVER_RAN, key)

    def close(self) -> None:
        """Close the journal."""
        os.close(self._handle)

    def _write(self, sign: str, key: TrialKey) -> None:
        suite, case, number = key
        with suppress(OSError):  # a full disk is noticed, and reported, where the trial is stored
            os.write(self._handle, f"{sign} {suite} {number} {case}\n".encode())


def begun_trials(directory: Path) -> list[TrialKey]:
    """Return the trials that began, whether or not they ended; empty if there is no journal."""
    begun: Counter[TrialKey] = Counter()
    with suppress(OSError):
        with open_ordinary(directory / NAME) as file:
            lines = file.read().decode("utf-8", "replace").splitlines()
        for line in lines:
            sign, _, words = line.partition(" ")
            with suppress(ValueError):
                suite, number, case = words.split(" ", 2)
                begun[int(suite), case, int(number)] += {BEGUN: 1, NEVER_RAN: -1}.get(sign, 0)
    return sorted(key for key, count in begun.items() if count > 0)
