"""Measure how often little effort passes on ledgers: shallow agents, and scripts without insight.

    python tests/benchmarks/shallow_agents/ledger.py [FAMILY ...] [--cases 60] [--seed 1] [--levels 1,2,3]

The shallow agents know every rule and can count, but each looks no further than it must, in one
way: see `AGENTS`. The scripts answer from balances, from totals, or from the receipts applied by
hand. Exits 1 unless the agents' rate, taken together, falls from level to level and no script ever
passes.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import date
from itertools import pairwise
from typing import Any

from families.ledger.audit import FAMILY as AUDIT
from families.ledger.close import FAMILY as CLOSE
from families.ledger.family import LedgerFamily
from families.ledger.solver.books import Books, by_customer, cites_of, read_audit, read_close
from families.ledger.solver.policy_search import Practice, induce
from families.ledger.solver.question import OWED
from families.ledger.solver.settling import Account, Order
from families.ledger.solver.sheets import CLOSING, OPENING, Entry, read_sheet
from families.ledger.solver.solving import answer
from trapcli.core.contract import Answer
from trapcli.core.output import output_of

FAMILIES = {family.name: family for family in (CLOSE, AUDIT)}
FILES, LINES, RECEIPTS = 10, 150, 30  # what a shallow agent reads of the ledger, the sheet, the memo
TOGETHER, REPLAY = "shallow agents together", "the answer to the last such case"
Files = Mapping[str, str]


def main() -> int:
    parser = argparse.ArgumentParser(
        description="Pass rates of shallow agents and of scripts without insight."
    )
    parser.add_argument("families", nargs="*", default=list(FAMILIES), metavar="FAMILY")
    parser.add_argument("--cases", type=int, default=60, help="how many at each level")
    parser.add_argument("--seed", default="1")
    parser.add_argument("--levels", help="which levels, such as 1,2,3; default: all")
    options = parser.parse_args()
    sound = [
        measure_family(FAMILIES[name], options.seed, options.cases, options.levels)
        for name in options.families
    ]
    return 0 if all(sound) else 1


def measure_family(family: LedgerFamily, seed: str, cases: int, chosen: str | None) -> bool:
    """Print the rates of a family; return whether the agents' falls and no script passes."""
    levels = [int(level) for level in chosen.split(",")] if chosen else range(1, len(family.levels) + 1)
    passed = {level: count_passed(family, seed, level, cases) for level in levels}
    title = f"{family.name}: passed of {cases} cases a level"
    print(title.ljust(46), *(f"level {level}".rjust(7) for level in levels))
    for name in (TOGETHER, *(f"  {agent}" for agent in AGENTS), *SCRIPTS, REPLAY):
        print(name.ljust(46), *(f"{count[name.strip()]:7}" for count in passed.values()))
    rates = [count[TOGETHER] for count in passed.values()]
    falls = all(more > less for more, less in pairwise(rates))
    clever = sorted({name for count in passed.values() for name in (*SCRIPTS, REPLAY) if count[name]})
    print("\nthe agents' rate", "falls level by level" if falls else "DOES NOT FALL level by level", end="; ")
    print(f"PASSED BY {', '.join(clever)}" if clever else "no script ever passes")
    return falls and not clever


def count_passed(family: LedgerFamily, seed: str, level: int, cases: int) -> Counter[str]:
    """Return how many of the level's cases each agent and each script passes."""
    knobs = family.knobs(**family.levels[level - 1])
    passed, last = Counter[str](), dict[str, Any]()

    def judge(name: str, amount: object) -> bool:
        extracted = family.answers.extract(output_of(f"ANSWER: {amount}"))
        right = isinstance(extracted, Answer) and family.answers.judge(case, extracted).passed
        passed[name] += right
        return right

    for k in range(cases):
        case = family.generate(f"{seed}{level - 1}", knobs, k)
        books = (read_close if family is CLOSE else read_audit)(tuple(case.files.items()))
        for name, look in AGENTS.items():
            passed[TOGETHER] += judge(name, dollars(answer(look(books, case.files), ())))
        for name, script in SCRIPTS.items():
            if (cents := script(books, case.files)) is not None:
                judge(name, dollars(cents))
        if case.trap in last:
            judge(REPLAY, last[case.trap])
        last[case.trap] = case.gold
    return passed


def dollars(cents: int) -> str:
    return f"{'-' if cents < 0 else ''}{abs(cents) // 100}.{abs(cents) % 100:02d}"


# --- agents that look no further than they must: the books as they read them ------


def months_of_the_question(books: Books, files: Files) -> Books:
    """Read the entries from the month on in which the question starts."""
    start = max(books.question.since, books.question.cash_since).replace(day=1)
    return replace(books, entries=[entry for entry in books.entries if entry.day >= start])


def first_files(books: Books, files: Files) -> Books:
    """Read the first files of the ledger, or the first entries of the sheet."""
    paths = sorted(path for path in files if path.startswith("ledgers/"))
    if not paths:
        posted = sorted(entry.voucher for entry in books.entries)[:LINES]
        return replace(books, entries=[entry for entry in books.entries if entry.voucher in posted])
    read = {entry for path in paths[:FILES] for entry in read_sheet(files[path]).entries}
    return replace(books, entries=[entry for entry in books.entries if entry in read])


def first_receipts_by_hand(books: Books, files: Files) -> Books:
    """Read the first receipts that were applied by hand, and apply all as these were applied."""
    at = {entry.voucher: entry for entry in books.entries}
    read = sorted(books.worked, key=lambda line: at[line.receipt])[:RECEIPTS]
    cites = cites_of(books.entries, books.papers)
    return replace(books, practice=induce(by_customer(books.entries, books.same), cites, read))


@dataclass(frozen=True, slots=True)
class NearBy(Practice):
    """A practice by which a receipt finds no invoice more than `far` entries before it."""

    far: int = 0
    place: Mapping[str, int] | None = None

    def order_of(self, account: Account, receipt: Entry, cited: str) -> Order:
        order, place = Practice.order_of(self, account, receipt, cited), self.place or {}
        first = place[receipt.voucher] - self.far
        return lambda owed, cited: [invoice for invoice in order(owed, cited) if place[invoice] >= first]


def nearby(far: int) -> Callable[[Books, Files], Books]:
    """Apply receipts to invoices that are at most `far` entries before them."""

    def look(books: Books, files: Files) -> Books:
        known, place = books.practice, {entry.voucher: n for n, entry in enumerate(books.entries)}
        return replace(books, practice=NearBy(known.before, known.after, known.since, far=far, place=place))

    return look


AGENTS: Mapping[str, Callable[[Books, Files], Books]] = {
    "reads the months that the question names": months_of_the_question,
    f"reads the first {FILES} files, or {LINES} entries": first_files,
    f"reads the first {RECEIPTS} receipts applied by hand": first_receipts_by_hand,
    "looks 50 entries back for an invoice": nearby(50),
    "looks 120 entries back for an invoice": nearby(120),
}

# --- scripts without insight: an amount in cents, or None if the files do not have the figure -------


def last_closing_balance(books: Books, files: Files) -> int | None:
    return balance(files, CLOSING, books.question.end)


def closing_balance_of_the_questions_month(books: Books, files: Files) -> int | None:
    return balance(files, CLOSING, first_day(books))


def opening_balance_of_the_questions_month(books: Books, files: Files) -> int | None:
    return balance(files, OPENING, first_day(books))


def balance_since_the_questions_month(books: Books, files: Files) -> int | None:
    last, first = last_closing_balance(books, files), opening_balance_of_the_questions_month(books, files)
    return None if last is None or first is None else last - first


def all_debits(books: Books, files: Files) -> int:
    return total(entry for entry in books.entries if entry.cents > 0)


def all_credits(books: Books, files: Files) -> int:
    return -total(entry for entry in books.entries if entry.cents < 0)


def debits_less_credits(books: Books, files: Files) -> int:
    return total(theirs(books))


def invoices_asked_about(books: Books, files: Files) -> int:
    return total(scope(books))


def cash_since(books: Books, files: Files) -> int:
    start = max(books.question.since, books.question.cash_since)
    return -total(entry for entry in theirs(books) if entry.cents < 0 and entry.day >= start)


def invoices_asked_about_less_cash_since(books: Books, files: Files) -> int:
    return total(scope(books)) - cash_since(books, files)


def applied_by_hand_to_invoices_asked_about(books: Books, files: Files) -> int:
    invoices = {entry.voucher for entry in scope(books)}
    day = {entry.voucher: entry.day for entry in books.entries}
    counted = [line.settles for line in books.worked if day[line.receipt] >= books.question.cash_since]
    return sum(cents for parts in counted for invoice, cents in parts.items() if invoice in invoices)


def invoices_asked_about_less_applied_by_hand(books: Books, files: Files) -> int:
    return total(scope(books)) - applied_by_hand_to_invoices_asked_about(books, files)


def stopping_at_the_memo(books: Books, files: Files) -> int:
    """Return the answer if only the receipts of the memo are applied."""
    worked = {line.receipt for line in books.worked}
    entries = [entry for entry in books.entries if entry.cents > 0 or entry.voucher in worked]
    return answer(replace(books, entries=entries), ())


def oldest_first_in_one_formula(books: Books, files: Files) -> int | None:
    """Return what is owed if customers paid oldest-first: their last invoices make up the balance."""
    question, total_owed = books.question, 0
    if question.type != OWED:
        return None
    for entries in by_customer(theirs(books), books.same).values():
        owed = max(0, total(entries))
        later = [entry for entry in entries if entry.cents > 0 and entry.day >= question.before]
        since = [entry for entry in entries if entry.cents > 0 and entry.day >= question.since]
        total_owed += min(owed, total(since)) if question.before == date.max else max(0, owed - total(later))
    return total_owed


def scope(books: Books) -> list[Entry]:
    """Return the invoices asked about."""
    since, before = books.question.since, books.question.before
    return [entry for entry in theirs(books) if entry.cents > 0 and since <= entry.day < before]


def theirs(books: Books) -> list[Entry]:
    """Return the entries of the customer asked about, or all."""
    wanted = books.question.customer
    return [entry for entry in books.entries if not wanted or books.names.get(entry.code) == wanted]


def total(entries: Iterable[Entry]) -> int:
    return sum(entry.cents for entry in entries)


def balance(files: Files, which: str, day: date) -> int | None:
    """Return the opening or closing balance in the file of the day's month."""
    text = files.get(f"ledgers/{day:%Y-%m}.txt")
    return read_sheet(text).totals[which] if text else None


def first_day(books: Books) -> date:
    """Return the first day that bounds the question, or else its last day."""
    q = books.question
    days = [day for day in (q.since, q.before, q.cash_since) if day not in (date.min, date.max)]
    return min(days, default=q.end)


SCRIPTS: Mapping[str, Callable[[Books, Files], int | None]] = {
    script.__name__.replace("_", " "): script
    for script in (
        last_closing_balance, closing_balance_of_the_questions_month,
        opening_balance_of_the_questions_month, balance_since_the_questions_month,
        all_debits, all_credits, debits_less_credits, invoices_asked_about, cash_since,
        invoices_asked_about_less_cash_since, applied_by_hand_to_invoices_asked_about,
        invoices_asked_about_less_applied_by_hand, stopping_at_the_memo, oldest_first_in_one_formula,
    )
}  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
