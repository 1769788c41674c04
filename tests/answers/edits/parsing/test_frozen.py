"""Outputs that an earlier reader was tested with, and what is read from them now.

`before` in a row of `frozen.jsonl` is what the earlier reader read, where that differs. An array
counted then if it held an object; now one of its objects must have `file` and `op`.
"""

import json
from pathlib import Path
from typing import Any

from trapcli.answers.edits.parsing.reader import read_edits
from trapcli.core.contract import Answer
from trapcli.core.output import output_of

ROWS = [json.loads(line) for line in Path(__file__).with_name("frozen.jsonl").read_text().splitlines()]


def has_edit(array: list[Any]) -> bool:
    return any(isinstance(element, dict) and {"file", "op"} <= element.keys() for element in array)


def test_every_frozen_output_is_read_as_recorded() -> None:
    """Each output gives the edits in its row, or none; a change here must be meant."""
    assert len(ROWS) > 150
    for row in ROWS:
        answer = read_edits(output_of(row["text"]))
        read = json.loads(json.dumps(answer.value, default=str)) if isinstance(answer, Answer) else None
        assert read == row["read"], row


def test_what_is_not_read_any_more_has_no_edit() -> None:
    """Every array that is not read any more holds no edit; no output is read as other edits."""
    changed = [row for row in ROWS if "before" in row]
    assert changed
    for row in changed:
        assert (row["before"] is None) != (row["read"] is None)
        assert row["before"] is None or not has_edit(row["before"])
