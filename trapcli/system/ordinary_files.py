"""Open files that a solution could have put in place: never a link, a FIFO or a device."""

import errno
import os
import stat
from typing import BinaryIO

# No link is followed, and neither a FIFO nor a terminal that takes a file's place blocks the reader.
FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY


def open_ordinary(path: str | os.PathLike[str], parent: int | None = None) -> BinaryIO:
    """Return an ordinary file, open for reading; OSError if there is none, or something else.

    parent: a descriptor of the directory that a relative path starts from.
    """
    opened = os.open(path, FLAGS, dir_fd=parent)
    if not stat.S_ISREG(os.fstat(opened).st_mode):
        os.close(opened)
        raise OSError(errno.EINVAL, "it is not an ordinary file", os.fspath(path))
    return open(opened, "rb")
