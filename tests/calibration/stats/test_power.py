"""The minimum detectable difference is shown with about 80% power, and agrees with statsmodels."""

from random import Random

import pytest
from benchmarks.rates.power import of_true_rates, power, rates_of
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.proportion import samplesize_proportions_2indep_onetail

from trapcli.calibration.stats.permutation import trial_permutation_test
from trapcli.calibration.stats.power import minimum_detectable_difference
from trapcli.calibration.stats.rates import Counts


@pytest.mark.parametrize("rate", [0.1, 0.3, 0.5, 0.9])
def test_large_runs_match_statsmodels(rate: float) -> None:
    """With thousands of trials of one case, statsmodels requires as many for the difference."""
    trials = 5000
    found = minimum_detectable_difference([(round(rate * trials), trials)])
    assert found is not None
    near = min(rate, 1 - rate)  # the direction toward 1/2
    needed = samplesize_proportions_2indep_onetail(found, near, 0.8, alpha=0.05, alternative="two-sided")
    assert float(needed) == pytest.approx(trials, rel=0.02)


@pytest.mark.parametrize(
    ("mix", "cases", "trials"),
    [("all 0.5", 6, 5), ("all 0.1", 10, 5), ("spread", 10, 10), ("half 0.95", 6, 10), ("one 0.98", 10, 10)],
)
def test_minimum_detectable_difference_is_shown_in_80_percent(mix: str, cases: int, trials: int) -> None:
    """Second runs that differ by the minimum detectable difference show one in 75 to 85% of pairs."""
    rates = rates_of(mix, cases)
    difference = of_true_rates(rates, trials)
    assert difference is not None
    assert 74 <= power(rates, trials, difference, 600, Random(mix)) <= 87


@given(st.lists(st.integers(1, 10).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), max_size=8))
def test_difference_is_possible_and_the_same_for_failures(cases: list[Counts]) -> None:
    """It is more than 0 and within the room, known only if the test can show it, and symmetric."""
    found = minimum_detectable_difference(cases)
    swapped = minimum_detectable_difference([(n - c, n) for c, n in cases])
    assert swapped is None if found is None else swapped == pytest.approx(found)
    if found is not None:
        rate = sum(c / n for c, n in cases) / len(cases)
        assert 0 < found <= max(rate, 1 - rate) + 1e-9
        end = [((c, n), (n if rate <= 0.5 else 0, n)) for c, n in cases]
        assert trial_permutation_test(end).p <= 0.05 + 1e-9


@pytest.mark.parametrize("passes", [0, 3])
def test_run_without_noise_has_a_minimum_detectable_difference(passes: int) -> None:
    """From 18 of 18 a drop by about half is detectable, from 180 of 180 by a twentieth."""
    few = minimum_detectable_difference([(passes, 3)] * 6)
    many = minimum_detectable_difference([(10 * passes, 30)] * 6)
    assert few is not None and many is not None
    assert 0.35 < few < 0.55 and 0.03 < many < 0.07


@pytest.mark.parametrize("cases", [[], [(0, 0)], [(1, 2)], [(0, 3)], [(1, 1), (0, 1), (0, 1)]])
def test_too_few_trials_detect_nothing(cases: list[Counts]) -> None:
    """No trial, and so few that no second run could show a difference, have no such difference."""
    assert minimum_detectable_difference(cases) is None
