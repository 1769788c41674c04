"""Two runs on the same cases: the difference, what it may be by chance, what could have been seen.

Cases are counted as in trapcli.calibration.stats.rates, and paired by their place.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, fsum, lcm, sqrt
from typing import TypeAlias

from trapcli.calibration.stats.quantiles import NORMAL, POWER, student
from trapcli.calibration.stats.rates import (
    Cases,
    Counts,
    Interval,
    counted,
    effective_trials,
    mean_of,
    wilson_at,
)
from trapcli.core.draw import Draw

Pairs: TypeAlias = Sequence[tuple[Counts, Counts]]  # a case's counts in run A and in run B

SUMS = 50_000  # different sums of signed differences that are still counted one by one
DRAWS = 20_000  # of signs, when there are more

# As if a trial had shown that two runs have nothing in common: found by simulation as the
# least that lets `difference_on_new_cases` cover 90% where only a case now and then changes.
PRIOR = 1.0


@dataclass(frozen=True, slots=True)
class Comparison:
    """Run B against run A on the cases that have trials in both.

    cases: how many. rate_a, rate_b: mean rates; difference: b minus a, -1 to 1.
    on_these_cases: interval of the difference by trial noise only.
    on_new_cases: the same over all cases that the build could give; None for fewer than two cases.
    p: of the sign-flip test on per-case differences; exact: counted, not drawn.
    smallest_p: what p would be had every case differed, all in one direction: no p is below it.
    """

    cases: int
    rate_a: float
    rate_b: float
    difference: float
    on_these_cases: Interval
    on_new_cases: Interval | None
    p: float
    smallest_p: float
    exact: bool

    @property
    def told_apart(self) -> bool:
        """Whether more than trial noise lies between the runs: their interval on these cases excludes 0."""
        return not self.on_these_cases.low <= 0 <= self.on_these_cases.high


def compare(pairs: Pairs) -> Comparison | None:
    """The comparison of two runs, paired by case; None if no case has trials in both."""
    both = [(a, b) for a, b in pairs if counted([a]) and counted([b])]
    if not both:
        return None
    first, second = [a for a, _ in both], [b for _, b in both]
    rate_a, rate_b = mean_of(first), mean_of(second)
    these = difference_on_these_cases(first, second)
    p, exact = sign_flip(both)
    smallest = 2.0 ** (1 - len(both))
    return Comparison(
        cases=len(both),
        rate_a=rate_a,
        rate_b=rate_b,
        difference=rate_b - rate_a,
        on_these_cases=these,
        on_new_cases=difference_on_new_cases(first, second) if len(both) > 1 else None,
        p=p,
        smallest_p=smallest if exact else max(smallest, 1 / (DRAWS + 1)),
        exact=exact,
    )


def difference_on_these_cases(first: Cases, second: Cases) -> Interval:
    """Where the difference of the runs' mean rates on these cases lies (trial noise only).

    Newcombe 1998 (square and add; method 10 of his comparison of eleven, without correlation, as
    the noise of two runs has none): each bound is as far from the difference as the two Wilson
    bounds concerned are from their rates. Wilson's are taken at each run's `effective_trials`.
    """
    a, b = mean_of(first), mean_of(second)
    around_a, around_b = (wilson_at(rate, effective_trials(run)) for rate, run in ((a, first), (b, second)))
    down = sqrt((b - around_b.low) ** 2 + (around_a.high - a) ** 2)
    up = sqrt((around_b.high - b) ** 2 + (a - around_a.low) ** 2)
    return _clipped(b - a - down, b - a + up)


def difference_on_new_cases(first: Cases, second: Cases) -> Interval:
    """Where the difference of the mean rates lies over all cases of the build, for at least two cases.

    The paired t interval on the cases' differences (Miller 2024), with two changes. The squared
    error is that of the differences and, with the weight of `PRIOR` trials against the trials by
    which the runs differ, the one that unrelated runs of all-or-nothing cases would have at their
    common rate (with a pass and a failure added, so it is never 0). And the interval is not
    narrower, on either side, than the one on these cases.
    """
    cases = len(first)
    sides = list(zip(first, second, strict=True))
    differences = [(b * m - a * n) / (m * n) for (a, m), (b, n) in sides]
    mean = fsum(differences) / cases
    spread = fsum((d - mean) ** 2 for d in differences) / (cases * (cases - 1))
    rates = fsum(passes / trials for run in (first, second) for passes, trials in run)
    common = (rates + 1) / (2 * cases + 2)
    unrelated = 2 * common * (1 - common) / (cases - 1)
    differing = fsum(abs(d) * (m + n) / 2 for d, ((_, m), (_, n)) in zip(differences, sides, strict=True))
    error = (differing * spread + PRIOR * unrelated) / (differing + PRIOR)
    half = student(cases - 1) * sqrt(error)
    these = difference_on_these_cases(first, second)
    return _clipped(min(mean - half, these.low), max(mean + half, these.high))


def _clipped(low: float, high: float) -> Interval:
    return Interval(max(-1.0, low), min(1.0, high))


def sign_flip(pairs: Pairs) -> tuple[float, bool]:
    """The two-sided p of the paired permutation test on per-case differences, and whether it is exact.

    Were the runs alike, each case's difference would as likely have come out the other way round
    (strictly so where both runs have equally many trials of the case). p is the share of all ways to
    put signs to the differences whose sum is at least as far from 0 as the one seen (Fisher 1935).
    Whole numbers on a common scale, so that ties are ties. The sums are counted one by one while
    there are at most `SUMS` different ones, which with equal trials is always; else `DRAWS` ways are
    drawn from a fixed stream, and p is (1 + as far) / (1 + drawn) (Davison and Hinkley 1997).
    """
    both = [(a, b) for a, b in pairs if counted([a]) and counted([b])]
    scale = lcm(*(m * n for (_, m), (_, n) in both))
    differences = [(b * m - a * n) * (scale // (m * n)) for (a, m), (b, n) in both]
    seen = abs(sum(differences))
    sizes = sorted(abs(d) for d in differences if d)
    ways = _signed_sums(sizes)
    if ways is None:
        return _drawn(sizes, seen), False
    return sum(n for total, n in ways.items() if abs(total) >= seen) / 2 ** len(sizes), True


def _signed_sums(sizes: Sequence[int]) -> Counter[int] | None:
    """In how many ways each sum comes out of plus or minus the sizes; None if there are too many sums."""
    ways = Counter({0: 1})
    for size in sizes:
        more: Counter[int] = Counter()
        for total, n in ways.items():
            more[total + size] += n
            more[total - size] += n
        if len(more) > SUMS:
            return None
        ways = more
    return ways


def _drawn(sizes: Sequence[int], seen: int) -> float:
    draw = Draw("calibrate/compare/signs")
    far = sum(abs(sum(size if draw.chance(0.5) else -size for size in sizes)) >= seen for _ in range(DRAWS))
    return (1 + far) / (1 + DRAWS)


def trials_to_tell(p: float, q: float) -> int | None:
    """Independent trials that each of two runs needs to tell the rates p and q apart; None if equal.

    Two-sided at 5%, found four times in five (Fleiss, "Statistical methods for rates and
    proportions", the sample size of two groups without the correction for continuity).
    """
    if not (0 <= p <= 1 and 0 <= q <= 1):
        raise ValueError(f"no rates: {p} and {q}")
    return None if p == q else ceil(_trials_to_tell(p, q) - 1e-9)


def _trials_to_tell(p: float, q: float) -> float:
    mean = (p + q) / 2
    alike = NORMAL * sqrt(2 * mean * (1 - mean))
    apart = POWER * sqrt(p * (1 - p) + q * (1 - q))
    return float(((alike + apart) / (p - q)) ** 2)


def detectable_difference(cases: Cases) -> float | None:
    """The least difference in mean rate that a second such run on these cases would be told apart by.

    Two-sided at 5%, found four times in five, against trial noise only: the difference for which
    `trials_to_tell` is these cases' `effective_trials`, from their mean rate toward 1/2 and beyond
    (away from it less would do). More than 0; None if no case has a trial, or if so few trials would
    not even find the greatest difference there can be.
    """
    known = counted(cases)
    if not known:
        return None
    rate, trials = mean_of(known), effective_trials(known)
    toward = 1 if rate <= 1 / 2 else -1
    low, high = 0.0, max(rate, 1 - rate)
    if _trials_to_tell(rate, rate + toward * high) > trials:
        return None
    while low < (middle := (low + high) / 2) < high:
        if _trials_to_tell(rate, rate + toward * middle) > trials:
            low = middle
        else:
            high = middle
    return high
