"""Reports run in this process, and how far what they print is from what they should."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Context, InvalidOperation, localcontext
from functools import cached_property
from hashlib import sha256
from types import ModuleType
from typing import Any

from trapcli.answers.edits.tables import Row, Tables

Read = Callable[[str], Sequence[Row]]


@dataclass(frozen=True)  # no slots: a cached property needs a place
class Printed:
    """What a report printed: its rows, header first; or why it raised.

    digest stands for all of it: equal digests, equal output. A report without a
    row below its header has printed nothing, which is an error too.
    """

    rows: tuple[Sequence[str], ...]
    error: str
    digest: str

    @cached_property
    def by_key(self) -> dict[str, Sequence[str]]:
        """The rows below the header by their first cell (the second one of a key as "KEY (2)")."""
        rows: dict[str, Sequence[str]] = {}
        for row in self.rows[1:]:
            key, n = row[0], 1
            while key in rows:
                n += 1
                key = f"{row[0]} ({n})"
            rows[key] = row
        return rows


def name_of(report: ModuleType) -> str:
    """The report's name: its module's, without the packages above."""
    return report.__name__.rpartition(".")[2]


def run(report: ModuleType, read: Read) -> Printed:
    """What `report.report(read)` gives; anything it raises is an error, not an exception here."""
    try:
        with localcontext(Context(prec=64)):
            rows = tuple(report.report(read))
    except Exception as error:
        what = "a number was expected" if isinstance(error, InvalidOperation) else str(error)
        text = f"{type(error).__name__}: {what}".splitlines()[0][:200]
        return Printed((), text, sha256(b"raised").hexdigest())
    if len(rows) < 2:
        return Printed((), "it printed no rows", sha256(b"no rows").hexdigest())
    return Printed(rows, "", sha256(json.dumps(rows).encode()).hexdigest())


def reader(tables: Tables, broken: Mapping[str, str]) -> Read:
    """A `read` for reports over tables in memory; a broken table raises ValueError."""

    def read(name: str) -> Sequence[Row]:
        if name in broken:
            raise ValueError(broken[name])
        return tables[name]

    return read


class _Watched(dict[str, str]):
    """A row that notes which of its columns are looked at."""

    def __init__(self, row: Row, file: str, seen: set[tuple[str, str]]) -> None:
        super().__init__(row)
        self._file, self._seen = file, seen

    def _see(self, column: str) -> None:
        self._seen.add((self._file, column))

    def __getitem__(self, column: str) -> str:
        self._see(column)
        return super().__getitem__(column)

    def get(self, column: str, default: Any = None) -> Any:
        self._see(column)
        return super().get(column, default)

    def _all(self) -> None:
        for column in super().__iter__():
            self._see(column)

    def __iter__(self) -> Iterator[str]:
        self._all()
        return super().__iter__()

    def items(self) -> Any:
        self._all()
        return super().items()

    def values(self) -> Any:
        self._all()
        return super().values()


def watched(tables: Tables) -> tuple[Read, set[str], set[tuple[str, str]]]:
    """A `read` over `tables`, the set of files it is asked for, and of (file, column) looked at."""
    files: set[str] = set()
    seen: set[tuple[str, str]] = set()

    def read(name: str) -> Sequence[Row]:
        files.add(name)
        return [_Watched(row, name, seen) for row in tables[name]]

    return read, files, seen


def differing(yours: Printed, right: Printed) -> Iterator[tuple[str, str, str | None, str | None]]:
    """(row, column, yours, right) for each cell that differs; None where there is no such cell."""
    have, want = yours.by_key, right.by_key
    header = (right.rows or yours.rows)[0]
    for key in (*want, *(key for key in have if key not in want)):
        mine, good = have.get(key), want.get(key)
        if mine == good:
            continue
        for i, column in enumerate(header):
            one, other = mine[i] if mine else None, good[i] if good else None
            if one != other:
                yield key, column, one, other


def mended_and_spoiled(before: Printed, yours: Printed, right: Printed) -> tuple[int, int]:
    """How many cells that had to change are right now, and how many that were right are not."""
    if yours.digest == before.digest:
        return 0, 0
    width = len(right.rows[0])
    old, have, want = before.by_key, yours.by_key, right.by_key
    mended = spoiled = 0
    nothing: Sequence[str | None] = (None,) * width
    for key in {**want, **have, **old}:
        was, is_ = old.get(key, nothing), have.get(key, nothing)
        if was == is_:
            continue
        should = want.get(key, nothing)
        for i in range(width):
            good = is_[i] == should[i]
            if was[i] == should[i]:
                spoiled += not good
            else:
                mended += good
    return mended, spoiled


def to_mend(before: Printed, right: Printed) -> int:
    """How many cells have to change."""
    return mended_and_spoiled(before, right, right)[0]
