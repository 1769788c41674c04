"""Edits put on tables: what takes effect, what is ignored, and that each note names its edit."""

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trapcli.answers.edits.judging.applied_edits import Cell, apply_edits, key_index
from trapcli.answers.edits.tables import Table, schema

SCHEMA = schema(
    Table("goods.csv", {"sku": "id", "name": "text", "price_usd": "money"}, "sku"),
    Table("shops.csv", {"shop": "id", "town": "text"}, "shop"),
)
TABLES = {
    "goods.csv": [
        {"sku": "A", "name": "Lamp", "price_usd": "10.00"},
        {"sku": "B", "name": "Lamp", "price_usd": "12.50"},
        {"sku": "C", "name": "Rug", "price_usd": ""},
    ],
    "shops.csv": [{"shop": "S1", "town": "Marl"}],
}


def update(match: Any, values: Any, file: str = "goods.csv") -> dict[str, Any]:
    return {"file": file, "op": "update", "match": match, "set": values}


def insert(row: Any, file: str = "goods.csv") -> dict[str, Any]:
    return {"file": file, "op": "insert", "row": row}


def test_an_update_changes_every_row_it_hits() -> None:
    """A match on a value that several rows share updates all of them, and no other."""
    after = apply_edits(SCHEMA, TABLES, [update({"name": "Lamp"}, {"price_usd": 9})])
    assert [row["price_usd"] for row in after.tables["goods.csv"]] == ["9", "9", ""]
    assert after.notes == ()


def test_the_given_tables_do_not_change() -> None:
    """The tables before the edits stay as they are, and those that no edit touched are shared."""
    after = apply_edits(SCHEMA, TABLES, [update({"sku": "A"}, {"name": "Torch"}), insert({"sku": "D"})])
    assert TABLES["goods.csv"][0]["name"] == "Lamp"
    assert len(TABLES["goods.csv"]) == 3
    assert after.tables["shops.csv"] is TABLES["shops.csv"]
    assert after.changed == {"goods.csv"}


@pytest.mark.parametrize("value", [10, Decimal("10.0"), "10.00", "$10.00", " 10 ", "1e1"])
def test_a_match_compares_by_column_type(value: Any) -> None:
    """A money column is matched by value, however the number is spelled."""
    assert apply_edits(SCHEMA, TABLES, [update({"price_usd": value}, {"name": "x"})]).notes == ()


def test_null_matches_the_empty_cell() -> None:
    """null and "" both hit a row whose cell is empty."""
    for nothing in (None, ""):
        after = apply_edits(SCHEMA, TABLES, [update({"price_usd": nothing}, {"name": "Mat"})])
        assert after.tables["goods.csv"][2]["name"] == "Mat"


@pytest.mark.parametrize(
    ("edit", "note"),
    [
        (7, "edit 1: ignored, 7 is not an object"),
        (update({"sku": "A"}, {"name": "x"}, "stock.csv"), "edit 1: ignored, there is no table 'stock.csv'"),
        (
            update({"sku": "A"}, {"name": "x"}, "goods.csv/old"),
            "edit 1: ignored, there is no table 'goods.csv/old'",
        ),
        (update({"sku": "A"}, {"name": "x"}, ""), "edit 1: ignored, there is no table ''"),
        (
            update({"sku": "A"}, {"price_usd": "zz"}),
            "edit 1: column 'price_usd' ignored, 'zz' is not a number",
        ),
        (
            {"file": "goods.csv", "op": "delete", "match": {"sku": "A"}},
            "edit 1: ignored, op 'delete' is neither",
        ),
        ({"file": "goods.csv"}, "edit 1: ignored, op None is neither update nor insert"),
        (update({}, {"name": "x"}), "edit 1: ignored, its match is empty"),
        (update("A", {"name": "x"}), "edit 1: ignored, its match is empty or not an object"),
        (
            update({"colour": "red"}, {"name": "x"}),
            "edit 1: ignored, its match on 'colour' cannot hit a row of goods.csv",
        ),
        (
            update({"sku": ["A"]}, {"name": "x"}),
            "edit 1: ignored, its match on 'sku' cannot hit a row of goods.csv",
        ),
        (update({"price_usd": "9" * 10**6}, {"name": "x"}), "edit 1: ignored, its match on 'price_usd'"),
        (update({"sku": "a"}, {"name": "x"}), "edit 1: ignored, no row of goods.csv matches sku=a"),
        (
            update({"sku": "A"}, {"colour": "red"}),
            "edit 1: column 'colour' ignored, goods.csv does not have it",
        ),
        (update({"sku": "A"}, {"name": ["x"]}), "edit 1: column 'name' ignored, its value is not a scalar"),
        (update({"sku": "A"}, {"name": "x" * 201}), "edit 1: column 'name' ignored, its value has more"),
        (update({"sku": "A"}, None), "edit 1: ignored, its set is not an object"),
        (insert({"name": "x"}), "edit 1: ignored, the row has no sku"),
        (insert(["D"]), "edit 1: ignored, its row is not an object"),
        (
            insert({"sku": "A", "name": "Lamp", "price_usd": "10"}),
            "edit 1: ignored, goods.csv already has this very row",
        ),
        (
            update({"sku": "A"}, {"name": "Lamp"}) | {"why": "z"},
            "edit 1: 'why' ignored, it is not a part of an update",
        ),
    ],
)
def test_what_makes_no_sense_is_ignored_with_a_note(edit: Any, note: str) -> None:
    """An edit that cannot be applied leaves the tables alone, and the note says which edit and why."""
    after = apply_edits(SCHEMA, TABLES, [edit])
    assert after.tables == TABLES
    assert any(found.startswith(note) for found in after.notes), after.notes


@pytest.mark.parametrize("file", ["./goods.csv", "goods", "inputs/case_01/goods.csv", " /tmp/x/goods "])
def test_a_path_names_the_table_at_its_end(file: str) -> None:
    """A table is named by its file, by a path to it, or without its suffix."""
    after = apply_edits(SCHEMA, TABLES, [update({"sku": "A"}, {"name": "Torch"}, file)])
    assert after.tables["goods.csv"][0]["name"] == "Torch" and not after.notes


def test_the_usable_part_of_an_edit_counts() -> None:
    """An unknown column beside a known one is ignored; the known one is set."""
    after = apply_edits(SCHEMA, TABLES, [update({"sku": "A"}, {"colour": "red", "name": "Torch"})])
    assert after.tables["goods.csv"][0]["name"] == "Torch"
    assert len(after.notes) == 1


def test_edits_are_applied_in_order() -> None:
    """A later edit sees what an earlier one did."""
    first, second = update({"sku": "A"}, {"sku": "Z"}), update({"sku": "Z"}, {"name": "Torch"})
    assert apply_edits(SCHEMA, TABLES, [first, second]).tables["goods.csv"][0]["name"] == "Torch"
    assert apply_edits(SCHEMA, TABLES, [second, first]).tables["goods.csv"][0]["name"] == "Lamp"


def test_a_second_row_of_one_key_breaks_the_table() -> None:
    """A second row with a key, inserted or updated, breaks the table; giving it another key repairs it."""
    doubled = insert({"sku": "A", "name": "Other"})
    assert "two rows with sku A" in apply_edits(SCHEMA, TABLES, [doubled]).broken["goods.csv"]
    assert apply_edits(SCHEMA, TABLES, [update({"sku": "B"}, {"sku": "A"})]).broken
    assert not apply_edits(SCHEMA, TABLES, [doubled, update({"name": "Other"}, {"sku": "D"})]).broken


def test_a_row_inserted_twice_is_there_once() -> None:
    """The same insert given twice has the effect of one, and a note says so."""
    row = insert({"sku": "D", "name": "Vase", "price_usd": 3})
    after = apply_edits(SCHEMA, TABLES, [row, row])
    assert len(after.tables["goods.csv"]) == 4
    assert not after.broken
    assert after.notes == ("edit 2: ignored, goods.csv already has this very row",)


scalar = st.one_of(
    st.none(), st.booleans(), st.integers(-50, 50), st.decimals(-9, 9, places=2), st.text(max_size=4)
)
values = st.dictionaries(st.sampled_from(["sku", "name", "price_usd", "colour", ""]), scalar, max_size=3)
edits = st.lists(
    st.one_of(
        scalar,
        st.builds(update, st.one_of(values, st.just({"sku": "A"})), st.one_of(values, scalar)),
        st.builds(insert, st.one_of(values, st.just({"sku": "D"}))),
        st.dictionaries(st.sampled_from(["file", "op", "match", "set", "row"]), scalar),
    ),
    max_size=6,
)


@pytest.mark.slow
@given(edits)
def test_any_edits_apply_the_same_with_an_index(some: list[Any]) -> None:
    """No edit raises an exception, and the index makes no difference to the result."""
    assert apply_edits(SCHEMA, TABLES, some) == apply_edits(SCHEMA, TABLES, some, key_index(SCHEMA, TABLES))


PRICES = schema(Table("prices.csv", {"plan": "id", "region": "id", "usd": "money"}, ("plan", "region")))
PRICE_ROWS = {
    "prices.csv": [
        {"plan": "basic", "region": "EU", "usd": "5.00"},
        {"plan": "basic", "region": "US", "usd": "6.00"},
        {"plan": "pro", "region": "EU", "usd": "9.00"},
    ]
}


def prices(*edits: dict[str, Any]) -> Any:
    """Apply edits to the prices with an index, which must change nothing, and return the result."""
    with_index = apply_edits(PRICES, PRICE_ROWS, edits, key_index(PRICES, PRICE_ROWS))
    assert with_index == apply_edits(PRICES, PRICE_ROWS, edits)
    return with_index


def test_the_index_has_every_key_of_tables_whose_keys_are_distinct() -> None:
    """Key -> position, a tuple for a key of several columns; a table with equal keys has no index."""
    assert key_index(SCHEMA, TABLES) == {"goods.csv": {"A": 0, "B": 1, "C": 2}, "shops.csv": {"S1": 0}}
    assert key_index(PRICES, PRICE_ROWS) == {
        "prices.csv": {("basic", "EU"): 0, ("basic", "US"): 1, ("pro", "EU"): 2}
    }
    twice = {"prices.csv": [*PRICE_ROWS["prices.csv"], PRICE_ROWS["prices.csv"][0]]}
    assert key_index(PRICES, twice) == {}


def test_a_part_of_a_key_hits_every_row_that_has_it() -> None:
    """A match on one of two key columns is no key; one on both hits one row, and must agree in the rest."""
    cents = {"usd": "1.00"}
    for match, hit in [
        ({"plan": "basic"}, [0, 1]),
        ({"region": "EU"}, [0, 2]),
        ({"usd": 6}, [1]),
        ({"plan": "basic", "region": "US"}, [1]),
        ({"plan": "basic", "region": "US", "usd": 6}, [1]),
        ({"plan": "basic", "region": "US", "usd": 5}, []),
        ({"plan": "pro", "region": "US"}, []),
    ]:
        after = prices(update(match, cents, "prices.csv"))
        changed = [row["usd"] == "1.00" for row in after.tables["prices.csv"]]
        assert [place for place, one in enumerate(changed) if one] == hit


def test_touched_are_the_cells_that_differ() -> None:
    """A value that a cell already has touches nothing; an inserted row touches all its columns."""
    after = prices(
        update({"plan": "pro"}, {"usd": 9, "region": "EU"}, "prices.csv"),
        update({"plan": "pro"}, {"usd": 9, "region": "US"}, "prices.csv"),
        insert({"plan": "max", "region": "US"}, "prices.csv"),
    )
    assert after.touched == (
        (2, frozenset({Cell("prices.csv", 2, "region")})),
        (3, frozenset({Cell("prices.csv", 3, column) for column in ("plan", "region", "usd")})),
    )
    assert after.changed == {"prices.csv"} and after.notes == ()


def test_a_key_of_two_columns_breaks_only_if_both_are_equal() -> None:
    """Rows that share a part of the key are whole; an update that makes both equal breaks the table."""
    assert prices(update({"plan": "pro"}, {"region": "US"}, "prices.csv")).broken == {}
    after = prices(update({"region": "US"}, {"region": "EU"}, "prices.csv"))
    assert after.broken == {"prices.csv": "prices.csv has two rows with plan basic, region EU"}


def test_a_row_with_a_new_key_is_found_by_it() -> None:
    """An index does not hide rows that edits inserted, or whose key they changed."""
    after = prices(
        insert({"plan": "max", "region": "US", "usd": 1}, "prices.csv"),
        update({"plan": "max", "region": "US"}, {"usd": 2}, "prices.csv"),
        update({"plan": "pro", "region": "EU"}, {"plan": "team"}, "prices.csv"),
        update({"plan": "team", "region": "EU"}, {"usd": 3}, "prices.csv"),
    )
    assert [row["usd"] for row in after.tables["prices.csv"]] == ["5.00", "6.00", "3", "2"]
    assert after.notes == ()


def test_a_cell_may_have_200_characters() -> None:
    """200 characters are set and matched; with one more a cell is ignored, and a match hits nothing."""
    longest = "x" * 200
    after = apply_edits(SCHEMA, TABLES, [update({"sku": "A"}, {"name": longest})])
    assert after.tables["goods.csv"][0]["name"] == longest and after.notes == ()
    again = apply_edits(SCHEMA, after.tables, [update({"name": longest}, {"price_usd": 1})])
    assert again.tables["goods.csv"][0]["price_usd"] == "1" and again.notes == ()
    for edit in (
        update({"sku": "A"}, {"name": f"{longest}x"}),
        update({"name": f"{longest}x"}, {"name": "y"}),
    ):
        assert apply_edits(SCHEMA, TABLES, [edit]).touched == ()


@pytest.mark.parametrize(
    ("edit", "note"),
    [
        (update({}, {"name": "x"}), "ignored, its match is empty or not an object, so it hits no row"),
        (update({"sku": "A"}, 7), "ignored, its set is not an object"),
        (update({"sku": "A"}, {}), "ignored, it sets nothing"),
        (insert(7), "ignored, its row is not an object"),
        (
            update({"sku": "Z", "name": "Rug"}, {"name": "x"}),
            "ignored, no row of goods.csv matches sku=Z, name=Rug",
        ),
    ],
)
def test_the_note_of_an_ignored_edit_is_whole(edit: Any, note: str) -> None:
    """Each reason is said in the same words to everybody."""
    assert apply_edits(SCHEMA, TABLES, [edit]).notes == (f"edit 1: {note}",)


def test_the_note_of_an_ignored_cell_is_whole() -> None:
    """A value that is no scalar is ignored alone, and the note names its column."""
    after = apply_edits(SCHEMA, TABLES, [update({"sku": "A"}, {"name": ["x"], "price_usd": 1})])
    assert after.notes == ("edit 1: column 'name' ignored, its value is not a scalar",)
    assert after.touched == ((1, frozenset({Cell("goods.csv", 0, "price_usd")})),)
