"""Tables with typed columns: how a value is written in a cell, and when two cells are equal.

Column types: `id`, `text` and `date` are compared by their characters; `money`, `number` and
`integer` by their value, however it is spelled.
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
from trapcli.core.shorten import quoted

Row = dict[str, str]
Tables = Mapping[str, Sequence[Row]]  # file name -> rows

NUMERIC = frozenset({"money", "number", "integer"})
COLUMN_TYPES = NUMERIC | {"id", "text", "date"}
LARGEST_EXPONENT = 40
LONGEST_CELL = 200  # characters; an update may put a cell into thousands of rows, and reports print them
LONGEST_NUMBER = 100  # characters; converting text to a number takes more than linear time
_DOLLARS = r"(?:(?:US)?\$|USD)"
_MONEY = re.compile(
    rf"([+-]?)(?:{_DOLLARS} ?)?([+-]?)([0-9]{{1,3}}(?:,[0-9]{{3}})+|[0-9]+)(\.[0-9]*)?(?: ?{_DOLLARS})?",
    re.IGNORECASE,
)
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Table:
    """A CSV file of a case.

    name: the file's name.
    columns: column name -> column type, in order.
    key: the column that identifies a row, or several columns that do so together.
    """

    name: str
    columns: Mapping[str, str]
    key: str | tuple[str, ...]

    def __post_init__(self) -> None:
        unknown = sorted(set(self.columns.values()) - COLUMN_TYPES)
        if unknown:
            raise ValueError(f"{self.name}: unknown column types: {', '.join(unknown)}")
        if not self.keys or not set(self.keys) <= self.columns.keys():
            raise ValueError(f"{self.name}: no column {self.key!r} for the key")

    @property
    def keys(self) -> tuple[str, ...]:
        """The columns of the key."""
        return (self.key,) if isinstance(self.key, str) else self.key

    @property
    def key_of(self) -> Callable[[Row], Any]:
        """A function from a row to its key: one cell, or a tuple of cells if the key has several columns."""
        return itemgetter(*self.keys)

    def match(self, row: Row) -> Row:
        """Return the `match` of an edit that hits this row and no other."""
        return {column: row[column] for column in self.keys}


def schema(*tables: Table) -> dict[str, Table]:
    """Return the tables by file name, in the given order."""
    return {table.name: table for table in tables}


def value_of(column_type: str, cell: str) -> Decimal | str:
    """Return what a cell means: a number if its column is numeric and its text spells one, else its text."""
    if column_type in NUMERIC:
        value = number(cell) if len(cell) <= LONGEST_NUMBER else None
        if value is not None and abs(value.adjusted()) <= LARGEST_EXPONENT:
            return value
    return cell


def same(column_type: str, one: str, other: str) -> bool:
    """Whether two cells of a column of this type hold the same value."""
    if one == other:
        return True
    return column_type in NUMERIC and value_of(column_type, one) == value_of(column_type, other)


class Unusable(ValueError):
    """A value that no cell of a column can hold; the message says why."""


def cell(column_type: str, value: Any) -> str:
    """Return a JSON value as the text of a cell; Unusable if the column cannot hold it.

    null and "" are the empty cell. White space around a value is dropped, and so are control
    characters other than tab and newline. A number is spelled plainly, however it was given (148,
    "148.0", 1.48e2; money also "$1,148.00" and "1148 USD").
    """
    if value is None:
        return ""
    if isinstance(value, dict | list):
        raise Unusable("its value is not a scalar")
    text = (
        value
        if isinstance(value, str)
        else f"{value:f}"
        if isinstance(value, Decimal)
        else str(value).lower()
    )
    if not text.isprintable():
        text = _CONTROLS.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))
    text = text.strip()
    if len(text) > LONGEST_CELL:
        raise Unusable(f"its value has more than {LONGEST_CELL} characters")
    if column_type not in NUMERIC or not text:
        return text
    if column_type == "money" and (money := _MONEY.fullmatch(text)):
        before, after, whole, rest = money.groups()
        if not (before and after):
            text = f"{before or after}{whole.replace(',', '')}{rest or ''}"
    plain = value_of(column_type, text)
    if isinstance(plain, str):
        raise Unusable(f"{quoted(text)} is not a number")
    return f"{plain:f}"


def read_table(table: Table, text: str) -> list[Row]:
    """Return the rows of a CSV text; ValueError if its header or the length of a row is wrong."""
    reader = csv.DictReader(io.StringIO(text, newline=""), strict=True)
    if reader.fieldnames != list(table.columns):
        raise ValueError(f"{table.name}: the header is {reader.fieldnames}, not {list(table.columns)}")
    rows = list(reader)
    for line, row in enumerate(rows, 2):
        if None in row or None in row.values():
            raise ValueError(f"{table.name}: row {line} does not have {len(table.columns)} cells")
    return rows


def write_rows(rows: Iterable[Sequence[str]]) -> str:
    """Return the rows as CSV text with "\\n" line endings, as the report scripts print it."""
    out = io.StringIO(newline="")
    csv.writer(out, lineterminator="\n").writerows(rows)
    return out.getvalue()


def write_table(table: Table, rows: Iterable[Row]) -> str:
    """Return the table as CSV text, header first."""
    return write_rows([list(table.columns), *([row[column] for column in table.columns] for row in rows)])
