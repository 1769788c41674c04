"""Both permutation tests agree with brute force, scipy and statsmodels."""

from collections import Counter
from fractions import Fraction
from itertools import combinations, product

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import fisher_exact, permutation_test
from statsmodels.stats.contingency_tables import StratifiedTable

from trapcli.calibration.stats import permutation
from trapcli.calibration.stats.permutation import (
    DRAWS,
    PermutationTest,
    sign_flip_test,
    trial_permutation_test,
)
from trapcli.calibration.stats.rates import Counts

Pair = tuple[Counts, Counts]


@st.composite
def pairs(draw: st.DrawFn, most: int = 6) -> Pair:
    a, b = draw(st.integers(1, most)), draw(st.integers(1, most))
    return (draw(st.integers(0, a)), a), (draw(st.integers(0, b)), b)


def runs(before: list[int], after: list[int], trials: int) -> list[Pair]:
    return [((a, trials), (b, trials)) for a, b in zip(before, after, strict=True)]


def differences_of(cases: list[Pair]) -> list[Fraction]:
    return [Fraction(*b) - Fraction(*a) for a, b in cases]


def permuted_differences(case: Pair) -> list[Fraction]:
    """Return the difference of a case for every choice of the trials that are in run B."""
    (a, m), (b, n) = case
    outcomes = [1] * (a + b) + [0] * (m + n - a - b)
    sums = [sum(chosen) for chosen in combinations(outcomes, n)]
    return [Fraction(passes, n) - Fraction(a + b - passes, m) for passes in sums]


@pytest.mark.slow
@given(st.lists(pairs(), min_size=1, max_size=8))
def test_p_of_signs_is_the_share_of_sign_vectors(cases: list[Pair]) -> None:
    """p equals brute force with fractions, and is never below the least possible one."""
    differences = differences_of(cases)
    sums = [
        abs(sum((s * d for s, d in zip(signs, differences, strict=True)), Fraction(0)))
        for signs in product((1, -1), repeat=len(differences))
    ]
    found = sign_flip_test(cases)
    assert found.exact
    assert found.p == sum(total >= abs(sum(differences, Fraction(0))) for total in sums) / len(sums)
    assert found.smallest_p <= found.p


@given(st.lists(pairs(most=3), min_size=1, max_size=3))
def test_p_of_trials_is_the_share_of_permutations(cases: list[Pair]) -> None:
    """p equals brute force over all choices of trials, and is never below the least possible one."""
    observed = abs(sum(differences_of(cases), Fraction(0)))
    ways = Counter({Fraction(0): 1})
    for case in cases:
        more: Counter[Fraction] = Counter()
        for total, count in ways.items():
            for difference in permuted_differences(case):
                more[total + difference] += count
        ways = more
    far = sum(count for total, count in ways.items() if abs(total) >= observed)
    found = trial_permutation_test(cases)
    assert found.exact
    assert found.p == pytest.approx(far / sum(ways.values()))
    assert found.smallest_p <= found.p * (1 + 1e-9)


def test_smallest_p_of_trials_is_reached() -> None:
    """The least p of trials is that of no pass in one run and only passes in the other."""
    for cases in (runs([0, 0], [3, 3], 3), [((0, 2), (4, 4))], [((0, 2), (3, 3)), ((0, 1), (1, 1))]):
        found = trial_permutation_test(cases)
        assert found.p == pytest.approx(found.smallest_p)


@given(st.integers(1, 12).flatmap(lambda n: st.tuples(*[st.tuples(st.integers(0, n), st.just(n))] * 2)))
def test_p_of_trials_of_one_case_is_that_of_fisher(case: Pair) -> None:
    """With one case of equally many trials p is Fisher's, as in scipy."""
    (a, m), (b, n) = case
    assert trial_permutation_test([case]).p == pytest.approx(fisher_exact([[a, m - a], [b, n - b]]).pvalue)


def test_p_of_trials_is_near_that_of_cochran_mantel_haenszel() -> None:
    """With many trials p is near that of the test of Cochran, Mantel and Haenszel in statsmodels."""
    cases = runs([40, 10, 70, 55], [52, 14, 73, 62], 100)
    tables = [numpy.array([[a, m - a], [b, n - b]]) for (a, m), (b, n) in cases]
    theirs = StratifiedTable(tables).test_null_odds(correction=True).pvalue
    assert trial_permutation_test(cases).p == pytest.approx(theirs, abs=0.002)


def test_p_of_signs_matches_scipy() -> None:
    """The exact p agrees with scipy's permutation test of paired samples."""
    before, after = [3, 1, 4, 1, 5, 9, 2, 6], [5, 3, 5, 8, 9, 7, 9, 3]
    theirs = permutation_test(
        ([b - a for a, b in zip(before, after, strict=True)],), numpy.mean, permutation_type="samples"
    )
    found = sign_flip_test(runs(before, after, 10))
    assert found.exact
    assert found.p == pytest.approx(theirs.pvalue)


def test_ties_are_not_split_by_rounding() -> None:
    """0.1 + 0.2 and 0.3, which differ as floats, are ties."""
    assert sign_flip_test([((0, 10), (1, 10)), ((0, 10), (2, 10)), ((3, 10), (0, 10))]).p == 1.0
    assert sign_flip_test([((1, 3), (2, 3)), ((1, 6), (3, 6)), ((0, 2), (0, 2))]).p == 0.5


def test_p_is_never_0() -> None:
    """However many cases there are, p is more than 0; without a difference it is 1."""
    assert sign_flip_test(runs([3] * 300, [4] * 300, 10)) == PermutationTest(2.0**-299, 2.0**-299, True)
    assert sign_flip_test(runs([3] * 300, [3] * 300, 10)).p == 1.0
    everything = trial_permutation_test(runs([0] * 80, [20] * 80, 20))
    assert 0 < everything.p < 1e-300 and 0 < everything.smallest_p < 1e-300
    assert trial_permutation_test(runs([0] * 9, [0] * 9, 10)).p == 1.0


@pytest.mark.slow
@pytest.mark.parametrize("test", [sign_flip_test, trial_permutation_test])
def test_p_is_drawn_if_there_are_too_many_sums(monkeypatch: pytest.MonkeyPatch, test: object) -> None:
    """A drawn p is near the exact one, is the same every time and in every order, and is never 0."""
    assert callable(test)
    cases = [((k % 5, 5 + k), ((3 * k) % 7, 6 + k)) for k in range(2, 7)]
    exact = test(cases)
    monkeypatch.setattr(permutation, "MAX_SUMS", 10)
    drawn = test(cases)
    assert exact.exact and not drawn.exact
    assert drawn.p == pytest.approx(exact.p, abs=0.015)
    assert test(cases[::-1]) == drawn
    far = test([*runs([0] * 39, [39] * 39, 40), ((0, 37), (37, 37))])
    assert (far.p, far.smallest_p, far.exact) == (1 / (DRAWS + 1), 1 / (DRAWS + 1), False)
