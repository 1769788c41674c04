"""The phrase books, in which the list of all sentence patterns of the mails is kept, read as data."""

from functools import cache
from importlib.resources import files

PLACE = ("correspondence", "language")
BOOKS = ("orders", "requests", "followups", "reports", "chat", "manners", "names")


@cache
def sections() -> dict[str, tuple[str, ...]]:
    """Return heading -> its patterns, of all books."""
    found: dict[str, list[str]] = {}
    for book in BOOKS:
        text = files("families.ledger").joinpath(*PLACE, f"{book}.txt").read_text(encoding="utf-8")
        heading = ""
        for line in text.splitlines():
            if line.startswith("== "):
                heading = line[3:].partition(" - ")[0]
                found[heading] = []
            elif line and not line.startswith("#"):
                found[heading].append(line)
    return {name: tuple(patterns) for name, patterns in found.items()}


def named(start: str) -> dict[str, tuple[str, ...]]:
    """Return the sections whose names begin with this."""
    return {name: patterns for name, patterns in sections().items() if name.startswith(start)}
