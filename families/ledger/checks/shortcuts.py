"""Figures that can be had without settling the year: the answer must be near none of them."""

from collections.abc import Iterator

from families.ledger.domain.formats import money
from families.ledger.domain.settlement import INVOICE, RECEIPT
from families.ledger.planning.reading import Ledger, Reading, total
from trapcli.core.contract import Problem

NEAR = 2_500  # cents


def shortcut_problems(ledger: Ledger) -> Iterator[Problem]:
    """Yield the figures that the answer is near."""
    right = ledger.answer()
    for name, cents in shortcuts(ledger):
        if abs(abs(cents) - right) < NEAR:
            yield Problem(f"the answer {money(right)} is near {name}, {money(cents)}", "shortcut")


def shortcuts(ledger: Ledger) -> Iterator[tuple[str, int]]:
    """Yield (name, cents) of each figure."""
    question = ledger.question
    asked = [row for row in ledger.rows if question.covers(row.customer)]
    for who, rows in (("all customers", ledger.rows), ("the customers asked about", asked)):
        billed = sum(row.event.amount for row in rows if row.event.kind == INVOICE)
        cash = sum(row.event.amount for row in rows if row.event.kind == RECEIPT)
        yield f"the amount billed to {who}", billed
        yield f"the amount paid by {who}", cash
        yield f"the balance of {who}", billed - cash
    scope = sum(
        row.event.amount
        for row in asked
        if row.event.kind == INVOICE and row.event.day >= question.since
        and (not question.before or row.event.day < question.before)
    )  # fmt: skip
    yield "the amount billed in scope", scope
    for day in sorted({question.since, question.before, question.cash_since} - {0}):
        later = sum(r.event.amount for r in asked if r.event.kind == RECEIPT and r.event.day >= day)
        yield "the cash from a date of the question on", later
        yield "the amount billed in scope less that cash", scope - later
    yield "the answer from the memo alone", _memo_only(ledger)


def _memo_only(ledger: Ledger) -> int:
    """Return the answer of somebody who stops at the end of the memo: other receipts settle nothing."""
    rows = tuple(r for r in ledger.rows if r.event.kind != RECEIPT or r.event.key in ledger.memo)
    return total(ledger.parts(Reading(rows, ledger.memo, ledger.bound)).values())
