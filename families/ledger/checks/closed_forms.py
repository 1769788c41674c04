"""Figures that can be had without settling the year: totals, balances, the memo alone."""

from collections.abc import Iterator

from families.ledger.checks.truth import Truth
from families.ledger.domain.book import Accounts, accounts_of, answer_of, settle_memo_only
from families.ledger.domain.traps_and_mistakes import MISSED_SUPPLEMENT

NEAR = 2_500  # cents: an answer this near to a closed form could be had without settling anything


def closed_forms(truth: Truth) -> Iterator[tuple[str, int]]:
    """Yield (name, cents) of each figure."""
    question = truth.book.question
    asked = {
        code: events
        for code, events in truth.accounts.items()
        if not question.codes or code in question.codes
    }
    everybody = [("all customers", truth.accounts), ("the customers asked about", asked)]
    if truth.book.late:
        ordinary = accounts_of(truth.book, (MISSED_SUPPLEMENT,))
        everybody.append(("all customers without late entries", ordinary))
    for who, accounts in everybody:
        billed, cash = total(accounts, 1), total(accounts, -1)
        yield from (
            (f"the amount billed to {who}", billed),
            (f"the amount paid by {who}", cash),
            (f"the balance of {who}", billed - cash),
        )
    scope = {code: total({code: e}, 1, question.since, question.before) for code, e in asked.items()}
    cash_of = {code: total({code: events}, -1) for code, events in asked.items()}
    yield "the amount billed in scope", sum(scope.values())
    yield "that less all cash", sum(max(0, scope[code] - cash_of[code]) for code in asked)
    balance = {code: max(0, total({code: events}, 1) - cash_of[code]) for code, events in asked.items()}
    yield "balances up to the amount billed in scope", sum(min(scope[c], balance[c]) for c in asked)
    for day in {question.since, question.before, question.cash_since} - {0}:
        yield from _forms_around(day, asked, sum(scope.values()))
    memo_only = settle_memo_only(truth.book, truth.changeover)
    yield "the answer from the memo alone", answer_of(question, memo_only)


def _forms_around(day: int, asked: Accounts, scope: int) -> Iterator[tuple[str, int]]:
    """Yield the figures that split the cash at a day of the question; scope: the amount billed in scope."""
    since, before = total(asked, -1, day), total(asked, -1, 0, day)
    yield "the cash from a date of the question on", since
    yield "the cash before it", before
    yield "the amount billed in scope less the cash from the date on", scope - since
    yield "the amount billed in scope less the cash before the date", scope - before
    yield (
        "the cash from the date on, up to the balances at that date",
        sum(
            min(total({c: e}, -1, day), max(0, total({c: e}, 1, 0, day) - total({c: e}, -1, 0, day)))
            for c, e in asked.items()
        ),
    )


def total(accounts: Accounts, sign: int, since: int = 0, before: int = 0) -> int:
    """Return the sum of all invoices (sign 1) or receipts (sign -1) of these days, as a positive number."""
    return sum(
        abs(event.amount)
        for events in accounts.values()
        for event in events
        if sign * event.amount > 0 and since <= event.day and (not before or event.day < before)
    )
