"""The difference of two runs on the same cases: its intervals, and whether a difference was shown.

Cases are counted as in `trapcli.calibration.stats.rates` and paired by position. Symbols as in
`trapcli.calibration.stats.intervals`; a and b are a case's rates in run A and in run B.
"""

from dataclasses import dataclass
from math import fsum, hypot, sqrt

from trapcli.calibration.stats.intervals import noise_interval
from trapcli.calibration.stats.permutation import (
    Pairs,
    PermutationTest,
    sign_flip_test,
    trial_permutation_test,
)
from trapcli.calibration.stats.quantiles import student_975
from trapcli.calibration.stats.rates import Cases, Interval, cases_with_trials, mean_of_rates

# Weight, in trials, of unrelated runs in `difference_on_new_cases`. How much differences vary
# between cases is unknown while few trials differ. This is the least weight at which the interval
# covers 90% where only an occasional case changes, as found by simulation
# (tests/benchmarks/interval_coverage.py).
PRIOR = 1.0


@dataclass(frozen=True, slots=True)
class Finding:
    """What two runs say about their difference, for these cases or for new ones.

    interval: of the difference.
    test: whose p-value belongs to it.
    """

    interval: Interval
    test: PermutationTest

    @property
    def excludes_zero(self) -> bool:
        """Whether the interval leaves out 0."""
        return not self.interval.low <= 0 <= self.interval.high

    @property
    def shown(self) -> bool:
        """Whether a difference was shown: the one rule. The p-value and the interval must both say so."""
        return self.test.significant and self.excludes_zero


@dataclass(frozen=True, slots=True)
class Comparison:
    """Run B against run A, on the cases with trials in both.

    cases: number of these cases.
    rate_a, rate_b: mean rates.
    difference: rate_b - rate_a.
    on_these_cases: only trial noise counts; p permutes trials.
    on_new_cases: over all cases that the build could generate; p flips the signs of whole cases.
        None for one case.
    """

    cases: int
    rate_a: float
    rate_b: float
    difference: float
    on_these_cases: Finding
    on_new_cases: Finding | None


def compare(pairs: Pairs) -> Comparison | None:
    """Return the comparison of two runs, paired by case; None if no case has trials in both."""
    both = [(a, b) for a, b in pairs if cases_with_trials([a]) and cases_with_trials([b])]
    if not both:
        return None
    first, second = [a for a, _ in both], [b for _, b in both]
    rate_a, rate_b = mean_of_rates(first), mean_of_rates(second)
    these = Finding(difference_on_these_cases(first, second), trial_permutation_test(both))
    new = None
    if len(both) > 1:
        new = Finding(difference_on_new_cases(first, second), sign_flip_test(both))
    return Comparison(len(both), rate_a, rate_b, rate_b - rate_a, these, new)


def difference_on_these_cases(first: Cases, second: Cases) -> Interval:
    """Return the interval of the difference of mean rates on these cases; trial noise only.

    Newcombe 1998, method 10 (square-and-add), without a correlation: the noise of two runs is
    independent. Each bound is as far from the difference as

        sqrt((distance of one bound of b)^2 + (distance of the other bound of a)^2)

    The bounds are those of each run's `noise_interval`.
    """
    a, b = mean_of_rates(first), mean_of_rates(second)
    around_a, around_b = noise_interval(first), noise_interval(second)
    down = hypot(b - around_b.low, around_a.high - a)
    up = hypot(around_b.high - b, a - around_a.low)
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
