"""Files of a suite as bytes: reading them with errors a person understands, writing them all alike."""

import json
import os
import stat
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

from trapcli.core.errors import TrapError

LARGEST = 100_000_000  # bytes of a file; ours are far smaller, but what took its place may not be
AGAIN = "Restore it from a copy, or build the suite again (`trapcli build ... --force`)."
WRITTEN = 946_684_800  # 2000-01-01 UTC: when every file and directory was written, so that none comes first


def digest_of(data: bytes) -> str:
    """The SHA-256 of the bytes, in hexadecimal."""
    return sha256(data).hexdigest()


def listing(digests: Mapping[str, str]) -> str:
    """Paths and their digests in the format of sha256sum, sorted by path."""
    return "".join(f"{digests[path]}  {path}\n" for path in sorted(digests))


def read_file(path: Path) -> bytes:
    """The bytes of an ordinary file; TrapError, naming it, if there is none or it cannot be read."""
    try:
        found = path.stat()
        if stat.S_ISDIR(found.st_mode):
            raise TrapError(f"{path} is a directory, where a file belongs. {AGAIN}")
        if not stat.S_ISREG(found.st_mode) or found.st_size > LARGEST:
            raise TrapError(f"{path} is no ordinary file of at most {LARGEST // 1_000_000} MB. {AGAIN}")
        return path.read_bytes()
    except OSError as error:
        what = "is missing" if isinstance(error, FileNotFoundError) else f"cannot be read: {error.strerror}"
        raise TrapError(f"{path} {what}. {AGAIN}") from error


def as_object(data: bytes, path: Path) -> dict[str, Any]:
    """The JSON object in the bytes; TrapError, naming the path they came from, if there is none."""
    try:
        found = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise TrapError(f"{path} is not JSON: {error}. {AGAIN}") from error
    if not isinstance(found, dict):
        raise TrapError(f"{path} holds no JSON object. {AGAIN}")
    return found


def json_text(value: Any) -> str:
    """The value as JSON that a person can read, keys in their own order, a newline at the end.

    Raises TypeError or ValueError if it is no JSON data.
    """
    return json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def write_file(path: Path, text: str, durable: bool = False) -> str:
    """Write a new file and return its digest; `durable`: it is on the disk when this returns."""
    data = text.encode("utf-8")
    with open(path, "xb") as file:
        file.write(data)
        file.flush()
        os.fchmod(file.fileno(), 0o644)
        if durable:
            os.fsync(file.fileno())
    os.utime(path, (WRITTEN, WRITTEN))
    return digest_of(data)


def seal(directory: Path) -> None:
    """Give a directory whose contents are complete its mode and time."""
    os.chmod(directory, 0o755)
    os.utime(directory, (WRITTEN, WRITTEN))


def sync_directory(directory: Path) -> None:
    """Have the disk hold the names of what is in a directory."""
    opened = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)
