"""Comparisons of two runs agree with scipy, statsmodels, brute force and simulation."""

from fractions import Fraction
from itertools import pairwise, product
from math import ceil

import numpy
import pytest
from benchmarks.interval_coverage import Cell, difference_coverage, power_at
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import permutation_test
from statsmodels.stats.power import NormalIndPower
from statsmodels.stats.proportion import (
    confint_proportions_2indep,
    proportion_effectsize,
    samplesize_proportions_2indep_onetail,
)

from trapcli.calibration.stats import comparison
from trapcli.calibration.stats.comparison import (
    DRAWS,
    Comparison,
    compare,
    minimum_detectable_difference,
    required_trials,
    sign_flip_test,
)
from trapcli.calibration.stats.rates import Counts, effective_trials, mean_rate

Pair = tuple[Counts, Counts]


@st.composite
def pairs(draw: st.DrawFn, least: int = 0) -> Pair:
    a, b = draw(st.integers(least, 6)), draw(st.integers(least, 6))
    return (draw(st.integers(0, a)), a), (draw(st.integers(0, b)), b)


def require(comparison: Comparison | None) -> Comparison:
    assert comparison is not None
    return comparison


def runs(before: list[int], after: list[int], trials: int) -> list[Pair]:
    return [((a, trials), (b, trials)) for a, b in zip(before, after, strict=True)]


@given(st.lists(pairs(least=1), min_size=2, max_size=8))
def test_intervals_contain_the_difference(cases: list[Pair]) -> None:
    """Both intervals contain the difference and have a width; the one on new cases is at least as wide."""
    found = require(compare(cases))
    new, these = found.on_new_cases, found.on_these_cases
    assert new is not None
    assert -1 <= new.low <= these.low <= found.difference <= these.high <= new.high <= 1
    assert these.low < these.high


@pytest.mark.slow
@given(st.lists(pairs(), max_size=8))
def test_swapping_the_runs_mirrors_the_result(cases: list[Pair]) -> None:
    """Comparing B with A instead of A with B changes the signs and leaves p unchanged."""
    one, other = compare(cases), compare([(b, a) for a, b in cases])
    if one is None or other is None:
        assert one is other
        return
    assert one.difference == pytest.approx(-other.difference)
    assert one.p == other.p
    for mine, theirs in ((one.on_these_cases, other.on_these_cases), (one.on_new_cases, other.on_new_cases)):
        if mine is not None and theirs is not None:
            assert (mine.low, mine.high) == pytest.approx((-theirs.high, -theirs.low), abs=1e-9)


def test_only_cases_with_trials_in_both_runs_are_compared() -> None:
    """A case without trials in one of the runs is in neither rate."""
    found = require(compare([((1, 2), (2, 2)), ((2, 2), (0, 0)), ((0, 0), (0, 2))]))
    assert (found.cases, found.rate_a, found.rate_b) == (1, 0.5, 1.0)
    assert found.on_new_cases is None
    assert compare([((2, 2), (0, 0))]) is None
    assert compare([]) is None


@pytest.mark.parametrize(("a", "b"), [((7, 10), (9, 10)), ((10, 10), (0, 10)), ((0, 5), (0, 8))])
def test_interval_of_one_case_matches_statsmodels(a: Counts, b: Counts) -> None:
    """The interval of one case is Newcombe's, as in statsmodels."""
    found = require(compare([(a, b)])).on_these_cases
    theirs = confint_proportions_2indep(*b, *a, method="newcomb")
    assert (found.low, found.high) == pytest.approx(theirs, abs=1e-9)


@pytest.mark.parametrize(("before", "after"), [*pairwise([7, 8, 7, 9, 8, 8, 7])])
def test_one_pass_more_or_less_is_not_significant(before: int, after: int) -> None:
    """7 and 8 of 10, or 7 and 9, do not differ significantly, as one case of ten trials or ten of one."""
    readings = [[((before, 10), (after, 10))]]
    for both in range(max(0, before + after - 10), min(before, after) + 1):
        cases = [(1, 1)] * both + [(1, 0)] * (before - both) + [(0, 1)] * (after - both)
        cases += [(0, 0)] * (10 - len(cases))
        readings.append([((a, 1), (b, 1)) for a, b in cases])
    for reading in readings:
        found = require(compare(reading))
        assert not found.significant_on_these_cases
        assert found.p > 0.05


def test_large_change_is_significant() -> None:
    """From 9 of 10 to 4 of 10 on each of six cases is significant."""
    found = require(compare(runs([9] * 6, [4] * 6, 10)))
    assert found.significant_on_these_cases
    assert found.p == found.smallest_p == 2 / 64
    assert found.exact


def test_cases_that_fail_in_both_runs_are_not_evidence() -> None:
    """If 13 of 15 cases fail in both runs, two that differ show nothing about new cases."""
    found = require(compare(runs([0] * 13 + [10, 10], [0] * 15, 10)))
    assert found.significant_on_these_cases
    assert found.p == 0.5
    assert found.on_new_cases is not None
    assert found.on_new_cases.low < -0.25 < 0 < found.on_new_cases.high


def test_pairing_narrows_the_interval() -> None:
    """Cases that differ much from each other, but little between runs, have a narrow interval."""
    paired = require(compare(runs([0, 2, 4, 6, 8, 10] * 2, [0, 3, 5, 7, 9, 10] * 2, 10))).on_new_cases
    mixed = require(compare(runs([0, 2, 4, 6, 8, 10] * 2, [9, 0, 10, 3, 7, 5] * 2, 10))).on_new_cases
    assert paired is not None and mixed is not None
    assert paired.high - paired.low < (mixed.high - mixed.low) / 2


def test_few_cases_cannot_reach_a_small_p() -> None:
    """Five cases that all change completely have p = 0.0625, which is also `smallest_p`."""
    found = require(compare(runs([0] * 5, [10] * 5, 10)))
    assert found.p == found.smallest_p == 0.0625


@pytest.mark.slow
@given(st.lists(pairs(least=1), min_size=1, max_size=8))
def test_p_is_the_share_of_sign_vectors(cases: list[Pair]) -> None:
    """The exact p equals brute force with fractions, and is never below `smallest_p`."""
    differences = [Fraction(*b) - Fraction(*a) for a, b in cases]
    sums = [
        abs(sum((s * d for s, d in zip(signs, differences, strict=True)), Fraction(0)))
        for signs in product((1, -1), repeat=len(differences))
    ]
    found = require(compare(cases))
    assert found.exact
    assert found.p == sum(total >= abs(sum(differences, Fraction(0))) for total in sums) / len(sums)
    assert found.smallest_p <= found.p


def test_p_matches_scipy() -> None:
    """The exact p agrees with scipy's permutation test of paired samples."""
    before, after = [3, 1, 4, 1, 5, 9, 2, 6], [5, 3, 5, 8, 9, 7, 9, 3]
    theirs = permutation_test(
        ([b - a for a, b in zip(before, after, strict=True)],), numpy.mean, permutation_type="samples"
    )
    p, exact = sign_flip_test(runs(before, after, 10))
    assert exact
    assert p == pytest.approx(theirs.pvalue)


def test_ties_are_not_split_by_rounding() -> None:
    """0.1 + 0.2 and 0.3, which differ as floats, are ties."""
    p, exact = sign_flip_test([((0, 10), (1, 10)), ((0, 10), (2, 10)), ((3, 10), (0, 10))])
    assert (p, exact) == (1.0, True)
    assert sign_flip_test([((1, 3), (2, 3)), ((1, 6), (3, 6)), ((0, 2), (0, 2))]) == (0.5, True)


def test_many_cases_of_equal_trials_are_exact() -> None:
    """Hundreds of cases are still enumerated; without any difference p is 1."""
    assert sign_flip_test(runs([3] * 300, [4] * 300, 10)) == (2.0**-299, True)
    assert sign_flip_test(runs([3] * 300, [3] * 300, 10)) == (1.0, True)


def test_p_is_drawn_if_there_are_too_many_sums(monkeypatch: pytest.MonkeyPatch) -> None:
    """A drawn p is near the exact one, is the same every time and in every order, and is never 0."""
    cases = [((k % 5, 5 + k), ((3 * k) % 7, 6 + k)) for k in range(2, 14)]
    exact, _ = sign_flip_test(cases)
    monkeypatch.setattr(comparison, "MAX_SUMS", 10)
    drawn, is_exact = sign_flip_test(cases)
    assert not is_exact
    assert drawn == pytest.approx(exact, abs=0.015)
    assert sign_flip_test(cases[::-1]) == (drawn, False)
    found = require(compare(runs([0] * 40, list(range(1, 41)), 40)))
    assert (found.p, found.smallest_p, found.exact) == (1 / (DRAWS + 1), 1 / (DRAWS + 1), False)


def test_detecting_0_6_against_0_5_requires_388_trials() -> None:
    """0.6 against 0.5 requires 388 trials per run, in either order; equal rates have no number."""
    assert required_trials(0.6, 0.5) == required_trials(0.5, 0.6) == required_trials(0.4, 0.5) == 388
    assert required_trials(0.5, 0.5) is None
    assert required_trials(1, 0) == 2
    with pytest.raises(ValueError, match=r"1\.2"):
        required_trials(1.2, 0.5)


@pytest.mark.parametrize(("p", "q"), [(0.6, 0.5), (0.9, 0.8), (0.1, 0.3), (0.95, 0.5), (0.02, 0.01)])
def test_required_trials_match_statsmodels(p: float, q: float) -> None:
    """The number is that of statsmodels for two independent proportions, rounded up."""
    trials = required_trials(p, q)
    assert trials is not None
    theirs = samplesize_proportions_2indep_onetail(p - q, q, 0.8, alpha=0.05, alternative="two-sided")
    assert trials == ceil(float(theirs) - 1e-9)


def test_required_trials_are_near_the_arcsine_approximation() -> None:
    """For rates near each other and near 1/2, power by arcsines requires the same trials within 1%."""
    arcsine = NormalIndPower().solve_power(proportion_effectsize(0.6, 0.5), alpha=0.05, power=0.8)
    assert required_trials(0.6, 0.5) == pytest.approx(float(arcsine), rel=0.01)


@given(st.lists(st.tuples(st.integers(0, 10), st.just(10)), min_size=1, max_size=10))
def test_minimum_detectable_difference_inverts_required_trials(cases: list[Counts]) -> None:
    """The minimum detectable difference requires the effective trials; a smaller difference requires more."""
    found, rate = minimum_detectable_difference(cases), mean_rate(cases)
    assert rate is not None
    toward = 1 if rate <= 0.5 else -1
    if found is None:
        furthest = required_trials(rate, rate + toward * max(rate, 1 - rate))
        assert furthest is not None and furthest > effective_trials(cases)
        return
    assert 0 < found <= 1
    needed = required_trials(rate, rate + toward * found)
    assert needed is not None and abs(needed - effective_trials(cases)) <= 1
    fewer = required_trials(rate, rate + toward * found * 0.9)
    assert fewer is not None and fewer >= needed


@pytest.mark.parametrize("passes", [0, 10])
def test_run_without_noise_has_a_minimum_detectable_difference(passes: int) -> None:
    """From 60 of 60 a drop to about 0.88 is detectable; zero trials and too few have no difference."""
    assert minimum_detectable_difference([(passes, 10)] * 6) == pytest.approx(0.12, abs=0.005)
    assert minimum_detectable_difference([]) is None
    assert minimum_detectable_difference([(1, 2)]) is None


@pytest.mark.parametrize("change", ["none", "breaks a tenth", "fixes a fifth"])
def test_difference_intervals_cover(change: str) -> None:
    """Both intervals of a difference contain the truth, also if only an occasional case changes."""
    found = difference_coverage(change, Cell(6, 10, 0.9, 0.5), 300, "guard")
    assert found["on new"].percent >= 92
    assert found["on these"].percent >= 93


def test_minimum_detectable_difference_is_detected() -> None:
    """Second runs that differ by the minimum detectable difference are detected about 80% of the time."""
    assert 72 <= power_at(Cell(6, 10, 0.5, 0.0), 300, "guard") <= 88
