"""Pass rates of repeated trials, with intervals that hold for few cases and few trials.

A case is counted as (passes, trials). Rates and intervals run from 0 to 1; intervals are two-sided
at 95%. A case without a counted trial is left out of everything that is said about the suite, and
every other one weighs the same, however many trials it has.

Both intervals of a mean rate m are Wilson's, at an effective number of trials: as many
independent trials with the rate m as would scatter as much as this mean does, m(1-m) / SE^2
(Korn and Graubard 1998, who use the exact interval, for clustered surveys). What remains to be said
is what SE is. How often they cover the truth is measured by tests/benchmarks/coverage.py.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import comb, fsum, sqrt
from typing import TypeAlias

from trapcli.calibration.stats.quantiles import NORMAL, student

Counts: TypeAlias = tuple[int, int]  # passes, trials
Cases: TypeAlias = Sequence[Counts]

# As if a quarter of a trial had shown that cases are all or nothing: found by simulation as
# the least that lets `on_new_cases` cover 95% where nearly every trial passes or fails.
PRIOR = 0.25


@dataclass(frozen=True, slots=True)
class Interval:
    """From low to high, both included: rates from 0 to 1, or differences of rates from -1 to 1."""

    low: float
    high: float


def wilson(passes: int, trials: int) -> Interval:
    """The 95% interval of the rate behind so many passes of at least one independent trial (Wilson 1927)."""
    (rate,) = _rates([_checked((passes, trials))])
    return wilson_at(rate, trials)


def wilson_at(rate: float, trials: float) -> Interval:
    """Wilson's 95% interval at a rate seen in a number of trials that need not be whole."""
    if not 0 <= rate <= 1 or trials <= 0:
        raise ValueError(f"no interval for a rate of {rate} in {trials} trials")
    share = NORMAL * NORMAL / trials
    middle = (rate + share / 2) / (1 + share)
    half = sqrt(share * (rate * (1 - rate) + share / 4)) / (1 + share)
    # The bounds are known exactly where rounding may miss them.
    low = 0.0 if rate == 0 else max(0.0, middle - half)
    high = 1.0 if rate == 1 else min(1.0, middle + half)
    return Interval(low, high)


def counted(cases: Cases) -> list[Counts]:
    """The cases that have a trial; ValueError for counts that cannot be."""
    return [_checked(case) for case in cases if case != (0, 0)]


def mean_rate(cases: Cases) -> float | None:
    """The mean of the cases' rates, over the cases that have a trial; None if none has."""
    known = counted(cases)
    return mean_of(known) if known else None


def mean_of(known: Cases) -> float:
    """The mean of the rates of cases that all have a trial, at least one case."""
    return _mean(_rates(known))


def clustered_error(cases: Cases) -> float | None:
    """The standard error of the mean rate with cases as clusters; None for fewer than two cases.

    Miller 2024 ("Adding error bars to evals"): the standard deviation of the cases' rates, with
    C-1, over the root of their number C. Where it falls below what trial noise alone explains
    (cases that happen to have the same rate), that is given instead: so it is 0 only at rate 0 or 1.
    """
    known = counted(cases)
    return sqrt(max(_spread(known), _noise(known))) if len(known) > 1 else None


def on_new_cases(cases: Cases) -> Interval | None:
    """Where the mean rate lies over all cases that this build could give; None for fewer than two.

    Wilson's at the effective number of trials by cases as clusters, times (1.96/t)^2 with the t of
    C-1 degrees of freedom (Korn and Graubard 1998). The squared error is the clustered one and, with
    the weight of `PRIOR` trials against the trials with the rarer outcome, the largest that this mean
    allows: m(1-m)/(C-1), every case all or nothing. So a run without any failure, which cannot show
    whether failures cluster, counts for C-1 trials, and the more failures are seen without spread, the
    more it counts for. It is never narrower than the one on these cases.
    """
    known = counted(cases)
    if len(known) < 2:
        return None
    return wilson_at(mean_of(known), min(_trials_between(known), effective_trials(known)))


def on_these_cases(cases: Cases) -> Interval | None:
    """Where the mean of these cases' own rates lies (trial noise only); None for fewer than two.

    Wilson's at `effective_trials`, which may be more than there were trials: cases that always
    pass or always fail have no noise.
    """
    known = counted(cases)
    if len(known) < 2:
        return None
    return wilson_at(mean_of(known), effective_trials(known))


def effective_trials(cases: Cases) -> float:
    """How many independent trials of one rate would scatter as much as this mean rate does by trial noise.

    For at least one case with a trial. m(1-m) / SE^2 with the unbiased variance of the trials within
    the cases and half a step added: that variance moves in steps, the least seen being that of one
    odd trial, 1/n^2 for a case of n, and half of it is its continuity correction, as a count gets
    half a trial. One case, and a mean of 0 or 1, count the trials themselves (by their harmonic mean
    over cases: a case weighs no more for having more trials).
    """
    known = counted(cases)
    rate = mean_of(known)
    if len(known) == 1 or rate in (0, 1):
        return len(known) ** 2 / fsum(1 / trials for _, trials in known)
    half_a_step = fsum(1 / trials**2 for _, trials in known if trials > 1) / len(known) ** 3 / 2
    return rate * (1 - rate) / (_noise(known) + half_a_step)


def clustered_t(cases: Cases) -> Interval | None:
    """The usual interval of the mean rate: t times the clustered error; None for fewer than two cases.

    For comparison only. It may have no width, and covers the truth too rarely near 0 and 1.
    """
    known = counted(cases)
    if len(known) < 2:
        return None
    rate = mean_of(known)
    half = student(len(known) - 1) * sqrt(_spread(known))
    return Interval(max(0.0, rate - half), min(1.0, rate + half))


def pass_at_k(passes: int, trials: int, k: int) -> float | None:
    """The chance that at least one of k trials passes, without bias; None if there are fewer trials.

    1 - C(n-c, k) / C(n, k) for c passes of n trials (Chen et al. 2021, "Evaluating large language
    models trained on code"): the share of the sets of k trials that hold a pass.
    """
    _checked((passes, trials), k)
    return None if k > trials else 1 - comb(trials - passes, k) / comb(trials, k)


def pass_hat_k(passes: int, trials: int, k: int) -> float | None:
    """pass^k, the chance that all of k trials pass, without bias; None if there are fewer trials.

    C(c, k) / C(n, k) for c passes of n trials (Yao et al. 2024, "tau-bench"): the share of the
    sets of k trials that hold nothing but passes. The plug-in (c/n)^k is biased upward.
    """
    _checked((passes, trials), k)
    return None if k > trials else comb(passes, k) / comb(trials, k)


def mean_pass_at_k(cases: Cases, k: int) -> float | None:
    """The mean of pass@k over the cases; None unless each that was tried has k trials."""
    return _mean_of(pass_at_k, cases, k)


def mean_pass_hat_k(cases: Cases, k: int) -> float | None:
    """The mean of pass^k over the cases; None unless each that was tried has k trials."""
    return _mean_of(pass_hat_k, cases, k)


def _mean_of(estimate: Callable[[int, int, int], float | None], cases: Cases, k: int) -> float | None:
    known = counted(cases)
    values = [estimate(passes, trials, k) for passes, trials in known]
    given = [value for value in values if value is not None]
    return _mean(given) if given and len(given) == len(known) else None


def _trials_between(known: Cases) -> float:
    """The effective number of trials when cases are the clusters: see `on_new_cases`."""
    cases = len(known)
    passes, trials = sum(p for p, _ in known), sum(n for _, n in known)
    rate = mean_of(known)
    shrunk = (NORMAL / student(cases - 1)) ** 2
    if rate in (0, 1):
        return (cases - 1) * shrunk
    rarer = min(passes, trials - passes)
    largest = rate * (1 - rate) / (cases - 1)
    return shrunk * rate * (1 - rate) * (rarer + PRIOR) / (rarer * _spread(known) + PRIOR * largest)


def _spread(known: Cases) -> float:
    """The variance of the mean rate, with cases as clusters, for at least two cases."""
    rates = _rates(known)
    mean = _mean(rates)
    return fsum((rate - mean) ** 2 for rate in rates) / (len(rates) * (len(rates) - 1))


def _noise(known: Cases) -> float:
    """The variance of the mean rate by trial noise alone, without bias where cases have two trials.

    A single trial shows nothing of its case's noise. The cases that have but one are each given that
    of the mean rate, which is more than they have on average (r(1-r) is concave); but together not
    less than the quarter that one case can have.
    """
    single = sum(trials == 1 for _, trials in known)
    more = [(passes / trials, trials) for passes, trials in known if trials > 1]
    total = fsum(rate * (1 - rate) / (trials - 1) for rate, trials in more)
    if single:
        rate = mean_of(known)
        total += max(single * rate * (1 - rate), 1 / 4)
    return total / len(known) ** 2


def _rates(known: Cases) -> list[float]:
    return [passes / trials for passes, trials in known]


def _mean(values: Sequence[float]) -> float:
    return fsum(values) / len(values)


def _checked(case: Counts, k: int = 1) -> Counts:
    passes, trials = case
    if not 0 <= passes <= trials or trials < 1:
        raise ValueError(f"no rate: {passes} passes of {trials} trials")
    if k < 1:
        raise ValueError(f"no k of {k}: at least 1")
    return case
