"""Outputs that an earlier reader was tested with, and what is read from them now.

`before` in a row of `frozen.jsonl` is what the earlier reader read, where that differs.
"""

import json
from decimal import Decimal
from pathlib import Path

from trapcli.answers.amount.reader import read_answer
from trapcli.core.contract import Answer
from trapcli.core.output import output_of

ROWS = [json.loads(line) for line in Path(__file__).with_name("frozen.jsonl").read_text().splitlines()]


def test_every_frozen_output_is_read_as_recorded() -> None:
    """Each output gives the amount in its row, or none; a change here must be meant."""
    assert len(ROWS) > 400
    for row in ROWS:
        answer = read_answer(output_of(row["text"]))
        read = answer.value if isinstance(answer, Answer) else None
        assert read == (None if row["read"] is None else Decimal(row["read"])), row


def test_no_difference_reads_another_amount() -> None:
    """Where the reading changed, an output became readable or unreadable; none gives another amount."""
    changed = [row for row in ROWS if "before" in row]
    assert len(changed) == 17
    assert all((row["before"] is None) != (row["read"] is None) for row in changed)
