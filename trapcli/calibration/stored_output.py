"""What is stored of a trial: its output streams, and its verdict as the judge sent it.

Helper processes import this, so it imports nothing of ours.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Self


@dataclass(frozen=True, slots=True)
class Stream:
    """What is stored of one of a process's output streams.

    file: the file's name in the run's directory of outputs, "" if there is none.
    size: how many bytes the process wrote.
    kept: how many of them, the last ones, are stored.
    head: the first two bytes, which may be a byte-order mark.
    digest: SHA-256 of the stored bytes.
    """

    file: str = ""
    size: int = 0
    kept: int = 0
    head: bytes = b""
    digest: str = ""

    @property
    def cut(self) -> bool:
        """Whether the process wrote more than is stored."""
        return self.kept < self.size

    def to_json(self) -> dict[str, Any]:
        """Return JSON data that `from_json` reads back."""
        return {
            "file": self.file,
            "size": self.size,
            "kept": self.kept,
            "head": self.head.hex(),
            "digest": self.digest,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """Return the stream that `to_json` turned into this data."""
        return cls(**{**data, "head": bytes.fromhex(data["head"])})


@dataclass(frozen=True, slots=True)
class KeptFiles(Stream):
    """What is stored of the files that a solution left: an archive of them.

    over_limit: how many files were left out because of a limit.
    judged: whether the answer is read from them; if not, they are only kept.
    """

    over_limit: int = 0
    judged: bool = True

    def to_json(self) -> dict[str, Any]:
        """Return JSON data that `from_json` reads back."""
        return {**Stream.to_json(self), "over_limit": self.over_limit, "judged": self.judged}


class RawVerdict(Mapping[str, Any]):
    """A verdict as the JSON text that a judge sent, parsed only if more than its status is asked for."""

    __slots__ = ("_data", "status", "text")

    def __init__(self, status: str, text: str) -> None:
        self.status, self.text = status, text
        self._data: dict[str, Any] | None = None

    @property
    def data(self) -> dict[str, Any]:
        """The parsed verdict."""
        if self._data is None:
            self._data = json.loads(self.text)
        return self._data

    def __getitem__(self, key: str) -> Any:
        return self.status if key == "status" else self.data[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self.data)

    def __len__(self) -> int:
        return len(self.data)
