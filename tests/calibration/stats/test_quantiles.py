"""Quantiles against scipy, numpy and the standard library."""

import statistics

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from trapcli.calibration.stats.quantiles import NORMAL, POWER, quantile, student


def test_normal_quantiles_are_those_of_the_standard_library() -> None:
    """The two constants are the 97.5% and the 80% quantile of the normal distribution."""
    assert pytest.approx(statistics.NormalDist().inv_cdf(0.975), rel=1e-14) == NORMAL
    assert pytest.approx(statistics.NormalDist().inv_cdf(0.8), rel=1e-14) == POWER


@pytest.mark.parametrize("freedom", [*range(1, 60), 99, 100, 1000, 4999])
def test_student_is_scipys(freedom: int) -> None:
    """The t quantile agrees with scipy to 1e-9 for odd and even degrees of freedom, few and many."""
    assert student(freedom) == pytest.approx(stats.t.ppf(0.975, freedom), rel=1e-9)


def test_student_needs_a_degree_of_freedom() -> None:
    """Without a degree of freedom there is no quantile to give."""
    with pytest.raises(ValueError, match="0 degrees"):
        student(0)


SECONDS = st.lists(st.floats(0, 1e6), min_size=1, max_size=30)


@given(SECONDS, st.floats(0, 1))
def test_a_quantile_is_numpys(values: list[float], q: float) -> None:
    """The quantile is numpy's, and lies between the least and the greatest value."""
    found = quantile(values, q)
    assert found is not None
    assert found == pytest.approx(float(numpy.quantile(values, q)), rel=1e-9, abs=1e-9)
    assert min(values) <= found <= max(values)


@given(SECONDS)
def test_the_median_is_the_half_quantile(values: list[float]) -> None:
    """The quantile at 0.5 is the median."""
    assert quantile(values, 0.5) == pytest.approx(statistics.median(values))


@pytest.mark.parametrize(
    ("values", "q", "wanted"),
    [([7.0], 0.95, 7.0), ([1.0, 2.0], 0.5, 1.5), ([3, 1, 2], 1, 3), ([1, 2, 3, 4, 5], 0.95, 4.8)],
)
def test_a_quantile_is_linear_between_ranks(values: list[float], q: float, wanted: float) -> None:
    """Between two ranks the quantile is in proportion; order does not matter; one value is every quantile."""
    assert quantile(values, q) == pytest.approx(wanted)


def test_no_values_have_no_quantile() -> None:
    """Nothing measured gives None, and a quantile outside 0 to 1 is an error."""
    assert quantile([], 0.5) is None
    with pytest.raises(ValueError, match=r"1\.5"):
        quantile([1.0], 1.5)
