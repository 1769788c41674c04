"""Read files with errors a person understands; write files that are the same whenever and wherever."""

import json
import os
import stat
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

from trapcli.core.errors import TrapError

LARGEST = 100_000_000  # bytes; ours are far smaller, but a file that replaced one may not be
AGAIN = "Restore it from a copy, or build the suite again (`trapcli build ... --force`)."
TIME = 946_684_800  # 2000-01-01 UTC: the time of every file and directory, so that no order shows


def digest_of(data: bytes) -> str:
    """Return the SHA-256 of the bytes, in hexadecimal."""
    return sha256(data).hexdigest()


def listing(digests: Mapping[str, str]) -> str:
    """Return paths and their digests in the format of sha256sum, sorted by path."""
    return "".join(f"{digests[path]}  {path}\n" for path in sorted(digests))


def read_file(path: Path) -> bytes:
    """Return the bytes of an ordinary file; TrapError, naming it, if it is missing or cannot be read."""
    try:
        found = path.stat()
        if stat.S_ISDIR(found.st_mode):
            raise TrapError(f"{path} is a directory, not a file. {AGAIN}")
        if not stat.S_ISREG(found.st_mode) or found.st_size > LARGEST:
            raise TrapError(f"{path} is not an ordinary file of at most {LARGEST // 1_000_000} MB. {AGAIN}")
        return path.read_bytes()
    except OSError as error:
        what = "is missing" if isinstance(error, FileNotFoundError) else f"cannot be read: {error.strerror}"
        raise TrapError(f"{path} {what}. {AGAIN}") from error


def as_object(data: bytes, path: Path) -> dict[str, Any]:
    """Return the JSON object in the bytes; TrapError, naming the path they came from, if there is none."""
    try:
        found = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise TrapError(f"{path} is not JSON: {error}. {AGAIN}") from error
    if not isinstance(found, dict):
        raise TrapError(f"{path} is not a JSON object. {AGAIN}")
    return found


def json_text(value: Any) -> str:
    """Return a value as JSON text that a person can read, keys in their own order.

    Raises TypeError or ValueError if it is not JSON data.
    """
    return json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def write_file(path: Path, text: str, durable: bool = False) -> str:
    """Write a new file and return its digest.

    durable: return only when the file is on the disk.
    """
    data = text.encode("utf-8")
    with open(path, "xb") as file:
        file.write(data)
        file.flush()
        os.fchmod(file.fileno(), 0o644)
        if durable:
            os.fsync(file.fileno())
    os.utime(path, (TIME, TIME))
    return digest_of(data)


def seal(directory: Path) -> None:
    """Set the mode and time of a directory whose contents are complete."""
    os.chmod(directory, 0o755)
    os.utime(directory, (TIME, TIME))


def sync_directory(directory: Path) -> None:
    """Write the names in a directory to the disk."""
    opened = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)
