"""Quantiles of the normal distribution, of Student's t, and of measured values."""

from collections.abc import Sequence
from functools import lru_cache
from math import cos, floor, pi, sin, sqrt, tan

NORMAL_975 = 1.9599639845400545  # for two-sided 95% intervals and two-sided tests at 5%
NORMAL_80 = 0.8416212335729143  # for 80% power


def quantile(values: Sequence[float], q: float) -> float | None:
    """Return the q-quantile of the values, in their unit; None if there are no values.

    It is linear between the two nearest ranks: definition 7 of Hyndman and Fan 1996, which is
    numpy's default, and `statistics.median` for q = 0.5.
    """
    if not 0 <= q <= 1:
        raise ValueError(f"q must be from 0 to 1, not {q}")
    if not values:
        return None
    ordered = sorted(values)
    rank = q * (len(ordered) - 1)
    below = floor(rank)
    above = min(below + 1, len(ordered) - 1)
    low, high = ordered[below], ordered[above]
    return min(high, low + (rank - below) * (high - low))


@lru_cache(maxsize=256)
def student_975(freedom: int) -> float:
    """Return the 97.5% quantile of Student's t distribution.

    freedom: degrees of freedom, at least 1.

    Bisects the angle a in t = sqrt(freedom) * tan(a) until it no longer changes.
    """
    if freedom < 1:
        raise ValueError(f"a t distribution needs at least 1 degree of freedom, not {freedom}")
    low, high = 0.0, pi / 2
    while low < (middle := (low + high) / 2) < high:
        if _probability_within(middle, freedom) < 0.95:
            low = middle
        else:
            high = middle
    return sqrt(freedom) * tan(low)


def _probability_within(angle: float, freedom: int) -> float:
    """Return P(|t| < sqrt(freedom) * tan(angle)) by the series 26.7.3-4 of Abramowitz and Stegun 1964."""
    square = cos(angle) ** 2
    odd = freedom % 2
    term = cos(angle) if odd else 1.0
    total = 0.0
    for i in range(freedom // 2):
        total += term
        term *= square * (2 * i + 1 + odd) / (2 * i + 2 + odd)
    return 2 / pi * (angle + sin(angle) * total) if odd else sin(angle) * total
