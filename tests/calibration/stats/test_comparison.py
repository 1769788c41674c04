"""Comparisons of two runs show a difference by one rule, and their intervals contain the truth."""

from itertools import combinations_with_replacement, pairwise, product
from math import comb
from random import Random

import pytest
from benchmarks.interval_coverage import Cell, difference_coverage
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.proportion import confint_proportions_2indep

from trapcli.calibration.stats.comparison import Comparison, compare
from trapcli.calibration.stats.rates import Counts

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
    assert found.on_new_cases is not None
    new, these = found.on_new_cases.interval, found.on_these_cases.interval
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
    for a, b in ((one.on_these_cases, other.on_these_cases), (one.on_new_cases, other.on_new_cases)):
        if a is None or b is None:
            assert a is b
            continue
        assert a.test.p == pytest.approx(b.test.p)
        mine, theirs = a.interval, b.interval
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
    found = require(compare([(a, b)])).on_these_cases.interval
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
        found = require(compare(reading)).on_these_cases
        assert found.test.p > 0.05
        assert not found.shown


def test_large_change_is_significant() -> None:
    """From 9 of 10 to 4 of 10 on each of six cases is significant."""
    found = require(compare(runs([9] * 6, [4] * 6, 10)))
    assert found.on_these_cases.shown and found.on_these_cases.test.p < 1e-6
    assert found.on_new_cases is not None
    assert found.on_new_cases.shown
    assert found.on_new_cases.test.p == found.on_new_cases.test.smallest_p == 2 / 64


def test_cases_that_fail_in_both_runs_are_not_evidence() -> None:
    """If 13 of 15 cases fail in both runs, two that differ show nothing about new cases."""
    found = require(compare(runs([0] * 13 + [10, 10], [0] * 15, 10)))
    assert found.on_these_cases.shown
    assert found.on_new_cases is not None
    assert found.on_new_cases.test.p == 0.5
    assert found.on_new_cases.interval.low < -0.2 < 0 < found.on_new_cases.interval.high


def test_pairing_narrows_the_interval() -> None:
    """Cases that differ much from each other, but little between runs, have a narrow interval."""
    paired = require(compare(runs([0, 2, 4, 6, 8, 10] * 2, [0, 3, 5, 7, 9, 10] * 2, 10))).on_new_cases
    mixed = require(compare(runs([0, 2, 4, 6, 8, 10] * 2, [9, 0, 10, 3, 7, 5] * 2, 10))).on_new_cases
    assert paired is not None and mixed is not None
    narrow, wide = paired.interval, mixed.interval
    assert narrow.high - narrow.low < (wide.high - wide.low) / 2


COUNTS = [(c, n) for n in (1, 2, 3) for c in range(n + 1)]
SMALL = [[pair] for pair in product(COUNTS, COUNTS)]
SMALL += [list(two) for two in combinations_with_replacement(product(COUNTS, COUNTS), 2)]


def test_a_difference_is_shown_only_if_interval_and_p_both_say_so() -> None:
    """For all counts of one and two cases with up to three trials the one rule holds, for both questions."""
    shown = 0
    for cases in SMALL:
        found = require(compare(cases))
        for finding in (found.on_these_cases, found.on_new_cases):
            if finding is None:
                continue
            excludes_zero = finding.interval.low > 0 or finding.interval.high < 0
            assert finding.shown == (finding.test.p < 0.0500001 and excludes_zero)
            assert 0 < finding.test.smallest_p <= finding.test.p <= 1
            assert finding.test.possible or not finding.shown
            shown += finding.shown
        assert found.on_new_cases is None or not found.on_new_cases.shown
    assert 0 < shown < len(SMALL) / 10


@pytest.mark.parametrize(("trials", "shown"), [(1, False), (2, False), (3, False), (4, True)])
def test_one_case_needs_four_trials(trials: int, shown: bool) -> None:
    """None of 2 or 3 and all of 2 or 3 may be chance (p = 0.33, 0.1), though the interval excludes 0."""
    found = require(compare([((0, trials), (trials, trials))])).on_these_cases
    assert found.excludes_zero == (trials > 1)
    assert (found.shown, found.test.possible) == (shown, shown)
    assert found.test.p == found.test.smallest_p == pytest.approx(2 / comb(2 * trials, trials))


def test_few_cases_cannot_show_a_difference_on_new_cases() -> None:
    """Five cases that all change completely have p = 0.0625, which is also the least possible one."""
    found = require(compare(runs([0] * 5, [10] * 5, 10))).on_new_cases
    assert found is not None
    assert found.test.p == found.test.smallest_p == 0.0625
    assert not found.test.possible and not found.shown


def test_chance_shows_a_difference_in_at_most_5_percent() -> None:
    """Two runs of the same rates, also of certain and uncertain cases, show a difference in under 5%."""
    random = Random("null")
    for rates in ([0.5], [0.5] * 3, [0.02] * 9 + [0.98], [0.0, 1.0, 0.5, 0.5]):
        shown = 0
        for _ in range(400):
            first, second = (
                [(sum(random.random() < rate for _ in range(4)), 4) for rate in rates] for _ in range(2)
            )
            counts = list(zip(first, second, strict=True))
            shown += require(compare(counts)).on_these_cases.shown
        assert shown <= 24


@pytest.mark.parametrize("change", ["none", "breaks a tenth", "fixes a fifth"])
def test_difference_intervals_cover(change: str) -> None:
    """Both intervals of a difference contain the truth, also if only an occasional case changes."""
    found = difference_coverage(change, Cell(6, 10, 0.9, 0.5), 300, "guard")
    assert found["on new"].percent >= 92
    assert found["on these"].percent >= 93
