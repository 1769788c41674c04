"""Remove directories that we made, whatever their contents did to them; leave everything else alone.

A solution may replace a directory by a link, mount over it, take away its permissions or nest it
until no path reaches its end. So nothing is removed by path. A directory is opened without following
a link and must be the one that we made. Each directory in it is moved up to a new name in it, opened
there, emptied, and removed: two descriptors are enough at any depth, and the system refuses to move
a mount point, so nothing of another file system, or of one bound to that place, is ever reached.
"""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex
from tempfile import mkdtemp
from typing import TypeAlias

from trapcli.system.debug import log

Identity: TypeAlias = tuple[int, int]  # device and number of a file, which no other one has while it exists

DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
ALL = stat.S_IRWXU


@contextmanager
def own_directory(place: str | os.PathLike[str] | None = None) -> Iterator[Path]:
    """Yield a new directory in `place`, by default that for temporary files; then remove it."""
    directory = Path(mkdtemp(dir=place))
    made = identity(directory)
    try:
        yield directory
    finally:
        remove(directory, made)


def identity(path: str | os.PathLike[str]) -> Identity | None:
    """Return which file is at a path, of a link the link itself; None if there is none."""
    try:
        return identity_of(os.lstat(path))
    except OSError:
        return None


def identity_of(status: os.stat_result) -> Identity:
    """Return which file a status is of."""
    return status.st_dev, status.st_ino


def open_directory(path: str | os.PathLike[str], parent: int | None = None) -> int:
    """Return a descriptor of a directory, with our permissions given back; OSError for a link to one.

    parent: a descriptor of the directory that a relative path starts from.
    """
    try:
        opened = os.open(path, DIRECTORY, dir_fd=parent)
    except PermissionError:
        _give_permissions_back(path, parent)
        opened = os.open(path, DIRECTORY, dir_fd=parent)
    with suppress(OSError):
        if stat.S_IMODE(os.fstat(opened).st_mode) & ALL != ALL:
            os.fchmod(opened, ALL)
    return opened


def remove(directory: Path, made: Identity | None) -> bool:
    """Remove a directory with all that is in it; return whether it is gone.

    made: which directory it was when we made it. If another one is at its place now, or a link, it is
        left as it is. What cannot be removed is left, too.
    """
    if made is None:
        return not os.path.lexists(directory)
    try:
        parent = os.open(directory.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        _remove_tree(directory.name, parent, made)
    except FileNotFoundError:
        return True
    except OSError as error:
        log("%s is left: %s", directory, error)
        return False
    finally:
        os.close(parent)
    return True


def _remove_tree(name: str, parent: int, made: Identity) -> None:
    top = _open_made(name, parent, made)
    try:
        waiting = _empty(top, top)
        while waiting:
            inner = waiting.pop()
            with suppress(OSError):  # a mount point stays, and so does the way to it
                opened = open_directory(inner, top)
                try:
                    waiting += _empty(opened, top)
                finally:
                    os.close(opened)
                os.rmdir(inner, dir_fd=top)
    finally:
        os.close(top)
    os.rmdir(name, dir_fd=parent)


def _open_made(name: str, parent: int, made: Identity) -> int:
    """Return a descriptor of the directory that we made; OSError if another one is in its place."""
    found = identity_of(os.stat(name, dir_fd=parent, follow_symlinks=False))
    if found == made:  # before permissions are given back
        opened = open_directory(name, parent)
        if identity_of(os.fstat(opened)) == made:
            return opened
        os.close(opened)
    raise OSError("it is not the directory that we made")


def _empty(folder: int, top: int) -> list[str]:
    """Remove the files in a folder, and move its directories up; return their new names in `top`."""
    moved = []
    with os.scandir(folder) as entries:
        found = [(entry.name, entry.is_dir(follow_symlinks=False)) for entry in entries]
    for name, is_directory in found:
        with suppress(OSError):
            if not is_directory:
                os.unlink(name, dir_fd=folder)
            elif not _remove_empty(name, folder):
                moved.append(_move_up(name, folder, top))
    return moved


def _remove_empty(name: str, folder: int) -> bool:
    """Remove a directory if it is empty, which most are; return whether it was."""
    try:
        os.rmdir(name, dir_fd=folder)
    except OSError:
        return False
    return True


def _move_up(name: str, folder: int, top: int) -> str:
    """Give a directory a new name in `top` and return it; OSError for a mount point."""
    new = token_hex(8)
    try:
        os.rename(name, new, src_dir_fd=folder, dst_dir_fd=top)
    except PermissionError:  # a directory that is moved must be writable: its entry ".." changes
        _give_permissions_back(name, folder)
        os.rename(name, new, src_dir_fd=folder, dst_dir_fd=top)
    return new


def _give_permissions_back(path: str | os.PathLike[str], parent: int | None) -> None:
    """Let us read, write and enter a directory that we own; OSError for a link."""
    if not hasattr(os, "O_PATH"):
        os.chmod(path, ALL, dir_fd=parent, follow_symlinks=False)
        return
    # fchmod(2) needs a descriptor that can be read, which is what is missing.
    place = os.open(path, os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=parent)
    try:
        os.chmod(f"/proc/self/fd/{place}", ALL)
    finally:
        os.close(place)
