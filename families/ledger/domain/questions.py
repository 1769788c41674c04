"""What is asked: kinds of questions, their wordings, and what one customer adds to an answer.

Every kind looks at single invoices, since a customer's whole debt is the same whatever the
order in which cash settles. `since` and `before` bound the day of billing; 0 is no bound.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import NamedTuple

from families.ledger.domain.names import CASH_TO_EARLIER, IN_FULL, IN_PART, OWED_BY_CUSTOMER, OWED_SINCE
from families.ledger.domain.settlement import Event, Settled


@dataclass(frozen=True, slots=True)
class Question:
    """kind: one of `names.KINDS`. codes: all codes of the customer asked about, none for all customers.

    received: the first day whose receipts count, for the kind that asks about cash.
    """

    kind: str
    since: int = 0
    before: int = 0
    codes: tuple[str, ...] = ()
    received: int = 0


class Part(NamedTuple):
    """A piece of an answer: of an invoice so many cents, by a receipt if the question is about cash."""

    invoice: str
    receipt: str
    cents: int


def parts(question: Question, code: str, events: Sequence[Event], done: Settled) -> list[Part]:
    """What the customer that settles under `code` adds to the answer."""
    if question.codes and code not in question.codes:
        return []
    kind, since, before, left = question.kind, question.since, question.before, done.open
    scope = {
        e.voucher: e.amount
        for e in events
        if e.amount > 0 and e.day >= since and (not before or e.day < before)
    }
    if kind == CASH_TO_EARLIER:
        counted = {e.voucher for e in events if e.amount < 0 and e.day >= question.received}
        return [
            Part(v, receipt, cents) for receipt, v, cents in done.applied if receipt in counted and v in scope
        ]
    if kind == IN_FULL:
        return [Part(voucher, "", amount) for voucher, amount in scope.items() if voucher not in left]
    if kind == IN_PART:
        return [Part(v, "", left[v]) for v, amount in scope.items() if v in left and left[v] < amount]
    return [Part(voucher, "", left[voucher]) for voucher in scope if voucher in left]


def contribution(question: Question, code: str, events: Sequence[Event], done: Settled) -> int:
    """What the customer that settles under `code` adds to the answer, in cents."""
    return sum(part.cents for part in parts(question, code, events, done))


WORDINGS: Mapping[str, tuple[str, ...]] = {
    OWED_SINCE: (
        "At the end of {end}, how much do customers still owe on invoices billed on or after {since}?",
        "Of everything billed from {since} onwards, how much is still outstanding at the end of {end}?",
        "The auditor asks for the open amount, as of the close of {end}, on invoices dated {since} or later. "
        "What is it?",
        "We provide only for what was billed on {since} or after that. What is unpaid on those invoices "
        "at the "
        "close of {end}?",
    ),
    OWED_BY_CUSTOMER: (
        "How much does {customer} still owe at the end of {end} on invoices billed before {before}?",
        "{customer} disputes the older part of its account. What is open at the end of {end} on its invoices "
        "dated earlier than {before}?",
        "As of the close of {end}: what is unpaid of all that was billed to {customer} before {before}?",
        "How much does {customer} still owe at the end of {end} on invoices billed on or after {since}?",
        "Credit control has {customer} on the phone. What is outstanding at the end of {end} on what "
        "was billed to "
        "it from {since} onwards?",
        "As of the close of {end}: what is unpaid on the invoices to {customer} dated {since} or later?",
    ),
    IN_FULL: (
        "Of all that was billed up to the end of {end}, how much is settled in full by then? An invoice "
        "counts with "
        "its whole amount once it is paid to the last cent, and not at all before.",
        "Add up the invoices that nothing is owed on any more at the close of {end}. What were they "
        "billed at?",
        "Take the invoices billed on or after {since}. What is the total billed on those of them that "
        "are settled in "
        "full at the end of {end}?",
        "How much of what was billed before {before} is on invoices that are paid off completely by the "
        "end of "
        "{end}? Count such an invoice with all that it was billed at.",
    ),
    CASH_TO_EARLIER: (
        "Of the cash that came in from {received} to the end of {end}, how much went to invoices billed "
        "before "
        "{before}?",
        "For the cut-off note: which part of the receipts dated {received} or later, up to {end}, "
        "settled invoices "
        "dated earlier than {before}?",
        "Customers paid us on and after {received}. Up to the end of {end}, what amount of that money "
        "was put to "
        "invoices that had been billed before {before}?",
    ),
    IN_PART: (
        "At the end of {end} some invoices are paid in part. How much is still owed on those? Leave out "
        "invoices on "
        "which nothing has been paid.",
        "What is left to pay, at the close of {end}, on invoices that have received some cash but not "
        "all of it?",
        "Look only at invoices billed on or after {since}. How much is still owed at the end of {end} "
        "on those of "
        "them that are paid in part, not on those that nothing was paid on?",
        "Of the invoices dated before {before}, some have been paid in part by the end of {end}. What "
        "is still "
        "open on these, the untouched ones not counted?",
    ),
}  # fmt: skip

MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip
BOUNDS = ("since", "before", "received")


def needs(wording: str) -> frozenset[str]:
    """Which of the bounds, and the customer, a wording names."""
    return frozenset(name for name in (*BOUNDS, "customer") if f"{{{name}}}" in wording)


def day_text(day: int, iso: bool) -> str:
    when = date.fromordinal(day)
    return when.isoformat() if iso else f"{when.day} {MONTHS[when.month - 1]} {when.year}"


def day_of(text: str) -> int:
    """The ordinal of a day as `day_text` writes it; ValueError if it is none."""
    if "-" in text:
        return date.fromisoformat(text).toordinal()
    day, month, year = text.split()
    return date(int(year), MONTHS.index(month) + 1, int(day)).toordinal()


def worded(question: Question, wording: str, end: int, customer: str, iso: bool) -> str:
    """The question as a sentence or two."""
    days = {name: day_text(getattr(question, name), iso) for name in BOUNDS if getattr(question, name)}
    return wording.format(end=day_text(end, iso), customer=customer, **days)


def asked(text: str, codes: Mapping[str, tuple[str, ...]]) -> tuple[Question, int]:
    """The question that a text asks, and the day at whose end; `codes` are those of each customer's name.

    Raises ValueError if no wording fits, or if the customer is unknown.
    """
    for kind, wordings in WORDINGS.items():
        for wording in wordings:
            found = re.fullmatch(_pattern(wording), text)
            if found is None:
                continue
            said = found.groupdict()
            days = {name: day_of(said[name]) for name in BOUNDS if name in said}
            if "customer" in said and said["customer"] not in codes:
                raise ValueError(f"the question is about {said['customer']!r}, whom the master does not name")
            return Question(
                kind, codes=codes[said["customer"]] if "customer" in said else (), **days
            ), day_of(said["end"])
    raise ValueError(f"no wording of a question fits {text!r}")


def _pattern(wording: str) -> str:
    pattern = re.escape(wording)
    for name in (*BOUNDS, "end"):
        first, other = rf"(?P<{name}>\d{{1,2}} [A-Z][a-z]+ \d{{4}}|\d{{4}}-\d\d-\d\d)", rf"(?P={name})"
        pattern = _named(pattern, name, first, other)
    return _named(pattern, "customer", "(?P<customer>.+)", "(?P=customer)")


def _named(pattern: str, name: str, first: str, other: str) -> str:
    slot = re.escape(f"{{{name}}}")
    return pattern.replace(slot, first, 1).replace(slot, other)
