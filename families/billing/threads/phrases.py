"""The phrase books of the threads."""

from trapcli.wording.phrasebook import Section, read_books

BOOKS = ("orders", "references", "followups", "chat", "manners")


def sections() -> dict[str, Section]:
    """Return all sections by name."""
    return read_books("families.billing.threads.language", BOOKS)


def patterns(name: str) -> tuple[str, ...]:
    """Return the patterns of a section."""
    return sections()[name].patterns
