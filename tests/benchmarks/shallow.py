"""Measure how often little effort passes, level by level: a shallow agent, and scripts without insight.

    python tests/benchmarks/shallow.py [FAMILY ...] [--cases 60] [--seed 1] [--levels 1,2,3]

The shallow agent of a family (shallow_agents/FAMILY.py) knows every rule and can count, but looks no
further than it must:
- It reads the first 20 rows of a table. A name that is not among them it searches for, and takes the
  first row with a name that begins with it.
- Where several records of one owner fit, it takes the first, and stays with it.
- It searches the records of the past for that record, and reads the first 20 that it finds.
The scripts go by position, count or wording. A guess can be lucky, and the table shows how often.

The exit code is 1 unless the agent's rate falls from level to level and no script ever passes.
"""

import argparse
import json
import sys
from collections import Counter
from collections.abc import Mapping
from importlib import import_module
from itertools import pairwise
from types import ModuleType
from typing import Any

from trapcli.answers.edits import EditsFamily
from trapcli.core import registry
from trapcli.core.contract import Answer, Case, Family

AGENT = "shallow agent"
REPLAY = "the answer to the last such case"


def main() -> int:
    families = [name for name in registry.names() if isinstance(registry.family(name), EditsFamily)]
    parser = argparse.ArgumentParser(
        description="Pass rates of a shallow agent and of scripts without insight."
    )
    parser.add_argument("families", nargs="*", default=families, metavar="FAMILY")
    parser.add_argument("--cases", type=int, default=60, help="how many at each level")
    parser.add_argument("--seed", default="1")
    parser.add_argument("--levels", help="which levels, such as 1,2,3; default: all")
    options = parser.parse_args()
    sound = [
        measure_family(registry.family(name), options.seed, options.cases, options.levels)
        for name in options.families
    ]
    return 0 if all(sound) else 1


def measure_family(family: Family, seed: str, cases: int, chosen: str | None) -> bool:
    """Print the rates of a family; return whether the agent's falls and no script passes."""
    module = import_module(f"shallow_agents.{family.name}")
    levels = [int(level) for level in chosen.split(",")] if chosen else range(1, len(family.levels) + 1)
    passed = {level: count_passed(family, module, seed, level, cases) for level in levels}
    print_table(family, module, passed, cases)
    rates = [passed[level][AGENT] for level in levels]
    falls = all(more > less for more, less in pairwise(rates))
    clever = sorted({name for count in passed.values() for name in (*module.SCRIPTS, REPLAY) if count[name]})
    print("\nthe agent's rate", "falls level by level" if falls else "DOES NOT FALL level by level", end="; ")
    print(f"PASSED BY {', '.join(clever)}" if clever else "no script ever passes")
    return falls and not clever


def count_passed(family: Family, module: ModuleType, seed: str, level: int, cases: int) -> Counter[str]:
    """Return how many cases of a level each agent passes; "shallow agent/TRAP" counts by trap."""
    knobs = family.knobs(**family.levels[level - 1])
    passed, last = Counter[str](), dict[str, Any]()
    for k in range(cases):
        case = family.generate(f"{seed}{level - 1}", knobs, k)
        if passes(family, case, module.shallow(case.files)):
            passed.update([AGENT, f"{AGENT}/{case.trap}"])
        for name, script in {**module.SCRIPTS, **module.GUESSES}.items():
            passed[name] += passes(family, case, json.dumps(script(case.files)))
        if case.trap in last:
            passed[REPLAY] += passes(family, case, json.dumps(last[case.trap]))
        last[case.trap] = case.gold
    return passed


def passes(family: Family, case: Case, text: str) -> bool:
    try:
        edits = json.loads(text)
    except ValueError:
        return False
    return family.answers.judge(case, Answer(tuple(edits[:30]))).passed


def print_table(family: Family, module: ModuleType, passed: Mapping[int, Counter[str]], cases: int) -> None:
    title = f"{family.name}: passed of {cases} cases a level"
    print(title.ljust(42), *(f"level {level}".rjust(7) for level in passed))
    traps = [f"{AGENT}/{trap}" for trap in family.traps]
    for name in (AGENT, *traps, *module.SCRIPTS, REPLAY, *module.GUESSES):
        counts = (f"{count[name]:7}" for count in passed.values())
        print(name.replace(f"{AGENT}/", "  of ").ljust(42), *counts)


if __name__ == "__main__":
    sys.exit(main())
