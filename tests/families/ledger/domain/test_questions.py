"""The questions: their wordings, parsed back, and what they add up."""

import re

import pytest

from families.ledger.domain.formats import day_of
from families.ledger.domain.questions import (
    WORDINGS,
    AnswerPart,
    Question,
    answer_parts,
    format_question,
    parse_question,
    slots,
)
from families.ledger.domain.settlement import CITED_FIRST, Event, Settlement, settle
from families.ledger.domain.traps_and_mistakes import (
    CASH_TO_EARLIER,
    IN_FULL,
    IN_PART,
    OWED_BY_CUSTOMER,
    OWED_SINCE,
    TRAPS,
)

CODES = {"Vale Tiles": ("1200", "3400"), "Vale Tiles and Sons": ("5600",)}
ALL_WORDINGS = [(trap, wording) for trap in TRAPS for wording in WORDINGS[trap]]
DAYS = {"since": "2026-02-03", "before": "2026-04-30", "cash_since": "2026-03-01"}


@pytest.mark.parametrize(("trap", "wording"), ALL_WORDINGS)
@pytest.mark.parametrize("iso", [True, False])
def test_every_wording_is_parsed_back(trap: str, wording: str, iso: bool) -> None:
    """Type, bounds, customer and last day come back, in either way of writing dates."""
    names = slots(wording)
    bounds = {name: day_of(DAYS[name]) for name in DAYS if name in names}
    codes = CODES["Vale Tiles"] if "customer" in names else ()
    question = Question(trap, codes=codes, **bounds)
    end = day_of("2026-07-31")
    text = format_question(question, wording, end, "Vale Tiles", iso)
    assert "{" not in text
    assert parse_question(text, CODES) == (question, end)


@pytest.mark.parametrize(
    "text",
    [
        "How much is owed?",
        "At the end of 31 July 2026, how much do customers still owe on invoices billed on or after May?",
        "How much does Nobody still owe at the end of 31 July 2026 on invoices billed before 1 May 2026?",
        "",
    ],
)
def test_another_question_is_refused(text: str) -> None:
    """A text that no wording fits, or about a customer that is not in the master, is a ValueError."""
    with pytest.raises(ValueError, match=r"wording|Nobody"):
        parse_question(text, CODES)


def test_every_trap_has_several_wordings() -> None:
    """There are at least four traps, each with three wordings, and none hints at how to solve it."""
    assert len(TRAPS) >= 4
    for trap in TRAPS:
        assert len(WORDINGS[trap]) >= 3
        for wording in WORDINGS[trap]:
            assert not re.search("cite|oldest|supplement|re-cod|memo|allocat|prior", wording)


EVENTS = [
    Event(-1, 10, "A", "1200", 500),
    Event(-1, 20, "B", "1200", 300),
    Event(0, 25, "r0", "1200", -300, "B"),
    Event(-1, 30, "C", "3400", 200),
    Event(1, 40, "r1", "3400", -100, "C"),
    Event(2, 50, "r2", "3400", -350, ""),
]
# A has 150 left, B is paid, C has 100 left.
SETTLEMENT: Settlement = settle(EVENTS, lambda receipt, count: CITED_FIRST)


@pytest.mark.parametrize(
    ("question", "adds"),
    [
        (Question(OWED_SINCE, since=10), [("A", "", 150), ("C", "", 100)]),
        (Question(OWED_SINCE, since=11), [("C", "", 100)]),
        (Question(OWED_BY_CUSTOMER, before=30, codes=("1200", "3400")), [("A", "", 150)]),
        (Question(OWED_BY_CUSTOMER, before=30, codes=("5600",)), []),
        (Question(IN_FULL), [("B", "", 300)]),
        (Question(IN_FULL, since=21), []),
        (Question(IN_PART), [("A", "", 150), ("C", "", 100)]),
        (Question(IN_PART, before=30), [("A", "", 150)]),
        (Question(CASH_TO_EARLIER, before=30, cash_since=30), [("A", "r2", 350)]),
        (Question(CASH_TO_EARLIER, before=30, cash_since=20), [("B", "r0", 300), ("A", "r2", 350)]),
    ],
)
def test_what_a_customer_adds(question: Question, adds: list[tuple[str, str, int]]) -> None:
    """Bounds include their first day and exclude the day that `before` names."""
    assert answer_parts(question, "1200", EVENTS, SETTLEMENT) == [AnswerPart(*part) for part in adds]
