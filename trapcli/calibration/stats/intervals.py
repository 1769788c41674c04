"""The two 95% intervals of a suite's mean rate: on these cases, and on new cases of the same build.

Symbols in the docstrings:

    C        number of cases with a trial
    c, n     passes and trials of a case
    r = c/n  pass rate of a case
    m        mean of the C rates
    z, t     97.5% quantiles: of the normal distribution, of Student's t with C-1 degrees of freedom

tests/benchmarks/interval_coverage.py and rates/mixed_suites.py beside it measure how often both
intervals contain the truth.
"""

from collections.abc import Sequence
from math import fsum, hypot, sqrt
from operator import mul

from trapcli.calibration.stats.quantiles import NORMAL_975, student_975
from trapcli.calibration.stats.rates import (
    Cases,
    Counts,
    Interval,
    cases_with_trials,
    mean_of_rates,
    noise_variances,
    variance_between,
    wilson,
    wilson_at,
)

# Weight, in trials, of the worst case in `interval_on_new_cases`: that each case always passes or
# always fails. The spread between cases is unknown while few trials fail (or few pass). This is
# the least weight at which the interval covers 95% for suites where nearly every trial passes or
# nearly every trial fails, as found by simulation (tests/benchmarks/interval_coverage.py).
PRIOR = 0.25

# Continuity correction of `_reach`, in squared trials: a count moves in steps of one trial. This is
# the least correction at which the interval on these cases covers 93% everywhere.
CONTINUITY = 0.3


def interval_on_these_cases(cases: Cases) -> Interval | None:
    """Return the interval of the mean of these cases' own rates; None for fewer than two cases.

    See `noise_interval`.
    """
    known = cases_with_trials(cases)
    return noise_interval(known) if len(known) > 1 else None


def noise_interval(known: Cases) -> Interval:
    """Return the interval of the mean of these cases' own rates, for at least one case.

    Only trial noise counts. For one case it is Wilson's interval. Several cases are grouped: rates
    below 1/2, at 1/2, above 1/2, and cases with a single trial, whose own noise is unknown. Each
    group has an interval like Wilson's (see `_reach`), and these are combined by squares:

        m - sqrt(sum of down^2) / C   to   m + sqrt(sum of up^2) / C

    The square-and-add of independent strata is Newcombe 1998 and, in general, Zou and Donner 2008
    (MOVER); Yan and Su 2010 do so with Wilson's intervals of strata. Strata of one case each would
    be too wide: their bounds at 0 and 1 add up. One stratum is too narrow: where hopeless and safe
    cases are mixed, no noise is seen, and the mean rate does not show how much it may hide.
    """
    if len(known) == 1:
        return wilson(*known[0])
    rate, cases = mean_of_rates(known), len(known)
    reaches = [_reach(group) for group in _groups(known)]
    down = hypot(*(down for down, _ in reaches)) / cases
    up = hypot(*(up for _, up in reaches)) / cases
    return Interval(max(0.0, rate - down), min(1.0, rate + up))


def interval_on_new_cases(cases: Cases) -> Interval | None:
    """Return the interval of the mean rate over all cases that this build could generate.

    None for fewer than two cases.

    Wilson's interval at an effective number of trials m(1-m) / V: that many independent trials at
    the rate m vary as much as m does. Korn and Graubard 1998 do so for clustered surveys, with the
    exact interval instead of Wilson's, and with their factor for few clusters, (z/t)^2. It is
    extended where `interval_on_these_cases` reaches further.

        V  = (k B + PRIOR W) / (k + PRIOR)
        B  = sum of (r - m)^2 / (C(C-1)), the variance of m with cases as clusters
        W  = m(1-m) / (C-1), the largest possible B: each case always passes or always fails
        k  = number of trials with the rarer outcome (passes or failures)

    A run without any failure does not show whether failures cluster: V = W, and it counts as C-1
    trials. The more failures are seen without spread between cases, the more trials it counts as.
    """
    known = cases_with_trials(cases)
    if len(known) < 2:
        return None
    these = noise_interval(known)
    new = wilson_at(mean_of_rates(known), _effective_trials(known))
    return Interval(min(new.low, these.low), max(new.high, these.high))


def _effective_trials(known: Cases) -> float:
    """Return (z/t)^2 m(1-m) / V of `interval_on_new_cases`; at m = 0 and m = 1 its limit."""
    cases = len(known)
    passes, trials = sum(p for p, _ in known), sum(n for _, n in known)
    rate = mean_of_rates(known)
    few_clusters = (NORMAL_975 / student_975(cases - 1)) ** 2
    if rate in (0, 1):
        return (cases - 1) * few_clusters
    rarer = min(passes, trials - passes)
    most = rate * (1 - rate)
    weighted = rarer * variance_between(known) + PRIOR * most / (cases - 1)
    return few_clusters * most * (rarer + PRIOR) / weighted


def _groups(known: Cases) -> list[list[Counts]]:
    """Return the groups of `noise_interval` that have a case."""
    groups: dict[str, list[Counts]] = {}
    for passes, trials in known:
        side = 2 * passes - trials
        name = "single" if trials == 1 else "below" if side < 0 else "above" if side > 0 else "at"
        groups.setdefault(name, []).append((passes, trials))
    return list(groups.values())


def _reach(group: Sequence[Counts]) -> tuple[float, float]:
    """Return how far below and above its observed value the sum of the group's true rates may be.

    A bound at the distance d solves, as Wilson's (1927), d^2 = z^2 * (variance at the bound), where
    the variance grows with d from its estimate:

        d^2 = z^2 (V + d s - d^2 w / k^2),  d = (z^2 s / 2 + sqrt((z^2 s / 2)^2 + q z^2 V)) / q

        k  = number of cases of the group
        w  = sum of 1/n;  q = 1 + z^2 w / k^2
        V  = sum of the noise variances + CONTINUITY * (mean of 1/n^2)
        s  = how V grows with the sum: the mean of (1 - 2r)/n if all cases move alike, and with the
             weights r(1-r)/n if cases move as far as they are noisy. Each bound takes the s that
             puts it further away; downward, s is negated.

    For one number of trials and V = r(1-r)/n, that is Wilson's interval.
    """
    cases = len(group)
    rates = [passes / trials for passes, trials in group]
    total = fsum(rates)
    square = NORMAL_975 * NORMAL_975
    variance = fsum(noise_variances(group)) + CONTINUITY * fsum(1 / n**2 for _, n in group) / cases
    curve = 1 + square * fsum(1 / n for _, n in group) / cases**2
    slopes = [(1 - 2 * r) / n for r, (_, n) in zip(rates, group, strict=True)]
    noises = [r * (1 - r) / n for r, (_, n) in zip(rates, group, strict=True)]
    skews = [fsum(slopes) / cases]
    if any(noises):
        skews.append(fsum(map(mul, slopes, noises)) / fsum(noises))

    def distance(skew: float) -> float:
        middle = square * skew / 2
        return (middle + sqrt(middle * middle + curve * square * variance)) / curve

    down, up = distance(-min(skews)), distance(max(skews))
    return min(down, total), min(up, cases - total)
