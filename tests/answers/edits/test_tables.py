"""Cells: what a JSON value becomes in a column of each type, and which cells are equal."""

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trapcli.answers.edits.tables import Table, Unusable, cell, read_table, same, write_table

GOODS = Table("goods.csv", {"sku": "id", "name": "text", "price_usd": "money"}, "sku")


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (0, "0"),
        (Decimal("0.0"), "0.0"),
        ("0.00", "0.00"),
        (Decimal("-0.00"), "-0.00"),
        ("$1,148.00", "1148.00"),
        ("-$1,148", "-1148"),
        ("$-5.5", "-5.5"),
        ("1,148,000", "1148000"),
        (Decimal("1.48e2"), "148"),
        ("1.48e2", "148"),
        ("  9.870000001 ", "9.870000001"),
        (None, ""),
        ("", ""),
        ("5 USD", "5"),
        ("USD 1,148.50", "1148.50"),
        ("$ -5.50", "-5.50"),
        ("-$5.50", "-5.50"),
        ("US$5", "5"),
    ],
)
def test_money_is_spelled_plainly(value: Any, written: str) -> None:
    """A number in any usual spelling becomes plain digits; nothing stays empty."""
    assert cell("money", value) == written


@pytest.mark.parametrize(
    "value",
    ["1,14", "1,1480", "$$5", "1 148", "12.345,67", "--5", "1e400", "NaN", "5 EUR", "\u0665", "zz", True],
)
def test_near_misses_of_money_are_not_cells(value: Any) -> None:
    """What is almost a number cannot be put into a money column."""
    with pytest.raises(Unusable, match="is not a number"):
        cell("money", value)


@pytest.mark.parametrize("column_type", ["number", "integer"])
def test_only_money_has_dollars_and_groups(column_type: str) -> None:
    """`$`, USD and commas are read in money columns and nowhere else."""
    assert cell(column_type, "5.50") == "5.50"
    for text in ("$5", "5 USD", "1,148"):
        with pytest.raises(Unusable):
            cell(column_type, text)


@pytest.mark.parametrize("value", [[], {}, [1], {"a": 1}, "x" * 201])
def test_arrays_objects_and_long_texts_are_not_cells(value: Any) -> None:
    """A value that is not a scalar, or has more than 200 characters, has no text."""
    with pytest.raises(Unusable):
        cell("text", value)
    assert cell("text", "x" * 200) == "x" * 200


def test_text_loses_outer_space_and_controls_only() -> None:
    """Text keeps commas, quotes, newlines and case; outer white space and control characters are dropped."""
    assert cell("text", ' a "b", c\r\nd\x00\x07 ') == 'a "b", c\nd'
    assert cell("id", "007") == "007"
    assert cell("id", 7) == "7"


@pytest.mark.parametrize(
    ("column_type", "one", "other", "equal"),
    [
        ("money", "0", "0.00", True),
        ("money", "-0.00", "0", True),
        ("money", "148.000", "148", True),
        ("money", "148.001", "148", False),
        ("money", "", "0", False),
        ("number", "0.10", "0.1", True),
        ("integer", "12", "12.0", True),
        ("id", "7", "007", False),
        ("id", "0.10", "0.1", False),
        ("text", "a", "A", False),
        ("date", "2025-03", "2025-3", False),
    ],
)
def test_equality_depends_on_the_column_type(column_type: str, one: str, other: str, equal: bool) -> None:
    """Numbers are compared by value, everything else by its characters."""
    assert same(column_type, one, other) is equal


@pytest.mark.slow
@given(st.lists(st.tuples(st.text(), st.text(), st.text())))
def test_tables_survive_the_disk(values: list[tuple[str, str, str]]) -> None:
    """Any cells that edits can make are the same after writing and reading CSV text."""
    rows = [
        {column: cell("text", text[:200]) for column, text in zip(GOODS.columns, row, strict=True)}
        for row in values
    ]
    assert read_table(GOODS, write_table(GOODS, rows)) == rows


@pytest.mark.parametrize(
    "text", ["", "sku,name\n", "sku,name,price_usd\nA,b\n", "sku,name,price_usd\nA,b,1,2\n"]
)
def test_a_damaged_table_is_refused(text: str) -> None:
    """A wrong header, a short or a long row is a ValueError that names the table."""
    with pytest.raises(ValueError, match=r"goods\.csv"):
        read_table(GOODS, text)


def test_an_unknown_column_type_is_refused() -> None:
    """A table with a type that does not exist is a ValueError that names it."""
    with pytest.raises(ValueError, match=r"goods\.csv: unknown column types: colour"):
        Table("goods.csv", {"sku": "id", "paint": "colour"}, "sku")
