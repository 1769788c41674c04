"""Builds many cases and counts what holds; run by hand.

    python tests/benchmarks/invariants.py [FAMILY] [--seeds 300] [--rung-seeds 10]

Each case is built with every invariant checked, as `trapcli build` does it: a case that
breaks one is drawn again, and what it broke is counted. Then it is judged afresh: the
solver must pass, every slip and doing nothing must fail, and every slip of its kind is there.
"""

import argparse
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from itertools import product

from trapcli.building.builder import build_case
from trapcli.core import registry
from trapcli.core.contract import Answer, parse_knobs


@dataclass
class Count:
    """What was found in the cases of one kind."""

    cases: int = 0
    draws: int = 0
    solved: int = 0
    slips: int = 0
    slips_failed: int = 0
    noop_failed: int = 0
    broken: int = 0
    problems: Counter[str] = field(default_factory=Counter)


def score(name: str, case: object, text: str) -> float:
    family = registry.family(name)
    answer = family.extract(text)
    return family.judge(case, answer).score if isinstance(answer, Answer) else -1.0  # type: ignore[arg-type]


def one(task: tuple[str, int, int | None, int]) -> tuple[str, Count]:
    name, seed, rung, k = task
    family = registry.family(name)
    knobs = parse_knobs(family, {} if rung is None else family.ladder[rung])
    built = build_case(family, str(seed), knobs, k)
    case = built.case
    found = [score(name, case, slip.text) for slip in case.slips]
    count = Count(
        cases=1,
        draws=built.attempts,
        solved=int(score(name, case, family.solve(case.files)) == 1.0),
        slips=len(case.mechanisms),
        slips_failed=found.count(0.0),
        noop_failed=int(score(name, case, family.noop) <= 0.0),
        broken=len(list(family.check(case))),
    )
    return case.category, count


def table(name: str, seeds: int, rung: int | None, pool: ProcessPoolExecutor) -> None:
    family = registry.family(name)
    tasks = [(name, seed, rung, k) for seed, k in product(range(seeds), range(len(family.kinds)))]
    counts: dict[str, Count] = {kind: Count() for kind in family.kinds}
    start = time.perf_counter()
    for kind, found in pool.map(one, tasks, chunksize=4):
        total = counts[kind]
        for key in ("cases", "draws", "solved", "slips", "slips_failed", "noop_failed", "broken"):
            setattr(total, key, getattr(total, key) + getattr(found, key))
    took = time.perf_counter() - start
    print(f"\n{name}, {'defaults' if rung is None else f'rung {rung}'}: {took:.0f} s for {len(tasks)} cases")
    print(
        f"{'kind':24}{'cases':>6}{'draws':>7}{'solved':>8}"
        f"{'slips':>7}{'failed':>8}{'noop failed':>13}{'broken':>8}"
    )
    for kind, c in counts.items():
        print(
            f"{kind:24}{c.cases:6}{c.draws:7}{c.solved:8}{c.slips:7}{c.slips_failed:8}{c.noop_failed:13}{c.broken:8}",
            flush=True,
        )


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("families", nargs="*", default=registry.names())
    parser.add_argument("--seeds", type=int, default=300)
    parser.add_argument("--rung-seeds", type=int, default=10)
    chosen = parser.parse_args()
    with ProcessPoolExecutor(2) as pool:
        for name in chosen.families:
            table(name, chosen.seeds, None, pool)
            for rung in range(len(registry.family(name).ladder)):
                table(name, chosen.rung_seeds, rung, pool)


if __name__ == "__main__":
    main()
