"""The difference of two runs on the same cases: intervals, a test, and what could have been detected.

Cases are counted as in `trapcli.calibration.stats.rates` and paired by position. Symbols as there;
a and b are a case's rates in run A and in run B.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, fsum, lcm, sqrt
from typing import TypeAlias

from trapcli.calibration.stats.quantiles import NORMAL_80, NORMAL_975, student_975
from trapcli.calibration.stats.rates import (
    Cases,
    Counts,
    Interval,
    cases_with_trials,
    effective_trials,
    mean_of_rates,
    wilson_at,
)
from trapcli.core.draw import Draw

Pairs: TypeAlias = Sequence[tuple[Counts, Counts]]  # a case's counts in run A and in run B

MAX_SUMS = 50_000  # distinct sums of signed differences that are still enumerated
DRAWS = 20_000  # random sign vectors if there are more sums

# Weight, in trials, of unrelated runs in `difference_on_new_cases`. How much differences vary
# between cases is unknown while few trials differ. This is the least weight at which the interval
# covers 90% where only an occasional case changes, as found by simulation
# (tests/benchmarks/interval_coverage.py).
PRIOR = 1.0


@dataclass(frozen=True, slots=True)
class Comparison:
    """Run B against run A, on the cases with trials in both.

    cases: number of these cases.
    rate_a, rate_b: mean rates.
    difference: rate_b - rate_a.
    on_these_cases: interval of the difference; trial noise only.
    on_new_cases: its interval over all cases that the build could generate; None for one case.
    p: p-value of the sign-flip test on the differences of the cases.
    smallest_p: the p-value if every case differed in the same direction; the least possible one.
    exact: whether p was enumerated, not drawn.
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
    def significant_on_these_cases(self) -> bool:
        """Whether the difference exceeds trial noise: its interval on these cases excludes 0."""
        return not self.on_these_cases.low <= 0 <= self.on_these_cases.high


def compare(pairs: Pairs) -> Comparison | None:
    """Return the comparison of two runs, paired by case; None if no case has trials in both."""
    both = _pairs_with_trials(pairs)
    if not both:
        return None
    first, second = [a for a, _ in both], [b for _, b in both]
    rate_a, rate_b = mean_of_rates(first), mean_of_rates(second)
    p, exact = sign_flip_test(both)
    smallest = 2.0 ** (1 - len(both))
    return Comparison(
        cases=len(both),
        rate_a=rate_a,
        rate_b=rate_b,
        difference=rate_b - rate_a,
        on_these_cases=difference_on_these_cases(first, second),
        on_new_cases=difference_on_new_cases(first, second) if len(both) > 1 else None,
        p=p,
        smallest_p=smallest if exact else max(smallest, 1 / (DRAWS + 1)),
        exact=exact,
    )


def difference_on_these_cases(first: Cases, second: Cases) -> Interval:
    """Return the interval of the difference of mean rates on these cases; trial noise only.

    Newcombe 1998, method 10 (square-and-add of Wilson intervals), without a correlation: the noise
    of two runs is independent. Each bound is as far from the difference as

        sqrt((distance of one Wilson bound from b)^2 + (distance of the other from a)^2)

    Wilson's bounds are taken at each run's `effective_trials`.
    """
    a, b = mean_of_rates(first), mean_of_rates(second)
    around_a, around_b = (wilson_at(rate, effective_trials(run)) for rate, run in ((a, first), (b, second)))
    down = sqrt((b - around_b.low) ** 2 + (around_a.high - a) ** 2)
    up = sqrt((around_b.high - b) ** 2 + (a - around_a.low) ** 2)
    return _clip(b - a - down, b - a + up)


def difference_on_new_cases(first: Cases, second: Cases) -> Interval:
    """Return the interval of the difference of mean rates over all cases that the build could generate.

    first, second: at least two cases, all with a trial.

    The paired t interval D -+ t sqrt(V) (Miller 2024), extended where `difference_on_these_cases`
    reaches further, with

        d  = b - a, the difference of a case; D is the mean of the C differences
        V  = (k S + PRIOR U) / (k + PRIOR)
        S  = sum of (d - D)^2 / (C(C-1)), the variance of D
        U  = 2 p (1-p) / (C-1), what S would be for unrelated runs of cases that always pass or
             always fail
        p  = (sum of all 2C rates + 1) / (2C + 2), the common rate; a pass and a failure are added
             so that U > 0
        k  = sum of |d| (n_a + n_b) / 2, the number of trials by which the runs differ
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
    variance = (differing * spread + PRIOR * unrelated) / (differing + PRIOR)
    half = student_975(cases - 1) * sqrt(variance)
    these = difference_on_these_cases(first, second)
    return _clip(min(mean - half, these.low), max(mean + half, these.high))


def _clip(low: float, high: float) -> Interval:
    return Interval(max(-1.0, low), min(1.0, high))


def sign_flip_test(pairs: Pairs) -> tuple[float, bool]:
    """Return the two-sided p-value of the paired permutation test, and whether it is exact.

    Under the null hypothesis each case's difference is as likely to have the opposite sign (strictly
    so if both runs have equally many trials of the case). p is the share of all sign vectors whose
    sum of differences is at least as far from 0 as the observed one (Fisher 1935). Differences are
    integers on a common scale, so that ties are exact.

    The sums are enumerated while at most `MAX_SUMS` are distinct, which is always so with equal
    trials. Otherwise `DRAWS` sign vectors are drawn from a fixed stream, and
    p = (1 + number at least as far) / (1 + DRAWS) (Davison and Hinkley 1997).
    """
    both = _pairs_with_trials(pairs)
    scale = lcm(*(m * n for (_, m), (_, n) in both))
    differences = [(b * m - a * n) * (scale // (m * n)) for (a, m), (b, n) in both]
    observed = abs(sum(differences))
    sizes = sorted(abs(d) for d in differences if d)
    ways = _ways_to_sum(sizes)
    if ways is None:
        return _p_from_draws(sizes, observed), False
    return sum(n for total, n in ways.items() if abs(total) >= observed) / 2 ** len(sizes), True


def _pairs_with_trials(pairs: Pairs) -> list[tuple[Counts, Counts]]:
    return [(a, b) for a, b in pairs if cases_with_trials([a]) and cases_with_trials([b])]


def _ways_to_sum(sizes: Sequence[int]) -> Counter[int] | None:
    """Return in how many ways signs give each sum of the sizes; None for more than `MAX_SUMS` sums."""
    ways = Counter({0: 1})
    for size in sizes:
        more: Counter[int] = Counter()
        for total, n in ways.items():
            more[total + size] += n
            more[total - size] += n
        if len(more) > MAX_SUMS:
            return None
        ways = more
    return ways


def _p_from_draws(sizes: Sequence[int], observed: int) -> float:
    draw = Draw("calibrate/compare/signs")
    far = sum(
        abs(sum(size if draw.chance(0.5) else -size for size in sizes)) >= observed for _ in range(DRAWS)
    )
    return (1 + far) / (1 + DRAWS)


def required_trials(p: float, q: float) -> int | None:
    """Return how many independent trials each of two runs needs to detect the rates p and q as different.

    None if p equals q. Two-sided test at 5%, power 80%:

        ((z sqrt(2 v(mean of p and q)) + z80 sqrt(v(p) + v(q))) / (p - q))^2, where v(x) = x(1-x)

    Fleiss, "Statistical methods for rates and proportions": sample size of two groups, without the
    continuity correction.
    """
    if not (0 <= p <= 1 and 0 <= q <= 1):
        raise ValueError(f"rates must be from 0 to 1, not {p} and {q}")
    return None if p == q else ceil(_required_trials(p, q) - 1e-9)  # a whole number must not round up


def _required_trials(p: float, q: float) -> float:
    mean = (p + q) / 2
    alike = NORMAL_975 * sqrt(2 * mean * (1 - mean))
    apart = NORMAL_80 * sqrt(p * (1 - p) + q * (1 - q))
    return float(((alike + apart) / (p - q)) ** 2)


def minimum_detectable_difference(cases: Cases) -> float | None:
    """Return the least difference in mean rate that a second such run on these cases would detect.

    Two-sided test at 5%, power 80%, trial noise only: the difference from the mean rate m for which
    `required_trials` equals the `effective_trials`, in the direction of 1/2 (the other direction
    needs fewer). More than 0; None if no case has a trial, or if even the largest possible
    difference needs more trials.
    """
    known = cases_with_trials(cases)
    if not known:
        return None
    rate, trials = mean_of_rates(known), effective_trials(known)
    toward = 1 if rate <= 1 / 2 else -1
    low, high = 0.0, max(rate, 1 - rate)
    if _required_trials(rate, rate + toward * high) > trials:
        return None
    while low < (middle := (low + high) / 2) < high:
        if _required_trials(rate, rate + toward * middle) > trials:
            low = middle
        else:
            high = middle
    return high
