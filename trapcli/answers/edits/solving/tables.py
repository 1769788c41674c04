"""The tables of a case, read from its files."""

import csv
import io
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import TypeVar

T = TypeVar("T")
Row = Mapping[str, str]


class Unclear(Exception):
    """What the ticket and the tables say does not lead to one answer."""


# A build solves a case for the truth and for each mistake in turn. Keyed by the texts themselves,
# so what is found always belongs to the files given; no case has more tables that matter.
@lru_cache(maxsize=7)
def rows(text: str) -> tuple[Row, ...]:
    """The rows of a CSV text, header first in it. Shared between calls: not to be changed."""
    header, *lines = csv.reader(io.StringIO(text, newline=""))
    return tuple(dict(zip(header, line, strict=True)) for line in lines)


def keyed(text: str) -> dict[str, Row]:
    """The rows of a CSV text by their first cell."""
    return {next(iter(row.values())): row for row in rows(text)}


def first_fitting(found: Iterable[T]) -> T:
    """The first of what fits; Unclear if nothing does."""
    for item in found:
        return item
    raise Unclear("nothing in the tables fits what the ticket names")
