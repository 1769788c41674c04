"""Read the files an agent left in its output directory, however it may have filled it."""

import os
import stat
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

MOST_FILES = 1_000
MOST_BYTES = 10_000_000  # of all files together
MOST_ENTRIES = 10_000  # of all directories together, so that listing them takes bounded time and memory
DEEPEST = 20  # directories within each other; each is one open file descriptor

# No link is followed, and neither a FIFO nor a terminal that takes a file's place blocks the reader.
FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY


def read_files(directory: Path) -> dict[str, bytes]:
    """Return the ordinary files in a directory and its subdirectories: relative POSIX path -> bytes.

    At most `MOST_FILES` files with `MOST_BYTES` bytes in total are read, in the order of their
    paths. Left out, not cut, is whatever goes beyond that, as are links, special files, unreadable
    files, names that are not UTF-8, and a directory with more entries than are left of `MOST_ENTRIES`.
    The result is empty if there is no such directory, or a link in its place.
    """
    return dict(_Reader().files(directory))


class _Reader:
    """A walk through one output directory, and what is left of its limits."""

    def __init__(self) -> None:
        self.entries = MOST_ENTRIES
        self.bytes = MOST_BYTES

    def files(self, directory: Path) -> Iterator[tuple[str, bytes]]:
        try:
            opened = os.open(directory, FLAGS | os.O_DIRECTORY)
        except OSError:
            return
        yield from islice(self._walk(opened, "", 1), MOST_FILES)

    def _walk(self, directory: int, prefix: str, depth: int) -> Iterator[tuple[str, bytes]]:
        """Yield the files in an open directory, sorted by path, and close it."""
        try:
            for name in self._names(directory):
                path = f"{prefix}{name}"
                if not name.endswith("/"):
                    data = self._read(directory, name)
                    if data is not None:
                        yield path, data
                elif depth < DEEPEST:
                    try:
                        inner = os.open(name[:-1], FLAGS | os.O_DIRECTORY, dir_fd=directory)
                    except OSError:
                        continue
                    yield from self._walk(inner, path, depth + 1)
        finally:
            os.close(directory)

    def _names(self, directory: int) -> list[str]:
        """Return the names of files and directories, sorted by path; a directory's ends with "/"."""
        try:
            with os.scandir(directory) as entries:
                found = list(islice(entries, self.entries + 1))
                if len(found) > self.entries:
                    return []
                self.entries -= len(found)
                names = [
                    f"{entry.name}/" if entry.is_dir(follow_symlinks=False) else entry.name
                    for entry in found
                    if entry.is_dir(follow_symlinks=False) or entry.is_file(follow_symlinks=False)
                ]
        except OSError:
            return []
        return sorted(filter(_is_utf8, names))

    def _read(self, directory: int, name: str) -> bytes | None:
        """Return a file's bytes; None if it is not an ordinary file, cannot be read, or is too large."""
        try:
            opened = os.open(name, FLAGS, dir_fd=directory)
        except OSError:
            return None
        with open(opened, "rb") as file:
            status = os.fstat(opened)
            if not stat.S_ISREG(status.st_mode) or status.st_size > self.bytes:
                return None
            try:
                data = file.read(self.bytes + 1)  # it may have grown since
            except OSError:
                return None
        if len(data) > self.bytes:
            return None
        self.bytes -= len(data)
        return data


def _is_utf8(name: str) -> bool:
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
