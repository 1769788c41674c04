"""What little effort is worth: how often a shallow agent and scripts without insight pass, rung by rung.

    python tests/benchmarks/shallow.py [FAMILY ...] [--cases 60] [--seed 1] [--rungs 0,1,2]

The shallow agent of a family (shallow_FAMILY.py) knows every rule and can count, but looks no
further than it must:
- it reads the first 20 rows of a table; a name that is not among them it searches for, and takes
  the first row whose name begins with it;
- where several records of one owner may be meant it takes the first that fits, and stays with it;
- it searches the records of the past for that one and reads the first 20 that turn up.
The scripts go by position, count or wording. A guess may have luck, and shows how often it does.
Exits 1 unless the agent's rate falls from rung to rung and no script ever passes.
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

from trapcli.answers.edits.family import EditsFamily
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
    parser.add_argument("--cases", type=int, default=60, help="a rung")
    parser.add_argument("--seed", default="1")
    parser.add_argument("--rungs", help="of the ladder, all unless told")
    asked = parser.parse_args()
    good = [
        climbs(registry.family(name), asked.seed, asked.cases, asked.rungs)
        for name in asked.families or families
    ]
    return 0 if all(good) else 1


def climbs(family: Family, seed: str, cases: int, chosen: str | None) -> bool:
    """Measure and show the family's rungs; whether the agent falls and no script passes."""
    part = import_module(f"shallow_{family.name}")
    rungs = [int(rung) for rung in chosen.split(",")] if chosen else list(range(len(family.ladder)))
    passed = {rung: measure(family, part, seed, rung, cases) for rung in rungs}
    show(family, part, passed, cases)
    rates = [passed[rung][AGENT] for rung in rungs]
    falls = all(more > less for more, less in pairwise(rates))
    clever = sorted({name for count in passed.values() for name in (*part.SCRIPTS, REPLAY) if count[name]})
    print("\nthe agent's rate", "falls rung by rung" if falls else "DOES NOT FALL rung by rung", end="; ")
    print(f"PASSED BY {', '.join(clever)}" if clever else "no script ever passes")
    return falls and not clever


def measure(family: Family, part: ModuleType, seed: str, rung: int, cases: int) -> Counter[str]:
    """How many of the rung's cases each agent passes; "shallow agent/KIND" counts by kind."""
    knobs = family.knobs(**family.ladder[rung])
    passed, last = Counter[str](), dict[str, Any]()
    for k in range(cases):
        case = family.generate(f"{seed}{rung}", knobs, k)
        if passes(family, case, part.shallow(case.files)):
            passed.update([AGENT, f"{AGENT}/{case.category}"])
        for name, script in {**part.SCRIPTS, **part.GUESSES}.items():
            passed[name] += passes(family, case, json.dumps(script(case.files)))
        if case.category in last:
            passed[REPLAY] += passes(family, case, json.dumps(last[case.category]))
        last[case.category] = case.gold
    return passed


def passes(family: Family, case: Case, text: str) -> bool:
    try:
        edits = json.loads(text)
    except ValueError:
        return False
    return family.judge(case, Answer(tuple(edits[:30]))).status == "passed"


def show(family: Family, part: ModuleType, passed: Mapping[int, Counter[str]], cases: int) -> None:
    title = f"{family.name}: passed of {cases} cases a rung"
    print(title.ljust(42), *(f"rung {rung}".rjust(7) for rung in passed))
    kinds = [f"{AGENT}/{kind}" for kind in family.kinds]
    for name in (AGENT, *kinds, *part.SCRIPTS, REPLAY, *part.GUESSES):
        print(
            name.replace(f"{AGENT}/", "  of ").ljust(42), *(f"{count[name]:7}" for count in passed.values())
        )


if __name__ == "__main__":
    sys.exit(main())
