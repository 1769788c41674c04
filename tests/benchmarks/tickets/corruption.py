"""Measure how many random single corruptions of a right answer fail; run by hand.

    python tests/benchmarks/tickets/corruption.py [FAMILY ...] [--cases N] [--seed SEED]

To the right edits is added one that spoils one cell: of a column that a report reads, in a random row, with
another value of that column or a changed number. It should fail; if it passes, it should be noted.
"""

import argparse
from collections import Counter
from typing import Any

from trapcli.answers.edits import EditsFamily
from trapcli.answers.edits.tables import NUMERIC
from trapcli.building.case_builder import build_case
from trapcli.core import registry
from trapcli.core.contract import Answer, Case
from trapcli.core.draw import Draw
from trapcli.core.knobs import parse_knobs

CORRUPTIONS = 60  # of a case


def spoiled(draw: Draw, family: EditsFamily, case: Case) -> dict[str, Any] | None:
    """Return an edit that spoils a cell as it is after the right edits, or None if the draw makes none."""
    prepared = family.answers.prepared(case)
    file, column = draw.choice(sorted(prepared.columns))
    table, rows = family.answers.schema[file], prepared.gold.tables[file]
    row = draw.choice(rows)
    if column in table.keys or not row[column]:
        return None
    others = sorted({other[column] for other in rows} - {row[column], ""})
    if table.columns[column] in NUMERIC:
        value = f"{float(row[column]) * draw.choice((0.5, 1.1, 2)):.2f}"
    elif others:
        value = draw.choice(others)
    else:
        value = f"{row[column]}x"
    if value == row[column]:
        return None
    return {"file": file, "op": "update", "match": table.match(row), "set": {column: value}}


def measure(family: EditsFamily, level: int, cases: int, seed: str) -> None:
    """Print how many corruptions of a level's cases fail, and where the others are."""
    found, passing = Counter[str](), Counter[str]()
    for k in range(cases):
        case = build_case(family, seed, parse_knobs(family, family.levels[level]), k).case
        draw = Draw(f"corruption/{seed}/{k}")
        for number in range(CORRUPTIONS):
            edit = spoiled(draw.stream(str(number)), family, case)
            if edit is None:
                continue
            verdict = family.answers.judge(case, Answer([*case.gold, edit]))
            noted = bool(verdict.details["collateral"])
            found["failed" if not verdict.passed else "noted" if noted else "silent"] += 1
            if verdict.passed:
                passing[f"{edit['file']} {next(iter(edit['set']))}"] += 1
    total = sum(found.values())
    shares = ", ".join(f"{name} {count / total:.1%}" for name, count in sorted(found.items()))
    print(f"{family.name} level {level + 1}: {total} corruptions, {shares}; passing: {dict(passing)}")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("families", nargs="*", default=["billing", "payout"])
    parser.add_argument("--cases", type=int, default=12)
    parser.add_argument("--seed", default="17")
    options = parser.parse_args()
    for name in options.families:
        family: Any = registry.family(name)
        for level in range(len(family.levels)):
            measure(family, level, options.cases, options.seed)


if __name__ == "__main__":
    main()
