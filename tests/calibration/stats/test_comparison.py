"""Differences of two runs against scipy, statsmodels, brute force, and simulation."""

from fractions import Fraction
from itertools import pairwise, product
from math import ceil

import numpy
import pytest
from benchmarks.coverage import Cell, difference_cover, power_at
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
    detectable_difference,
    sign_flip,
    trials_to_tell,
)
from trapcli.calibration.stats.rates import Counts, effective_trials, mean_rate

Pair = tuple[Counts, Counts]


@st.composite
def pairs(draw: st.DrawFn, least: int = 0) -> Pair:
    a, b = draw(st.integers(least, 6)), draw(st.integers(least, 6))
    return (draw(st.integers(0, a)), a), (draw(st.integers(0, b)), b)


def sure(comparison: Comparison | None) -> Comparison:
    assert comparison is not None
    return comparison


def runs(before: list[int], after: list[int], trials: int) -> list[Pair]:
    return [((a, trials), (b, trials)) for a, b in zip(before, after, strict=True)]


@given(st.lists(pairs(least=1), min_size=2, max_size=8))
def test_intervals_of_a_difference_hold_it(cases: list[Pair]) -> None:
    """Both intervals lie in -1 to 1, hold the difference and have a width; new cases are never surer."""
    found = sure(compare(cases))
    new, these = found.on_new_cases, found.on_these_cases
    assert new is not None
    assert -1 <= new.low <= these.low <= found.difference <= these.high <= new.high <= 1
    assert these.low < these.high


@given(st.lists(pairs(), max_size=8))
def test_the_other_way_round_is_the_mirror_image(cases: list[Pair]) -> None:
    """Comparing B with A instead of A with B turns the signs, and leaves p as it is."""
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
    """A case that one of the runs never tried is in neither rate."""
    found = sure(compare([((1, 2), (2, 2)), ((2, 2), (0, 0)), ((0, 0), (0, 2))]))
    assert (found.cases, found.rate_a, found.rate_b) == (1, 0.5, 1.0)
    assert found.on_new_cases is None
    assert compare([((2, 2), (0, 0))]) is None
    assert compare([]) is None


@pytest.mark.parametrize(("a", "b"), [((7, 10), (9, 10)), ((10, 10), (0, 10)), ((0, 5), (0, 8))])
def test_one_case_has_newcombes_interval(a: Counts, b: Counts) -> None:
    """The interval of one case is Newcombe's, as statsmodels has it."""
    found = sure(compare([(a, b)])).on_these_cases
    theirs = confint_proportions_2indep(*b, *a, method="newcomb")
    assert (found.low, found.high) == pytest.approx(theirs, abs=1e-9)


@pytest.mark.parametrize(("before", "after"), [*pairwise([7, 8, 7, 9, 8, 8, 7])])
def test_plus_or_minus_one_is_no_change(before: int, after: int) -> None:
    """7 and 8 of 10, or 7 and 9, are not told apart: not as a case of ten trials, nor as ten of one."""
    readings = [[((before, 10), (after, 10))]]
    for both in range(max(0, before + after - 10), min(before, after) + 1):
        seen = [(1, 1)] * both + [(1, 0)] * (before - both) + [(0, 1)] * (after - both)
        seen += [(0, 0)] * (10 - len(seen))
        readings.append([((a, 1), (b, 1)) for a, b in seen])
    for reading in readings:
        found = sure(compare(reading))
        assert not found.told_apart
        assert found.p > 0.05


def test_a_plain_change_is_told_apart() -> None:
    """From 9 of 10 to 4 of 10 on every one of six cases is more than noise."""
    found = sure(compare(runs([9] * 6, [4] * 6, 10)))
    assert found.told_apart
    assert found.p == found.smallest_p == 2 / 64
    assert found.exact


def test_cases_that_fail_in_both_runs_are_no_evidence() -> None:
    """Of 15 cases, 13 of them failing in both runs, two that differ show nothing about new cases."""
    found = sure(compare(runs([0] * 13 + [10, 10], [0] * 15, 10)))
    assert found.told_apart
    assert found.p == 0.5
    assert found.on_new_cases is not None
    assert found.on_new_cases.low < -0.25 < 0 < found.on_new_cases.high


def test_pairing_makes_the_interval_narrower() -> None:
    """Cases that differ a lot from each other, but little between runs, are compared by their differences."""
    paired = sure(compare(runs([0, 2, 4, 6, 8, 10] * 2, [0, 3, 5, 7, 9, 10] * 2, 10))).on_new_cases
    mixed = sure(compare(runs([0, 2, 4, 6, 8, 10] * 2, [9, 0, 10, 3, 7, 5] * 2, 10))).on_new_cases
    assert paired is not None and mixed is not None
    assert paired.high - paired.low < (mixed.high - mixed.low) / 2


def test_few_cases_cannot_reach_a_small_p() -> None:
    """Five cases that all change fully still have p = 0.0625, and the comparison says so."""
    found = sure(compare(runs([0] * 5, [10] * 5, 10)))
    assert found.p == found.smallest_p == 0.0625


@given(st.lists(pairs(least=1), min_size=1, max_size=8))
def test_p_is_the_share_of_sign_flips(cases: list[Pair]) -> None:
    """The exact p is that of trying all signs with fractions, and no p is below the smallest."""
    differences = [Fraction(*b) - Fraction(*a) for a, b in cases]
    sums = [
        abs(sum((s * d for s, d in zip(signs, differences, strict=True)), Fraction(0)))
        for signs in product((1, -1), repeat=len(differences))
    ]
    found = sure(compare(cases))
    assert found.exact
    assert found.p == sum(total >= abs(sum(differences, Fraction(0))) for total in sums) / len(sums)
    assert found.smallest_p <= found.p


def test_p_is_scipys() -> None:
    """The exact p agrees with scipy's permutation test of paired samples."""
    before, after = [3, 1, 4, 1, 5, 9, 2, 6], [5, 3, 5, 8, 9, 7, 9, 3]
    theirs = permutation_test(
        ([b - a for a, b in zip(before, after, strict=True)],), numpy.mean, permutation_type="samples"
    )
    p, exact = sign_flip(runs(before, after, 10))
    assert exact
    assert p == pytest.approx(theirs.pvalue)


def test_ties_are_not_split_by_rounding() -> None:
    """0.1 + 0.2 against 0.3, which differ as floats, are as far from 0 as each other."""
    p, exact = sign_flip([((0, 10), (1, 10)), ((0, 10), (2, 10)), ((3, 10), (0, 10))])
    assert (p, exact) == (1.0, True)
    assert sign_flip([((1, 3), (2, 3)), ((1, 6), (3, 6)), ((0, 2), (0, 2))]) == (0.5, True)


def test_many_cases_of_equal_trials_are_exact() -> None:
    """Hundreds of cases are still counted one by one; without any difference p is 1."""
    assert sign_flip(runs([3] * 300, [4] * 300, 10)) == (2.0**-299, True)
    assert sign_flip(runs([3] * 300, [3] * 300, 10)) == (1.0, True)


def test_too_many_sums_are_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """A drawn p is near the exact one, the same every time and in every order, and never 0."""
    cases = [((k % 5, 5 + k), ((3 * k) % 7, 6 + k)) for k in range(2, 14)]
    exact, _ = sign_flip(cases)
    monkeypatch.setattr(comparison, "SUMS", 10)
    drawn, is_exact = sign_flip(cases)
    assert not is_exact
    assert drawn == pytest.approx(exact, abs=0.015)
    assert sign_flip(cases[::-1]) == (drawn, False)
    found = sure(compare(runs([0] * 40, list(range(1, 41)), 40)))
    assert (found.p, found.smallest_p, found.exact) == (1 / (DRAWS + 1), 1 / (DRAWS + 1), False)


def test_six_of_ten_from_five_of_ten_takes_388_trials() -> None:
    """Telling 0.6 from 0.5 takes 388 trials a run, whichever is first; equal rates are never told apart."""
    assert trials_to_tell(0.6, 0.5) == trials_to_tell(0.5, 0.6) == trials_to_tell(0.4, 0.5) == 388
    assert trials_to_tell(0.5, 0.5) is None
    assert trials_to_tell(1, 0) == 2
    with pytest.raises(ValueError, match=r"1\.2"):
        trials_to_tell(1.2, 0.5)


@pytest.mark.parametrize(("p", "q"), [(0.6, 0.5), (0.9, 0.8), (0.1, 0.3), (0.95, 0.5), (0.02, 0.01)])
def test_trials_to_tell_are_statsmodels(p: float, q: float) -> None:
    """The number is statsmodels' for two independent proportions, rounded up."""
    trials = trials_to_tell(p, q)
    assert trials is not None
    theirs = samplesize_proportions_2indep_onetail(p - q, q, 0.8, alpha=0.05, alternative="two-sided")
    assert trials == ceil(float(theirs) - 1e-9)


def test_trials_to_tell_are_near_another_approximation() -> None:
    """For rates near each other and 1/2, statsmodels' power by arcsines needs the same trials within 1%."""
    arcsine = NormalIndPower().solve_power(proportion_effectsize(0.6, 0.5), alpha=0.05, power=0.8)
    assert trials_to_tell(0.6, 0.5) == pytest.approx(float(arcsine), rel=0.01)


@given(st.lists(st.tuples(st.integers(0, 10), st.just(10)), min_size=1, max_size=10))
def test_a_detectable_difference_takes_the_trials_there_are(cases: list[Counts]) -> None:
    """The detectable difference is above 0 and takes the trials the suite is worth; a smaller one more."""
    found, rate = detectable_difference(cases), mean_rate(cases)
    assert rate is not None
    toward = 1 if rate <= 0.5 else -1
    if found is None:
        furthest = trials_to_tell(rate, rate + toward * max(rate, 1 - rate))
        assert furthest is not None and furthest > effective_trials(cases)
        return
    assert 0 < found <= 1
    needed = trials_to_tell(rate, rate + toward * found)
    assert needed is not None and abs(needed - effective_trials(cases)) <= 1
    fewer = trials_to_tell(rate, rate + toward * found * 0.9)
    assert fewer is not None and fewer >= needed


@pytest.mark.parametrize("passes", [0, 10])
def test_a_run_without_noise_has_a_detectable_difference(passes: int) -> None:
    """From 60 of 60 a drop to about 0.88 would be found; nothing is known of no trials or of too few."""
    assert detectable_difference([(passes, 10)] * 6) == pytest.approx(0.12, abs=0.005)
    assert detectable_difference([]) is None
    assert detectable_difference([(1, 2)]) is None


@pytest.mark.parametrize("change", ["none", "breaks a tenth", "mends a fifth"])
def test_intervals_of_a_difference_cover(change: str) -> None:
    """Both intervals of a difference hold the truth, also where only a case now and then changes."""
    found = difference_cover(change, Cell(6, 10, 0.9, 0.5), 300, "guard")
    assert found["on new"].percent >= 92
    assert found["on these"].percent >= 93


def test_a_detectable_difference_is_detected() -> None:
    """Second runs that differ by the detectable difference are told apart about four times in five."""
    assert 72 <= power_at(Cell(6, 10, 0.5, 0.0), 300, "guard") <= 88
