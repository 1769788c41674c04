"""Quantiles: of the normal distribution, of Student's t, and of what was measured."""

from collections.abc import Sequence
from functools import lru_cache
from math import cos, floor, pi, sin, sqrt, tan

NORMAL = 1.9599639845400545  # 97.5%: what a two-sided 95% interval and a two-sided test at 5% use
POWER = 0.8416212335729143  # 80%


def quantile(values: Sequence[float], q: float) -> float | None:
    """The q-quantile of the values, in their unit; None if there are none.

    Linear between the two nearest ranks, as numpy has it unless told otherwise and as
    `statistics.median` has it for q = 0.5 (definition 7 of Hyndman and Fan 1996).
    """
    if not 0 <= q <= 1:
        raise ValueError(f"no quantile {q}: from 0 to 1")
    if not values:
        return None
    ordered = sorted(values)
    place = q * (len(ordered) - 1)
    below = floor(place)
    above = min(below + 1, len(ordered) - 1)
    low, high = ordered[below], ordered[above]
    return min(high, low + (place - below) * (high - low))


@lru_cache(maxsize=256)
def student(freedom: int) -> float:
    """The 97.5% quantile of Student's t with so many degrees of freedom, at least 1.

    Halves the range of the angle whose tangent is t / sqrt(freedom) until floats end.
    """
    if freedom < 1:
        raise ValueError(f"no t distribution with {freedom} degrees of freedom")
    low, high = 0.0, pi / 2
    while low < (middle := (low + high) / 2) < high:
        if _within(middle, freedom) < 0.95:
            low = middle
        else:
            high = middle
    return sqrt(freedom) * tan(low)


def _within(angle: float, freedom: int) -> float:
    """The chance of |t| < sqrt(freedom) * tan(angle): the series of Abramowitz and Stegun 1964, 26.7.3-4."""
    square = cos(angle) ** 2
    odd = freedom % 2
    term = cos(angle) if odd else 1.0
    total = 0.0
    for i in range(freedom // 2):
        total += term
        term *= square * (2 * i + 1 + odd) / (2 * i + 2 + odd)
    return 2 / pi * (angle + sin(angle) * total) if odd else sin(angle) * total
