"""The directories that trials run in: made for a run, locked while it lives, removed afterwards.

Copies of inputs are in memory if there is room, everything else is on disk. A run that is killed
leaves its directories behind, unlocked; the next run removes them, and so does its own resume. The
lock file says which directory it was made in: nothing else is ever taken for a directory of ours.
"""

import os
import re
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex
from tempfile import gettempdir

from trapcli.calibration.execution.processes import end_marked
from trapcli.core.contract import Case
from trapcli.system.locks import try_lock
from trapcli.system.ordinary_files import open_ordinary
from trapcli.system.removal import DIRECTORY, Identity, identity_of, remove

PREFIX = "trapcli-"  # of the name of a run's directory
OURS = re.compile(f"{PREFIX}[0-9a-f]{{16}}")
LOCK, NEW_LOCK = ".lock", ".lock-new"  # the file in it that the run holds a lock on while it lives
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
    for place in (directory, Path(memory_scratch(scratch))):
        with suppress(OSError):
            place.rmdir()  # if its run was killed before it had a lock file
        _remove_dead(place, (LOCK, NEW_LOCK))
    return killed


def sweep_dead_runs() -> None:
    """Kill the processes and remove the directories that killed runs left."""
    for home in (gettempdir(), MEMORY):
        for name in os.listdir(home) if os.path.isdir(home) else ():
            if OURS.fullmatch(name):
                _remove_dead(Path(home, name))


def _remove_dead(directory: Path, locks: Iterable[str] = (LOCK,)) -> None:
    """Remove the directory of a run that is dead, and kill its processes; leave any other one alone.

    locks: the names that its lock file may have.
    """
    try:
        opened = os.open(directory, DIRECTORY)
    except OSError:  # a link, or none of ours
        return
    try:
        made = identity_of(os.fstat(opened))
        for name in locks:
            # Without a lock file nothing says whether the run lives: the directory is left alone.
            with suppress(OSError), open_ordinary(name, opened) as lock:
                ours = all(os.fstat(one).st_uid == os.geteuid() for one in (opened, lock.fileno()))
                if ours and lock.read(1000) == _mark(directory.name, made) and try_lock(lock.fileno()):
                    end_marked(directory.name)
                    remove(directory, made)
    finally:
        os.close(opened)


def _mark(name: str, made: Identity) -> bytes:
    """Return what the lock file of a run's directory says, which is true of no other directory."""
    return f"trapcli made {name}, {made[0]}:{made[1]}\n".encode()


@contextmanager
def locked_scratch(directory: str) -> Iterator[None]:
    """Create a directory and hold its lock while the block runs; then remove it."""
    os.mkdir(directory, stat.S_IRWXU)
    opened = os.open(directory, DIRECTORY)
    made = identity_of(os.fstat(opened))
    try:
        with open(os.path.join(directory, NEW_LOCK), "xb", buffering=0) as lock:
            lock.write(_mark(os.path.basename(directory), made))
            try_lock(lock.fileno())
            # Locked before it gets its name: another run that sweeps must never find it unlocked.
            os.rename(NEW_LOCK, LOCK, src_dir_fd=opened, dst_dir_fd=opened)
            yield
    finally:
        os.close(opened)
        remove(Path(directory), made)


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
