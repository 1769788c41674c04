"""What must hold for the book of every case of both families, besides what the core checks.

Problems are named: agrees, inducible, enough_left, exemplified, identifiable, bites, distinct,
shortcut. Names of mistakes and the notion of a memo are those of `book`.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from families.ledger.checks.rivals import rival
from families.ledger.domain.book import Accounts, Book, accounts, answer_of, choice, settled, stopped
from families.ledger.domain.formats import money
from families.ledger.domain.names import MISSED_SUPPLEMENT
from families.ledger.domain.policies import Seen, watch
from families.ledger.domain.settlement import CITED_FIRST, CITED_ONLY, OLDEST, Settled
from families.ledger.planning.question_search import BITE, LEAST
from trapcli.core.contract import Problem

NEAR = 2_500  # cents: an answer this near to a closed form could be had without settling anything
MOST_WORKED, LEAST_LEFT = 55, 6  # percent of receipts that the memo shows; receipts that it does not
EARLY_EVIDENCE, EARLY_NARRATIONS = 2, 2


@dataclass(frozen=True, slots=True)
class Truth:
    """A book settled as it should be. evidence: how many receipts of the memo must tell of the changeover."""

    book: Book
    switch: int
    evidence: int
    mechanisms: tuple[str, ...]
    found: Accounts
    done: Mapping[str, Settled]
    seen: Sequence[Seen]
    answer: int

    @property
    def shown(self) -> set[str]:
        """The receipts that the memo works through."""
        return {worked.receipt for worked in self.book.memo}


def truth(book: Book, switch: int, evidence: int, mechanisms: tuple[str, ...]) -> Truth:
    found, done = settled(book, switch)
    seen = watch(found, choice(switch))
    return Truth(book, switch, evidence, mechanisms, found, done, seen, answer_of(book.question, found, done))


def problems(true: Truth) -> Iterator[Problem]:
    """What is wrong with the book; cheap checks first."""
    yield from agrees(true)
    yield from enough_left(true)
    yield from inducible(true)
    yield from exemplified(true)
    yield from bites(true)
    yield from shortcut(true)
    yield from identifiable(true)


def agrees(true: Truth) -> Iterator[Problem]:
    """The memo shows what receipts settle, all from the first to its last, but for those booked late."""
    late = {entry.voucher for entry in true.book.late}
    ordinary = [one for one in true.seen if one.event.voucher not in late]
    for one, worked in zip(ordinary, true.book.memo, strict=False):
        settles = tuple(sorted(one.pieces.items()))
        left = -one.event.amount - sum(one.pieces.values())
        if worked != (one.event.day, one.event.voucher, -one.event.amount, settles, left):
            yield Problem(f"line {worked.receipt} is not what the policy gives", "agrees")
    if len(true.book.memo) > len(ordinary):
        yield Problem("the memo shows more receipts than there are", "agrees")


def evidence(true: Truth) -> tuple[list[Seen], list[Seen]]:
    """Receipts of the memo that tell citation-first from oldest-first, before the changeover and after.

    They tell it by the amounts that some invoice gets.
    """
    telling = [
        one
        for one in true.seen
        if one.event.voucher in true.shown and one.by_base[CITED_FIRST] != one.by_base[OLDEST]
    ]
    before = [one for one in telling if one.event.day < true.switch]
    return before, telling[len(before) :]


def inducible(true: Truth) -> Iterator[Problem]:
    """Both policies show in the memo often enough, the first over several narrations."""
    before, after = evidence(true)
    narrations = {one.event.narration for one in before}
    if len(before) < EARLY_EVIDENCE or len(narrations) < EARLY_NARRATIONS:
        yield Problem(
            f"{len(before)} receipts of {len(narrations)} narrations tell the policy before the changeover",
            "inducible",
        )
    if len(after) < true.evidence:
        yield Problem(f"{len(after)} receipts tell of the changeover, not {true.evidence}", "inducible")


def enough_left(true: Truth) -> Iterator[Problem]:
    """The memo works through at most so many receipts, and leaves some; none booked late counts."""
    worked, total = len(true.book.memo), len(true.seen) - sum(entry.amount < 0 for entry in true.book.late)
    if 100 * worked > MOST_WORKED * total or total - worked < LEAST_LEFT:
        yield Problem(f"the memo works through {worked} of {total} receipts", "enough_left")


def events(one: Seen, codes: Mapping[str, str]) -> set[str]:
    """What kinds of event a receipt is; `codes` gives the code that each voucher was booked under."""
    event, pieces = one.event, one.pieces
    found = {f"narration {event.narration!r}"}
    if not one.open_count:
        found.add("finds nothing open")
    if not event.cited:
        found.add("cites nothing")
    elif one.age is None:
        found.add("cites what is no invoice of the customer")
    else:
        found.add("cites an open invoice" if one.by_base[CITED_ONLY] else "cites a settled invoice")
    if len(pieces) > 1:
        found.add("settles several invoices")
    if sum(pieces.values()) < -event.amount:
        found.add("leaves cash unapplied")
    if any(codes[invoice] != event.code for invoice in pieces):
        found.add("settles an invoice of the customer's other code")
    return found


def exemplified(true: Truth) -> Iterator[Problem]:
    """Every kind of event among the receipts that the memo does not show has an example in the memo."""
    codes = {event.voucher: event.code for listed in true.found.values() for event in listed}
    shown: set[str] = set()
    rest: set[str] = set()
    for one in true.seen:
        (shown if one.event.voucher in true.shown else rest).update(events(one, codes))
    for kind in sorted(rest - shown):
        yield Problem(f"no receipt of the memo {kind}", "exemplified")


def bites(true: Truth) -> Iterator[Problem]:
    """Each mistake moves the answer and the allocation; no two single ones give the same answer."""
    right = left_of(true.done)
    answers: dict[int, str] = {}
    for mistake in true.mechanisms:
        found, done = settled(true.book, true.switch, (mistake,))
        answer = answer_of(true.book.question, found, done)
        if abs(answer - true.answer) < BITE:
            yield Problem(f"{mistake} moves the answer by {money(answer - true.answer)}", "bites")
        wrong = left_of(done)
        moved = sum(
            abs(right.get(invoice, 0) - wrong.get(invoice, 0)) for invoice in right.keys() | wrong.keys()
        )
        if moved < BITE:
            yield Problem(f"{mistake} moves the allocation by {money(moved)}", "bites")
        if answer in answers:
            yield Problem(f"{mistake} and {answers[answer]} both give {money(answer)}", "distinct")
        answers[answer] = mistake


def left_of(done: Mapping[str, Settled]) -> dict[str, int]:
    """What is left of each open invoice at the end."""
    return {invoice: cents for one in done.values() for invoice, cents in one.open.items()}


def identifiable(true: Truth) -> Iterator[Problem]:
    """Every policy of the class that reproduces the memo gives the same answer; see `rivals`."""
    other = rival(true.found, true.seen, true.book.memo, true.book.question)
    if other is not None:
        yield Problem(f"the memo also fits: {other.says}; that gives {money(other.answer)}", "identifiable")


def shortcut(true: Truth) -> Iterator[Problem]:
    """The answer has four digits before the point and is near no closed form."""
    if true.answer < LEAST:
        yield Problem(f"the answer {money(true.answer)} has too few digits", "shortcut")
    for name, cents in closed_forms(true):
        if abs(abs(cents) - true.answer) < NEAR:
            yield Problem(f"the answer {money(true.answer)} is near {name}, {money(cents)}", "shortcut")


def closed_forms(true: Truth) -> Iterator[tuple[str, int]]:
    """Figures that can be had without settling the year: totals, balances, the memo alone."""
    question = true.book.question
    whose = {
        code: listed for code, listed in true.found.items() if not question.codes or code in question.codes
    }
    everybody = [("everybody", true.found), ("whoever is asked about", whose)]
    if true.book.late:
        everybody.append(("everybody but for late entries", accounts(true.book, (MISSED_SUPPLEMENT,))))
    for who, listed in everybody:
        billed, cash = total(listed, 1), total(listed, -1)
        yield from (
            (f"what {who} was billed", billed),
            (f"what {who} paid", cash),
            (f"the balance of {who}", billed - cash),
        )
    scope = {
        code: total({code: listed}, 1, question.since, question.before) for code, listed in whose.items()
    }
    cash_of = {code: total({code: listed}, -1) for code, listed in whose.items()}
    yield "what was billed in scope", sum(scope.values())
    yield "that less all cash", sum(max(0, scope[code] - cash_of[code]) for code in whose)
    owed = {code: max(0, total({code: listed}, 1) - cash_of[code]) for code, listed in whose.items()}
    yield "balances up to what was billed in scope", sum(min(scope[code], owed[code]) for code in whose)
    for day in {question.since, question.before, question.received} - {0}:
        since, before = total(whose, -1, day), total(whose, -1, 0, day)
        yield from (("the cash from a date of the question on", since), ("the cash before it", before))
        yield "what was billed in scope less the cash from the date on", sum(scope.values()) - since
        yield "what was billed in scope less the cash before the date", sum(scope.values()) - before
        yield (
            "the cash from the date on, up to the balances at that date",
            sum(
                min(total({c: e}, -1, day), max(0, total({c: e}, 1, 0, day) - total({c: e}, -1, 0, day)))
                for c, e in whose.items()
            ),
        )
    yield "what the memo alone gives", answer_of(question, *stopped(true.book, true.switch))


def total(found: Accounts, sign: int, since: int = 0, before: int = 0) -> int:
    """The sum of all invoices (sign 1) or receipts (sign -1) of these days, above zero."""
    return sum(
        abs(event.amount)
        for listed in found.values()
        for event in listed
        if sign * event.amount > 0 and since <= event.day and (not before or event.day < before)
    )
