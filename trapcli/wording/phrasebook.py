"""Phrase books: patterns of sentences in text files, one a line, under headings.

A heading is a line like `== sequence do`; what follows it on the line after a dash says what its
phrases mean. A line that starts with `#` is a note.
"""

from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import NamedTuple


class Section(NamedTuple):
    """The patterns under one heading, and their one meaning."""

    book: str
    name: str
    meaning: str
    patterns: tuple[str, ...]


@cache
def read_books(package: str, books: Sequence[str]) -> dict[str, Section]:
    """Return all sections by name, in the order of the books.

    package: the package beside whose modules the files stand.
    books: their names, without `.txt`; a tuple.

    Raises ValueError if two sections have one name.
    """
    found: dict[str, Section] = {}
    for book in books:
        text = files(package).joinpath(f"{book}.txt").read_text(encoding="utf-8")
        for block in ("\n" + text).split("\n== ")[1:]:
            heading, *lines = block.split("\n")
            name, _, meaning = heading.partition(" - ")
            patterns = tuple(line for line in lines if line and not line.startswith("#"))
            if name in found:
                raise ValueError(f"the phrase books have two sections {name!r}")
            found[name] = Section(book, name, meaning, patterns)
    return found
