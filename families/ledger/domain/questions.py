"""The question of a case: its types, their wordings, and what one customer adds to an answer.

Every type looks at single invoices, since what a customer owes in total does not depend on the
order in which cash settles.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import NamedTuple

from families.ledger.domain.settlement import Event, Settlement
from families.ledger.domain.traps_and_mistakes import (
    CASH_TO_EARLIER,
    IN_FULL,
    IN_PART,
    OWED_BY_CUSTOMER,
    OWED_SINCE,
)


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked. Days are proleptic ordinals, 0 for no bound.

    type: one of `names.TRAPS`.
    since: the first day of billing.
    before: the day after the last day of billing.
    codes: all codes of the customer asked about; empty for all customers.
    cash_since: the first day of the receipts that count, for the type that asks about cash.
    """

    type: str
    since: int = 0
    before: int = 0
    codes: tuple[str, ...] = ()
    cash_since: int = 0


class AnswerPart(NamedTuple):
    """A part of an answer: cents of an invoice, by a receipt if the question is about cash."""

    invoice: str
    receipt: str
    cents: int


def answer_parts(
    question: Question, code: str, events: Sequence[Event], settlement: Settlement
) -> list[AnswerPart]:
    """Return what the customer that settles under `code` adds to the answer."""
    if question.codes and code not in question.codes:
        return []
    since, before, owed = question.since, question.before, settlement.owed
    scope = {
        e.voucher: e.amount
        for e in events
        if e.amount > 0 and e.day >= since and (not before or e.day < before)
    }
    if question.type == CASH_TO_EARLIER:
        counted = {e.voucher for e in events if e.amount < 0 and e.day >= question.cash_since}
        return [
            AnswerPart(invoice, receipt, cents)
            for receipt, invoice, cents in settlement.applied
            if receipt in counted and invoice in scope
        ]
    if question.type == IN_FULL:
        return [AnswerPart(v, "", amount) for v, amount in scope.items() if v not in owed]
    if question.type == IN_PART:
        return [AnswerPart(v, "", owed[v]) for v, amount in scope.items() if v in owed and owed[v] < amount]
    return [AnswerPart(v, "", owed[v]) for v in scope if v in owed]


def contribution(question: Question, code: str, events: Sequence[Event], settlement: Settlement) -> int:
    """Return what the customer that settles under `code` adds to the answer, in cents."""
    return sum(part.cents for part in answer_parts(question, code, events, settlement))


WORDINGS: Mapping[str, tuple[str, ...]] = {
    OWED_SINCE: (
        "At the end of {end}, how much do customers still owe on invoices billed on or after {since}?",
        "Of everything billed from {since} onwards, how much is still outstanding at the end of {end}?",
        "The auditor asks for the open amount, as of the close of {end}, on invoices dated {since} or "
        "later. What is it?",
        "We provide only for what was billed on {since} or after that. What is unpaid on those invoices "
        "at the close of {end}?",
    ),
    OWED_BY_CUSTOMER: (
        "How much does {customer} still owe at the end of {end} on invoices billed before {before}?",
        "{customer} disputes the older part of its account. What is open at the end of {end} on its "
        "invoices dated earlier than {before}?",
        "As of the close of {end}: what is unpaid of all that was billed to {customer} before {before}?",
        "How much does {customer} still owe at the end of {end} on invoices billed on or after {since}?",
        "Credit control has {customer} on the phone. What is outstanding at the end of {end} on what was "
        "billed to it from {since} onwards?",
        "As of the close of {end}: what is unpaid on the invoices to {customer} dated {since} or later?",
    ),
    IN_FULL: (
        "Of all that was billed up to the end of {end}, how much is settled in full by then? An invoice "
        "counts with its whole amount once it is paid to the last cent, and not at all before.",
        "Add up the invoices that nothing is owed on any more at the close of {end}. What were they "
        "billed at?",
        "Take the invoices billed on or after {since}. What is the total billed on those of them that are "
        "settled in full at the end of {end}?",
        "How much of what was billed before {before} is on invoices that are paid off completely by the "
        "end of {end}? Count such an invoice with all that it was billed at.",
    ),
    CASH_TO_EARLIER: (
        "Of the cash that came in from {cash_since} to the end of {end}, how much went to invoices billed "
        "before {before}?",
        "For the cut-off note: which part of the receipts dated {cash_since} or later, up to {end}, "
        "settled invoices dated earlier than {before}?",
        "Customers paid us on and after {cash_since}. Up to the end of {end}, what amount of that money "
        "was put to invoices that had been billed before {before}?",
    ),
    IN_PART: (
        "At the end of {end} some invoices are paid in part. How much is still owed on those? Leave out "
        "invoices on which nothing has been paid.",
        "What is left to pay, at the close of {end}, on invoices that have received some cash but not "
        "all of it?",
        "Look only at invoices billed on or after {since}. How much is still owed at the end of {end} on "
        "those of them that are paid in part, not on those that nothing was paid on?",
        "Of the invoices dated before {before}, some have been paid in part by the end of {end}. What is "
        "still open on these, the untouched ones not counted?",
    ),
}

MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip
BOUNDS = ("since", "before", "cash_since")


def slots(wording: str) -> frozenset[str]:
    """Return which of the bounds, and whether the customer, a wording names."""
    return frozenset(name for name in (*BOUNDS, "customer") if f"{{{name}}}" in wording)


def format_day(day: int, iso: bool) -> str:
    """Return a day (a proleptic ordinal) as 2026-03-31 or as 31 March 2026."""
    when = date.fromordinal(day)
    return when.isoformat() if iso else f"{when.day} {MONTHS[when.month - 1]} {when.year}"


def parse_day(text: str) -> int:
    """Return the ordinal of a day as `format_day` writes it; ValueError for any other text."""
    if "-" in text:
        return date.fromisoformat(text).toordinal()
    day, month, year = text.split()
    return date(int(year), MONTHS.index(month) + 1, int(day)).toordinal()


def format_question(question: Question, wording: str, end: int, customer: str, iso: bool) -> str:
    """Return the question as a sentence or two.

    end: the day at whose end the answer is taken.
    """
    days = {name: format_day(getattr(question, name), iso) for name in BOUNDS if getattr(question, name)}
    return wording.format(end=format_day(end, iso), customer=customer, **days)


def parse_question(text: str, codes: Mapping[str, tuple[str, ...]]) -> tuple[Question, int]:
    """Return the question that a text asks, and the day at whose end it does.

    codes: a customer's name -> its codes.

    Raises ValueError if no wording fits, or if the customer is unknown.
    """
    for question_type, wordings in WORDINGS.items():
        for wording in wordings:
            match = re.fullmatch(_pattern(wording), text)
            if match is None:
                continue
            values = match.groupdict()
            customer = values.get("customer")
            if customer is not None and customer not in codes:
                raise ValueError(f"the question is about {customer!r}, who is not in the master")
            days = {name: parse_day(values[name]) for name in BOUNDS if name in values}
            question = Question(question_type, codes=codes[customer] if customer is not None else (), **days)
            return question, parse_day(values["end"])
    raise ValueError(f"no wording of a question fits {text!r}")


def _pattern(wording: str) -> str:
    pattern = re.escape(wording)
    for name in (*BOUNDS, "end"):
        first, other = rf"(?P<{name}>\d{{1,2}} [A-Z][a-z]+ \d{{4}}|\d{{4}}-\d\d-\d\d)", rf"(?P={name})"
        pattern = _fill_slot(pattern, name, first, other)
    return _fill_slot(pattern, "customer", "(?P<customer>.+)", "(?P=customer)")


def _fill_slot(pattern: str, name: str, first: str, other: str) -> str:
    slot = re.escape(f"{{{name}}}")
    return pattern.replace(slot, first, 1).replace(slot, other)
