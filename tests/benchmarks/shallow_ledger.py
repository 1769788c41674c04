"""What little effort is worth on ledgers: how often shallow agents and scripts without insight pass.

    python tests/benchmarks/shallow_ledger.py [FAMILY ...] [--cases 60] [--seed 1] [--rungs 0,1,2]

The shallow agents know every rule and can count, but each looks no further than it must, in one
way: see `AGENTS`. The scripts answer from balances, from totals, or from the receipts put by hand.
Exits 1 unless the agents' rate, taken together, falls from rung to rung and no script ever passes.
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
from families.ledger.solver.practice import Practice, induce
from families.ledger.solver.question import OWED
from families.ledger.solver.settling import Account, Order
from families.ledger.solver.sheets import CLOSING, OPENING, Entry, read_sheet
from families.ledger.solver.solving import answer
from trapcli.core.contract import Answer

FAMILIES = {family.name: family for family in (CLOSE, AUDIT)}
FILES, LINES, RECEIPTS = 10, 150, 30  # that a shallow agent reads: of the ledger, the sheet, the memo
TOGETHER, REPLAY = "shallow agents together", "the answer to the last such case"
Files = Mapping[str, str]


def main() -> int:
    parser = argparse.ArgumentParser(
        description="Pass rates of shallow agents and of scripts without insight."
    )
    parser.add_argument("families", nargs="*", default=list(FAMILIES), metavar="FAMILY")
    parser.add_argument("--cases", type=int, default=60, help="a rung")
    parser.add_argument("--seed", default="1")
    parser.add_argument("--rungs", help="of the ladder, all unless told")
    asked = parser.parse_args()
    good = [climbs(FAMILIES[name], asked.seed, asked.cases, asked.rungs) for name in asked.families]
    return 0 if all(good) else 1


def climbs(family: LedgerFamily, seed: str, cases: int, chosen: str | None) -> bool:
    """Measure and show the family's rungs; whether the agents fall and no script passes."""
    rungs = [int(rung) for rung in chosen.split(",")] if chosen else list(range(len(family.ladder)))
    passed = {rung: measure(family, seed, rung, cases) for rung in rungs}
    print(f"{family.name}: passed of {cases} cases a rung".ljust(46), *(f"rung {r}".rjust(7) for r in rungs))
    for name in (TOGETHER, *(f"  {agent}" for agent in AGENTS), *SCRIPTS, REPLAY):
        print(name.ljust(46), *(f"{count[name.strip()]:7}" for count in passed.values()))
    rates = [count[TOGETHER] for count in passed.values()]
    falls = all(more > less for more, less in pairwise(rates))
    clever = sorted({name for count in passed.values() for name in (*SCRIPTS, REPLAY) if count[name]})
    print("\nthe agents' rate", "falls rung by rung" if falls else "DOES NOT FALL rung by rung", end="; ")
    print(f"PASSED BY {', '.join(clever)}" if clever else "no script ever passes")
    return falls and not clever


def measure(family: LedgerFamily, seed: str, rung: int, cases: int) -> Counter[str]:
    """How many of the rung's cases each agent and each script passes."""
    knobs = family.knobs(**family.ladder[rung])
    passed, last = Counter[str](), dict[str, Any]()

    def tell(name: str, amount: object) -> bool:
        answered = family.extract(f"ANSWER: {amount}")
        right = isinstance(answered, Answer) and family.judge(case, answered).status == "passed"
        passed[name] += right
        return right

    for k in range(cases):
        case = family.generate(f"{seed}{rung}", knobs, k)
        books = (read_close if family is CLOSE else read_audit)(tuple(case.files.items()))
        for name, look in AGENTS.items():
            passed[TOGETHER] += tell(name, dollars(answer(look(books, case.files), ())))
        for name, script in SCRIPTS.items():
            if (cents := script(books, case.files)) is not None:
                tell(name, dollars(cents))
        if case.category in last:
            tell(REPLAY, last[case.category])
        last[case.category] = case.gold
    return passed


def dollars(cents: int) -> str:
    return f"{'-' if cents < 0 else ''}{abs(cents) // 100}.{abs(cents) % 100:02d}"


# --- agents that look no further than they must: what they make of the books ------


def months_of_the_question(books: Books, files: Files) -> Books:
    """It reads the entries from the month on that the question starts with."""
    asked = books.question
    start = max(asked.since, asked.received).replace(day=1)
    return replace(books, entries=[entry for entry in books.entries if entry.day >= start])


def first_files(books: Books, files: Files) -> Books:
    """It reads the first files of the ledger, or the first entries of the sheet."""
    paths = sorted(path for path in files if path.startswith("ledgers/"))
    if not paths:
        posted = sorted(entry.voucher for entry in books.entries)[:LINES]
        return replace(books, entries=[entry for entry in books.entries if entry.voucher in posted])
    read = {entry for path in paths[:FILES] for entry in read_sheet(files[path]).entries}
    return replace(books, entries=[entry for entry in books.entries if entry in read])


def first_receipts_by_hand(books: Books, files: Files) -> Books:
    """It reads the first receipts that were put by hand, and puts all as these were put."""
    at = {entry.voucher: entry for entry in books.entries}
    read = sorted(books.worked, key=lambda line: at[line.receipt])[:RECEIPTS]
    cites = cites_of(books.entries, books.papers)
    return replace(books, practice=induce(by_customer(books.entries, books.same), cites, read))


@dataclass(frozen=True, slots=True)
class NearBy(Practice):
    """A practice by which a receipt finds no invoice that stands more than `far` entries before it."""

    far: int = 0
    place: Mapping[str, int] | None = None

    def order_of(self, account: Account, receipt: Entry, cited: str) -> Order:
        order, place = Practice.order_of(self, account, receipt, cited), self.place or {}
        first = place[receipt.voucher] - self.far
        return lambda owed, cited: [invoice for invoice in order(owed, cited) if place[invoice] >= first]


def nearby(far: int) -> Callable[[Books, Files], Books]:
    """It puts receipts to invoices that stand at most `far` entries before them."""

    def look(books: Books, files: Files) -> Books:
        known, place = books.practice, {entry.voucher: n for n, entry in enumerate(books.entries)}
        return replace(books, practice=NearBy(known.before, known.after, known.since, far=far, place=place))

    return look


AGENTS: Mapping[str, Callable[[Books, Files], Books]] = {
    "reads the months that the question names": months_of_the_question,
    f"reads the first {FILES} files, or {LINES} entries": first_files,
    f"reads the first {RECEIPTS} receipts put by hand": first_receipts_by_hand,
    "looks 50 entries back for an invoice": nearby(50),
    "looks 120 entries back for an invoice": nearby(120),
}

# --- scripts without insight: an amount in cents, or None if there is nothing to take it from -------


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
    start = max(books.question.since, books.question.received)
    return -total(entry for entry in theirs(books) if entry.cents < 0 and entry.day >= start)


def invoices_asked_about_less_cash_since(books: Books, files: Files) -> int:
    return total(scope(books)) - cash_since(books, files)


def put_by_hand_to_invoices_asked_about(books: Books, files: Files) -> int:
    invoices = {entry.voucher for entry in scope(books)}
    day = {entry.voucher: entry.day for entry in books.entries}
    counted = [line.settles for line in books.worked if day[line.receipt] >= books.question.received]
    return sum(cents for parts in counted for invoice, cents in parts.items() if invoice in invoices)


def invoices_asked_about_less_put_by_hand(books: Books, files: Files) -> int:
    return total(scope(books)) - put_by_hand_to_invoices_asked_about(books, files)


def stopping_at_the_memo(books: Books, files: Files) -> int:
    """The answer if no receipt is put but by hand."""
    shown = {line.receipt for line in books.worked}
    seen = [entry for entry in books.entries if entry.cents > 0 or entry.voucher in shown]
    return answer(replace(books, entries=seen), ())


def oldest_first_in_one_formula(books: Books, files: Files) -> int | None:
    """What is owed if customers paid their oldest invoices first: the last ones make up the balance."""
    asked, found = books.question, 0
    if asked.kind != OWED:
        return None
    for entries in by_customer(theirs(books), books.same).values():
        owed = max(0, total(entries))
        later = [entry for entry in entries if entry.cents > 0 and entry.day >= asked.before]
        since = [entry for entry in entries if entry.cents > 0 and entry.day >= asked.since]
        found += min(owed, total(since)) if asked.before == date.max else max(0, owed - total(later))
    return found


def scope(books: Books) -> list[Entry]:
    """The invoices asked about."""
    asked = books.question
    return [entry for entry in theirs(books) if entry.cents > 0 and asked.since <= entry.day < asked.before]


def theirs(books: Books) -> list[Entry]:
    """The entries of the customer asked about, or all."""
    wanted = books.question.customer
    return [entry for entry in books.entries if not wanted or books.names.get(entry.code) == wanted]


def total(entries: Iterable[Entry]) -> int:
    return sum(entry.cents for entry in entries)


def balance(files: Files, which: str, day: date) -> int | None:
    """The opening or closing balance that the file of the day's month shows."""
    text = files.get(f"ledgers/{day:%Y-%m}.txt")
    return read_sheet(text).totals[which] if text else None


def first_day(books: Books) -> date:
    """The first day that bounds the question, or its last one."""
    asked = books.question
    days = [day for day in (asked.since, asked.before, asked.received) if day not in (date.min, date.max)]
    return min(days, default=asked.end)


SCRIPTS: Mapping[str, Callable[[Books, Files], int | None]] = {
    script.__name__.replace("_", " "): script
    for script in (
        last_closing_balance, closing_balance_of_the_questions_month,
        opening_balance_of_the_questions_month, balance_since_the_questions_month,
        all_debits, all_credits, debits_less_credits, invoices_asked_about, cash_since,
        invoices_asked_about_less_cash_since, put_by_hand_to_invoices_asked_about,
        invoices_asked_about_less_put_by_hand, stopping_at_the_memo, oldest_first_in_one_formula,
    )
}  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
