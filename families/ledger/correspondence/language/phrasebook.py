"""The phrase books of the mails, in the text files beside this module."""

from trapcli.wording.phrasebook import Section, read_books

__all__ = ["Section", "patterns", "sections"]

BOOKS = ("orders", "requests", "followups", "reports", "chat", "manners", "names")


def sections() -> dict[str, Section]:
    """Return all sections by name, in the order of the books."""
    return read_books(str(__package__), BOOKS)


def patterns(name: str) -> tuple[str, ...]:
    """Return the patterns of a section."""
    return sections()[name].patterns
