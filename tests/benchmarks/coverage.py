"""How often the intervals of `trapcli calibrate` hold the truth, by simulation.

    python tests/benchmarks/coverage.py [--runs 4000] [--seed 1]

Suites: 6 and 10 cases; 3, 5 and 10 trials a case; case rates from Beta distributions with mean
rates 0.1 to 0.9 and concentrations 0.5 (most cases nearly always or nearly never pass), 2 and 20
(cases nearly alike). The truth is that mean rate for the interval on new cases and for the usual
clustered t interval, and the mean of the drawn case rates for the interval on these cases.
Then Wilson's interval of one case (exact sums, no simulation), the intervals of a difference
between two runs, and how often a second run is told apart when its rate differs by what
`detectable_difference` gives. Exits 1 unless everything covers what it must.
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
from trapcli.calibration.stats.rates import Counts, Interval

CASES = (6, 10)
TRIALS = (3, 5, 10)
MEANS = (0.1, 0.3, 0.5, 0.7, 0.9)
CONCENTRATIONS = (0.5, 2.0, 20.0)
SUITE = {"on new": rates.on_new_cases, "on these": rates.on_these_cases, "clustered t": rates.clustered_t}
CHANGES = ("none", "unrelated", "breaks a tenth", "mends a fifth", "all easier")
SLACK = 1e-12  # so that a bound which is the truth, but for rounding, holds it


@dataclass(frozen=True, slots=True)
class Cell:
    """A kind of suite: so many cases and trials each, case rates from a Beta distribution."""

    cases: int
    trials: int
    mean: float
    concentration: float

    def __str__(self) -> str:
        return f"{self.cases:5} {self.trials:6} {self.mean:5.1f} {self.concentration:5.1f}"

    def rate(self, random: Random) -> float:
        """A case's own rate."""
        return random.betavariate(self.mean * self.concentration, (1 - self.mean) * self.concentration)

    def run(self, random: Random, case_rates: list[float]) -> tuple[Counts, ...]:
        """Passes and trials of every case in one run."""
        return tuple((sum(random.random() < p for _ in range(self.trials)), self.trials) for p in case_rates)


HEAD = f"{'cases':>5} {'trials':>6} {'mean':>5} {'conc.':>5}"


@dataclass(frozen=True, slots=True)
class Cover:
    """How often an interval held the truth, in percent, and its mean width."""

    percent: float
    width: float

    def __str__(self) -> str:
        return f"{self.percent:7.2f} {self.width:6.3f}"


def main() -> int:
    parser = argparse.ArgumentParser(description="How often the intervals hold the truth.")
    parser.add_argument("--runs", type=int, default=4000, help="a cell")
    parser.add_argument("--seed", default="1")
    asked = parser.parse_args()
    good = [
        suites(asked.runs, asked.seed),
        single_cases(),
        no_width_is_zero(),
        differences(asked.runs, asked.seed),
        power(asked.runs, asked.seed),
    ]
    return 0 if all(good) else 1


def cells(
    cases: tuple[int, ...] = CASES, trials: tuple[int, ...] = TRIALS, means: tuple[float, ...] = MEANS
) -> Iterator[Cell]:
    for values in product(cases, trials, means, CONCENTRATIONS):
        yield Cell(*values)


def covered(intervals: list[Interval], truths: list[float]) -> Cover:
    held = [i.low - SLACK <= t <= i.high + SLACK for i, t in zip(intervals, truths, strict=True)]
    return Cover(100 * mean(held), mean(i.high - i.low for i in intervals))


def suite_cover(cell: Cell, runs: int, seed: str) -> dict[str, Cover]:
    """Name of an interval -> its cover in this cell."""
    random = Random(f"suite/{seed}/{cell}")
    intervals: dict[str, list[Interval]] = {name: [] for name in SUITE}
    own: list[float] = []
    for _ in range(runs):
        case_rates = [cell.rate(random) for _ in range(cell.cases)]
        own.append(mean(case_rates))
        seen = tuple(sorted(cell.run(random, case_rates)))  # no interval minds the order of the cases
        for name, interval in _suite_intervals(seen).items():
            intervals[name].append(interval)
    truths = {name: own if name == "on these" else [cell.mean] * runs for name in SUITE}
    return {name: covered(intervals[name], truths[name]) for name in SUITE}


@lru_cache(maxsize=100_000)
def _suite_intervals(seen: tuple[Counts, ...]) -> dict[str, Interval]:
    return {name: known(interval(seen)) for name, interval in SUITE.items()}


def known(interval: Interval | None) -> Interval:
    if interval is None:
        raise AssertionError("two cases or more have an interval")
    return interval


def suites(runs: int, seed: str) -> bool:
    """The table of suites; whether both intervals cover what they must."""
    print(f"Suites: percent of {runs} runs in which the interval holds the truth, and its mean width\n")
    print(HEAD, *(f"{name:>14}" for name in SUITE))
    covers: dict[str, list[Cover]] = {name: [] for name in SUITE}
    for cell in cells():
        row = suite_cover(cell, runs, seed)
        print(cell, *row.values())
        for name, cover in row.items():
            covers[name].append(cover)
    summary(covers)
    new = [cover.percent for cover in covers["on new"]]
    these = [cover.percent for cover in covers["on these"]]
    return all(
        [
            must("on new cases covers at least 90% in every cell", min(new) >= 90),
            must("on new cases covers 94 to 98.5% on average", 94 <= mean(new) <= 98.5),
            must(
                "on these cases covers 92.5 to 97.5% in every cell", 92.5 <= min(these) <= max(these) <= 97.5
            ),
        ]
    )


def summary(covers: dict[str, list[Cover]]) -> None:
    for word, choose in (("lowest", min), ("highest", max), ("mean", mean)):
        values = [choose(cover.percent for cover in found) for found in covers.values()]
        print(f"{word:<{len(HEAD)}}", *(f"{value:7.2f}       " for value in values))


def must(what: str, holds: bool) -> bool:
    print(f"{'ok' if holds else 'FAILS'}: {what}")
    return holds


def wilson_cover(trials: int, steps: int = 1000) -> float:
    """Mean percent of covering over evenly spaced rates from 0 to 1: exact sums over the binomial."""
    intervals = [rates.wilson(passes, trials) for passes in range(trials + 1)]
    return 100 * mean(
        sum(
            comb(trials, passes) * p**passes * (1 - p) ** (trials - passes)
            for passes, interval in enumerate(intervals)
            if interval.low - SLACK <= p <= interval.high + SLACK
        )
        for p in (step / steps for step in range(steps + 1))
    )


def single_cases() -> bool:
    print("\nOne case: mean percent in which Wilson's interval holds the truth, over rates from 0 to 1\n")
    covers = {trials: wilson_cover(trials) for trials in (3, 5, 10, 20)}
    for trials, percent in covers.items():
        print(f"{trials:5} trials {percent:7.2f}")
    return must("Wilson's covers 94 to 96.5% on average", all(94 <= p <= 96.5 for p in covers.values()))


def no_width_is_zero() -> bool:
    print("\nNothing but passes, nothing but failures\n")
    narrow = []
    for cases, trials, passed in product(CASES, TRIALS, (False, True)):
        seen = [(trials * passed, trials)] * cases
        new, these = known(rates.on_new_cases(seen)), known(rates.on_these_cases(seen))
        narrow.append(min(new.high - new.low, these.high - these.low))
        if passed:
            print(f"{cases:5} cases, {trials:2} trials: on new from {new.low:.3f}, on these {these.low:.3f}")
    return must("no interval without width", min(narrow) > 0)


def changed(change: str, cell: Cell, random: Random, case_rates: list[float]) -> list[float]:
    """The case rates of the second run."""
    if change == "unrelated":
        return [cell.rate(random) for _ in case_rates]
    if change == "breaks a tenth":
        return [0.0 if random.random() < 0.1 else p for p in case_rates]
    if change == "mends a fifth":
        return [1.0 if random.random() < 0.2 else p for p in case_rates]
    return [1 - (1 - p) ** 2 for p in case_rates] if change == "all easier" else case_rates


def expected(change: str, cell: Cell) -> float:
    """The mean difference over all cases that there could be."""
    if change == "all easier":  # E[(1-p) - (1-p)^2] = E[p(1-p)]
        return cell.mean * (1 - cell.mean) * cell.concentration / (cell.concentration + 1)
    return {"breaks a tenth": -0.1 * cell.mean, "mends a fifth": 0.2 * (1 - cell.mean)}.get(change, 0.0)


def difference_cover(change: str, cell: Cell, runs: int, seed: str) -> dict[str, Cover]:
    """Name of an interval of the difference -> its cover in this cell."""
    random = Random(f"difference/{seed}/{change}/{cell}")
    new: list[Interval] = []
    these: list[Interval] = []
    own: list[float] = []
    for _ in range(runs):
        before = [cell.rate(random) for _ in range(cell.cases)]
        after = changed(change, cell, random, before)
        own.append(mean(after) - mean(before))
        first, second = cell.run(random, before), cell.run(random, after)
        new.append(comparison.difference_on_new_cases(first, second))
        these.append(comparison.difference_on_these_cases(first, second))
    return {"on new": covered(new, [expected(change, cell)] * runs), "on these": covered(these, own)}


def differences(runs: int, seed: str) -> bool:
    """The summary of differences by kind of change; whether the intervals cover what they must."""
    print("\nDifferences of two runs: percent in which the interval holds the truth, and its mean width")
    print("(6, 10 and 20 cases; 3 and 10 trials; mean rates 0.1, 0.5 and 0.9)\n")
    found: dict[str, list[float]] = {"on new": [], "on these": []}
    for change in CHANGES:
        grid = list(cells((*CASES, 20), (3, 10), (0.1, 0.5, 0.9)))
        rows = [(cell, difference_cover(change, cell, max(1, runs // 4), seed)) for cell in grid]
        for name, all_found in found.items():
            worst, cover = min(((cell, row[name]) for cell, row in rows), key=lambda pair: pair[1].percent)
            percents = [row[name].percent for _, row in rows]
            all_found.extend(percents)
            print(
                f"{change:<15} {name:<9} mean {mean(percents):6.2f} "
                f"width {mean(row[name].width for _, row in rows):.3f}; "
                f"lowest {cover} at {' '.join(str(worst).split())}"
            )
    return all(
        [
            must("differences on new cases: 90% everywhere, 95% on average", enough(found["on new"], 90)),
            must("differences on these cases: 92% everywhere, 95% on average", enough(found["on these"], 92)),
        ]
    )


def enough(percents: list[float], least: float) -> bool:
    return min(percents) >= least and mean(percents) >= 95


def power(runs: int, seed: str) -> bool:
    """How often a second run is told apart when all its rates differ by what is detectable."""
    print("\nPower: percent of second runs told apart at the detectable difference, of cases with one rate\n")
    shares = []
    for cases, trials, rate in product(CASES, (5, 10), (0.1, 0.5, 0.9)):
        cell = Cell(cases, trials, rate, 0)
        share = power_at(cell, max(1, runs // 4), seed)
        shares.append(share)
        print(f"{cases:5} cases, {trials:2} trials, rate {rate}: {share:5.1f}")
    return must("between 70 and 90% everywhere", 70 <= min(shares) <= max(shares) <= 90)


def power_at(cell: Cell, runs: int, seed: str) -> float:
    """Percent of second runs told apart; all cases of a run have the same rate."""
    random = Random(f"power/{seed}/{cell}")
    trials = cell.trials * cell.cases
    step = comparison.detectable_difference([(round(cell.mean * trials), trials)])
    if step is None:
        raise AssertionError("so many trials find some difference")
    before = [cell.mean] * cell.cases
    after = [cell.mean + step if cell.mean <= 0.5 else cell.mean - step] * cell.cases
    pairs = [(cell.run(random, before), cell.run(random, after)) for _ in range(runs)]
    intervals = [comparison.difference_on_these_cases(first, second) for first, second in pairs]
    return 100 * mean(not interval.low <= 0 <= interval.high for interval in intervals)


if __name__ == "__main__":
    sys.exit(main())
