"""Measure how often "on these cases" contains the truth for suites of fixed case rates.

    python tests/benchmarks/rates/mixed_suites.py [--runs 1000] [--recheck 20000] [--seed 1] [--every 1]

Suites have 2 to 40 cases and 1 to 20 trials per case, also unequal ones. Some cases are nearly safe
and the others nearly hopeless; or all but one are certain; or all are alike; or their rates spread.
The truth is the mean of the rates. Cells below 94.5% are measured again, with more runs. The
formula before it is measured beside it: Wilson's interval at one effective number of
trials for the whole suite. Exits with 1 if a cell is below 93%, or if intervals are on average more
than 15% wider in the cells where the earlier formula covers 93%.
"""

import argparse
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from math import fsum
from statistics import mean
from typing import Any
from zlib import crc32

import numpy

from trapcli.calibration.stats.intervals import noise_interval
from trapcli.calibration.stats.rates import Cases, Interval, mean_of_rates, wilson_at

CASES = (2, 3, 6, 10, 20, 40)
TRIALS = ((1,), (2,), (3,), (5,), (10,), (20,), (1, 20), (20, 1), (2, 10), (3, 5, 20), (1, 3))
SAFE, HOPELESS = (0.98, 0.99, 0.95, 0.999), (0.02, 0.01, 0.05, 0.0)
ALIKE = (0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 0.98)
UNCERTAIN = (0.02, 0.1, 0.3, 0.5, 0.7, 0.9, 0.98)
SLACK = 1e-12  # a bound that misses the truth by rounding contains it
LEAST, NEAR, WIDER = 93.0, 94.5, 1.15


@dataclass(frozen=True, slots=True)
class MixedSuite:
    """A suite of fixed case rates. trials: of the cases in turn, repeated."""

    name: str
    rates: tuple[float, ...]
    trials: tuple[int, ...]

    def __str__(self) -> str:
        trials = ",".join(map(str, self.trials))
        return f"{len(self.rates):2} cases x {trials:6} trials, {self.name:18}"


def mixed_suites() -> Iterator[MixedSuite]:
    """Yield the whole grid."""
    for cases in CASES:
        for (name, rates), trials in product(_mixes(cases), TRIALS):
            yield MixedSuite(name, tuple(rates), trials)


def _mixes(cases: int) -> Iterator[tuple[str, list[float]]]:
    for safe, hopeless in product(SAFE, HOPELESS):
        for count in sorted({1, cases // 5, cases // 2, cases - 1} - {0}):
            yield f"{count} at {safe}, else {hopeless}", [safe] * count + [hopeless] * (cases - count)
    for ones, rate in product(sorted({0, 1, cases // 2, cases - 1}), UNCERTAIN):
        yield f"{ones} at 1, 1 at {rate}, else 0", [1.0] * ones + [rate] + [0.0] * (cases - 1 - ones)
    for rate in ALIKE:
        yield f"all at {rate}", [rate] * cases
    yield "spread", [(case + 0.5) / cases for case in range(cases)]
    yield "0.02, 0.5, 0.98", ([0.02, 0.5, 0.98] * cases)[:cases]
    yield "0.1, 0.9", ([0.1, 0.9] * cases)[:cases]


def earlier_interval(known: Cases) -> Interval:
    """Return Wilson's interval at m(1-m) / (variance within cases + half a step)."""
    rate, cases = mean_of_rates(known), len(known)
    if rate in (0, 1):
        return wilson_at(rate, cases**2 / fsum(1 / trials for _, trials in known))
    single = sum(trials == 1 for _, trials in known)
    more = [(passes / trials, trials) for passes, trials in known if trials > 1]
    within = fsum(r * (1 - r) / (n - 1) for r, n in more)
    within += max(single * rate * (1 - rate), 1 / 4) if single else 0
    half_a_step = fsum(1 / n**2 for _, n in more) / cases**3 / 2
    return wilson_at(rate, rate * (1 - rate) / (within / cases**2 + half_a_step))


def measure(suite: MixedSuite, runs: int, seed: int = 1) -> tuple[float, float, float, float]:
    """Return in how many percent the interval contains the truth, its mean width, and both as before."""
    random = numpy.random.default_rng([seed, crc32(str(suite).encode())])
    cases = len(suite.rates)
    trials = (list(suite.trials) * cases)[:cases]
    drawn: Any = random.binomial(trials, suite.rates, size=(runs, cases))
    if len(suite.trials) == 1:
        drawn.sort(axis=1)  # the order of the cases is irrelevant: fewer distinct runs
    found, times = numpy.unique(drawn, axis=0, return_counts=True)
    truth = mean(suite.rates)
    sums = [0.0] * 4
    for passes, weight in zip(found.tolist(), times.tolist(), strict=True):
        known = list(zip(passes, trials, strict=True))
        for place, interval in enumerate((noise_interval(known), earlier_interval(known))):
            sums[2 * place] += weight * (interval.low - SLACK <= truth <= interval.high + SLACK)
            sums[2 * place + 1] += weight * (interval.high - interval.low)
    return 100 * sums[0] / runs, sums[1] / runs, 100 * sums[2] / runs, sums[3] / runs


def main() -> int:
    parser = argparse.ArgumentParser(description="Measure intervals of suites of fixed case rates.")
    parser.add_argument("--runs", type=int, default=1000, help="simulated runs per cell")
    parser.add_argument("--recheck", type=int, default=20_000, help="runs of cells below 94.5%%")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--every", type=int, default=1, help="measure each N-th cell only")
    options = parser.parse_args()
    rows = []
    for suite in list(mixed_suites())[:: options.every]:
        row = measure(suite, options.runs, options.seed)
        rows.append((suite, measure(suite, options.recheck, options.seed) if row[0] < NEAR else row))
    print(f"{len(rows)} suites: percent that contains the truth, mean width; earlier percent and width\n")
    print_groups(rows)
    print("\nLowest")
    for suite, row in sorted(rows, key=lambda pair: pair[1][0])[:12]:
        print(f"{suite} {row[0]:6.2f} {row[1]:.3f} {row[2]:6.2f} {row[3]:.3f}")
    covered = [row for _, row in rows if row[2] >= LEAST]
    wider = mean(row[1] for row in covered) / mean(row[3] for row in covered)
    lowest = min(row[0] for _, row in rows)
    print(f"\nlowest {lowest:.2f}; {wider:.3f} times as wide where the earlier formula covers {LEAST:g}%")
    return 0 if lowest >= LEAST and wider <= WIDER else 1


def print_groups(rows: list[tuple[MixedSuite, tuple[float, float, float, float]]]) -> None:
    """Print a line for each number of cases, each pattern of trials and each type of mix."""
    groups: dict[str, list[tuple[float, float, float, float]]] = {}
    for suite, row in rows:
        kind = suite.name.split(",")[0].split(" at ")[-1] if "else 0" not in suite.name else "certain but one"
        kind = "safe and hopeless" if "else" in suite.name and "at 1," not in suite.name else kind
        for name in (
            f"{len(suite.rates)} cases",
            f"{','.join(map(str, suite.trials))} trials",
            f"mix: {kind}",
        ):
            groups.setdefault(name, []).append(row)
    for name, found in groups.items():
        new, wide, old, was = (list(column) for column in zip(*found, strict=True))
        print(
            f"{name:26} lowest {min(new):6.2f} mean {mean(new):6.2f} width {mean(wide):.3f}; "
            f"earlier lowest {min(old):6.2f} mean {mean(old):6.2f} width {mean(was):.3f}; "
            f"below 93: {sum(one < LEAST for one in new)}, "
            f"earlier {sum(one < LEAST for one in old)} of {len(new)}"
        )


if __name__ == "__main__":
    sys.exit(main())
