"""Cells: what a JSON value becomes in a column of each kind, and which cells are equal."""

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trapcli.answers.edits.tables import Table, cell, read_table, same, write_table

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
        ("NA", "NA"),
        (True, "true"),
        ("true", "true"),
    ],
)
def test_money_is_spelled_plainly(value: Any, written: str) -> None:
    """A number in any usual spelling becomes its plain digits; what is no number stays text."""
    assert cell("money", value) == written


@pytest.mark.parametrize(
    "text", ["1,14", "1,1480", "$$5", "1 148", "12.345,67", "--5", "1e400", "NaN", "5 USD", "\u0665"]
)
def test_what_has_no_reading_as_money_stays_text(text: str) -> None:
    """A near miss of a number is kept to the character, so that a report refuses it."""
    assert cell("money", text) == text


@pytest.mark.parametrize("kind", ["number", "integer"])
def test_only_money_has_dollars_and_groups(kind: str) -> None:
    """`$` and commas are read in money columns and nowhere else."""
    assert cell(kind, "$5") == "$5"
    assert cell(kind, "1,148") == "1,148"
    assert cell(kind, "5.50") == "5.50"


@pytest.mark.parametrize("value", [[], {}, [1], {"a": 1}])
def test_arrays_and_objects_are_no_cells(value: Any) -> None:
    """A value that is not a scalar gives no cell."""
    assert cell("text", value) is None


def test_text_loses_outer_space_and_controls_only() -> None:
    """Text keeps commas, quotes, newlines and its case; white space around it and control characters go."""
    assert cell("text", ' a "b", c\r\nd\x00\x07 ') == 'a "b", c\nd'
    assert cell("id", "007") == "007"
    assert cell("id", 7) == "7"


@pytest.mark.parametrize(
    ("kind", "one", "other", "equal"),
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
def test_equality_is_by_kind(kind: str, one: str, other: str, equal: bool) -> None:
    """Numbers are compared by value, everything else by its characters."""
    assert same(kind, one, other) is equal


@given(st.lists(st.tuples(st.text(), st.text(), st.text())))
def test_tables_survive_the_disk(values: list[tuple[str, str, str]]) -> None:
    """Any cells that edits can make come back from CSV text as they were."""
    rows = [
        {column: cell("text", text) or "" for column, text in zip(GOODS.columns, row, strict=True)}
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
