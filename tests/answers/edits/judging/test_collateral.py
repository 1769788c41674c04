"""What counts as collateral when an answer may choose the key of a new row."""

import pytest

from trapcli.answers.edits.judging.applied_edits import Cell, apply_edits
from trapcli.answers.edits.judging.collateral import find_collateral
from trapcli.answers.edits.tables import Table, schema

Edit = dict[str, object]

SCHEMA = schema(
    Table("owners.csv", {"owner": "id", "name": "text"}, "owner"),
    Table("boats.csv", {"boat": "id", "owner": "id", "berth": "text"}, "boat"),
)
BEFORE = {
    "owners.csv": [{"owner": "O1", "name": "Ann"}, {"owner": "O2", "name": "Bob"}],
    "boats.csv": [{"boat": "B1", "owner": "O1", "berth": "7"}, {"boat": "B2", "owner": "O2", "berth": "8"}],
}
OWNER = Cell("boats.csv", 0, "owner")


def add(file: str, **row: str) -> Edit:
    return {"file": file, "op": "insert", "row": row}


def sell(**cells: str) -> Edit:
    return {"file": "boats.csv", "op": "update", "match": {"boat": "B1"}, "set": cells}


def collateral(gold: list[Edit], yours: list[Edit]) -> frozenset[Cell]:
    right, own = (apply_edits(SCHEMA, BEFORE, edits) for edits in (gold, yours))
    return find_collateral(SCHEMA, BEFORE, right, own, True)


GOLD = [add("owners.csv", owner="O3", name="Cay"), sell(owner="O3")]


@pytest.mark.parametrize("key", ["O3", "O9", "cay"])
def test_a_new_row_may_have_any_key(key: str) -> None:
    """A cell that names the new row by the key that the answer gave it is as in the right edits."""
    assert collateral(GOLD, [add("owners.csv", owner=key, name="Cay"), sell(owner=key)]) == frozenset()


@pytest.mark.parametrize(
    "yours",
    [
        [add("owners.csv", owner="O9", name="Cay"), sell(owner="O2")],  # an owner that was there
        [add("owners.csv", owner="O9", name="Cay"), sell(owner="O3")],  # nobody: only the right edits add O3
        [sell(owner="O9")],
        [add("boats.csv", boat="O9", owner="O1", berth="9"), sell(owner="O9")],  # a boat, not an owner
    ],
)
def test_another_name_than_that_of_the_new_row_is_collateral(yours: list[Edit]) -> None:
    """A cell that names an old row, no row or a row of another table is not as in the right edits."""
    assert OWNER in collateral(GOLD, yours)
