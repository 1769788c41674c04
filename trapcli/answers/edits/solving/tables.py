"""The tables of a case, read from its files."""

import csv
import io
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import TypeVar

T = TypeVar("T")
Row = Mapping[str, str]


class Unclear(Exception):
    """The ticket and the tables do not decide the answer."""


# A build solves a case without a mistake and with each one in turn. The key is the text itself, so a
# result always belongs to the given files. No case has more than seven tables that matter.
@lru_cache(maxsize=7)
def rows(text: str) -> tuple[Row, ...]:
    """Return the rows of a CSV text with a header; ValueError if a row is too short or too long.

    The rows are shared between calls and must not be changed.
    """
    header, *lines = csv.reader(io.StringIO(text, newline=""))
    return tuple(dict(zip(header, line, strict=True)) for line in lines)


def rows_by_key(text: str) -> dict[str, Row]:
    """Return the rows of a CSV text by their first cell."""
    return {next(iter(row.values())): row for row in rows(text)}


def first_of(found: Iterable[T]) -> T:
    """Return the first item; Unclear if there is none."""
    for item in found:
        return item
    raise Unclear("nothing in the tables fits what the ticket names")
