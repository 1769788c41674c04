"""Pass rates of repeated trials, with intervals that are valid for few cases and few trials.

A case is a pair (passes, trials). Rates and intervals are from 0 to 1; all intervals are two-sided
at 95%. Statistics of a suite leave out cases without a trial and give every other case the same
weight, however many trials it has.

Symbols in the docstrings:

    C        number of cases with a trial
    c, n     passes and trials of a case
    r = c/n  pass rate of a case
    m        mean of the C rates
    z, t     97.5% quantiles: of the normal distribution, of Student's t with C-1 degrees of freedom

Both intervals of a mean rate are Wilson's at an effective number of trials m(1-m) / V, where V is
a variance of m: that many independent trials at the rate m vary as much as m does. Korn and
Graubard 1998 do so for clustered surveys, with the exact interval instead of Wilson's. The two
intervals differ in V. tests/benchmarks/interval_coverage.py measures how often they contain the truth.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import comb, fsum, sqrt
from typing import TypeAlias

from trapcli.calibration.stats.quantiles import NORMAL_975, student_975

Counts: TypeAlias = tuple[int, int]  # passes, trials
Cases: TypeAlias = Sequence[Counts]

# Weight, in trials, of the worst case in `interval_on_new_cases`: that each case always passes or
# always fails. The spread between cases is unknown while few trials fail (or few pass). This is
# the least weight at which the interval covers 95% for suites where nearly every trial passes or
# nearly every trial fails, as found by simulation (tests/benchmarks/interval_coverage.py).
PRIOR = 0.25


@dataclass(frozen=True, slots=True)
class Interval:
    """A closed interval of rates (0 to 1) or of differences of rates (-1 to 1)."""

    low: float
    high: float


def wilson(passes: int, trials: int) -> Interval:
    """Return the 95% interval of the rate behind `passes` of at least one independent trial (Wilson 1927)."""
    (rate,) = _rates([_require_counts((passes, trials))])
    return wilson_at(rate, trials)


def wilson_at(rate: float, trials: float) -> Interval:
    """Return Wilson's 95% interval for an observed rate.

    trials: more than 0; not necessarily a whole number.

    (r + s/2 -+ sqrt(s (r(1-r) + s/4))) / (1 + s), where s = z^2 / trials.
    """
    if not 0 <= rate <= 1 or trials <= 0:
        raise ValueError(f"a rate of {rate} in {trials} trials has no interval")
    share = NORMAL_975 * NORMAL_975 / trials
    middle = (rate + share / 2) / (1 + share)
    half = sqrt(share * (rate * (1 - rate) + share / 4)) / (1 + share)
    # These bounds are exact; rounding could miss them.
    low = 0.0 if rate == 0 else max(0.0, middle - half)
    high = 1.0 if rate == 1 else min(1.0, middle + half)
    return Interval(low, high)


def cases_with_trials(cases: Cases) -> list[Counts]:
    """Return the cases that have a trial; ValueError for impossible counts."""
    return [_require_counts(case) for case in cases if case != (0, 0)]


def mean_rate(cases: Cases) -> float | None:
    """Return m, the mean of the rates of the cases with a trial; None if there are none."""
    known = cases_with_trials(cases)
    return mean_of_rates(known) if known else None


def mean_of_rates(known: Cases) -> float:
    """Return m for at least one case, all with a trial."""
    return _mean(_rates(known))


def clustered_standard_error(cases: Cases) -> float | None:
    """Return the standard error of m with cases as clusters; None for fewer than two cases.

    sqrt(sum of (r - m)^2 / (C(C-1))) (Miller 2024, "Adding error bars to evals"), but not less
    than trial noise alone explains: cases may have the same rate by chance. So it is 0 only at
    m = 0 and m = 1.
    """
    known = cases_with_trials(cases)
    return sqrt(max(_variance_between(known), _variance_within(known))) if len(known) > 1 else None


def interval_on_new_cases(cases: Cases) -> Interval | None:
    """Return the interval of the mean rate over all cases that this build could generate.

    None for fewer than two cases. It is never narrower than `interval_on_these_cases`.

    Wilson's interval at the smaller of `effective_trials` and (z/t)^2 m(1-m) / V, where

        V  = (k B + PRIOR W) / (k + PRIOR)
        B  = sum of (r - m)^2 / (C(C-1)), the variance of m with cases as clusters
        W  = m(1-m) / (C-1), the largest possible B: each case always passes or always fails
        k  = number of trials with the rarer outcome (passes or failures)

    (z/t)^2 is Korn and Graubard's 1998 correction for few clusters. A run without any failure does
    not show whether failures cluster: V = W, and it counts as C-1 trials. The more failures are
    seen without spread between cases, the more trials it counts as.
    """
    known = cases_with_trials(cases)
    if len(known) < 2:
        return None
    return wilson_at(mean_of_rates(known), min(_effective_trials_between(known), effective_trials(known)))


def interval_on_these_cases(cases: Cases) -> Interval | None:
    """Return the interval of the mean of these cases' own rates; None for fewer than two cases.

    Only trial noise counts: Wilson's interval at `effective_trials`. These may be more than the
    actual trials, since cases that always pass or always fail have no noise.
    """
    known = cases_with_trials(cases)
    if len(known) < 2:
        return None
    return wilson_at(mean_of_rates(known), effective_trials(known))


def effective_trials(cases: Cases) -> float:
    """Return how many independent trials at one rate vary as much as m does by trial noise.

    cases: at least one must have a trial.

    m(1-m) / (V + h), where

        V  = sum of r(1-r) / (n-1) / C^2, the variance of m within cases, unbiased
        h  = (sum of 1/n^2 over cases with n > 1) / (2 C^3), a continuity correction

    V moves in steps, as a count does: one failure in a case of n adds 1/n^2 / C^2. h is half the
    mean step.
    With one case, and at m = 0 and m = 1, it is C^2 / (sum of 1/n): the actual number of trials,
    except that a case has no more weight for having more trials.
    """
    known = cases_with_trials(cases)
    rate = mean_of_rates(known)
    if len(known) == 1 or rate in (0, 1):
        return len(known) ** 2 / fsum(1 / trials for _, trials in known)
    half_a_step = fsum(1 / trials**2 for _, trials in known if trials > 1) / len(known) ** 3 / 2
    return rate * (1 - rate) / (_variance_within(known) + half_a_step)


def clustered_t_interval(cases: Cases) -> Interval | None:
    """Return the usual interval m -+ t * (clustered error), clipped; None for fewer than two cases.

    Only for comparison: it may have no width, and near 0 and 1 it covers the truth too rarely.
    """
    known = cases_with_trials(cases)
    if len(known) < 2:
        return None
    rate = mean_of_rates(known)
    half = student_975(len(known) - 1) * sqrt(_variance_between(known))
    return Interval(max(0.0, rate - half), min(1.0, rate + half))


def pass_at_k(passes: int, trials: int, k: int) -> float | None:
    """Return pass@k, the unbiased probability that any of k trials passes; None if n < k.

    1 - C(n-c, k) / C(n, k), the share of all sets of k trials that contain a pass (Chen et al.
    2021, "Evaluating large language models trained on code").
    """
    _require_counts((passes, trials), k)
    return None if k > trials else 1 - comb(trials - passes, k) / comb(trials, k)


def pass_hat_k(passes: int, trials: int, k: int) -> float | None:
    """Return pass^k, the unbiased probability that all of k trials pass; None if n < k.

    C(c, k) / C(n, k), the share of all sets of k trials that contain only passes (Yao et al. 2024,
    "tau-bench"). The plug-in (c/n)^k is biased upward.
    """
    _require_counts((passes, trials), k)
    return None if k > trials else comb(passes, k) / comb(trials, k)


def mean_pass_at_k(cases: Cases, k: int) -> float | None:
    """Return the mean of pass@k over the cases with a trial; None if one has fewer than k trials."""
    return _mean_over(pass_at_k, cases, k)


def mean_pass_hat_k(cases: Cases, k: int) -> float | None:
    """Return the mean of pass^k over the cases with a trial; None if one has fewer than k trials."""
    return _mean_over(pass_hat_k, cases, k)


def _mean_over(estimate: Callable[[int, int, int], float | None], cases: Cases, k: int) -> float | None:
    known = cases_with_trials(cases)
    values = [estimate(passes, trials, k) for passes, trials in known]
    given = [value for value in values if value is not None]
    return _mean(given) if given and len(given) == len(known) else None


def _effective_trials_between(known: Cases) -> float:
    """Return (z/t)^2 m(1-m) / V of `interval_on_new_cases`; at m = 0 and m = 1 its limit."""
    cases = len(known)
    passes, trials = sum(p for p, _ in known), sum(n for _, n in known)
    rate = mean_of_rates(known)
    few_clusters = (NORMAL_975 / student_975(cases - 1)) ** 2
    if rate in (0, 1):
        return (cases - 1) * few_clusters
    rarer = min(passes, trials - passes)
    largest = rate * (1 - rate) / (cases - 1)
    return (
        few_clusters
        * rate
        * (1 - rate)
        * (rarer + PRIOR)
        / (rarer * _variance_between(known) + PRIOR * largest)
    )


def _variance_between(known: Cases) -> float:
    """Return the variance of m with cases as clusters, for at least two cases."""
    rates = _rates(known)
    mean = _mean(rates)
    return fsum((rate - mean) ** 2 for rate in rates) / (len(rates) * (len(rates) - 1))


def _variance_within(known: Cases) -> float:
    """Return the variance of m from trial noise alone; unbiased if every case has two trials.

    A single trial does not show the noise of its case. Each case with one trial gets m(1-m), which
    is more than such cases have on average (r(1-r) is concave). Together they get at least 1/4, the
    most that one case can have.
    """
    single = sum(trials == 1 for _, trials in known)
    more = [(passes / trials, trials) for passes, trials in known if trials > 1]
    total = fsum(rate * (1 - rate) / (trials - 1) for rate, trials in more)
    if single:
        rate = mean_of_rates(known)
        total += max(single * rate * (1 - rate), 1 / 4)
    return total / len(known) ** 2


def _rates(known: Cases) -> list[float]:
    return [passes / trials for passes, trials in known]


def _mean(values: Sequence[float]) -> float:
    return fsum(values) / len(values)


def _require_counts(case: Counts, k: int = 1) -> Counts:
    passes, trials = case
    if not 0 <= passes <= trials or trials < 1:
        raise ValueError(f"{passes} passes of {trials} trials have no rate")
    if k < 1:
        raise ValueError(f"k must be at least 1, not {k}")
    return case
