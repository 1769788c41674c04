"""Numbers, intervals and counts as text for a person. A value that is not known is "n/a"."""

from collections.abc import Mapping, Sequence

from trapcli.calibration.reports.tally import FlaggedTrials, Usage
from trapcli.calibration.stats.rates import Interval
from trapcli.core.shorten import listed

UNKNOWN = "n/a"
MAX_DIGITS = 6  # after the decimal point


def rate(value: float | None) -> str:
    """Return a rate with two digits, or with as many more as it takes not to look like 0 or 1."""
    if value is None:
        return UNKNOWN
    for digits in range(2, MAX_DIGITS + 1):
        text = f"{value:.{digits}f}"
        if value in (0, 1) or float(text) not in (0, 1):
            return text
    return f"{value:.{MAX_DIGITS}f}"


def interval(ends: Interval | None) -> str:
    """Return both ends of an interval of rates; they look different if the interval has a width."""
    if ends is None:
        return UNKNOWN
    low, high = rate(ends.low), rate(ends.high)
    if low == high:
        low, high = f"{ends.low:.{MAX_DIGITS}f}", f"{ends.high:.{MAX_DIGITS}f}"
    return f"{low} to {high}"


def signed(value: float) -> str:
    """Return a difference of rates with its sign; "0.00" if there is none."""
    if abs(value) < 1e-12:
        return "0.00"
    return f"{value:+.2f}" if abs(value) >= 0.005 else f"{value:+.{MAX_DIGITS}f}"


def signed_interval(ends: Interval | None) -> str:
    """Return both ends of an interval of differences, with their signs."""
    return UNKNOWN if ends is None else f"{signed(ends.low)} to {signed(ends.high)}"


def seconds(value: float | None) -> str:
    """Return seconds with about three significant digits."""
    if value is None:
        return UNKNOWN
    return f"{value:.2f}" if value < 10 else f"{value:.1f}" if value < 100 else f"{value:.0f}"


def duration(value: float) -> str:
    """Return seconds as a duration in seconds, minutes or hours."""
    if value < 120:
        return f"{seconds(value)} s"
    return f"{value / 60:.0f} min" if value < 7200 else f"{value / 3600:.1f} h"


def plural(count: int, noun: str, plural_noun: str = "") -> str:
    """Return the count with its noun: "1 trial", "3 trials"."""
    return f"{count:,} {noun if count == 1 else plural_noun or noun + 's'}"


def outcomes(counts: Mapping[str, int], leave_out: Sequence[str] = ()) -> str:
    """Return how many trials had each outcome: "2 timed out, 1 crashed"."""
    return ", ".join(
        f"{count} {name.replace('_', ' ')}"
        for name, count in counts.items()
        if count and name not in leave_out
    )


def mistakes(counts: Mapping[str, int], other: int) -> str:
    """Return how many wrong answers match each mistake, and no mistake: "live_only x2, 1 other"."""
    named = [f"{name} x{count}" for name, count in counts.items()]
    return ", ".join([*named, f"{other} other"] if other else named)


def trials(flagged: FlaggedTrials) -> str:
    """Return the first flagged trials: "case_01/3, case_04/1 and 12 more"."""
    return listed((f"{case}/{number}" for case, number in flagged.first), flagged.count)


def usage(figures: Usage, trials: int) -> str:
    """Return the sums that `trials` trials reported, each with how many reported it if not all did."""
    parts = []
    for name, value in figures.sums.items():
        known = figures.known[name]
        number = f"{value:,}" if isinstance(value, int) else f"{value:,.4f}"
        parts.append(f"{name} {number}" + (f" (of {known:,} of {trials:,} trials)" if known < trials else ""))
    return ", ".join(parts)
