"""Pass rates of repeated trials: the mean of a suite, its error, the interval of one case, pass@k.

A case is a pair (passes, trials). Rates and intervals are from 0 to 1; all intervals are two-sided
at 95%. Statistics of a suite leave out cases without a trial and give every other case the same
weight, however many trials it has.

`trapcli.calibration.stats.intervals` has the intervals of a suite's mean rate.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import comb, fsum, sqrt
from typing import TypeAlias

from trapcli.calibration.stats.quantiles import NORMAL_975, student_975

Counts: TypeAlias = tuple[int, int]  # passes, trials
Cases: TypeAlias = Sequence[Counts]


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
    """Return the standard error of the mean rate m with cases as clusters, more than 0; None if unknown.

    sqrt(sum of (r - m)^2 / (C(C-1))) for C cases of rates r (Miller 2024, "Adding error bars to
    evals"), but not less than trial noise alone explains: cases may have the same rate by chance.
    It is unknown for fewer than two cases, and where every trial passed or every trial failed: no
    spread was seen, which does not mean that there is none.
    """
    known = cases_with_trials(cases)
    if len(known) < 2:
        return None
    variance = max(variance_between(known), fsum(noise_variances(known)) / len(known) ** 2)
    return sqrt(variance) if variance > 0 else None


def clustered_t_interval(cases: Cases) -> Interval | None:
    """Return the usual interval m -+ t * (clustered error), clipped; None for fewer than two cases.

    Only for comparison: it may have no width, and near 0 and 1 it covers the truth too rarely.
    """
    known = cases_with_trials(cases)
    if len(known) < 2:
        return None
    rate = mean_of_rates(known)
    half = student_975(len(known) - 1) * sqrt(variance_between(known))
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


def variance_between(known: Cases) -> float:
    """Return the variance of the mean rate with cases as clusters, for at least two cases."""
    rates = _rates(known)
    mean = _mean(rates)
    return fsum((rate - mean) ** 2 for rate in rates) / (len(rates) * (len(rates) - 1))


def noise_variances(known: Cases) -> list[float]:
    """Return for each case the variance of its rate from trial noise; unbiased for two or more trials.

    r(1-r) / (n-1) for n trials at the rate r. A single trial does not show the noise of its case:
    each case with one trial gets M(1-M), where M is the mean rate of these cases. That is at least
    what they have on average, since r(1-r) is concave.
    """
    singles = [passes for passes, trials in known if trials == 1]
    rate = sum(singles) / len(singles) if singles else 0.0
    return [
        rate * (1 - rate) if trials == 1 else (passes / trials) * (1 - passes / trials) / (trials - 1)
        for passes, trials in known
    ]


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
