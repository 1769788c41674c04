"""Questions are read from their words."""

from datetime import date
from typing import Any

import pytest

from families.ledger.domain import questions, traps_and_mistakes
from families.ledger.domain.questions import WORDINGS, format_question, slots
from families.ledger.solver.question import Question, read_question
from families.ledger.solver.sheets import UnclearFiles

TYPES = dict(zip(traps_and_mistakes.TRAPS, ("owed", "owed", "in full", "cash", "in part"), strict=True))


@pytest.mark.parametrize("iso", [True, False])
@pytest.mark.parametrize(("trap", "wording"), [(trap, text) for trap in TYPES for text in WORDINGS[trap]])
def test_all_wordings(trap: str, wording: str, iso: bool) -> None:
    """Every wording of a question is read as what it asks."""
    bounds = {bound: date(2026, 3, n + 4) for n, bound in enumerate(sorted(slots(wording) - {"customer"}))}
    days: dict[str, Any] = {bound: day.toordinal() for bound, day in bounds.items()}
    customer = "Moor Press" if "customer" in slots(wording) else ""
    end = date(2026, 5, 31)
    text = format_question(questions.Question(trap, **days), wording, end.toordinal(), "Moor Press", iso)
    read = read_question(
        f"# Question\n\nAccount 1 Cash and money.\n\n{text}\n", ["Moor", "Moor Press", "Oak"]
    )
    assert read == Question(TYPES[trap], "1 Cash and money", end, customer=customer, **bounds)


def test_two_days_for_one_bound_are_not_clear() -> None:
    """A question that names two days from which on invoices count is not answered."""
    with pytest.raises(UnclearFiles, match="two days"):
        read_question(
            "Account 12.\n\nWhat is open at the end of 2026-03-31, from 2026-01-02, from 2026-01-03?", ()
        )
