"""The question of a case: its types, and what one customer adds to an answer.

Every type looks at single invoices, since what a customer owes in total does not depend on the
order in which cash settles.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from families.ledger.domain.settlement import Settlement

OWED_SINCE, OWED_BY_CUSTOMERS, IN_FULL = "owed_since", "owed_by_customers", "settled_in_full"
CASH_TO_EARLIER, IN_PART, BILLED_OPEN = "cash_to_earlier", "paid_in_part", "billed_and_open"

# Case k sets trap k modulo their number, so their order is part of every seed's cases.
TRAPS: Mapping[str, str] = {
    OWED_SINCE: "what is owed at the end on invoices billed on or after a date, or between two dates",
    OWED_BY_CUSTOMERS: "what some customers owe at the end on invoices billed before, or from, a date",
    IN_FULL: "how much of what was billed is settled in full at the end",
    CASH_TO_EARLIER: "how much of the cash received from a date on went to invoices billed before a date",
    IN_PART: "what is still owed at the end on invoices that were paid in part",
    BILLED_OPEN: "what those invoices were billed at on which anything is owed at the end",
}


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked. Days are proleptic ordinals, 0 for no bound.

    type: one of `TRAPS`.
    since: the first day of billing.
    before: the day after the last day of billing.
    customers: those asked about; empty for all.
    cash_since: the first day of the receipts that count, for the type that asks about cash.
    """

    type: str
    since: int = 0
    before: int = 0
    customers: tuple[int, ...] = ()
    cash_since: int = 0

    def covers(self, customer: int) -> bool:
        return not self.customers or customer in self.customers


class AnswerPart(NamedTuple):
    """A part of an answer: cents of an invoice, by a receipt (else -1) if the question is about cash."""

    invoice: int
    receipt: int
    cents: int


def answer_parts(question: Question, settled: Settlement, received: Mapping[int, int]) -> list[AnswerPart]:
    """Return what a customer adds to the answer.

    received: receipt -> its day.
    """
    owed, face = settled.owed, settled.face
    scope = [
        invoice
        for invoice, day in settled.billed.items()
        if day >= question.since and (not question.before or day < question.before)
    ]
    if question.type == CASH_TO_EARLIER:
        return [
            AnswerPart(invoice, receipt, cents)
            for receipt, pieces in settled.applied.items()
            if received[receipt] >= question.cash_since
            for invoice, cents in pieces.items()
            if settled.billed[invoice] < question.before
        ]
    if question.type == IN_FULL:
        return [AnswerPart(i, -1, face[i]) for i in scope if i not in owed]
    if question.type == IN_PART:
        return [AnswerPart(i, -1, owed[i]) for i in scope if i in owed and owed[i] < face[i]]
    if question.type == BILLED_OPEN:
        return [AnswerPart(i, -1, face[i]) for i in scope if i in owed]
    return [AnswerPart(i, -1, owed[i]) for i in scope if i in owed]


def contribution(question: Question, settled: Settlement, received: Mapping[int, int]) -> int:
    """Return what a customer adds to the answer, in cents."""
    return sum(part.cents for part in answer_parts(question, settled, received))
