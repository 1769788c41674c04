"""A recipe: everything that determines the bytes of a suite."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

MOST_CASES = 100_000  # in one suite
PRACTICE_BITS = 64  # anyone can try all shorter seeds, so they keep no secret


@dataclass(frozen=True, slots=True)
class Recipe:
    """What a suite is built from; the same recipe gives the same bytes on any machine.

    family, version: the family's name and version.
    seed: decimal digits.
    knobs: every knob's value by name, or the range ("6-7") that each case's value is drawn from.
    count: how many cases.
    """

    family: str
    version: str
    seed: str
    knobs: Mapping[str, Any]
    count: int

    @property
    def practice(self) -> bool:
        """Whether anyone who has the family can rebuild the answers, because the seed can be guessed."""
        return is_practice(self.seed)


def is_practice(seed: str) -> bool:
    """Whether a seed (decimal digits) is short enough to be guessed."""
    return int(seed).bit_length() < PRACTICE_BITS
