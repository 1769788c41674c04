"""Build many cases and count which invariants hold; run by hand.

    python tests/benchmarks/invariants.py [FAMILY ...] [--seeds 300] [--level-seeds 10]

Each case is built as `trapcli build` does it, with every invariant checked: a case that breaks one is
drawn again, and the draws are counted. Then the case is judged again: the solver must pass, and every
mistake of its trap and doing nothing must fail.
"""

import argparse
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, fields
from itertools import product

from trapcli.building.case_builder import build_case
from trapcli.core import registry
from trapcli.core.contract import Case, Family
from trapcli.core.family_calls import solver_output
from trapcli.core.knobs import parse_knobs
from trapcli.core.output import Output, output_of
from trapcli.judging.judge import judge_output


@dataclass
class Count:
    """What was found in the cases of one trap."""

    cases: int = 0
    draws: int = 0
    solved: int = 0
    mistakes: int = 0
    mistakes_failed: int = 0
    noop_failed: int = 0
    problems: int = 0

    def add(self, other: "Count") -> None:
        for field in fields(self):
            setattr(self, field.name, getattr(self, field.name) + getattr(other, field.name))


Task = tuple[str, int, int | None, int]  # family, seed, position in its levels or None, number of the case


def passes(family: Family, case: Case, output: Output) -> bool:
    return judge_output(family, case, output).passed


def examine(task: Task) -> tuple[str, Count]:
    """Return the trap of a case, and what was found in it."""
    name, seed, level, k = task
    family = registry.family(name)
    knobs = parse_knobs(family, {} if level is None else family.levels[level])
    built = build_case(family, str(seed), knobs, k)
    case = built.case
    mistakes = [passes(family, case, solver_output(family, case.files, name)) for name in case.mistakes]
    count = Count(
        cases=1,
        draws=built.attempts,
        solved=int(passes(family, case, solver_output(family, case.files))),
        mistakes=len(case.mistakes),
        mistakes_failed=mistakes.count(False),
        noop_failed=int(not passes(family, case, output_of(family.answers.noop))),
        problems=len(list(family.check(case))),
    )
    return case.trap, count


def print_table(name: str, seeds: int, level: int | None, pool: ProcessPoolExecutor) -> None:
    """Print a line for each trap of a family, at a level (None: at the default knobs)."""
    family = registry.family(name)
    tasks = [(name, seed, level, k) for seed, k in product(range(seeds), range(len(family.traps)))]
    counts = {trap: Count() for trap in family.traps}
    start = time.perf_counter()
    for trap, count in pool.map(examine, tasks, chunksize=4):
        counts[trap].add(count)
    seconds = time.perf_counter() - start
    knobs = "default knobs" if level is None else f"level {level + 1}"
    print(f"\n{name}, {knobs}: {seconds:.0f} s for {len(tasks)} cases")
    titles = [field.name.replace("_", " ") for field in fields(Count)]
    print(f"{'trap':24}" + "".join(f"{title:>17}" for title in titles))
    for trap, count in counts.items():
        values = [getattr(count, field.name) for field in fields(Count)]
        print(f"{trap:24}" + "".join(f"{value:17}" for value in values), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description="Build many cases and count which invariants hold.")
    parser.add_argument("families", nargs="*", default=registry.names(), metavar="FAMILY")
    parser.add_argument("--seeds", type=int, default=300, help="seeds at the default knobs")
    parser.add_argument("--level-seeds", type=int, default=10, help="seeds at each level")
    options = parser.parse_args()
    with ProcessPoolExecutor(2) as pool:
        for name in options.families:
            print_table(name, options.seeds, None, pool)
            for level in range(len(registry.family(name).levels)):
                print_table(name, options.level_seeds, level, pool)


if __name__ == "__main__":
    main()
