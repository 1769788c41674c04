"""Rates and intervals agree with scipy, statsmodels, brute force and simulation."""

import subprocess
import sys
from itertools import combinations
from math import comb

import numpy
import pytest
import statsmodels.api as sm
from benchmarks.interval_coverage import wilson_coverage
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest
from statsmodels.stats.proportion import proportion_confint

from trapcli.calibration.stats.rates import (
    Counts,
    Interval,
    clustered_standard_error,
    clustered_t_interval,
    mean_pass_at_k,
    mean_pass_hat_k,
    mean_rate,
    pass_at_k,
    pass_hat_k,
    wilson,
    wilson_at,
)


@st.composite
def counts(draw: st.DrawFn, least: int = 1, most: int = 12) -> Counts:
    trials = draw(st.integers(least, most))
    return draw(st.integers(0, trials)), trials


@st.composite
def even_suites(draw: st.DrawFn) -> list[Counts]:
    """Cases with equally many trials."""
    trials = draw(st.integers(1, 10))
    return [(c, trials) for c in draw(st.lists(st.integers(0, trials), min_size=2, max_size=12))]


SUITES = st.lists(counts(), min_size=2, max_size=12) | even_suites()


def require(interval: Interval | None) -> Interval:
    assert interval is not None
    return interval


@pytest.mark.parametrize(
    ("passes", "trials", "low", "high"),
    [(5, 5, 0.566, 1.0), (0, 5, 0.0, 0.434), (7, 10, 0.397, 0.892), (10, 10, 0.722, 1.0)],
)
def test_wilson_of_few_trials(passes: int, trials: int, low: float, high: float) -> None:
    """Wilson's interval has a width even when every trial passes or fails."""
    interval = wilson(passes, trials)
    assert (round(interval.low, 3), round(interval.high, 3)) == (low, high)


@given(counts(most=500))
def test_wilson_matches_scipy_and_statsmodels(case: Counts) -> None:
    """Wilson's interval agrees with scipy and with statsmodels."""
    interval = wilson(*case)
    theirs = binomtest(*case).proportion_ci(method="wilson")
    assert (interval.low, interval.high) == pytest.approx((theirs.low, theirs.high), abs=1e-9)
    assert (interval.low, interval.high) == pytest.approx(
        proportion_confint(*case, method="wilson"), abs=1e-9
    )


@given(st.floats(0, 1), st.floats(0.1, 1e6))
def test_wilson_contains_its_rate(rate: float, trials: float) -> None:
    """For any number of trials Wilson's interval is within 0 to 1, contains the rate and has a width."""
    interval = wilson_at(rate, trials)
    assert 0 <= interval.low <= rate <= interval.high <= 1
    assert interval.low < interval.high


@pytest.mark.parametrize("case", [(0, 0), (-1, 5), (6, 5), (1, -1)])
def test_impossible_counts_are_refused(case: Counts) -> None:
    """More passes than trials, negative counts and zero trials are errors."""
    with pytest.raises(ValueError, match="have no rate"):
        wilson(*case)


@pytest.mark.parametrize(("rate", "trials"), [(-0.1, 5), (1.1, 5), (0.5, 0)])
def test_impossible_rates_are_refused(rate: float, trials: float) -> None:
    """A rate outside 0 to 1 and zero trials are errors."""
    with pytest.raises(ValueError, match="has no interval"):
        wilson_at(rate, trials)


def test_every_case_has_the_same_weight() -> None:
    """The mean rate is the mean of case rates, not of trials, and skips cases without trials."""
    assert mean_rate([(1, 1), (0, 9), (0, 0)]) == 0.5
    assert mean_rate([(0, 0)]) is None
    assert mean_rate([]) is None


def test_trials_of_a_case_are_not_independent() -> None:
    """Of 10 cases with 8 trials, 5 that always pass and 5 that never do, the error is 0.167, not 0.056."""
    assert clustered_standard_error([(8, 8)] * 5 + [(0, 8)] * 5) == pytest.approx(0.167, abs=0.0005)


def test_clustered_error_matches_statsmodels() -> None:
    """Regressing trials on a constant with cases as clusters gives the same standard error."""
    passes = [8, 7, 1, 0, 4, 8, 2]
    trials = numpy.array([[1] * p + [0] * (8 - p) for p in passes]).ravel()
    groups = numpy.repeat(range(len(passes)), 8)
    fit = sm.OLS(trials, numpy.ones(len(trials))).fit(cov_type="cluster", cov_kwds={"groups": groups})
    assert clustered_standard_error([(p, 8) for p in passes]) == pytest.approx(fit.bse[0], rel=1e-9)


@given(SUITES)
def test_error_is_positive_or_unknown(cases: list[Counts]) -> None:
    """The clustered error is more than 0, even if all cases have the same rate, and unknown at 0 and 1."""
    error, rate = clustered_standard_error(cases), mean_rate(cases)
    if rate in (0, 1):
        assert error is None
    else:
        assert error is not None and 0 < error < 0.72


@pytest.mark.parametrize("cases", [[], [(0, 0)], [(3, 5)], [(3, 5), (0, 0)], [(0, 3)] * 6, [(3, 3)] * 6])
def test_error_of_one_case_and_without_spread_is_unknown(cases: list[Counts]) -> None:
    """Fewer than two cases, only passes and only failures have no standard error, never an error of 0."""
    assert clustered_standard_error(cases) is None


def test_equal_case_rates_have_the_error_of_trial_noise() -> None:
    """If all cases have the same rate the error is that of trial noise; only the plain t has no width."""
    cases = [(3, 5)] * 10
    assert clustered_standard_error(cases) == pytest.approx((0.6 * 0.4 / 4 / 10) ** 0.5)
    assert clustered_t_interval(cases) == Interval(0.6, 0.6)
    assert clustered_t_interval([(3, 5)]) is None


def test_clustered_t_interval() -> None:
    """The clustered t interval is the mean plus and minus t times the error, clipped to 0 and 1."""
    assert clustered_t_interval([(0, 2), (1, 2), (2, 2)]) == Interval(0.0, 1.0)
    interval = require(clustered_t_interval([(4, 10), (5, 10), (6, 10)]))
    half = 4.302652729911275 * 0.1 / 3**0.5
    assert (interval.low, interval.high) == pytest.approx((0.5 - half, 0.5 + half))


@given(counts(most=7), st.integers(1, 8))
def test_pass_at_k_and_pass_hat_k_count_subsets(case: Counts, k: int) -> None:
    """pass@k and pass^k are the shares of all sets of k trials with any pass and with only passes."""
    passes, trials = case
    sets = [sum(chosen) for chosen in combinations([1] * passes + [0] * (trials - passes), k)]
    if k > trials:
        assert pass_at_k(passes, trials, k) is pass_hat_k(passes, trials, k) is None
    else:
        assert pass_at_k(passes, trials, k) == pytest.approx(sum(n > 0 for n in sets) / comb(trials, k))
        assert pass_hat_k(passes, trials, k) == pytest.approx(sum(n == k for n in sets) / comb(trials, k))


def test_pass_at_k_and_pass_hat_k_are_unbiased() -> None:
    """pass@3 of 1 in 8 is 0.375; pass^3 of 5 in 8 is 0.1786, not the biased 0.2441."""
    assert pass_at_k(1, 8, 3) == pytest.approx(0.375)
    assert pass_hat_k(5, 8, 3) == pytest.approx(0.1786, abs=5e-5)
    with pytest.raises(ValueError, match="k must be at least 1, not 0"):
        pass_at_k(1, 8, 0)


def test_mean_over_cases_needs_k_trials_of_each() -> None:
    """The mean over cases is None if a case has fewer than k trials: 40 single trials have no pass@5."""
    once = [(1, 1)] * 12 + [(0, 1)] * 28
    assert mean_pass_at_k(once, 1) == pytest.approx(0.3)
    assert mean_pass_at_k(once, 5) is mean_pass_hat_k(once, 2) is None
    assert mean_pass_at_k([(1, 8), (0, 8), (0, 0)], 3) == pytest.approx(0.1875)
    assert mean_pass_hat_k([(5, 8), (8, 8)], 3) == pytest.approx((1 + 10 / 56) / 2)
    assert mean_pass_at_k([(1, 8), (1, 2)], 3) is None
    assert mean_pass_at_k([], 1) is None


@pytest.mark.parametrize("trials", [3, 5, 10, 20])
def test_wilson_covers(trials: int) -> None:
    """Averaged over all rates Wilson's interval contains the truth 94 to 96.5% of the time."""
    assert 94 <= wilson_coverage(trials, steps=200) <= 96.5


@pytest.mark.usefixtures("unmeasured")
def test_statistics_import_nothing_heavy() -> None:
    """The statistics import no other package and no slow part of the standard library."""
    code = "import sys, trapcli.calibration.stats.comparison; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert not {"numpy", "scipy", "statistics", "fractions", "decimal", "click"}.intersection(loaded.split())
