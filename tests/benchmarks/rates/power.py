"""Measure how often a comparison shows a difference that equals the minimum detectable difference.

    python tests/benchmarks/rates/power.py [--runs 400] [--seed 1]

Two runs on the same cases, with independent noise: the rates of the first are given, in the second
every case has moved the same share of its way to 1. A difference is shown by the rule of `compare`.
The minimum detectable difference is computed from the true rates, and (second column) from a first
run that is drawn, as a report does; that is shown, not checked. Exits with 1 if fewer than 80% of
the cells have a power of 75 to 85%, or if a cell whose cases are not all certain has less than 70%
or more than 92%.
"""

import argparse
import sys
from itertools import product
from math import fsum
from random import Random
from statistics import mean

from trapcli.calibration.stats.comparison import compare
from trapcli.calibration.stats.power import detectable_difference, minimum_detectable_difference
from trapcli.calibration.stats.rates import Cases

CASES, TRIALS = (3, 6, 10, 20), (1, 2, 3, 5, 10)
MIXES = (
    "all 0.02",
    "all 0.1",
    "all 0.3",
    "all 0.5",
    "spread",
    "one 0.98",
    "half 0.95",
    "half 0.8",
    "certain",
)


def rates_of(mix: str, cases: int) -> list[float]:
    """Return the case rates of a suite; their mean is at most 1/2."""
    kind, _, number = mix.partition(" ")
    if kind == "all":
        return [float(number)] * cases
    if kind == "spread":
        return [(case + 0.5) / cases for case in range(cases)]
    high = 1.0 if kind == "certain" else float(number)
    count = 1 if kind == "one" else cases // 2
    return [high] * count + [1 - high] * (cases - count)


def draw(rates: list[float], trials: int, random: Random) -> Cases:
    """Return the counts of a run."""
    return [(sum(random.random() < rate for _ in range(trials)), trials) for rate in rates]


def of_true_rates(rates: list[float], trials: int) -> float | None:
    """Return the difference that is detectable for these rates."""
    if all(rate in (0, 1) for rate in rates):
        return minimum_detectable_difference([(round(rate * trials), trials) for rate in rates])
    return detectable_difference([(trials, 1 - rate, rate * (1 - rate) / trials) for rate in rates])


def of_a_run(rates: list[float], trials: int, random: Random) -> float | None:
    """Return the mean of the minimum detectable differences of runs; None if most have none."""
    found = [minimum_detectable_difference(draw(rates, trials, random)) for _ in range(40)]
    known = [one for one in found if one is not None]
    return mean(known) if len(known) > len(found) / 2 else None


def power(rates: list[float], trials: int, difference: float, runs: int, random: Random) -> float:
    """Return the percent of second runs in which a difference is shown."""
    share = min(1.0, difference / (1 - fsum(rates) / len(rates)))
    after = [rate + share * (1 - rate) for rate in rates]
    shown = 0
    for _ in range(runs):
        pairs = list(zip(draw(rates, trials, random), draw(after, trials, random), strict=True))
        found = compare(pairs)
        shown += found is not None and found.on_these_cases.shown
    return 100 * shown / runs


def main() -> int:
    parser = argparse.ArgumentParser(description="Measure the power of minimum detectable differences.")
    parser.add_argument("--runs", type=int, default=400, help="simulated pairs of runs per cell")
    parser.add_argument("--seed", default="1")
    options = parser.parse_args()
    print("difference and power, in percent, from true rates; the same from drawn runs\n")
    powers: dict[str, list[float]] = {mix: [] for mix in MIXES}
    drawn: list[float] = []
    for cases, trials, mix in product(CASES, TRIALS, MIXES):
        random = Random(f"power/{options.seed}/{cases}/{trials}/{mix}")
        rates = rates_of(mix, cases)
        line = f"{cases:3} cases, {trials:2} trials, {mix:10}"
        for column, difference in enumerate((of_true_rates(rates, trials), of_a_run(rates, trials, random))):
            if difference is None:
                line += "    n/a      "
                continue
            percent = power(rates, trials, difference, options.runs, random)
            line += f"   {difference:.3f} {percent:5.1f}"
            (drawn if column else powers[mix]).append(percent)
        print(line)
    print(f"\nfrom drawn runs: mean {mean(drawn):.1f}, {min(drawn):.1f} to {max(drawn):.1f}")
    return check(powers)


def check(powers: dict[str, list[float]]) -> int:
    every = [one for found in powers.values() for one in found]
    usual = [one for mix, found in powers.items() if mix != "certain" for one in found]
    inside = mean(75 <= one <= 85 for one in every)
    print(
        f"from true rates: {len(every)} cells: mean {mean(every):.1f}, {100 * inside:.0f}% of them "
        "from 75 to 85; "
        f"{min(usual):.1f} to {max(usual):.1f} where cases are not certain, else "
        f"{min(powers['certain']):.1f} to {max(powers['certain']):.1f}"
    )
    return 0 if inside >= 0.8 and min(usual) >= 70 and max(usual) <= 92 else 1


if __name__ == "__main__":
    sys.exit(main())
