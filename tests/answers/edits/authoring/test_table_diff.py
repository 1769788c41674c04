"""The difference between two states of the tables, as edits."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trapcli.answers.edits.authoring.table_diff import diff
from trapcli.answers.edits.judging.applied_edits import apply_edits
from trapcli.answers.edits.tables import Row, Table, schema

SCHEMA = schema(Table("t.csv", {"k": "id", "a": "text", "b": "text"}, "k"))
rows = st.dictionaries(st.sampled_from("uvwxyz"), st.tuples(st.sampled_from("12"), st.sampled_from("34")))


def table(values: dict[str, tuple[str, str]]) -> list[Row]:
    return [{"k": key, "a": a, "b": b} for key, (a, b) in values.items()]


@pytest.mark.slow
@given(rows, rows)
def test_the_difference_leads_from_one_state_to_the_other(
    old: dict[str, tuple[str, str]], new: dict[str, tuple[str, str]]
) -> None:
    """Applying the edits gives the second state, one edit for each row that differs."""
    new = old | new
    edits = diff(SCHEMA, {"t.csv": table(old)}, {"t.csv": table(new)})
    after = apply_edits(SCHEMA, {"t.csv": table(old)}, edits)
    assert {row["k"]: row for row in after.tables["t.csv"]} == {row["k"]: row for row in table(new)}
    assert len(edits) == sum(old.get(key) != value for key, value in new.items())
    assert after.notes == ()


def test_an_update_sets_only_what_changed() -> None:
    """A row is matched by its key, and only its changed cells are set."""
    edits = diff(SCHEMA, {"t.csv": table({"x": ("1", "3")})}, {"t.csv": table({"x": ("1", "4")})})
    assert edits == [{"file": "t.csv", "op": "update", "match": {"k": "x"}, "set": {"b": "4"}}]


def test_a_missing_row_is_refused() -> None:
    """An edit cannot delete a row, so a row that is gone is a ValueError that names it."""
    with pytest.raises(ValueError, match=r"t\.csv: an edit cannot delete a row.*x"):
        diff(SCHEMA, {"t.csv": table({"x": ("1", "3")})}, {"t.csv": []})
