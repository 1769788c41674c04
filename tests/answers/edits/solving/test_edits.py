"""Edits as a solver writes them, and which rows a change covers."""

import json

import pytest

from trapcli.answers.edits.solving.edits import Edit, answer_text, coverage, insert, updates
from trapcli.answers.edits.solving.tables import Unclear

TERMS = (
    {"product": "P-1", "since": "2025-01-01", "share": "0.60"},
    {"product": "P-1", "since": "2025-03-01", "share": "0.50"},
)


def test_only_what_changes_is_set() -> None:
    """A cell that already holds the value is left out; a row without other cells gets no edit."""
    found = updates("terms.csv", TERMS, lambda row: {"share": "0.50", "product": "P-1"})
    assert found == [
        {"file": "terms.csv", "op": "update", "match": {"product": "P-1"}, "set": {"share": "0.50"}}
    ]


def test_a_key_of_several_columns() -> None:
    """A row is matched by all the columns of its key."""
    (edit,) = updates("terms.csv", TERMS[:1], lambda row: {"share": "0.55"}, ("product", "since"))
    assert edit["match"] == {"product": "P-1", "since": "2025-01-01"}


def test_the_answer_is_json_or_a_sentence() -> None:
    """Edits are written as a JSON array; if they are unclear, a sentence says why."""

    def unclear() -> list[Edit]:
        raise Unclear("the ticket names no day")

    row = {"product": "P-2", "since": "2025-01-01", "share": "0.40"}
    assert json.loads(answer_text(lambda: [insert("terms.csv", row)])) == [
        {"file": "terms.csv", "op": "insert", "row": row}
    ]
    assert answer_text(unclear) == "It is unclear what to do: the ticket names no day."


@pytest.mark.parametrize(
    ("mistake", "days"),
    [
        (None, ["02", "03"]),
        ("all", ["31", "01", "02", "03"]),
        ("late", ["03"]),
        ("early", ["01", "02", "03"]),
    ],
)
def test_from_when_a_change_counts(mistake: str | None, days: list[str]) -> None:
    """A change counts from its first day on; each mistake gets this wrong in its own way."""
    every = ["2025-01-31", "2025-02-01", "2025-02-02", "2025-02-03"]
    is_covered = coverage("day", "2025-02-02", mistake, before="2025-02-01")
    assert [day[-2:] for day in every if is_covered({"day": day})] == days
