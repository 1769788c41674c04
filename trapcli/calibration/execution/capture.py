"""Capture of output: the last bytes of a stream of any length, in bounded memory and disk space."""

import os
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from tempfile import SpooledTemporaryFile
from typing import BinaryIO

from trapcli.calibration.stored_output import Stream
from trapcli.core.output import LIMIT
from trapcli.system.ordinary_files import open_ordinary

DIGEST_LIMIT = 1_000_000  # bytes: of a longer stored output only the size is checked, to save the reading
IN_MEMORY = 256_000  # bytes of a piece that are kept in memory; a longer piece goes to an unnamed file


class TailBuffer:
    """What was written to a stream: its size, its first two bytes, and its last `LIMIT` bytes.

    The bytes are kept in at most two pieces of `LIMIT` bytes; when the newer one is full, the older
    one is dropped. So each byte is copied once, and the two always hold the last `LIMIT` bytes.
    """

    def __init__(self) -> None:
        self.size = 0
        self.head = b""
        self._older: BinaryIO | None = None
        self._newer = _new_piece()
        self._room = LIMIT

    def write(self, data: bytes) -> None:
        """Append data; OSError if the disk is full."""
        if len(self.head) < 2:
            self.head = (self.head + data)[:2]
        self.size += len(data)
        while data:
            if not self._room:
                if self._older is not None:
                    self._older.close()
                self._older, self._newer, self._room = self._newer, _new_piece(), LIMIT
            part, data = data[: self._room], data[self._room :]
            self._newer.write(part)
            self._room -= len(part)

    def store(self, path: Path) -> Stream:
        """Write the kept bytes to a new file; write no file if the stream is empty."""
        if not self.size:
            return Stream(digest=sha256(b"").hexdigest())
        digest = sha256()
        kept = 0
        with open(path, "xb") as file:
            if self._older is not None:  # its end, as much as the newer piece has room for
                kept += _copy(self._older, LIMIT - self._room, file, digest.update)
            kept += _copy(self._newer, 0, file, digest.update)
        return Stream(path.name, self.size, kept, self.head, digest.hexdigest())

    def whole(self, limit: int) -> bytes | None:
        """Return all that was written, or None if it is longer than `limit` bytes (at most `LIMIT`)."""
        if self.size > limit:
            return None
        self._newer.seek(0)
        return self._newer.read(limit)

    def close(self) -> None:
        """Release the memory and the disk space."""
        for piece in (self._older, self._newer):
            if piece is not None:
                piece.close()


def is_intact(file: Path, stream: Stream) -> bool:
    """Return whether a stored output is unchanged; of a long one only the size is compared."""
    try:
        with open_ordinary(file) as opened:
            if os.fstat(opened.fileno()).st_size != stream.kept:
                return False
            return stream.kept > DIGEST_LIMIT or sha256(opened.read()).hexdigest() == stream.digest
    except OSError:
        return False


def _copy(piece: BinaryIO, start: int, file: BinaryIO, digest: Callable[[bytes], None]) -> int:
    """Write the piece from `start` on to the file and the digest; return the number of bytes."""
    piece.seek(start)
    count = 0
    while part := piece.read(1 << 20):
        digest(part)
        count += file.write(part)
    return count


def _new_piece() -> BinaryIO:
    return SpooledTemporaryFile(max_size=IN_MEMORY)  # type: ignore[return-value]
