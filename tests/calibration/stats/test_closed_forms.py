"""The formulas of the docstrings, computed once more in the plainest way, and the edges of their domains."""

from collections.abc import Callable
from fractions import Fraction
from itertools import product
from math import sqrt

import pytest

from trapcli.calibration.stats import permutation
from trapcli.calibration.stats.comparison import (
    Finding,
    difference_on_new_cases,
    difference_on_these_cases,
)
from trapcli.calibration.stats.intervals import interval_on_new_cases, noise_interval
from trapcli.calibration.stats.permutation import PermutationTest, sign_flip_test, trial_permutation_test
from trapcli.calibration.stats.power import detectable_difference, minimum_detectable_difference
from trapcli.calibration.stats.quantiles import NORMAL_80, NORMAL_975, quantile, student_975
from trapcli.calibration.stats.rates import (
    Counts,
    Interval,
    clustered_t_interval,
    noise_variances,
    pass_at_k,
    pass_hat_k,
    wilson_at,
)


def test_interval_on_new_cases_is_wilsons_at_its_formula() -> None:
    """V = (k B + PRIOR W) / (k + PRIOR), with k trials of the rarer outcome."""
    cases = [(0, 10), (10, 10), (1, 10), (9, 10), (4, 10)]
    count, rates = len(cases), [passes / trials for passes, trials in cases]
    m = sum(rates) / count
    between = sum((rate - m) ** 2 for rate in rates) / (count * (count - 1))
    largest = m * (1 - m) / (count - 1)
    rarer = 24
    variance = (rarer * between + 0.25 * largest) / (rarer + 0.25)
    trials = (NORMAL_975 / student_975(count - 1)) ** 2 * m * (1 - m) / variance
    wanted, found = wilson_at(m, trials), interval_on_new_cases(cases)
    assert found is not None and (found.low, found.high) == pytest.approx((wanted.low, wanted.high))


@pytest.mark.parametrize("passes", [0, 7])
def test_a_run_without_spread_counts_as_one_trial_less_than_cases(passes: int) -> None:
    """At rates 0 and 1 the interval on new cases is Wilson's at (C-1) (z/t)^2 trials."""
    trials = 4 * (NORMAL_975 / student_975(4)) ** 2
    assert interval_on_new_cases([(passes, 7)] * 5) == wilson_at(passes / 7, trials)


def test_the_clustered_t_interval_needs_two_cases() -> None:
    """m -+ t sqrt(sum of (r - m)^2 / (C(C-1))) with two cases, and none with one."""
    half = student_975(1) * sqrt((0.01**2 + 0.01**2) / 2)
    found = clustered_t_interval([(49, 100), (51, 100)])
    assert found is not None and (found.low, found.high) == pytest.approx((0.5 - half, 0.5 + half))
    assert clustered_t_interval([(4, 10)]) is None


@pytest.mark.parametrize("estimate", [pass_at_k, pass_hat_k])
@pytest.mark.parametrize(("passes", "trials", "k"), [(3, 2, 1), (-1, 2, 1), (0, 0, 1), (1, 2, 0)])
def test_impossible_counts_have_no_estimate(
    estimate: Callable[..., object], passes: int, trials: int, k: int
) -> None:
    """More passes than trials, no trial, or no trial to choose are errors."""
    with pytest.raises(ValueError):
        estimate(passes, trials, k)


@pytest.mark.parametrize(("q", "wanted"), [(0, 0.0), (1 / 6, 0.5), (1 / 2, 5.5), (5 / 6, 55.0), (1, 100.0)])
def test_a_quantile_is_between_its_two_neighbours(q: float, wanted: float) -> None:
    """From the least value to the largest, linear between neighbouring ranks."""
    assert quantile([100, 10, 1, 0], q) == pytest.approx(wanted)


def test_bounds_stay_rates() -> None:
    """Rounding never moves a bound outside of 0 to 1."""
    assert wilson_at(0.9999999999991814, 533513.5114439407).high <= 1
    assert wilson_at(1 - 0.9999999999991814, 533513.5114439407).low >= 0


def test_difference_on_new_cases_is_the_paired_t_interval_of_its_formula() -> None:
    """D -+ t sqrt(V), V = (k S + U) / (k + 1), where this reaches beyond the trial noise."""
    first: list[Counts] = [(50, 100), (50, 100), (60, 120), (40, 80), (50, 100)]
    second: list[Counts] = [(80, 100), (30, 100), (90, 120), (15, 40), (50, 100)]
    d = [0.3, -0.2, 0.25, -0.125, 0.0]
    mean = sum(d) / 5
    spread = sum((one - mean) ** 2 for one in d) / (5 * 4)
    p = (2.5 + (0.8 + 0.3 + 0.75 + 0.375 + 0.5) + 1) / 12
    k = 0.3 * 100 + 0.2 * 100 + 0.25 * 120 + 0.125 * 60
    half = student_975(4) * sqrt((k * spread + 2 * p * (1 - p) / 4) / (k + 1))
    these = difference_on_these_cases(first, second)
    found = difference_on_new_cases(first, second)
    assert mean - half < these.low and these.high < mean + half
    assert (found.low, found.high) == pytest.approx((mean - half, mean + half))


def test_p_of_unequal_trials_is_the_share_of_sign_vectors() -> None:
    """Differences of 1/6, 1/2, -1/4 and 1/3 are compared exactly, whatever their denominators."""
    pairs = [((1, 3), (1, 2)), ((0, 2), (1, 2)), ((1, 2), (1, 4)), ((0, 3), (1, 3))]
    sizes = [Fraction(b, n) - Fraction(a, m) for (a, m), (b, n) in pairs]
    far = [
        abs(sum(sign * size for sign, size in zip(signs, sizes, strict=True))) >= abs(sum(sizes))
        for signs in product((1, -1), repeat=4)
    ]
    found = sign_flip_test(pairs)
    assert (found.p, found.exact) == (sum(far) / 16, True)


def test_a_tie_with_the_observed_sum_counts_when_p_is_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """With one difference every draw is as far from 0 as what was observed."""
    monkeypatch.setattr(permutation, "MAX_SUMS", 1)
    found = sign_flip_test([((0, 1), (1, 1))])
    assert (found.p, found.exact) == (1.0, False)


@pytest.mark.parametrize(
    ("low", "high", "shown"),
    [(0.0, 0.5, False), (-0.5, 0.0, False), (0.1, 0.5, True), (-0.5, -0.1, True), (-0.1, 0.1, False)],
)
def test_an_interval_that_touches_zero_shows_no_difference(low: float, high: float, shown: bool) -> None:
    """Zero belongs to the closed interval, whatever the p-value is."""
    assert Finding(Interval(low, high), PermutationTest(0.01, 0.001, True)).shown is shown
    assert not Finding(Interval(low, high), PermutationTest(0.06, 0.001, True)).shown


@pytest.mark.parametrize(
    "group",
    [
        [(1, 10), (2, 5), (0, 20)],
        [(0, 2), (0, 7), (0, 4)],
        [(9, 10), (4, 5), (20, 20)],
        [(1, 1), (0, 1), (1, 1)],
        [(5, 10), (2, 4)],
    ],
)
def test_a_group_reaches_as_far_as_its_formula(group: list[Counts]) -> None:
    """d solves d^2 = z^2 (V + d s - d^2 w / k^2), with the skew that puts each bound further away."""
    k, z2 = len(group), NORMAL_975**2
    rates = [c / n for c, n in group]
    noise = noise_variances(group)
    v = sum(noise) + 0.3 * sum(1 / n**2 for _, n in group) / k
    w = sum(1 / n for _, n in group)
    slopes = [(1 - 2 * r) / n for r, (_, n) in zip(rates, group, strict=True)]
    weights = [r * (1 - r) / n for r, (_, n) in zip(rates, group, strict=True)]
    skews = [sum(slopes) / k]
    if sum(weights) > 0:
        skews.append(sum(s * x for s, x in zip(slopes, weights, strict=True)) / sum(weights))
    found = noise_interval(group)
    for skew, side, bound in ((-min(skews), -1, found.low), (max(skews), 1, found.high)):
        q, b = 1 + z2 * w / k**2, z2 * skew / 2
        d = (b + sqrt(b * b + q * z2 * v)) / q
        assert d * d == pytest.approx(z2 * (v + d * skew - d * d * w / k**2))
        assert bound == pytest.approx(min(1, max(0, (sum(rates) + side * d) / k)))


def test_a_p_of_exactly_five_percent_is_significant() -> None:
    """One trial of 20 that could be in the other run has p = 1/20, which is as small as it can be there."""
    found = trial_permutation_test([((0, 19), (1, 1))])
    assert found.p == pytest.approx(0.05) and found.smallest_p == pytest.approx(0.05)
    assert found.significant and found.possible
    rarer = trial_permutation_test([((0, 18), (1, 1))])
    assert rarer.p == pytest.approx(1 / 19) and not rarer.significant and not rarer.possible


def test_a_drawn_p_is_at_least_one_draw(monkeypatch: pytest.MonkeyPatch) -> None:
    """The least p of 20,000 draws is 1/20,001, also if enumerating could give less."""
    monkeypatch.setattr(permutation, "MAX_SUMS", 1)
    found = trial_permutation_test([((0, 30), (30, 30))])
    assert (found.p, found.smallest_p, found.exact) == (1 / 20_001, 1 / 20_001, False)


def test_a_detectable_difference_solves_its_equation() -> None:
    """D = STEPS w + z sqrt(N(f)) + z80 sqrt(W(0) + W(f)), with every case moving the share f of its way."""
    cases = [(5, 0.8, 0.03), (10, 0.5, 0.02), (4, 0.9, 0.0)]
    found = detectable_difference(cases)
    assert found is not None
    f = found / (sum(x for _, x, _ in cases) / 3)

    def w(share: float) -> float:
        return sum((1 - share) * ((1 - share) * v + share * x / n) for n, x, v in cases) / 9

    step = sum(1 / n for n, _, _ in cases) / 9
    apart = sum((f * x) ** 2 / (2 * n * (2 * n - 1)) for n, x, _ in cases) / 9
    wanted = 0.6 * step + NORMAL_975 * sqrt(2 * w(f / 2) + apart) + NORMAL_80 * sqrt(w(0) + w(f))
    assert found == pytest.approx(wanted)


def test_at_a_rate_of_one_half_the_larger_difference_counts() -> None:
    """A change in either direction must be shown, so the harder one decides."""
    cases: list[Counts] = [(3, 3), (0, 30), (5, 10)]
    mirrored: list[Counts] = [(trials - passes, trials) for passes, trials in cases]
    noises = noise_variances(cases)
    up, down = (
        detectable_difference([(n, 1 - c / n, v) for (c, n), v in zip(side, noises, strict=True)])
        for side in (cases, mirrored)
    )
    assert up is not None and down is not None and up != down
    assert minimum_detectable_difference(cases) == pytest.approx(max(up, down))
    assert minimum_detectable_difference(mirrored) == pytest.approx(max(up, down))
