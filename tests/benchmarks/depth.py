"""Measure how often agents pass ledgers that look at less than they must; run by hand.

    python tests/benchmarks/depth.py [FAMILY ...] [--cases 40] [--levels 5,7,10] [--seed 1]

Each agent is the reference solver with one thing replaced:
- "copied, then ORDER": it copies what was worked through by hand, and puts all other receipts in one
  order, the same in every case.
- "ORDER": it does not copy either.
- "one practice": it takes the practice of the first case for all cases.
- "case 1 only": it notices the kinds of obstacles that the first case has, and no others.
- "no mails": it reads no mail.
Besides: "the tell" guesses from the paths, the index and the question which obstacles a case has, after it
has seen the first half of the cases; its share of right guesses is compared with always guessing what is
most frequent. Exits 1 if an agent passes more than a fifth of the cases at any level, or if the tell is
better than that by more than five points.
"""

import argparse
import re
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from time import perf_counter

from families.ledger.audit import FAMILY as AUDIT
from families.ledger.close import FAMILY as CLOSE
from families.ledger.domain.mistakes import CLOSE_MISTAKES, MAILS_UNREAD, PRACTICE_MISTAKES
from families.ledger.family import LedgerFamily
from families.ledger.solver import audit_answer, close_answer
from families.ledger.solver.accounts import ORDERS
from families.ledger.solver.solving import practice_of
from trapcli.core.contract import Case
from trapcli.core.knobs import parse_knobs

MOST = 20  # percent of the cases that such an agent may pass
BETTER = 5  # points by which the tell may beat the most frequent guess
OBSTACLES = [name for name in CLOSE_MISTAKES if name not in (*PRACTICE_MISTAKES, MAILS_UNREAD)]


def main() -> int:
    parser = argparse.ArgumentParser(description="Pass rates of agents that look at less than they must.")
    parser.add_argument("families", nargs="*", default=["ledger-close", "ledger-audit"], metavar="FAMILY")
    parser.add_argument("--cases", type=int, default=40, help="how many at each level")
    parser.add_argument("--levels", default="5,7,10")
    parser.add_argument("--seed", default="1")
    options = parser.parse_args()
    sound = True
    for family in (CLOSE, AUDIT):
        if family.name in options.families:
            for level in map(int, options.levels.split(",")):
                if level <= len(family.levels):
                    sound &= measure(family, level, options.cases, options.seed)
    return 0 if sound else 1


def measure(family: LedgerFamily, level: int, count: int, seed: str) -> bool:
    """Print how many cases of a level each agent passes; return whether none passes too many."""
    knobs, started = parse_knobs(family, family.levels[level - 1]), perf_counter()
    cases = [family.generate(seed, knobs, k) for k in range(count)]
    spent = (perf_counter() - started) / count
    print(f"\n{family.name}, level {level}: {count} cases, {spent:.1f} s each")
    sound = True
    for name, agent in agents(family, cases).items():
        passed = sum(f"{agent(case) / 100:.2f}" == case.gold for case in cases)
        bad = 100 * passed > MOST * count
        sound &= not bad
        print(f"  {name:44}{passed:4} of {count}{'  TOO MANY' if bad else ''}")
    if family is CLOSE:
        sound &= tell(cases)
    return sound


def agents(family: LedgerFamily, cases: Sequence[Case]) -> dict[str, Callable[[Case], int]]:
    answer = close_answer if family is CLOSE else audit_answer
    found: dict[str, Callable[[Case], int]] = {}
    for order in ORDERS:
        name = order.__name__.replace("_", " ")
        found[f"copied, then {name}"] = lambda case, order=order: answer(case.files, order=order)
        found[name] = lambda case, order=order: answer(case.files, copied=False, order=order)
    first = practice_of(family.name, cases[0].files)
    found["one practice"] = lambda case: answer(case.files, practice=first) if case is not cases[0] else 0
    if family is CLOSE:
        known = set(cases[0].mistakes)
        found["case 1 only"] = lambda case: (
            answer(case.files, [name for name in case.mistakes if name in OBSTACLES and name not in known])
            if case is not cases[0]
            else 0
        )
        found["no mails"] = lambda case: (
            answer(case.files, [MAILS_UNREAD]) if MAILS_UNREAD in case.mistakes else 0
        )
    return found


def tell(cases: Sequence[Case]) -> bool:
    """Print how well obstacles are guessed from what files show without being read."""
    half = len(cases) // 2
    seen, rest = cases[:half], cases[half:]
    right = baseline = total = 0
    for name in OBSTACLES:
        usual = 2 * sum(name in case.mistakes for case in seen) >= len(seen)
        by_trait: dict[tuple[str, object], Counter[bool]] = {}
        for case in seen:
            for trait in traits(case):
                by_trait.setdefault(trait, Counter())[name in case.mistakes] += 1
        for case in rest:
            votes: Counter[bool] = Counter()
            for trait in traits(case):
                votes += by_trait.get(trait, Counter())
            guess = votes[True] > votes[False] if votes else usual
            right += guess == (name in case.mistakes)
            baseline += usual == (name in case.mistakes)
            total += 1
    bad = 100 * (right - baseline) > BETTER * total
    print(
        f"  the tell is right in {100 * right / total:.0f}%, "
        f"the most frequent guess in {100 * baseline / total:.0f}%",
        end="",
    )
    print("  A TELL" if bad else "")
    return not bad


def traits(case: Case) -> list[tuple[str, object]]:
    """Return what a script sees without reading: numbers of files, the index's size, the question's form."""
    ledgers = sorted(path for path in case.files if path.startswith("ledgers/"))
    vouchers = set(re.findall(r"[A-Z]{2}\d{4}-\d{3}", "".join(case.files[path] for path in ledgers)))
    index = case.files["index/documents.csv"].count("\n")
    question = re.sub(r"\d+|[A-Z]\w+", "", case.files["question.md"])
    return [
        ("extra files", len(ledgers) - len({path[:15] for path in ledgers})),
        ("coverage", round(10 * index / len(vouchers))),
        ("question", question[-60:]),
        ("trap", case.trap),
    ]


if __name__ == "__main__":
    sys.exit(main())
