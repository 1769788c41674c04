"""The directories that trials run in: made for a run, locked while it lives, removed afterwards.

Copies of inputs are in memory if there is room, everything else is on disk. A run that is killed
leaves its directories behind, unlocked; the next run removes them, and so does its own resume.
"""

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
from trapcli.system.locks import try_lock

PREFIX = "trapcli-"  # of the name of a run's directory
OURS = re.compile(f"{PREFIX}[0-9a-f]{{16}}")
LOCK = ".lock"  # the file in it that the run holds a lock on while it lives
MEMORY = "/dev/shm"  # a file system in memory
SPARE = 10  # times what the trials need must be free: /dev/shm is shared with all other programs
CASE_OVERHEAD = (
    200_000  # bytes that a case takes beyond its text: a page for each file and folder, generously
)


def new_scratch() -> str:
    """Return the path of a new directory for a run's trials; it is not created, and cannot be guessed."""
    return os.path.join(gettempdir(), PREFIX + token_hex(8))


def clear_scratch(scratch: str) -> list[str]:
    """Kill what a run's processes left and remove its directories; return the commands that were killed.

    scratch: a path from `new_scratch`. For any other path nothing is done.
    """
    directory = Path(scratch)
    if not (directory.is_absolute() and OURS.fullmatch(directory.name)):
        return []
    killed = end_marked(scratch)
    remove(directory)
    remove(Path(memory_scratch(scratch)))
    return killed


def sweep_dead_runs() -> None:
    """Kill the processes and remove the directories that killed runs left."""
    for home in (gettempdir(), MEMORY):
        for name in os.listdir(home) if os.path.isdir(home) else ():
            if OURS.fullmatch(name):
                directory = os.path.join(home, name)
                # Without a lock file nothing says whether the run lives: the directory is left alone.
                with suppress(OSError), open(os.path.join(directory, LOCK), "rb") as lock:
                    if try_lock(lock.fileno()):
                        end_marked(name)
                        remove(Path(directory))


@contextmanager
def locked_scratch(directory: str) -> Iterator[None]:
    """Create a directory and hold its lock while the block runs; then remove it."""
    os.mkdir(directory, stat.S_IRWXU)
    try:
        path = os.path.join(directory, LOCK)
        with open(f"{path}-new", "wb") as lock:
            try_lock(lock.fileno())
            # Locked before it gets its name: another run that sweeps must never find it unlocked.
            os.rename(lock.name, path)
            yield
    finally:
        remove(Path(directory))


def memory_scratch(scratch: str) -> str:
    """Return the directory in memory for the copies of a run's inputs; Linux has such a file system.

    A disk takes ten times as long to create that many small files. Only inputs go there, because
    their size is known; what a solution writes goes to the disk.
    """
    return os.path.join(MEMORY, os.path.basename(scratch))


def fits_in_memory(cases: Iterable[Case], jobs: int) -> bool:
    """Return whether /dev/shm can hold `jobs` copies of the largest case with ten times that to spare."""
    largest = max((sum(len(text) for text in case.files.values()) for case in cases), default=0)
    with suppress(OSError):
        found = os.statvfs(MEMORY)
        needed = jobs * (largest + CASE_OVERHEAD)
        return os.access(MEMORY, os.W_OK) and found.f_bavail * found.f_frsize > SPARE * needed
    return False


def remove(directory: Path) -> None:
    """Remove a directory, even if a solution took away its permissions or nested it very deeply."""
    with suppress(OSError, RecursionError):
        shutil.rmtree(directory)
        return
    with suppress(OSError):
        _remove_piecemeal(directory)


def _remove_piecemeal(directory: Path) -> None:
    """Give each folder its permissions back and move it to the top, so that no path grows too long."""
    waiting = [str(directory)]
    while waiting:
        folder = waiting.pop()
        os.chmod(folder, stat.S_IRWXU)
        for entry in list(os.scandir(folder)):
            if not entry.is_dir(follow_symlinks=False):
                os.unlink(entry.path)
                continue
            os.chmod(entry.path, stat.S_IRWXU)  # renaming a folder writes its entry "..": it must be writable
            waiting.append(str(directory / token_hex(8)))
            os.rename(entry.path, waiting[-1])
        if folder != str(directory):
            os.rmdir(folder)
    os.rmdir(directory)
