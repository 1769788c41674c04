"""The last bytes of a stream of any length, kept in bounded memory and on a bounded disk."""

from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from tempfile import SpooledTemporaryFile
from typing import BinaryIO

from trapcli.calibration.records import Stream
from trapcli.core.output import LIMIT

READ_AGAIN = 1_000_000  # bytes of a stored output that is compared whole
IN_MEMORY = 256_000  # bytes of a piece; a longer one goes to a file without a name


class Tail:
    """What was written to a stream: how much, how it began, and its last `LIMIT` bytes.

    Two pieces of `LIMIT` bytes are kept at most; when the newer is full, the older is dropped.
    """

    def __init__(self) -> None:
        self.size = 0
        self.head = b""
        self._older: BinaryIO | None = None
        self._newer = _piece()
        self._room = LIMIT

    def write(self, data: bytes) -> None:
        """Take in what was written next; OSError if the disk is full."""
        if len(self.head) < 2:
            self.head = (self.head + data)[:2]
        self.size += len(data)
        while data:
            if not self._room:
                if self._older is not None:
                    self._older.close()
                self._older, self._newer, self._room = self._newer, _piece(), LIMIT
            part, data = data[: self._room], data[self._room :]
            self._newer.write(part)
            self._room -= len(part)

    def store(self, path: Path) -> Stream:
        """Write what is kept to a new file; no file if nothing was written."""
        if not self.size:
            return Stream(digest=sha256(b"").hexdigest())
        digest = sha256()
        kept = 0
        with open(path, "xb") as file:
            if self._older is not None:  # of which so much is kept as the newer has room for
                kept += _copy(self._older, LIMIT - self._room, file, digest.update)
            kept += _copy(self._newer, 0, file, digest.update)
        return Stream(path.name, self.size, kept, self.head, digest.hexdigest())

    def whole(self, most: int) -> bytes | None:
        """All that was written, if that is no more than `most` bytes, at most `LIMIT`."""
        if self.size > most:
            return None
        self._newer.seek(0)
        return self._newer.read(most)

    def close(self) -> None:
        """Give back the memory and the disk that it holds."""
        for piece in (self._older, self._newer):
            if piece is not None:
                piece.close()


def is_whole(file: Path, stream: Stream) -> bool:
    """Whether a stored output is there as it was stored; of a long one just whether its size is."""
    try:
        if file.stat().st_size != stream.kept or stream.kept > READ_AGAIN:
            return file.stat().st_size == stream.kept
        return sha256(file.read_bytes()).hexdigest() == stream.digest
    except OSError:
        return False


def _copy(piece: BinaryIO, start: int, file: BinaryIO, seen: Callable[[bytes], None]) -> int:
    """Write the piece to the file from a place on; gives how many bytes that were."""
    piece.seek(start)
    count = 0
    while part := piece.read(1 << 20):
        seen(part)
        count += file.write(part)
    return count


def _piece() -> BinaryIO:
    return SpooledTemporaryFile(max_size=IN_MEMORY)  # type: ignore[return-value]
