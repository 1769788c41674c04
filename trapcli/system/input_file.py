"""Open what the command line names as input: a file, or standard input."""

import sys
from contextlib import AbstractContextManager, nullcontext
from typing import BinaryIO

from trapcli.core.errors import TrapError


def open_input(file: str) -> AbstractContextManager[BinaryIO]:
    """Return the file, or standard input for "-", open for reading bytes; TrapError if it cannot be."""
    if file == "-":
        if sys.stdin is None:
            raise TrapError("standard input is closed. Give the file that holds the answer, or pipe it in.")
        return nullcontext(sys.stdin.buffer)
    try:
        return open(file, "rb")
    except IsADirectoryError:
        raise TrapError(
            f"{file} is a directory. --answers judges a directory of answers, --outputs the files of one."
        ) from None
    except FileNotFoundError:
        raise TrapError(f"there is no file {file}; '-' reads standard input.") from None
    except OSError as error:
        raise unreadable(file, error) from error


def unreadable(file: str, error: OSError) -> TrapError:
    """Return the error for a file that cannot be read."""
    return TrapError(f"{file} cannot be read: {error.strerror or error}.")
