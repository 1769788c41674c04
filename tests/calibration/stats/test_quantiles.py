"""Quantiles agree with scipy, numpy and the standard library."""

import statistics

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from trapcli.calibration.stats.quantiles import NORMAL_80, NORMAL_975, quantile, student_975


def test_normal_quantiles_match_the_standard_library() -> None:
    """The two constants are the 97.5% and 80% quantiles of the normal distribution."""
    assert pytest.approx(statistics.NormalDist().inv_cdf(0.975), rel=1e-14) == NORMAL_975
    assert pytest.approx(statistics.NormalDist().inv_cdf(0.8), rel=1e-14) == NORMAL_80


@pytest.mark.parametrize("freedom", [*range(1, 60), 99, 100, 1000, 4999])
def test_student_matches_scipy(freedom: int) -> None:
    """The t quantile agrees with scipy to 1e-9 for few and many, odd and even degrees of freedom."""
    assert student_975(freedom) == pytest.approx(stats.t.ppf(0.975, freedom), rel=1e-9)


def test_student_needs_a_degree_of_freedom() -> None:
    """Zero degrees of freedom are an error."""
    with pytest.raises(ValueError, match="not 0"):
        student_975(0)


SECONDS = st.lists(st.floats(0, 1e6), min_size=1, max_size=30)


@pytest.mark.slow
@given(SECONDS, st.floats(0, 1))
def test_quantile_matches_numpy(values: list[float], q: float) -> None:
    """The quantile agrees with numpy and is never outside the values."""
    found = quantile(values, q)
    assert found is not None
    assert found == pytest.approx(float(numpy.quantile(values, q)), rel=1e-9, abs=1e-9)
    assert min(values) <= found <= max(values)


@pytest.mark.slow
@given(SECONDS)
def test_median_is_the_half_quantile(values: list[float]) -> None:
    """The quantile at 0.5 is the median."""
    assert quantile(values, 0.5) == pytest.approx(statistics.median(values))


@pytest.mark.parametrize(
    ("values", "q", "wanted"),
    [([7.0], 0.95, 7.0), ([1.0, 2.0], 0.5, 1.5), ([3, 1, 2], 1, 3), ([1, 2, 3, 4, 5], 0.95, 4.8)],
)
def test_quantile_is_linear_between_ranks(values: list[float], q: float, wanted: float) -> None:
    """Quantiles interpolate between ranks, in any order of values; a single value is every quantile."""
    assert quantile(values, q) == pytest.approx(wanted)


def test_quantile_of_no_values_is_none() -> None:
    """No values give None, and q outside 0 to 1 is an error."""
    assert quantile([], 0.5) is None
    with pytest.raises(ValueError, match=r"1\.5"):
        quantile([1.0], 1.5)
