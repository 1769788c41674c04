"""Run reports in this process, and compare what they print with what they should print."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Context, InvalidOperation, localcontext
from functools import cached_property
from hashlib import sha256
from types import ModuleType
from typing import Any

from trapcli.answers.edits.tables import Row, Tables

Read = Callable[[str], Sequence[Row]]  # file name -> rows: what a report gets its tables from
LONGEST_ERROR = 200  # characters


@dataclass(frozen=True)  # without slots, because a cached property needs an instance dictionary
class ReportOutput:
    """What a report printed, or why it failed.

    rows: header first; empty if the report failed.
    error: one line, or "". A report without a row below its header has failed, too.
    digest: equal for equal outputs only; all failures of one sort have the same digest.
    """

    rows: tuple[Sequence[str], ...]
    error: str
    digest: str

    @cached_property
    def by_key(self) -> dict[str, Sequence[str]]:
        """The rows below the header by their first cell; the second row with a key is "KEY (2)"."""
        rows: dict[str, Sequence[str]] = {}
        for row in self.rows[1:]:
            key, n = row[0], 1
            while key in rows:
                n += 1
                key = f"{row[0]} ({n})"
            rows[key] = row
        return rows


def report_name(report: ModuleType) -> str:
    """Return a report's name: that of its module, without the packages above."""
    return report.__name__.rpartition(".")[2]


def run_report(report: ModuleType, read: Read) -> ReportOutput:
    """Return the output of `report.report(read)`; an exception that it raises becomes an error."""
    try:
        with localcontext(Context(prec=64)):
            rows = tuple(report.report(read))
    except Exception as error:
        return failed_output(error)
    if len(rows) < 2:
        return ReportOutput((), "it printed no rows", sha256(b"no rows").hexdigest())
    return ReportOutput(rows, "", sha256(json.dumps(rows).encode()).hexdigest())


def failed_output(error: Exception) -> ReportOutput:
    """Return the output of a report that raised this."""
    what = "a number was expected" if isinstance(error, InvalidOperation) else str(error)
    text = f"{type(error).__name__}: {what}".splitlines()[0][:LONGEST_ERROR]
    return ReportOutput((), text, sha256(b"raised").hexdigest())


def table_reader(tables: Tables, broken: Mapping[str, str]) -> Read:
    """Return a `read` over tables in memory, which raises ValueError for a broken table.

    broken: file -> why it is broken.
    """

    def read(name: str) -> Sequence[Row]:
        if name in broken:
            raise ValueError(broken[name])
        return tables[name]

    return read


class _TrackedRow(dict[str, str]):
    """A row that notes which of its columns are read, as (file, column)."""

    def __init__(self, row: Row, file: str, columns: set[tuple[str, str]]) -> None:
        super().__init__(row)
        self._file, self._columns = file, columns

    def _note(self, column: str) -> None:
        self._columns.add((self._file, column))

    def _note_all(self) -> None:
        for column in super().__iter__():
            self._note(column)

    def __getitem__(self, column: str) -> str:
        self._note(column)
        return super().__getitem__(column)

    def get(self, column: str, default: Any = None) -> Any:
        self._note(column)
        return super().get(column, default)

    def __iter__(self) -> Iterator[str]:
        self._note_all()
        return super().__iter__()

    def items(self) -> Any:
        self._note_all()
        return super().items()

    def values(self) -> Any:
        self._note_all()
        return super().values()


def track_reads(tables: Tables) -> tuple[Read, set[str], set[tuple[str, str]]]:
    """Return a `read` over `tables`, and two sets that it fills: files, and (file, column) pairs."""
    files: set[str] = set()
    columns: set[tuple[str, str]] = set()

    def read(name: str) -> Sequence[Row]:
        files.add(name)
        return [_TrackedRow(row, name, columns) for row in tables[name]]

    return read, files, columns


def differing_cells(
    yours: ReportOutput, right: ReportOutput
) -> Iterator[tuple[str, str, str | None, str | None]]:
    """Yield (row, column, yours, right) for each cell that differs; None where there is no such cell."""
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


def count_fixed_and_spoiled(
    before: ReportOutput, yours: ReportOutput, right: ReportOutput
) -> tuple[int, int]:
    """Return how many wrong cells of `before` are right in `yours`, and how many right ones are wrong."""
    if yours.digest == before.digest:
        return 0, 0
    width = len(right.rows[0])
    old, have, want = before.by_key, yours.by_key, right.by_key
    fixed = spoiled = 0
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
                fixed += good
    return fixed, spoiled


def count_wrong(before: ReportOutput, right: ReportOutput) -> int:
    """Return how many cells of `before` are wrong."""
    return count_fixed_and_spoiled(before, right, right)[0]
