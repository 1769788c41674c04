"""Measure by simulation how often the intervals of `trapcli calibrate` contain the truth.

    python tests/benchmarks/interval_coverage.py [--runs 4000] [--seed 1]

Suites have 6 or 10 cases and 3, 5 or 10 trials per case. Case rates are drawn from Beta
distributions with means 0.1 to 0.9 and concentrations 0.5 (most cases nearly always or nearly
never pass), 2 and 20 (cases are nearly alike). The truth for the interval on new cases, and for
the usual clustered t interval, is that mean; for the interval on these cases it is the mean of
the drawn rates. Also measured: Wilson's interval of one case (exact sums, no simulation), the
intervals of a difference between two runs. rates/mixed_suites.py measures suites of fixed case rates, and
rates/power.py the minimum detectable difference. Exits with 1 if any coverage is outside its bounds.
"""

import argparse
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from math import comb
from random import Random
from statistics import mean

from trapcli.calibration.stats import comparison, rates
from trapcli.calibration.stats import intervals as suite_intervals
from trapcli.calibration.stats.rates import Counts, Interval

CASES = (6, 10)
TRIALS = (3, 5, 10)
MEANS = (0.1, 0.3, 0.5, 0.7, 0.9)
CONCENTRATIONS = (0.5, 2.0, 20.0)
SUITE = {
    "on new": suite_intervals.interval_on_new_cases,
    "on these": suite_intervals.interval_on_these_cases,
    "clustered t": rates.clustered_t_interval,
}
CHANGES = ("none", "unrelated", "breaks a tenth", "fixes a fifth", "all easier")
SLACK = 1e-12  # a bound that misses the truth by rounding contains it


@dataclass(frozen=True, slots=True)
class Cell:
    """A type of suite: numbers of cases and of trials per case, and the Beta distribution of case rates."""

    cases: int
    trials: int
    mean: float
    concentration: float

    def __str__(self) -> str:
        return f"{self.cases:5} {self.trials:6} {self.mean:5.1f} {self.concentration:5.1f}"

    def rate(self, random: Random) -> float:
        """Draw the rate of a case."""
        return random.betavariate(self.mean * self.concentration, (1 - self.mean) * self.concentration)

    def run(self, random: Random, case_rates: list[float]) -> tuple[Counts, ...]:
        """Draw the passes and trials of every case in one run."""
        return tuple((sum(random.random() < p for _ in range(self.trials)), self.trials) for p in case_rates)


HEAD = f"{'cases':>5} {'trials':>6} {'mean':>5} {'conc.':>5}"


@dataclass(frozen=True, slots=True)
class Coverage:
    """How often an interval contained the truth, in percent, and its mean width."""

    percent: float
    width: float

    def __str__(self) -> str:
        return f"{self.percent:7.2f} {self.width:6.3f}"


def main() -> int:
    parser = argparse.ArgumentParser(description="Measure how often the intervals contain the truth.")
    parser.add_argument("--runs", type=int, default=4000, help="simulated runs per cell")
    parser.add_argument("--seed", default="1")
    options = parser.parse_args()
    passed = [
        check_suites(options.runs, options.seed),
        check_single_cases(),
        check_widths(),
        check_differences(options.runs, options.seed),
    ]
    return 0 if all(passed) else 1


def cells(
    cases: tuple[int, ...] = CASES, trials: tuple[int, ...] = TRIALS, means: tuple[float, ...] = MEANS
) -> Iterator[Cell]:
    for values in product(cases, trials, means, CONCENTRATIONS):
        yield Cell(*values)


def coverage(intervals: list[Interval], truths: list[float]) -> Coverage:
    contained = [i.low - SLACK <= t <= i.high + SLACK for i, t in zip(intervals, truths, strict=True)]
    return Coverage(100 * mean(contained), mean(i.high - i.low for i in intervals))


def suite_coverage(cell: Cell, runs: int, seed: str) -> dict[str, Coverage]:
    """Return the coverage of each interval in this cell, by name."""
    random = Random(f"suite/{seed}/{cell}")
    intervals: dict[str, list[Interval]] = {name: [] for name in SUITE}
    own: list[float] = []
    for _ in range(runs):
        case_rates = [cell.rate(random) for _ in range(cell.cases)]
        own.append(mean(case_rates))
        counts = tuple(sorted(cell.run(random, case_rates)))  # sorted for the cache: order is irrelevant
        for name, interval in _suite_intervals(counts).items():
            intervals[name].append(interval)
    truths = {name: own if name == "on these" else [cell.mean] * runs for name in SUITE}
    return {name: coverage(intervals[name], truths[name]) for name in SUITE}


@lru_cache(maxsize=100_000)
def _suite_intervals(counts: tuple[Counts, ...]) -> dict[str, Interval]:
    return {name: require(interval(counts)) for name, interval in SUITE.items()}


def require(interval: Interval | None) -> Interval:
    if interval is None:
        raise AssertionError("two or more cases must have an interval")
    return interval


def check_suites(runs: int, seed: str) -> bool:
    """Print the table of suites; return whether both intervals are within their bounds."""
    print(f"Suites: percent of {runs} runs in which the interval contains the truth, and its mean width\n")
    print(HEAD, *(f"{name:>14}" for name in SUITE))
    found: dict[str, list[Coverage]] = {name: [] for name in SUITE}
    for cell in cells():
        row = suite_coverage(cell, runs, seed)
        print(cell, *row.values())
        for name, one in row.items():
            found[name].append(one)
    print_summary(found)
    new = [one.percent for one in found["on new"]]
    these = [one.percent for one in found["on these"]]
    return all(
        [
            check("on new cases covers at least 90% in every cell", min(new) >= 90),
            check("on new cases covers 94 to 98.5% on average", 94 <= mean(new) <= 98.5),
            check("on these cases covers at least 93% in every cell", min(these) >= 93),
        ]
    )


def print_summary(coverages: dict[str, list[Coverage]]) -> None:
    for word, choose in (("lowest", min), ("highest", max), ("mean", mean)):
        values = [choose(one.percent for one in found) for found in coverages.values()]
        print(f"{word:<{len(HEAD)}}", *(f"{value:7.2f}       " for value in values))


def check(what: str, holds: bool) -> bool:
    print(f"{'ok' if holds else 'FAILS'}: {what}")
    return holds


def wilson_coverage(trials: int, steps: int = 1000) -> float:
    """Return the mean coverage over evenly spaced rates from 0 to 1, as exact binomial sums, in percent."""
    intervals = [rates.wilson(passes, trials) for passes in range(trials + 1)]
    return 100 * mean(
        sum(
            comb(trials, passes) * p**passes * (1 - p) ** (trials - passes)
            for passes, interval in enumerate(intervals)
            if interval.low - SLACK <= p <= interval.high + SLACK
        )
        for p in (step / steps for step in range(steps + 1))
    )


def check_single_cases() -> bool:
    print("\nOne case: mean percent in which Wilson's interval contains the truth, over rates from 0 to 1\n")
    percents = {trials: wilson_coverage(trials) for trials in (3, 5, 10, 20)}
    for trials, percent in percents.items():
        print(f"{trials:5} trials {percent:7.2f}")
    return check("Wilson's covers 94 to 96.5% on average", all(94 <= p <= 96.5 for p in percents.values()))


def check_widths() -> bool:
    print("\nOnly passes, only failures\n")
    narrow = []
    for cases, trials, passed in product(CASES, TRIALS, (False, True)):
        counts = [(trials * passed, trials)] * cases
        new = require(suite_intervals.interval_on_new_cases(counts))
        these = require(suite_intervals.interval_on_these_cases(counts))
        narrow.append(min(new.high - new.low, these.high - these.low))
        if passed:
            print(f"{cases:5} cases, {trials:2} trials: on new from {new.low:.3f}, on these {these.low:.3f}")
    return check("every interval has a width", min(narrow) > 0)


def change_rates(change: str, cell: Cell, random: Random, case_rates: list[float]) -> list[float]:
    """Return the case rates of the second run."""
    if change == "unrelated":
        return [cell.rate(random) for _ in case_rates]
    if change == "breaks a tenth":
        return [0.0 if random.random() < 0.1 else p for p in case_rates]
    if change == "fixes a fifth":
        return [1.0 if random.random() < 0.2 else p for p in case_rates]
    return [1 - (1 - p) ** 2 for p in case_rates] if change == "all easier" else case_rates


def expected_difference(change: str, cell: Cell) -> float:
    """Return the mean difference over all possible cases."""
    if change == "all easier":  # E[(1-p) - (1-p)^2] = E[p(1-p)]
        return cell.mean * (1 - cell.mean) * cell.concentration / (cell.concentration + 1)
    return {"breaks a tenth": -0.1 * cell.mean, "fixes a fifth": 0.2 * (1 - cell.mean)}.get(change, 0.0)


def difference_coverage(change: str, cell: Cell, runs: int, seed: str) -> dict[str, Coverage]:
    """Return the coverage of each interval of the difference in this cell, by name."""
    random = Random(f"difference/{seed}/{change}/{cell}")
    new: list[Interval] = []
    these: list[Interval] = []
    own: list[float] = []
    for _ in range(runs):
        before = [cell.rate(random) for _ in range(cell.cases)]
        after = change_rates(change, cell, random, before)
        own.append(mean(after) - mean(before))
        first, second = cell.run(random, before), cell.run(random, after)
        new.append(comparison.difference_on_new_cases(first, second))
        these.append(comparison.difference_on_these_cases(first, second))
    return {
        "on new": coverage(new, [expected_difference(change, cell)] * runs),
        "on these": coverage(these, own),
    }


def check_differences(runs: int, seed: str) -> bool:
    """Print the differences by type of change; return whether the intervals are within their bounds."""
    print("\nDifferences of two runs: percent in which the interval contains the truth, and its mean width")
    print("(6, 10 and 20 cases; 3 and 10 trials; mean rates 0.1, 0.5 and 0.9)\n")
    found: dict[str, list[float]] = {"on new": [], "on these": []}
    for change in CHANGES:
        grid = list(cells((*CASES, 20), (3, 10), (0.1, 0.5, 0.9)))
        rows = [(cell, difference_coverage(change, cell, max(1, runs // 4), seed)) for cell in grid]
        for name, all_found in found.items():
            worst, lowest = min(((cell, row[name]) for cell, row in rows), key=lambda pair: pair[1].percent)
            percents = [row[name].percent for _, row in rows]
            all_found.extend(percents)
            print(
                f"{change:<15} {name:<9} mean {mean(percents):6.2f} "
                f"width {mean(row[name].width for _, row in rows):.3f}; "
                f"lowest {lowest} at {' '.join(str(worst).split())}"
            )
    return all(
        [
            check("differences on new cases: 90% everywhere, 95% on average", covers(found["on new"], 90)),
            check(
                "differences on these cases: 92% everywhere, 95% on average", covers(found["on these"], 92)
            ),
        ]
    )


def covers(percents: list[float], least: float) -> bool:
    return min(percents) >= least and mean(percents) >= 95


if __name__ == "__main__":
    sys.exit(main())
