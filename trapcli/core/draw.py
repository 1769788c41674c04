"""Named streams of random choices that are the same on every Python and machine.

Python promises stable sequences only for seeding `random.Random` with a string and
for its `random()` method (see "Notes on Reproducibility" in the library reference);
every choice here is built on those two.
"""

from collections.abc import Sequence
from random import Random
from typing import TypeVar

T = TypeVar("T")


class Draw:
    """Random choices from the stream called `name`; equal names give equal choices."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._random = Random(name).random

    def stream(self, name: str) -> "Draw":
        """Return an independent stream below this one; drawing from it does not affect this one."""
        return Draw(f"{self.name}/{name}")

    def below(self, n: int) -> int:
        """Return a whole number from 0 to n-1."""
        return int(self._random() * n)

    def between(self, low: int, high: int) -> int:
        """Return a whole number from low to high, both included."""
        return low + self.below(high - low + 1)

    def chance(self, p: float) -> bool:
        """Return True with probability `p`."""
        return self._random() < p

    def choice(self, items: Sequence[T]) -> T:
        """Return one of `items`."""
        return items[self.below(len(items))]

    def shuffled(self, items: Sequence[T]) -> list[T]:
        """Return all of `items` in a random order (Fisher and Yates)."""
        out = list(items)
        for i in range(len(out) - 1, 0, -1):
            j = self.below(i + 1)
            out[i], out[j] = out[j], out[i]
        return out

    def sample(self, items: Sequence[T], n: int) -> list[T]:
        """Return `n` of `items` in random order; ValueError if there are fewer."""
        if n > len(items):
            raise ValueError(f"cannot draw {n} of {len(items)}")
        return self.shuffled(items)[:n]
