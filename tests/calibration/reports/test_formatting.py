"""Numbers as text for a person: short, and never misleading."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trapcli.calibration.reports import formatting
from trapcli.calibration.reports.tally import FlaggedTrials, Usage
from trapcli.calibration.stats.rates import Interval

RATES = st.fractions(0, 1, max_denominator=50_000).map(float)


@pytest.mark.slow
@given(RATES)
def test_rate_looks_like_0_or_1_only_if_it_is(value: Any) -> None:
    """A rate that is not 0 or 1 never reads as 0 or 1."""
    assert (float(formatting.rate(value)) in (0, 1)) == (value in (0, 1))
    assert abs(float(formatting.rate(value)) - value) <= 0.005


@pytest.mark.slow
@given(RATES, RATES)
def test_ends_of_an_interval_look_different(one: Any, other: Any) -> None:
    """The two ends of an interval that has a width never look the same."""
    low, high = sorted((one, other))
    first, second = formatting.interval(Interval(low, high)).split(" to ")
    assert (first != second) == (low < high)


def test_rates() -> None:
    """Rates have two digits, and more near 0 and 1."""
    texts = [formatting.rate(value) for value in (0.0, 1.0, 0.5, 2 / 3, 0.999, 0.0004, None)]
    assert texts == ["0.00", "1.00", "0.50", "0.67", "0.999", "0.0004", "n/a"]


def test_differences_have_their_sign() -> None:
    """A difference has a sign unless it is 0; a small one does not look like 0."""
    assert [formatting.signed(value) for value in (0.25, -0.1, 0.0, 1e-17, -0.001)] == [
        "+0.25", "-0.10", "0.00", "0.00", "-0.001000",
    ]  # fmt: skip
    assert formatting.signed_interval(Interval(-0.1, 0.2)) == "-0.10 to +0.20"
    assert formatting.signed_interval(None) == "n/a"


def test_times() -> None:
    """Seconds have about three significant digits; long durations are in minutes or hours."""
    assert [formatting.seconds(value) for value in (0.0123, 9.5, 12.345, 600.2, None)] == [
        "0.01", "9.50", "12.3", "600", "n/a",
    ]  # fmt: skip
    assert [formatting.duration(value) for value in (30, 600, 90_000)] == ["30.0 s", "10 min", "25.0 h"]


def test_flagged_trials() -> None:
    """The first flagged trials are named, the others are counted."""
    flagged = FlaggedTrials(7, [("case_01", 1), ("case_02", 3)])
    assert formatting.trials(flagged) == "case_01/1, case_02/3 and 5 more"


def test_counts_with_nouns() -> None:
    """A noun is singular for 1, and has an irregular plural where one is given."""
    assert [formatting.plural(count, "trial") for count in (0, 1, 2000)] == [
        "0 trials",
        "1 trial",
        "2,000 trials",
    ]
    assert formatting.plural(2, "try", "tries") == "2 tries"


def test_counts_by_name() -> None:
    """Outcomes and mistakes are listed with their counts; zero counts are left out."""
    counts = {"passed": 3, "timed_out": 2, "crashed": 0, "killed": 1}
    assert formatting.outcomes(counts, ["passed"]) == "2 timed out, 1 killed"
    assert formatting.mistakes({"live_only": 2}, 1) == "live_only x2, 1 other"
    assert formatting.mistakes({}, 0) == ""


def test_usage_says_how_many_trials_reported_it() -> None:
    """A sum says how many trials it covers if some reported nothing."""
    figures = Usage({"input_tokens": 12345, "cost_usd": 0.5}, {"input_tokens": 3, "cost_usd": 4})
    assert formatting.usage(figures, 4) == "input_tokens 12,345 (of 3 of 4 trials), cost_usd 0.5000"
    assert formatting.usage(Usage(), 4) == ""
