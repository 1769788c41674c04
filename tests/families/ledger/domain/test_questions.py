"""What a customer adds to an answer, by the type of the question and its bounds."""

import pytest

from families.ledger.domain.practice import OLDEST
from families.ledger.domain.questions import TRAPS, Question, contribution
from families.ledger.domain.settlement import INVOICE, RECEIPT, Event, settle
from families.ledger.files.wordings import SCOPES, WORDINGS, question_text
from trapcli.core.draw import Draw

LINES = [
    Event(10, 0, INVOICE, 0, 1_000),
    Event(20, 1, INVOICE, 1, 2_000),
    Event(25, 2, RECEIPT, 2, 1_500),
    Event(30, 3, INVOICE, 3, 4_000),
    Event(40, 4, RECEIPT, 4, 100),
]
SETTLED = settle(LINES, lambda event: OLDEST, {})  # left: 1_400 of the second, 4_000 of the third


@pytest.mark.parametrize(
    ("question", "cents"),
    [
        (Question("owed_since"), 5_400),
        (Question("owed_since", since=20), 5_400),
        (Question("owed_since", since=21), 4_000),
        (Question("owed_since", since=11, before=30), 1_400),
        (Question("owed_by_customers", before=20), 0),
        (Question("settled_in_full"), 1_000),
        (Question("settled_in_full", since=11), 0),
        (Question("paid_in_part"), 1_400),
        (Question("paid_in_part", before=20), 0),
        (Question("billed_and_open"), 6_000),
        (Question("billed_and_open", since=30), 4_000),
        (Question("cash_to_earlier", before=20, cash_since=25), 1_000),
        (Question("cash_to_earlier", before=21, cash_since=26), 100),
        (Question("cash_to_earlier", before=10, cash_since=1), 0),
    ],
)
def test_what_counts(question: Question, cents: int) -> None:
    """Each type counts its own amounts; the first bound is included, the second is not."""
    assert contribution(question, SETTLED, {2: 25, 4: 40}) == cents


def test_every_type_has_wordings_that_name_what_it_needs() -> None:
    """Every trap has at least two wordings, each with its end and scope; only one type names customers."""
    assert set(WORDINGS) == set(TRAPS)
    for trap, wordings in WORDINGS.items():
        assert len(wordings) >= 2
        for wording in wordings:
            assert "{end}" in wording and "{scope}" in wording
            assert ("{customers}" in wording) == (trap == "owed_by_customers")
            assert ("{cash_since}" in wording) == (trap == "cash_to_earlier")


@pytest.mark.parametrize("bounds", list(SCOPES), ids=str)
@pytest.mark.parametrize("trap", list(TRAPS))
def test_a_question_is_written_whole(trap: str, bounds: tuple[bool, bool]) -> None:
    """Whatever the bounds, no slot is left open, and the text names every customer asked about."""
    since, before = (739_700 if bounds[0] else 0), (739_800 if bounds[1] else 0)
    question = Question(trap, since, before, (0, 1), 739_750)
    for number in range(12):
        text = question_text(Draw(str(number)), question, "Account 1 X. Year 2026.", 739_900, ["A B", "C D"])
        assert "{" not in text
        assert text.startswith("# Question\n\nAccount 1 X. Year 2026.\n\n")
        if trap == "owed_by_customers":
            assert "A B and C D" in text
