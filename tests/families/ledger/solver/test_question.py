"""Questions read from their words."""

from datetime import date

import pytest

from families.ledger.domain import names, questions
from families.ledger.domain.questions import WORDINGS, needs, worded
from families.ledger.solver.question import Question, read_question
from families.ledger.solver.sheets import Unclear

KINDS = dict(zip(names.KINDS, ("owed", "owed", "in full", "cash", "in part"), strict=True))


@pytest.mark.parametrize("iso", [True, False])
@pytest.mark.parametrize(("kind", "wording"), [(kind, text) for kind in KINDS for text in WORDINGS[kind]])
def test_all_wordings(kind: str, wording: str, iso: bool) -> None:
    """Every wording of a question is read as it was meant."""
    meant = {bound: date(2026, 3, n + 4) for n, bound in enumerate(sorted(needs(wording) - {"customer"}))}
    days = {bound: day.toordinal() for bound, day in meant.items()}
    customer = "Moor Press" if "customer" in needs(wording) else ""
    end = date(2026, 5, 31)
    text = worded(questions.Question(kind, **days), wording, end.toordinal(), "Moor Press", iso)
    read = read_question(
        f"# Question\n\nAccount 1 Cash and money.\n\n{text}\n", ["Moor", "Moor Press", "Oak"]
    )
    assert read == Question(KINDS[kind], "1 Cash and money", end, customer=customer, **meant)


def test_two_days_of_one_kind_are_not_clear() -> None:
    """A question that names two days from which on invoices count is not answered."""
    with pytest.raises(Unclear, match="two days"):
        read_question(
            "Account 12.\n\nWhat is open at the end of 2026-03-31, from 2026-01-02, from 2026-01-03?", ()
        )
