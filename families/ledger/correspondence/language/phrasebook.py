"""The phrases of the mails, kept in text files beside this module: one pattern a line, under headings.

A heading is a line like `== sequence do`; what follows it on the line after a dash says what its
phrases mean. A line that starts with `#` is a note.
"""

from functools import cache
from importlib.resources import files
from typing import NamedTuple

BOOKS = ("orders", "requests", "followups", "reports", "chat", "manners", "names")


class Section(NamedTuple):
    """The patterns under one heading, and their one meaning."""

    book: str
    name: str
    meaning: str
    patterns: tuple[str, ...]


@cache
def sections() -> dict[str, Section]:
    """Return all sections by name, in the order of the books."""
    found: dict[str, Section] = {}
    for book in BOOKS:
        text = files(__package__).joinpath(f"{book}.txt").read_text(encoding="utf-8")
        for block in ("\n" + text).split("\n== ")[1:]:
            heading, *lines = block.split("\n")
            name, _, meaning = heading.partition(" - ")
            patterns = tuple(line for line in lines if line and not line.startswith("#"))
            if name in found:
                raise ValueError(f"the phrase books have two sections {name!r}")
            found[name] = Section(book, name, meaning, patterns)
    return found


def patterns(name: str) -> tuple[str, ...]:
    """Return the patterns of a section."""
    return sections()[name].patterns
