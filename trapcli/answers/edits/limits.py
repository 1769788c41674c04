"""How many edits of an answer count: 30, or more where the facts of a case say so."""

from collections.abc import Mapping
from typing import Any

EDITS_READ = 30
MOST_EDITS_READ = 5000  # of any case
READ = "edits read"  # the fact that says how many


def edits_read(facts: Mapping[str, Any]) -> int:
    """Return how many edits of an answer count, by the facts of a case."""
    limit = facts.get(READ, EDITS_READ)
    return limit if isinstance(limit, int) else EDITS_READ
