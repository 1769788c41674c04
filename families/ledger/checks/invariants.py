"""What must hold for the book of every case of both families, besides what the core checks.

Problems are named agrees, enough_left, inducible, exemplified, bites, distinct, shortcut and
identifiable, after the invariant that they break.
"""

from collections.abc import Iterator, Mapping

from families.ledger.checks.closed_forms import NEAR, closed_forms
from families.ledger.checks.identifiability import find_rival
from families.ledger.checks.truth import Truth
from families.ledger.domain.book import answer_of, settle_book
from families.ledger.domain.formats import money
from families.ledger.domain.limits import MIN_ANSWER, MIN_EFFECT
from families.ledger.domain.policies import ReceiptState
from families.ledger.domain.settlement import CITED_FIRST, CITED_ONLY, OLDEST, Settlement
from trapcli.core.contract import Problem

MOST_WORKED, LEAST_LEFT = 55, 6  # percent of receipts that the memo shows; receipts that it does not
EARLY_EVIDENCE, EARLY_NARRATIONS = 2, 2


def book_problems(truth: Truth) -> Iterator[Problem]:
    """Yield what is wrong with the book; cheap checks first."""
    yield from memo_problems(truth)
    yield from length_problems(truth)
    yield from evidence_problems(truth)
    yield from example_problems(truth)
    yield from mistake_problems(truth)
    yield from shortcut_problems(truth)
    yield from identity_problems(truth)


def memo_problems(truth: Truth) -> Iterator[Problem]:
    """The memo shows what receipts settle, from the first to its last, except those booked late."""
    late = {entry.voucher for entry in truth.book.late}
    ordinary = [one for one in truth.receipts if one.event.voucher not in late]
    for one, line in zip(ordinary, truth.book.memo, strict=False):
        settles = tuple(sorted(one.pieces.items()))
        left = -one.event.amount - sum(one.pieces.values())
        if line != (one.event.day, one.event.voucher, -one.event.amount, settles, left):
            yield Problem(f"line {line.receipt} of the memo is not what the policy gives", "agrees")
    if len(truth.book.memo) > len(ordinary):
        yield Problem("the memo shows more receipts than there are", "agrees")


def length_problems(truth: Truth) -> Iterator[Problem]:
    """The memo works through at most 55 percent of the receipts and leaves six; late ones do not count."""
    worked = len(truth.book.memo)
    total = len(truth.receipts) - sum(entry.amount < 0 for entry in truth.book.late)
    if 100 * worked > MOST_WORKED * total or total - worked < LEAST_LEFT:
        yield Problem(f"the memo works through {worked} of {total} receipts", "enough_left")


def decisive_receipts(truth: Truth) -> tuple[list[ReceiptState], list[ReceiptState]]:
    """Return the receipts of the memo before the changeover, and after, that decide between the policies.

    A receipt does if citation-first and oldest-first give some invoice different amounts.
    """
    in_memo = truth.in_memo
    decisive = [
        one
        for one in truth.receipts
        if one.event.voucher in in_memo and one.by_base[CITED_FIRST] != one.by_base[OLDEST]
    ]
    before = [one for one in decisive if one.event.day < truth.changeover]
    return before, decisive[len(before) :]


def evidence_problems(truth: Truth) -> Iterator[Problem]:
    """Both policies show in the memo often enough, the first over several narrations."""
    before, after = decisive_receipts(truth)
    narrations = {one.event.narration for one in before}
    if len(before) < EARLY_EVIDENCE or len(narrations) < EARLY_NARRATIONS:
        yield Problem(
            f"{len(before)} receipts of {len(narrations)} narrations show the policy before the changeover",
            "inducible",
        )
    if len(after) < truth.min_evidence:
        yield Problem(f"{len(after)} receipts show the changeover, not {truth.min_evidence}", "inducible")


def event_types(one: ReceiptState, codes: Mapping[str, str]) -> set[str]:
    """Return which types of event a receipt is.

    codes: voucher -> the code that it was booked under.
    """
    event, pieces = one.event, one.pieces
    types = {f"has the narration {event.narration!r}"}
    if not one.open_count:
        types.add("finds nothing open")
    if not event.cited:
        types.add("cites nothing")
    elif one.age is None:
        types.add("cites something other than an invoice of the customer")
    else:
        types.add("cites an open invoice" if one.by_base[CITED_ONLY] else "cites a settled invoice")
    if len(pieces) > 1:
        types.add("settles several invoices")
    if sum(pieces.values()) < -event.amount:
        types.add("leaves cash unapplied")
    if any(codes[invoice] != event.code for invoice in pieces):
        types.add("settles an invoice of the customer's other code")
    return types


def example_problems(truth: Truth) -> Iterator[Problem]:
    """Every type of event among the receipts after the memo has an example in the memo."""
    codes = {event.voucher: event.code for events in truth.accounts.values() for event in events}
    in_memo = truth.in_memo
    examples: set[str] = set()
    rest: set[str] = set()
    for one in truth.receipts:
        (examples if one.event.voucher in in_memo else rest).update(event_types(one, codes))
    for event_type in sorted(rest - examples):
        yield Problem(f"no receipt of the memo {event_type}", "exemplified")


def mistake_problems(truth: Truth) -> Iterator[Problem]:
    """Each mistake moves the answer and the allocation; no two single ones give the same answer."""
    right = open_invoices(truth.settlements)
    answers: dict[int, str] = {}
    for mistake in truth.mistakes:
        settlement = settle_book(truth.book, truth.changeover, (mistake,))
        answer = answer_of(truth.book.question, settlement)
        if abs(answer - truth.answer) < MIN_EFFECT:
            yield Problem(f"{mistake} moves the answer by {money(answer - truth.answer)}", "bites")
        wrong = open_invoices(settlement.settlements)
        moved = sum(
            abs(right.get(invoice, 0) - wrong.get(invoice, 0)) for invoice in right.keys() | wrong.keys()
        )
        if moved < MIN_EFFECT:
            yield Problem(f"{mistake} moves the allocation by {money(moved)}", "bites")
        if answer in answers:
            yield Problem(f"{mistake} and {answers[answer]} both give {money(answer)}", "distinct")
        answers[answer] = mistake


def open_invoices(settlements: Mapping[str, Settlement]) -> dict[str, int]:
    """Return what is left of each open invoice at the end."""
    return {invoice: cents for one in settlements.values() for invoice, cents in one.owed.items()}


def identity_problems(truth: Truth) -> Iterator[Problem]:
    """Every policy of the class that reproduces the memo gives the same answer; see `rivals`."""
    rival = find_rival(truth.accounts, truth.receipts, truth.book.memo, truth.book.question)
    if rival is not None:
        message = f"the memo also fits: {rival.description}; that gives {money(rival.answer)}"
        yield Problem(message, "identifiable")


def shortcut_problems(truth: Truth) -> Iterator[Problem]:
    """The answer has four digits before the point and is near no closed form."""
    if truth.answer < MIN_ANSWER:
        yield Problem(f"the answer {money(truth.answer)} has too few digits", "shortcut")
    for name, cents in closed_forms(truth):
        if abs(abs(cents) - truth.answer) < NEAR:
            yield Problem(f"the answer {money(truth.answer)} is near {name}, {money(cents)}", "shortcut")
