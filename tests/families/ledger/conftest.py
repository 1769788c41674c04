"""Cases of both ledger families, generated once, and small years spelled out in tests."""

from collections.abc import Callable, Sequence

import pytest

from families.ledger.audit import FAMILY as AUDIT
from families.ledger.close import FAMILY as CLOSE
from families.ledger.domain.practice import Practice
from families.ledger.domain.questions import Question
from families.ledger.domain.settlement import CREDIT, INVOICE, RECEIPT, RETURN, Event
from families.ledger.planning.reading import Ledger, Row
from trapcli.core.contract import Case
from trapcli.core.knobs import parse_knobs

KINDS = {"bill": INVOICE, "pay": RECEIPT, "back": RETURN, "note": CREDIT}
Line = tuple[str, int, int, int, int]  # kind, day, customer, amount, what it refers to


@pytest.fixture(scope="session")
def closes() -> list[Case]:
    """A close of each trap at the default knobs."""
    return [CLOSE.generate("5", CLOSE.knobs(), k) for k in range(len(CLOSE.traps))]


@pytest.fixture(scope="session")
def deep_closes() -> list[Case]:
    """Closes of the two levels with the most obstacles, without their mails."""
    hardest = parse_knobs(CLOSE, {**CLOSE.levels[8], "mails": 0})
    return [CLOSE.generate("5", hardest, k) for k in range(len(CLOSE.traps))]


@pytest.fixture(scope="session")
def mail_closes() -> list[Case]:
    """Closes with a few customers who write mails."""
    knobs = parse_knobs(CLOSE, CLOSE.levels[5])
    return [CLOSE.generate("5", knobs, k) for k in (0, 2, 4)]


@pytest.fixture(scope="session")
def audits() -> list[Case]:
    """An audit of each trap at the default knobs, and one more with drawn orders."""
    drawn = parse_knobs(AUDIT, AUDIT.levels[4])
    return [
        *(AUDIT.generate("5", AUDIT.knobs(), k) for k in range(len(AUDIT.traps))),
        *(AUDIT.generate("5", drawn, k) for k in range(2)),
    ]


@pytest.fixture
def ledger() -> Callable[..., Ledger]:
    """ledger(lines, practice, memo, question, bound): a year; keys are the numbers of the lines.

    lines: (kind, day, customer, amount, the line it refers to or -1).
    question: by default about all invoices but those of day 1.
    memo: receipts that are worked through, as the practice has it; or receipt -> its pieces.
    """

    def make(
        lines: Sequence[Line],
        practice: Practice,
        memo: Sequence[int] | dict[int, dict[int, int]] = (),
        question: Question | None = None,
        bound: int = 0,
    ) -> Ledger:
        rows = tuple(
            Row(who, Event(day, key, KINDS[kind], key, amount, ref))
            for key, (kind, day, who, amount, ref) in enumerate(lines)
        )
        year = Ledger(practice, rows, bound, {}, question or Question("owed_since", since=2))
        made: dict[int, dict[int, int]] = {}
        for settled in year.settlements(year.reading()).values():
            made |= settled.made
        year.memo = dict(memo) if isinstance(memo, dict) else {key: made[key] for key in memo}
        return year

    return make
