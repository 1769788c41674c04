"""Locks between processes: flock(2) on a file, which the system releases when the process ends."""

import fcntl
import os
import time
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from trapcli.core.errors import TrapError

POLL = 0.02  # seconds between two attempts


def try_lock(handle: int) -> bool:
    """Lock an open file or directory; return False if another process holds the lock."""
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


@contextmanager
def locked_file(path: Path, busy: str, patience: float = 0.0, keep: bool = False) -> Iterator[None]:
    """Hold the lock of a file while the block runs; the file is created if it does not exist.

    busy: the message of the TrapError that is raised if another process holds the lock.
    patience: how many seconds to wait for it.
    keep: leave the file in place afterwards; by default it is removed.
    """
    deadline = time.monotonic() + patience
    while True:
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK, 0o644)
        if try_lock(handle):
            # The holder before us may have removed the file: a lock on it is then invisible to others.
            with suppress(FileNotFoundError):
                if os.path.samestat(os.fstat(handle), os.lstat(path)):
                    break
        elif time.monotonic() >= deadline:
            os.close(handle)
            raise TrapError(busy)
        else:
            time.sleep(POLL)
        os.close(handle)
    try:
        yield
    finally:
        if not keep:
            with suppress(OSError):
                os.unlink(path)
        os.close(handle)


@contextmanager
def locked_directory(directory: Path) -> Iterator[None]:
    """Hold the lock of an existing directory while the block runs; wait for it as long as it takes."""
    handle = os.open(directory, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


@contextmanager
def shared_directories(directories: Iterable[Path]) -> Iterator[None]:
    """Share the locks of existing directories while the block runs: they are in use."""
    with ExitStack() as stack:
        for directory in directories:
            handle = os.open(directory, os.O_RDONLY)
            stack.callback(os.close, handle)
            fcntl.flock(handle, fcntl.LOCK_SH)
        yield


def is_in_use(directory: Path) -> bool:
    """Whether somebody shares or holds the lock of a directory."""
    try:
        handle = os.open(directory, os.O_RDONLY)
    except OSError:  # it is not there
        return False
    try:
        return not try_lock(handle)
    finally:
        os.close(handle)
