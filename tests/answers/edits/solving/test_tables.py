"""The tables of a case as a solver reads them."""

import pytest

from trapcli.answers.edits.solving.tables import Unclear, first_of, rows, rows_by_key

SHELF = 'item,label,price\nI-2,"Jam, red",3.50\nI-1,,0\n'


def test_rows_in_the_order_of_the_file() -> None:
    """Rows are in the order of the file; quoted and empty cells are read correctly."""
    assert rows(SHELF) == (
        {"item": "I-2", "label": "Jam, red", "price": "3.50"},
        {"item": "I-1", "label": "", "price": "0"},
    )


def test_rows_by_their_first_cell() -> None:
    """The first column is the key."""
    assert list(rows_by_key(SHELF)) == ["I-2", "I-1"]
    assert rows_by_key(SHELF)["I-1"]["price"] == "0"


def test_a_row_of_another_length_is_refused() -> None:
    """A row with one cell too many or too few is a ValueError."""
    for line in ("I-3,short", "I-3,long,1,2"):
        with pytest.raises(ValueError, match="zip"):
            rows(f"{SHELF}{line}\n")


def test_the_first_item_is_taken() -> None:
    """The first of several items is taken; if there is none, the answer is unclear."""
    assert first_of(n for n in (1, 2, 3) if n > 1) == 2
    with pytest.raises(Unclear):
        first_of(n for n in (1, 2, 3) if n > 3)
