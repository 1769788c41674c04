"""Numbers, intervals and lists of trials as a person reads them. What is not known is n/a."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from pathlib import Path

from trapcli.calibration.reports.tally import Sighting, Usage
from trapcli.calibration.stats.rates import Interval

UNKNOWN = "n/a"
NAMED = 5  # trials or cases that a sentence names
MOST = 6  # digits after the point


def rate(value: float | None) -> str:
    """A rate with two digits, or with as many more as keep it from looking like 0 or 1 if it is not."""
    if value is None:
        return UNKNOWN
    for digits in range(2, MOST + 1):
        shown = f"{value:.{digits}f}"
        if value in (0, 1) or float(shown) not in (0, 1):
            return shown
    return f"{value:.{MOST}f}"


def interval(ends: Interval | None) -> str:
    """Both ends; never two equal ones for an interval that has a width."""
    if ends is None:
        return UNKNOWN
    low, high = rate(ends.low), rate(ends.high)
    if low == high:
        low, high = f"{ends.low:.{MOST}f}", f"{ends.high:.{MOST}f}"
    return f"{low} to {high}"


def signed(value: float) -> str:
    """A difference of rates with its sign; a plain 0.00 if there is none."""
    if abs(value) < 1e-12:
        return "0.00"
    return f"{value:+.2f}" if abs(value) >= 0.005 else f"{value:+.{MOST}f}"


def between(ends: Interval | None) -> str:
    """The ends of an interval of differences, with their signs."""
    return UNKNOWN if ends is None else f"{signed(ends.low)} to {signed(ends.high)}"


def seconds(value: float | None) -> str:
    """Seconds with the digits that matter."""
    if value is None:
        return UNKNOWN
    return f"{value:.2f}" if value < 10 else f"{value:.1f}" if value < 100 else f"{value:.0f}"


def duration(value: float) -> str:
    """A long time in the unit that fits."""
    if value < 120:
        return f"{seconds(value)} s"
    return f"{value / 60:.0f} min" if value < 7200 else f"{value / 3600:.1f} h"


def several(count: int, noun: str, plural: str = "") -> str:
    """The count with its noun: "1 trial", "3 trials"."""
    return f"{count:,} {noun if count == 1 else plural or noun + 's'}"


def outcomes(counts: Mapping[str, int], leave_out: Sequence[str] = ()) -> str:
    """Which trials ended how: "2 timed out, 1 crashed"."""
    return ", ".join(
        f"{count} {name.replace('_', ' ')}"
        for name, count in counts.items()
        if count and name not in leave_out
    )


def slips(counts: Mapping[str, int], unnamed: int) -> str:
    """The mistakes that wrong answers equal, with counts: "live_only x2, 1 other"."""
    named = [f"{name} x{count}" for name, count in counts.items()]
    return ", ".join([*named, f"{unnamed} other"] if unnamed else named)


def listed(names: Iterable[str], count: int, between: str = ", ") -> str:
    """The first few of so many names, and how many more there are."""
    first = list(islice(names, NAMED))
    rest = count - len(first)
    return between.join(first) + (f" and {rest:,} more" if rest else "")


def trials(found: Sighting) -> str:
    """The trials that were seen, by name: "case_01/3, case_04/1 and 12 more"."""
    return listed((f"{case}/{number}" for case, number in found.first), found.count)


def usage(figures: Usage, trials: int) -> str:
    """The sums of what trials reported, each with how many reported it where not all did."""
    shown = []
    for name, value in figures.sums.items():
        known = figures.known[name]
        number = f"{value:,}" if isinstance(value, int) else f"{value:,.4f}"
        shown.append(f"{name} {number}" + (f" (of {known:,} of {trials:,} trials)" if known < trials else ""))
    return ", ".join(shown)


def path(place: Path) -> str:
    """The path from where we stand if it lies below, so that it is short to read and to type."""
    here = Path.cwd()
    return str(place.relative_to(here) if place.is_relative_to(here) else place)
