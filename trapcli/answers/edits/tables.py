"""Tables with kinds of columns: how a value is written in a cell, and when two cells are equal.

Kinds: `id` and `text` (by their characters), `date` (likewise), `money`, `number`
and `integer` (by their value, however it is spelled).
"""

import csv
import io
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from operator import itemgetter
from typing import Any

from trapcli.core.money import number

Row = dict[str, str]
Tables = Mapping[str, Sequence[Row]]  # file name -> rows

NUMERIC = frozenset({"money", "number", "integer"})
KINDS = NUMERIC | {"id", "text", "date"}
LARGEST_EXPONENT = 40
LONGEST_NUMBER = 100  # characters; converting a longer one takes time that nobody bounds
_GROUPED = re.compile(r"([+-]?)\$?([+-]?)(\d{1,3}(?:,\d{3})+|\d+)(\.\d*)?")
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Table:
    """A CSV file of a case: its name, its columns in order with their kinds, its key.

    The key is a column, or several whose cells together tell the rows apart.
    """

    name: str
    columns: Mapping[str, str]
    key: str | tuple[str, ...]

    def __post_init__(self) -> None:
        unknown = set(self.columns.values()) - KINDS
        if unknown or not self.keys or not set(self.keys) <= self.columns.keys():
            raise ValueError(f"{self.name}: unknown kinds {unknown} or no column {self.key!r}")

    @property
    def keys(self) -> tuple[str, ...]:
        """The columns of the key."""
        return (self.key,) if isinstance(self.key, str) else self.key

    @property
    def key_of(self) -> Callable[[Row], Any]:
        """What gives a row's key: its cell, or a tuple of its cells if the key has several columns."""
        return itemgetter(*self.keys)

    def match(self, row: Row) -> Row:
        """What an edit matches to hit this row and no other."""
        return {column: row[column] for column in self.keys}


def schema(*tables: Table) -> dict[str, Table]:
    """The tables by file name, in the order given."""
    return {table.name: table for table in tables}


def value_of(kind: str, cell: str) -> Decimal | str:
    """What a cell means: a number where its kind and its text say so, else its text."""
    if kind in NUMERIC:
        value = number(cell) if len(cell) <= LONGEST_NUMBER else None
        if value is not None and abs(value.adjusted()) <= LARGEST_EXPONENT:
            return value
    return cell


def same(kind: str, one: str, other: str) -> bool:
    """Whether two cells of a column of this kind hold the same value."""
    return one == other or (kind in NUMERIC and value_of(kind, one) == value_of(kind, other))


def cell(kind: str, value: Any) -> str | None:
    """A JSON scalar as the text of a cell of this kind; None for an array or an object.

    null and "" are the empty cell. Outer white space is dropped; so are control
    characters other than tab and newline. A number is spelled plainly, however it
    was given (148, "148.0", 1.48e2; money also "$1,148.00"); text where a number
    belongs stays as it is, for the reports to refuse.
    """
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | Decimal):
        return f"{value:f}" if isinstance(value, Decimal) else str(value)
    if not isinstance(value, str):
        return None
    text = _CONTROLS.sub("", value.replace("\r\n", "\n").replace("\r", "\n")).strip()
    if kind not in NUMERIC or not text:
        return text
    if kind == "money" and (grouped := _GROUPED.fullmatch(text)):
        before, after, whole, rest = grouped.groups()
        if not (before and after):
            text = f"{before or after}{whole.replace(',', '')}{rest or ''}"
    plain = value_of(kind, text)
    return f"{plain:f}" if isinstance(plain, Decimal) else text


def read_table(table: Table, text: str) -> list[Row]:
    """The rows of a CSV text; ValueError if its header is not the table's columns."""
    reader = csv.DictReader(io.StringIO(text, newline=""), strict=True)
    if reader.fieldnames != list(table.columns):
        raise ValueError(f"{table.name}: the header is {reader.fieldnames}, not {list(table.columns)}")
    rows = list(reader)
    for line, row in enumerate(rows, 2):
        if None in row or None in row.values():
            raise ValueError(f"{table.name}: row {line} has not {len(table.columns)} cells")
    return rows


def write_rows(rows: Iterable[Sequence[str]]) -> str:
    """CSV text with "\\n" at line ends, as the report scripts print it."""
    out = io.StringIO(newline="")
    csv.writer(out, lineterminator="\n").writerows(rows)
    return out.getvalue()


def write_table(table: Table, rows: Iterable[Row]) -> str:
    """The table as CSV text, header first."""
    return write_rows([list(table.columns), *([row[column] for column in table.columns] for row in rows)])
