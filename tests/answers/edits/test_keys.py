"""Tables with a key of several columns: read, edited and compared like any other."""

import pytest

from trapcli.answers.edits.authoring.table_diff import diff
from trapcli.answers.edits.judging.applied_edits import apply_edits, key_index
from trapcli.answers.edits.tables import Row, Table, schema

TERMS = Table("terms.csv", {"who": "id", "since": "date", "share": "number"}, ("who", "since"))
SCHEMA = schema(TERMS)


def rows(*cells: tuple[str, str, str]) -> list[Row]:
    return [dict(zip(TERMS.columns, row, strict=True)) for row in cells]


BEFORE = {
    "terms.csv": rows(("a", "2025-01-01", "0.5"), ("a", "2025-03-01", "0.6"), ("b", "2025-01-01", "0.7"))
}


def insert(who: str, since: str, share: str = "0.9") -> dict[str, object]:
    return {"file": "terms.csv", "op": "insert", "row": {"who": who, "since": since, "share": share}}


def test_a_key_is_one_column_or_several() -> None:
    """A key of one column is a cell, a key of several a tuple; each must be a column of the table."""
    one = Table("t.csv", {"k": "id"}, "k")
    assert (one.keys, one.key_of({"k": "1"}), one.match({"k": "1"})) == (("k",), "1", {"k": "1"})
    row = BEFORE["terms.csv"][1]
    assert TERMS.keys == ("who", "since")
    assert TERMS.key_of(row) == ("a", "2025-03-01")
    assert TERMS.match(row) == {"who": "a", "since": "2025-03-01"}
    for key in ("other", ("who", "other"), ()):
        with pytest.raises(ValueError, match="no column"):
            Table("t.csv", {"who": "id"}, key)


@pytest.mark.parametrize("indexed", [False, True])
def test_rows_are_identified_by_all_columns_of_the_key(indexed: bool) -> None:
    """A match of the whole key hits one row; a match of a part of it hits all rows with this part."""
    index = key_index(SCHEMA, BEFORE) if indexed else None
    for match, hit in (
        ({"who": "a", "since": "2025-03-01"}, [1]),
        ({"who": "a"}, [0, 1]),
        ({"since": "2025-01-01"}, [0, 2]),
        ({"who": "b", "since": "2025-03-01"}, []),
        ({"who": "a", "since": "2025-03-01", "share": "0.5"}, []),
    ):
        edit = {"file": "terms.csv", "op": "update", "match": match, "set": {"share": "0.1"}}
        after = apply_edits(SCHEMA, BEFORE, [edit], index).tables["terms.csv"]
        assert [i for i, row in enumerate(after) if row["share"] == "0.1"] == hit


def test_a_row_of_another_date_can_be_added() -> None:
    """Part of a key may exist already; a whole one breaks the table, and the very same row is ignored."""
    new = apply_edits(SCHEMA, BEFORE, [insert("b", "2025-03-01")])
    assert len(new.tables["terms.csv"]) == 4
    assert not new.broken
    twice = apply_edits(SCHEMA, BEFORE, [insert("a", "2025-03-01")])
    assert twice.broken == {"terms.csv": "terms.csv has two rows with who a, since 2025-03-01"}
    same = apply_edits(SCHEMA, BEFORE, [insert("a", "2025-03-01", "0.60")])
    assert (same.broken, same.tables) == ({}, BEFORE)
    assert same.notes == ("edit 1: ignored, terms.csv already has this very row",)


@pytest.mark.parametrize("missing", ["who", "since"])
def test_a_row_needs_its_whole_key(missing: str) -> None:
    """An insert that leaves out a column of the key is ignored with a note that names it."""
    row = {"who": "b", "since": "2025-03-01", "share": "1"} | {missing: ""}
    applied = apply_edits(SCHEMA, BEFORE, [{"file": "terms.csv", "op": "insert", "row": row}])
    assert applied.notes == (f"edit 1: ignored, the row has no {missing}",)
    assert applied.tables == BEFORE


def test_an_update_may_break_a_key_and_repair_it() -> None:
    """Keys are checked after an update of any of their columns, as after an insert."""
    move = {
        "file": "terms.csv",
        "op": "update",
        "match": {"who": "a", "share": "0.6"},
        "set": {"since": "2025-01-01"},
    }
    back = {
        "file": "terms.csv",
        "op": "update",
        "match": {"who": "a", "share": "0.6"},
        "set": {"since": "2025-04-01"},
    }
    assert apply_edits(SCHEMA, BEFORE, [move]).broken
    assert not apply_edits(SCHEMA, BEFORE, [move, back], key_index(SCHEMA, BEFORE)).broken


def test_the_difference_names_the_whole_key() -> None:
    """A changed row is matched by all columns of its key; a row of a new date is an insert."""
    changed, new = ("a", "2025-03-01", "0.8"), ("b", "2025-06-01", "0.2")
    after = {"terms.csv": rows(("a", "2025-01-01", "0.5"), changed, ("b", "2025-01-01", "0.7"), new)}
    assert diff(SCHEMA, BEFORE, after) == [
        insert("b", "2025-06-01", "0.2"),
        {
            "file": "terms.csv",
            "op": "update",
            "match": {"who": "a", "since": "2025-03-01"},
            "set": {"share": "0.8"},
        },
    ]
