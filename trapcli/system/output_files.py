"""Read the files an agent left in its output directory, however it may have filled it."""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from trapcli.system.ordinary_files import FLAGS, open_ordinary
from trapcli.system.removal import Identity, identity_of

MOST_FILES = 1_000
MOST_BYTES = 10_000_000  # of all files together
MOST_ENTRIES = 10_000  # of all directories together, so that listing them takes bounded time and memory
DEEPEST = 20  # directories within each other; each is one open file descriptor
MOST_NAMED = 100  # of what is left out
LIMITS = f"{MOST_BYTES // 1_000_000} MB or {MOST_FILES:,} files"


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Something in an output directory that was not read.

    path: relative, POSIX; of a directory it ends with "/".
    size: in bytes, if it is a file.
    why: in a few words.
    """

    path: str
    size: int
    why: str


REPLACED = LeftOut("./", 0, "removed, or replaced by something else")


@dataclass(frozen=True, slots=True)
class OutputFiles:
    """What was read of an output directory.

    files: relative POSIX path -> bytes.
    left_out: what was not read, at most `MOST_NAMED` of it.
    over_limit: how many files and directories were not read because of a limit.
    """

    files: Mapping[str, bytes] = field(default_factory=dict)
    left_out: tuple[LeftOut, ...] = ()
    over_limit: int = 0


def read_files(directory: Path) -> Mapping[str, bytes]:
    """Return the ordinary files in a directory and its subdirectories: relative POSIX path -> bytes."""
    return read_output_files(directory).files


def read_output_files(directory: Path, made: Identity | None = None) -> OutputFiles:
    """Return the ordinary files in a directory and its subdirectories.

    made: which directory it was when we made it, if we did; another one is not read.

    At most `MOST_FILES` files with `MOST_BYTES` bytes in total are read, in the order of their
    paths. Left out, not cut, is whatever goes beyond that, as are links, special files, unreadable
    files, names that are not UTF-8, and a directory with more entries than are left of `MOST_ENTRIES`.
    If there is no such directory, or a link or another one in its place, nothing is read; that is noted
    if `made` is given.
    """
    reader = _Reader()
    try:
        opened = os.open(directory, FLAGS | os.O_DIRECTORY)
    except OSError:
        return OutputFiles(left_out=(REPLACED,)) if made else OutputFiles()
    if made not in (None, identity_of(os.fstat(opened))):
        os.close(opened)
        return OutputFiles(left_out=(REPLACED,))
    files = dict(reader.walk(opened, "", 1))
    return OutputFiles(files, tuple(reader.left_out), reader.over_limit)


class _Reader:
    """A walk through one output directory, and what is left of its limits."""

    def __init__(self) -> None:
        self.entries = MOST_ENTRIES
        self.files = MOST_FILES
        self.bytes = MOST_BYTES
        self.left_out: list[LeftOut] = []
        self.over_limit = 0

    def walk(self, directory: int, prefix: str, depth: int) -> Iterator[tuple[str, bytes]]:
        """Yield the files in an open directory, sorted by path, and close it."""
        try:
            for name in self._names(directory, prefix):
                path = f"{prefix}{name}"
                if not name.endswith("/"):
                    data = self._read(directory, name, path)
                    if data is not None:
                        yield path, data
                elif depth == DEEPEST:
                    self._leave(path, 0, f"deeper than {DEEPEST} directories", limit=True)
                else:
                    try:
                        inner = os.open(name[:-1], FLAGS | os.O_DIRECTORY, dir_fd=directory)
                    except OSError as error:
                        self._leave(path, 0, f"not readable: {error.strerror}")
                        continue
                    yield from self.walk(inner, path, depth + 1)
        finally:
            os.close(directory)

    def _names(self, directory: int, prefix: str) -> list[str]:
        """Return the names of files and directories, sorted by path; a directory's ends with "/"."""
        names = []
        try:
            with os.scandir(directory) as entries:
                found = list(islice(entries, self.entries + 1))
                if len(found) > self.entries:
                    self._leave(prefix, 0, f"more than {MOST_ENTRIES:,} files and directories", limit=True)
                    return []
                self.entries -= len(found)
                for entry in found:
                    ordinary = entry.is_file(follow_symlinks=False)
                    name = f"{entry.name}/" if entry.is_dir(follow_symlinks=False) else entry.name
                    if not _is_utf8(name):
                        shown = os.fsencode(prefix + name).decode("utf-8", "backslashreplace")
                        self._leave(shown, 0, "its name is not UTF-8")
                    elif ordinary or name.endswith("/"):
                        names.append(name)
                    else:
                        self._leave(prefix + name, 0, "a link" if entry.is_symlink() else "a special file")
        except OSError as error:
            self._leave(prefix, 0, f"not readable: {error.strerror}")
            return []
        return sorted(names)

    def _read(self, directory: int, name: str, path: str) -> bytes | None:
        """Return a file's bytes; None if it is not an ordinary file, cannot be read, or is too large."""
        try:
            with open_ordinary(name, directory) as file:
                size = os.fstat(file.fileno()).st_size
                if size <= self.bytes and self.files:
                    data = file.read(self.bytes + 1)  # it may have grown since
                    size = len(data)
        except OSError as error:
            self._leave(path, 0, f"not readable: {error.strerror}")
            return None
        if size > self.bytes or not self.files:
            self._leave(path, size, f"over the limit of {LIMITS}", limit=True)
            return None
        self.bytes -= size
        self.files -= 1
        return data

    def _leave(self, path: str, size: int, why: str, limit: bool = False) -> None:
        self.over_limit += limit
        if len(self.left_out) < MOST_NAMED:
            self.left_out.append(LeftOut(path or "./", size, why))


def _is_utf8(name: str) -> bool:
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
