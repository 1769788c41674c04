"""Numbers as a person reads them: short, and never saying more or less than they are."""

from hypothesis import given
from hypothesis import strategies as st

from trapcli.calibration.reports import formatting
from trapcli.calibration.reports.tally import Sighting, Usage
from trapcli.calibration.stats.rates import Interval

RATES = st.fractions(0, 1, max_denominator=50_000).map(float)


@given(RATES)
def test_rate_looks_like_0_or_1_only_if_it_is(value):
    """A rate that is not 0 or 1 never reads as 0 or 1."""
    assert (float(formatting.rate(value)) in (0, 1)) == (value in (0, 1))
    assert abs(float(formatting.rate(value)) - value) <= 0.005


@given(RATES, RATES)
def test_interval_with_a_width_shows_it(one, other):
    """The ends of an interval that has a width are never written alike."""
    low, high = sorted((one, other))
    shown = formatting.interval(Interval(low, high)).split(" to ")
    assert (shown[0] != shown[1]) == (low < high)


def test_rates():
    """Two digits are enough but near 0 and 1."""
    shown = [formatting.rate(value) for value in (0.0, 1.0, 0.5, 2 / 3, 0.999, 0.0004, None)]
    assert shown == ["0.00", "1.00", "0.50", "0.67", "0.999", "0.0004", "n/a"]


def test_differences_have_their_sign():
    """A difference has a sign, unless there is none; a small one is not made to nothing."""
    assert [formatting.signed(value) for value in (0.25, -0.1, 0.0, 1e-17, -0.001)] == [
        "+0.25", "-0.10", "0.00", "0.00", "-0.001000",
    ]  # fmt: skip
    assert formatting.between(Interval(-0.1, 0.2)) == "-0.10 to +0.20"
    assert formatting.between(None) == "n/a"


def test_times():
    """Seconds are as exact as is of use; long times are in the unit that fits."""
    assert [formatting.seconds(value) for value in (0.0123, 9.5, 12.345, 600.2, None)] == [
        "0.01", "9.50", "12.3", "600", "n/a",
    ]  # fmt: skip
    assert [formatting.duration(value) for value in (30, 600, 90_000)] == ["30.0 s", "10 min", "25.0 h"]


def test_lists_are_bounded_and_say_how_many_more():
    """The first few names stand there, and the number of the others."""
    assert formatting.listed(["a", "b"], 2) == "a, b"
    assert formatting.listed((f"n{n}" for n in range(2000)), 2000) == "n0, n1, n2, n3, n4 and 1,995 more"
    assert (
        formatting.trials(Sighting(7, [("case_01", 1), ("case_02", 3)])) == "case_01/1, case_02/3 and 5 more"
    )


def test_usage_says_for_how_many_trials_it_is_known():
    """A sum over trials of which some reported nothing says so."""
    figures = Usage({"input_tokens": 12345, "cost_usd": 0.5}, {"input_tokens": 3, "cost_usd": 4})
    assert formatting.usage(figures, 4) == "input_tokens 12,345 (of 3 of 4 trials), cost_usd 0.5000"
    assert formatting.usage(Usage(), 4) == ""
