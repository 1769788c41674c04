"""Both intervals of a suite contain its rate, and the truth about as often as they claim."""

from itertools import pairwise
from random import Random

import pytest
from benchmarks.interval_coverage import Cell, suite_coverage
from benchmarks.rates.mixed_suites import MixedSuite, measure, mixed_suites
from hypothesis import given
from hypothesis import strategies as st

from trapcli.calibration.stats.intervals import (
    interval_on_new_cases,
    interval_on_these_cases,
    noise_interval,
)
from trapcli.calibration.stats.quantiles import NORMAL_975, student_975
from trapcli.calibration.stats.rates import (
    Counts,
    Interval,
    clustered_standard_error,
    mean_rate,
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


def swap_outcomes(cases: list[Counts]) -> list[Counts]:
    return [(trials - passes, trials) for passes, trials in cases]


def require(interval: Interval | None) -> Interval:
    assert interval is not None
    return interval


def is_within(inner: Interval, outer: Interval) -> bool:
    return outer.low - 1e-12 <= inner.low and inner.high <= outer.high + 1e-12


@given(SUITES)
def test_both_intervals_contain_the_rate(cases: list[Counts]) -> None:
    """Both intervals contain the mean rate and have a width; the one on new cases is at least as wide."""
    rate, new, these = (
        mean_rate(cases),
        require(interval_on_new_cases(cases)),
        require(interval_on_these_cases(cases)),
    )
    assert rate is not None
    for interval in (new, these):
        assert 0 <= interval.low <= rate <= interval.high <= 1
        assert interval.high - interval.low > 1e-3
    assert is_within(these, new)


@given(SUITES)
def test_passes_and_failures_are_symmetric(cases: list[Counts]) -> None:
    """Swapping passes and failures mirrors both intervals."""
    for interval in (interval_on_new_cases, interval_on_these_cases):
        one, other = require(interval(cases)), require(interval(swap_outcomes(cases)))
        assert (one.low, one.high) == pytest.approx((1 - other.high, 1 - other.low), abs=1e-9)


@given(SUITES, st.randoms())
def test_order_and_cases_without_trials_do_not_matter(cases: list[Counts], random: Random) -> None:
    """Neither the order of the cases nor a case without trials changes a statistic."""
    other = [*cases, (0, 0)]
    random.shuffle(other)
    for statistic in (interval_on_new_cases, interval_on_these_cases):
        one, two = require(statistic(cases)), require(statistic(other))
        assert (one.low, one.high) == pytest.approx((two.low, two.high), abs=1e-12)
    assert clustered_standard_error(cases) == pytest.approx(clustered_standard_error(other))


@pytest.mark.parametrize("passed", [True, False])
@pytest.mark.parametrize("trials", [1, 3, 100])
def test_run_without_failures_says_little_about_new_cases(passed: bool, trials: int) -> None:
    """All-pass and all-fail runs count as C-1 trials on new cases, nearly as all trials on these cases."""
    cases = [(trials * passed, trials)] * 6
    new, these = require(interval_on_new_cases(cases)), require(interval_on_these_cases(cases))
    assert new == wilson_at(float(passed), 5 * (NORMAL_975 / student_975(5)) ** 2)
    every = wilson(6 * trials * passed, 6 * trials)
    assert is_within(every, these)
    assert these.high - these.low < 1.2 * (every.high - every.low)


def test_cases_that_always_pass_or_fail_have_almost_no_noise() -> None:
    """Five cases that always pass and five that never do have a narrow interval on these cases only."""
    cases = [(8, 8)] * 5 + [(0, 8)] * 5
    new, these = require(interval_on_new_cases(cases)), require(interval_on_these_cases(cases))
    assert 0.05 < these.high - these.low < 0.12
    assert new.high - new.low > 0.5


def test_one_trial_per_case_counts_the_trials() -> None:
    """With one trial per case the interval on these cases is little wider than Wilson's of all trials."""
    interval, every = require(interval_on_these_cases([(1, 1)] * 7 + [(0, 1)] * 3)), wilson(7, 10)
    assert is_within(every, interval)
    assert interval.high - interval.low < 1.1 * (every.high - every.low)


def test_one_case_has_the_interval_of_wilson() -> None:
    """The noise of one case is Wilson's interval."""
    assert noise_interval([(7, 10)]) == wilson(7, 10)


def test_trials_of_a_case_count_by_its_weight() -> None:
    """Many trials of one case do not compensate for the single trial of another."""
    uneven = require(interval_on_these_cases([(1, 1), (100, 100)]))
    even = require(interval_on_these_cases([(50, 50), (50, 50)]))
    assert uneven.low < 0.65 < 0.9 < even.low


@pytest.mark.parametrize(
    "rates", [(0.5, 0.5), (0.0, 1.0, 0.5), (0.0,) * 6, (0.0, 0.5, 0.5, 1.0), (0.25, 0.75)]
)
def test_more_trials_at_the_same_rates_narrow_both_intervals(rates: tuple[float, ...]) -> None:
    """Twice the trials at the same rates give an interval inside; on new cases never a wider one."""
    runs = [[(round(rate * trials), trials) for rate in rates] for trials in (4, 8, 16, 32, 64)]
    for few, many in pairwise(runs):
        assert is_within(require(interval_on_these_cases(many)), require(interval_on_these_cases(few)))
        new = [require(interval_on_new_cases(run)) for run in (few, many)]
        assert new[1].high - new[1].low <= new[0].high - new[0].low + 1e-9


@pytest.mark.parametrize("cases", [[], [(0, 0)], [(3, 5)], [(3, 5), (0, 0)]])
def test_one_case_has_no_suite_interval(cases: list[Counts]) -> None:
    """Fewer than two cases with trials have no suite interval."""
    for statistic in (
        interval_on_new_cases,
        interval_on_these_cases,
    ):
        assert statistic(cases) is None


def test_impossible_counts_in_a_suite_are_refused() -> None:
    """Impossible counts are an error in any case of a suite."""
    for statistic in (mean_rate, interval_on_new_cases, interval_on_these_cases, clustered_standard_error):
        with pytest.raises(ValueError, match="6 passes of 5"):
            statistic([(1, 2), (6, 5)])


@pytest.mark.parametrize(
    "cell",
    [Cell(6, 3, 0.1, 0.5), Cell(10, 3, 0.5, 0.5), Cell(10, 10, 0.9, 0.5), Cell(6, 5, 0.7, 20.0)],
    ids=lambda cell: " ".join(str(cell).split()),
)
def test_suite_intervals_cover(cell: Cell) -> None:
    """Both intervals contain the truth about 95% of the time, also where the usual t interval fails."""
    found = suite_coverage(cell, 600, "guard")
    assert found["on new"].percent >= 93
    assert 93 <= found["on these"].percent <= 99.7
    assert (found["clustered t"].percent < 80) == (cell.mean in (0.1, 0.9))


MIXED = [suite for suite in mixed_suites() if len(suite.rates) in (2, 3, 6, 10)]
REPORTED = [
    MixedSuite("one safe, nine hopeless", (0.98,) + (0.02,) * 9, (10,)),
    MixedSuite("one safe, nine hopeless", (0.99,) + (0.01,) * 9, (20,)),
    MixedSuite("nine safe, one hopeless", (0.98,) * 9 + (0.02,), (10,)),
    MixedSuite("all uncertain", (0.5,) * 6, (2,)),
    MixedSuite("nearly safe", (0.95,) * 3, (1,)),
    MixedSuite("all but one certain", (0.7,) + (0.0,) * 5, (3, 5, 20)),
]


@pytest.mark.parametrize("suite", REPORTED, ids=str)
def test_interval_covers_suites_that_hide_their_noise(suite: MixedSuite) -> None:
    """Where hopeless and safe cases are mixed, or all but one are certain, 93% are covered."""
    percent, _, earlier, _ = measure(suite, 20_000)
    assert percent >= 93
    assert earlier < 88 or suite.name == "all uncertain"


@pytest.mark.slow
@pytest.mark.parametrize("start", range(5))
def test_interval_covers_every_mix(start: int) -> None:
    """A sample of the grid of mixes is covered in every cell; cells near the bound are drawn longer."""
    for suite in MIXED[start * 17 :: 85]:
        percent, *_ = measure(suite, 500)
        assert percent >= 94.5 or measure(suite, 20_000)[0] >= 93, str(suite)


def test_mixes_are_not_much_wider_than_before() -> None:
    """Where all cases are alike the interval is at most 15% wider than one for the whole suite."""
    for rate, trials in ((0.5, 10), (0.1, 10), (0.9, 5), (0.3, 3)):
        _, width, _, earlier = measure(MixedSuite("alike", (rate,) * 6, (trials,)), 1000)
        assert width <= 1.15 * earlier
