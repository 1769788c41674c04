"""The directories in which trials run: made for a run, marked while it lives, cleared when it does not.

Copies of inputs stand in memory where there is room, all else on the disk. A run that was
killed leaves its directories behind, unlocked; the next run clears them, and its own resume does.
"""

import fcntl
import os
import re
import shutil
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex
from tempfile import gettempdir

from trapcli.calibration.execution.processes import end_marked
from trapcli.core.contract import Case

SCRATCH = "trapcli-"  # what the name of a run's directory for its trials begins with
LOCK = ".lock"  # held in it while the run lives
OURS = re.compile(f"{SCRATCH}[0-9a-f]{{16}}")
MEMORY = "/dev/shm"  # a file system in memory
SPARE = 10  # times what the trials at a time need
FILE = 200_000  # bytes: what a case takes beyond its text, generously


def new_scratch() -> str:
    """Where a run is to have a directory for its trials; nobody else can guess the name."""
    return os.path.join(gettempdir(), SCRATCH + token_hex(8))


def clear(scratch: str) -> list[str]:
    """End what a run's processes left and remove its directory; gives the commands that were killed.

    scratch: as `new_scratch` gave it. Nothing else is ever removed.
    """
    place = Path(scratch)
    if not (place.is_absolute() and OURS.fullmatch(place.name)):
        return []
    killed = end_marked(scratch)
    remove(place)
    remove(Path(in_memory(scratch)))
    return killed


def sweep_dead() -> None:
    """Clear what runs left that were killed: their processes, and their directories for trials."""
    for home in (gettempdir(), MEMORY):
        for name in os.listdir(home) if os.path.isdir(home) else ():
            if OURS.fullmatch(name):
                place = os.path.join(home, name)
                with suppress(OSError), open(os.path.join(place, LOCK), "rb") as lock:
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)  # as its run does while it lives
                    end_marked(name)
                    remove(Path(place))


@contextmanager
def held(directory: str) -> Iterator[None]:
    """A new directory, marked as one of a run that lives until the block ends; then it is removed."""
    os.mkdir(directory, stat.S_IRWXU)
    try:
        path = os.path.join(directory, LOCK)
        with open(f"{path}-new", "wb") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            os.rename(lock.name, path)  # so that it is never seen without its lock
            yield
    finally:
        remove(Path(directory))


def in_memory(scratch: str) -> str:
    """Where the copies of inputs of a run with this directory may stand: in memory, where Linux has that.

    A disk takes ten times as long to make that many small files. Only inputs go there, whose
    size is known; what a solution writes goes to the disk.
    """
    return os.path.join(MEMORY, os.path.basename(scratch))


def roomy(cases: Iterable[Case], jobs: int) -> bool:
    """Whether so many copies of the largest of these cases leave memory for files almost as it was."""
    largest = max((sum(len(text) for text in case.files.values()) for case in cases), default=0)
    with suppress(OSError):
        found = os.statvfs(MEMORY)
        return os.access(MEMORY, os.W_OK) and found.f_bavail * found.f_frsize > SPARE * jobs * (
            largest + FILE
        )
    return False


def remove(directory: Path) -> None:
    """Remove a directory of ours, whatever a solution did in it: to modes, or in depth."""
    with suppress(OSError, RecursionError):
        shutil.rmtree(directory)
        return
    with suppress(OSError):
        _remove_piecemeal(directory)


def _remove_piecemeal(directory: Path) -> None:
    """Each directory below is made ours, and moved to the top, so that no path grows too long."""
    waiting = [str(directory)]
    while waiting:
        folder = waiting.pop()
        os.chmod(folder, stat.S_IRWXU)
        for entry in list(os.scandir(folder)):
            if not entry.is_dir(follow_symlinks=False):
                os.unlink(entry.path)
                continue
            os.chmod(entry.path, stat.S_IRWXU)  # a directory that is moved is written to
            waiting.append(str(directory / token_hex(8)))
            os.rename(entry.path, waiting[-1])
        if folder != str(directory):
            os.rmdir(folder)
    os.rmdir(directory)
