"""The persons at the correspondents' who write, and others who are spoken of."""

from families.ledger.correspondence.language.phrasebook import patterns
from trapcli.core.draw import Draw

EACH = 3  # persons at a customer's; the word of the last may stop counting


def all_names() -> list[str]:
    """Return every full name that a person may have."""
    firsts, lasts = (" ".join(patterns(part)).split() for part in ("first names", "last names"))
    return [f"{first} {last}" for first in firsts for last in lasts]


def draw_people(draw: Draw, customers: int) -> list[tuple[str, ...]]:
    """Return the names of the persons at each customer's; no full name occurs twice."""
    names = all_names()
    if customers * EACH > len(names) // 2:
        raise ValueError(f"there are names for {len(names) // EACH // 2} correspondents, not for {customers}")
    chosen = draw.sample(names, customers * EACH)
    return [tuple(chosen[at : at + EACH]) for at in range(0, len(chosen), EACH)]
