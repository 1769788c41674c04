"""Measure how the ledger families' cases are made, and at what cost; run by hand.

    python tests/benchmarks/ledger.py [--cases 60] [--draws 2000] [--rounds 7]

1. For each level: how many planned years pass all checks, milliseconds a case, horizon and depth.
2. As ratios within one run: the 10-case default build (with all checks, solver and mistakes) to
   `python -c "import click"`; a case of the last level to a default one; and a case made by drawing
   years at random, until one passes the same checks, to a planned one.
"""

import argparse
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from functools import partial
from statistics import median

from families.ledger.audit import FAMILY as AUDIT
from families.ledger.case_maker import first_problem
from families.ledger.close import FAMILY as CLOSE
from families.ledger.domain.questions import Question
from families.ledger.domain.settlement import CITED_FIRST, OLDEST, allocation, reduce
from families.ledger.domain.traps_and_mistakes import CASH_TO_EARLIER, OWED_BY_CUSTOMER, OWED_SINCE, TRAPS
from families.ledger.family import LedgerFamily
from families.ledger.planning.close_plan import draw_outline
from families.ledger.planning.planned_case import PlanFailed
from families.ledger.planning.question_search import draw_wording
from families.ledger.planning.year_files import YearFiles
from families.ledger.planning.year_outline import NARRATIONS, CaseOutline, draw_year_outline
from families.ledger.planning.year_state import DraftEntry
from trapcli.building.case_builder import build_case
from trapcli.core.draw import Draw
from trapcli.core.knobs import parse_knobs

SEED = 20_000


def seconds(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def measure_level(family: LedgerFamily, level: int, cases: int) -> None:
    """Print a line of the table of levels: plans that pass, overall and for the worst trap; costs; size."""
    knobs = parse_knobs(family, family.levels[level - 1])
    plans: Counter[str] = Counter()
    made: Counter[str] = Counter()
    horizon = depth = 0
    started = time.perf_counter()
    for seed in range(cases):
        case = family.generate(str(SEED + seed), knobs, seed % len(TRAPS))
        problems = list(family.check(case))
        assert not problems, problems
        plans[case.trap] += case.facts["plans"]
        made[case.trap] += 1
        horizon += case.facts["horizon"]
        depth += case.facts["depth"]
    spent = 1000 * (time.perf_counter() - started) / cases
    share = 100 * made.total() / plans.total()
    worst = min(made, key=lambda trap: made[trap] / plans[trap])
    print(
        f"{family.name:13}{level:4}{share:9.0f}%{100 * made[worst] / plans[worst]:7.0f}% {worst:17}"
        f"{spent:8.0f}{horizon / cases:9.1f}{depth / cases:7.1f}"
    )


def build(family: LedgerFamily, level: int, cases: int, seed: int) -> None:
    """Build cases as `trapcli build` does, without writing them; level 0: at the default knobs."""
    knobs = parse_knobs(family, family.levels[level - 1] if level else {})
    for k in range(cases):
        build_case(family, str(seed), knobs, k)


# --- years drawn at random -------------------------------------------------------------------


def random_entries(
    draw: Draw, slots: tuple[tuple[int, bool], ...], customers: int, changeover: int
) -> list[DraftEntry]:
    """Draw entries without a plan: anybody is billed or pays, and may cite any invoice of theirs."""
    entries: list[DraftEntry] = []
    owed: list[dict[int, int]] = [{} for _ in range(customers)]
    billed: list[list[int]] = [[] for _ in range(customers)]
    for day, late in slots:
        who = draw.below(customers)
        if draw.chance(0.58) or not owed[who]:
            owed[who][len(entries)] = amount = draw.between(90_000, 960_000)
            billed[who].append(len(entries))
            entries.append(DraftEntry(day, who, amount, late=late))
            continue
        cited = draw.choice(billed[who]) if draw.chance(0.75) else -1
        amount = owed[who].get(cited) or draw.between(20_000, 900_000)
        base = CITED_FIRST if day < changeover else OLDEST
        for number, part in allocation(base, owed[who], cited, amount).items():
            reduce(owed[who], number, part)
        entries.append(DraftEntry(day, who, -amount, cited, draw.below(NARRATIONS), late))
    receipts = [entry for entry in entries if entry.amount < 0 and not entry.late]
    for entry in receipts[: len(receipts) * draw.between(40, 54) // 100]:
        entry.in_memo = True
    return entries


def random_question(draw: Draw, trap: str, outline: CaseOutline, codes: tuple[str, ...]) -> Question:
    day = draw.between(outline.starts[0] + 1, outline.last)
    if trap == OWED_SINCE:
        return Question(trap, since=day)
    if trap == CASH_TO_EARLIER:
        return Question(trap, before=day, cash_since=day)
    about = codes if trap == OWED_BY_CUSTOMER else ()
    return draw.choice([Question(trap, since=day, codes=about), Question(trap, before=day, codes=about)])


def passes(draw: Draw, trap: str) -> bool:
    """Whether a year drawn at random, with its question, passes the checks that a planned one must."""
    knobs = CLOSE.knobs()
    outline = draw_outline(draw, knobs)
    year = draw_year_outline(
        draw, outline, knobs.per_month, knobs.supplement, knobs.min_change_evidence,
        about_recoded=False, late_to_slow=0, over="",
    )  # fmt: skip
    entries = random_entries(draw, year.slots, outline.customers, outline.changeover)
    try:
        files = YearFiles(draw, knobs, outline, year, entries)
        filed = files.file_year(draw)
    except PlanFailed:
        return False
    question = random_question(draw, trap, outline, files.both_codes)
    assert draw_wording(draw, question, outline.last, "X")
    case_files = files.case_files(filed, question)
    return first_problem(CLOSE, case_files, outline.changeover, knobs.min_change_evidence) is None


def measure_random(draws: int) -> tuple[float, int]:
    """Return the seconds of one random draw with its checks, and how many of the draws passed."""
    traps, passed = list(TRAPS), 0
    started = time.perf_counter()
    for i in range(draws):
        passed += passes(Draw(f"random/{i}"), traps[i % len(traps)])
    return (time.perf_counter() - started) / draws, passed


def measure_costs(rounds: int) -> float:
    """Print what builds cost as ratios; return the seconds of a planned close at the default knobs."""
    click: list[float] = []
    default: dict[str, list[float]] = {CLOSE.name: [], AUDIT.name: []}
    for number in range(rounds):  # in turns, so that other load on the machine hits all alike
        click.append(seconds(partial(subprocess.run, [sys.executable, "-c", "import click"], check=True)))
        for family in (CLOSE, AUDIT):
            default[family.name].append(seconds(partial(build, family, 0, 10, SEED + number)))
    unit = median(click)
    print(f"\nmedian of {rounds} rounds; python -c 'import click' takes {unit * 1000:.0f} ms")
    for family in (CLOSE, AUDIT):
        each = median(default[family.name])
        last = seconds(partial(build, family, len(family.levels), 10, SEED)) / 10
        print(f"{family.name}: the 10-case default build costs {each / unit:.1f} x import click (limit 40)")
        print(
            f"{family.name}: a case of the last level costs {10 * last / each:.1f} x a default one (limit 20)"
        )
    return median(default[CLOSE.name]) / 10


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--cases", type=int, default=60, help="of each level")
    parser.add_argument("--draws", type=int, default=2000, help="years drawn at random")
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args()
    print("family       level  accepted   worst trap               ms/case  horizon  depth")
    for family in (CLOSE, AUDIT):
        for level in range(1, len(family.levels) + 1):
            measure_level(family, level, options.cases)
    planned = measure_costs(options.rounds)
    draw, passed = measure_random(options.draws)
    # With none in n draws the share is below 3/n, at 95% confidence.
    ratio = draw * options.draws / (passed or 3) / planned
    print(
        f"{passed} of {options.draws} random years passed, at {draw * 1000:.1f} ms each: a case costs "
        f"{'about' if passed else 'at least'} {ratio:.0f} x a planned one (at least 20 wanted)"
    )


if __name__ == "__main__":
    main()
