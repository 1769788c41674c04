"""How the ledger families' cases come about, and at what cost; run by hand.

    python tests/benchmarks/ledger.py [--cases 60] [--draws 2000] [--rounds 7]

1. For each rung: how many planned years pass all checks, seconds of a case, horizon and depth.
2. As multiples, measured in one run: the 10-case default build (all checks, solver and slips
   included) of `python -c "import click"`; a case of the last rung of a default one; and a case
   made by drawing years at random until one passes the same checks of one that is planned.
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
from families.ledger.domain.names import CASH_TO_EARLIER, KINDS, OWED_BY_CUSTOMER, OWED_SINCE
from families.ledger.domain.questions import Question
from families.ledger.domain.settlement import CITED_FIRST, OLDEST, allocation, reduce
from families.ledger.family import LedgerFamily
from families.ledger.planning.close_plan import outline
from families.ledger.planning.question_search import phrase
from families.ledger.planning.year_builder import Line
from families.ledger.planning.year_files import Year
from families.ledger.planning.year_outline import NARRATIONS, Frame, Unlucky, shape
from trapcli.building.builder import build_case
from trapcli.core.contract import parse_knobs
from trapcli.core.draw import Draw

SEED = 20_000


def seconds(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def acceptance(family: LedgerFamily, rung: int, cases: int) -> None:
    """One line of the table of rungs: plans that pass, overall and in the worst kind; milliseconds; size."""
    knobs = parse_knobs(family, family.ladder[rung])
    plans: Counter[str] = Counter()
    made: Counter[str] = Counter()
    horizon = depth = 0
    started = time.perf_counter()
    for seed in range(cases):
        case = family.generate(str(SEED + seed), knobs, seed % len(KINDS))
        problems = list(family.check(case))
        assert not problems, problems
        plans[case.category] += case.facts["plans"]
        made[case.category] += 1
        horizon += case.facts["horizon"]
        depth += case.facts["depth"]
    spent = 1000 * (time.perf_counter() - started) / cases
    share = 100 * made.total() / plans.total()
    kind = min(made, key=lambda kind: made[kind] / plans[kind])
    print(
        f"{family.name:13}{rung:4}{share:9.0f}%{100 * made[kind] / plans[kind]:7.0f}% {kind:17}"
        f"{spent:8.0f}{horizon / cases:9.1f}{depth / cases:7.1f}"
    )


def build(family: LedgerFamily, rung: int, cases: int, seed: int) -> None:
    """Build cases as `trapcli build` does, every invariant checked, but without writing them."""
    knobs = parse_knobs(family, {} if rung < 0 else family.ladder[rung])
    for k in range(cases):
        build_case(family, str(seed), knobs, k)


# --- years drawn at random -------------------------------------------------------------------


def random_lines(draw: Draw, slots: tuple[tuple[int, bool], ...], customers: int, switch: int) -> list[Line]:
    """Entries as they come: anybody is billed or pays, and may cite any invoice of theirs."""
    lines: list[Line] = []
    open_: list[dict[int, int]] = [{} for _ in range(customers)]
    billed: list[list[int]] = [[] for _ in range(customers)]
    for day, late in slots:
        who = draw.below(customers)
        if draw.chance(0.58) or not open_[who]:
            open_[who][len(lines)] = amount = draw.between(90_000, 960_000)
            billed[who].append(len(lines))
            lines.append(Line(day, who, amount, late=late))
            continue
        cited = draw.choice(billed[who]) if draw.chance(0.75) else -1
        amount = open_[who].get(cited) or draw.between(20_000, 900_000)
        base = CITED_FIRST if day < switch else OLDEST
        for number, part in allocation(base, open_[who], cited, amount).items():
            reduce(open_[who], number, part)
        lines.append(Line(day, who, -amount, cited, draw.below(NARRATIONS), late))
    receipts = [line for line in lines if line.amount < 0 and not line.late]
    for line in receipts[: len(receipts) * draw.between(40, 54) // 100]:
        line.worked = True
    return lines


def random_question(draw: Draw, kind: str, frame: Frame, codes: tuple[str, ...]) -> Question:
    day = draw.between(frame.starts[0] + 1, frame.last)
    if kind == OWED_SINCE:
        return Question(kind, since=day)
    if kind == CASH_TO_EARLIER:
        return Question(kind, before=day, received=day)
    asked = codes if kind == OWED_BY_CUSTOMER else ()
    return draw.choice([Question(kind, since=day, codes=asked), Question(kind, before=day, codes=asked)])


def passes(draw: Draw, kind: str) -> bool:
    """Whether a year drawn at random, with its question, passes the checks that a planned one must."""
    knobs = CLOSE.knobs()
    frame = outline(draw, knobs)
    form = shape(
        draw, frame, knobs.per_month, knobs.supplement, knobs.min_change_evidence,
        asked=False, to_slow=0, over="",
    )  # fmt: skip
    lines = random_lines(draw, form.slots, frame.customers, frame.switch)
    try:
        year = Year(draw, knobs, frame, form, lines)
        filed = year.filed(draw)
    except Unlucky:
        return False
    question = random_question(draw, kind, frame, year.both_codes)
    assert phrase(draw, question, frame.last, "X")
    binder = year.binder(filed, question)
    return first_problem(CLOSE, binder, frame.switch, knobs.min_change_evidence) is None


def at_random(draws: int) -> tuple[float, int]:
    """Seconds of one random draw with its checks, and how many of the draws passed."""
    found = 0
    started = time.perf_counter()
    for i in range(draws):
        found += passes(Draw(f"random/{i}"), KINDS[i % len(KINDS)])
    return (time.perf_counter() - started) / draws, found


def costs(rounds: int) -> float:
    """Print what builds cost as multiples; gives the seconds of a planned close at the default knobs."""
    click: list[float] = []
    default: dict[str, list[float]] = {CLOSE.name: [], AUDIT.name: []}
    for number in range(rounds):  # in turns, so that all share the machine's weather
        click.append(seconds(partial(subprocess.run, [sys.executable, "-c", "import click"], check=True)))
        for family in (CLOSE, AUDIT):
            default[family.name].append(seconds(partial(build, family, -1, 10, SEED + number)))
    unit = median(click)
    print(f"\nmedian of {rounds} rounds; python -c 'import click' takes {unit * 1000:.0f} ms")
    for family in (CLOSE, AUDIT):
        each = median(default[family.name])
        last = seconds(partial(build, family, len(family.ladder) - 1, 10, SEED)) / 10
        print(f"{family.name}: the 10-case default build costs {each / unit:.1f} x import click (limit 40)")
        print(
            f"{family.name}: a case of the last rung costs {10 * last / each:.1f} x a default one (limit 20)"
        )
    return median(default[CLOSE.name]) / 10


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--cases", type=int, default=60, help="of each rung")
    parser.add_argument("--draws", type=int, default=2000, help="years drawn at random")
    parser.add_argument("--rounds", type=int, default=7)
    given = parser.parse_args()
    print("family       rung  accepted   worst kind               ms/case  horizon  depth")
    for family in (CLOSE, AUDIT):
        for rung in range(len(family.ladder)):
            acceptance(family, rung, given.cases)
    planned = costs(given.rounds)
    draw, found = at_random(given.draws)
    # With none in n draws the share is below 3/n, at 95% confidence.
    ratio = draw * given.draws / (found or 3) / planned
    print(
        f"{found} of {given.draws} random years passed, at {draw * 1000:.1f} ms each: a case costs "
        f"{'about' if found else 'at least'} {ratio:.0f} x a planned one (at least 20 wanted)"
    )


if __name__ == "__main__":
    main()
