"""The tables of a case as a solver reads them."""

import pytest

from trapcli.answers.edits.solving.tables import Unclear, first_fitting, keyed, rows

SHELF = 'item,label,price\nI-2,"Jam, red",3.50\nI-1,,0\n'


def test_rows_in_the_order_of_the_file() -> None:
    """Rows come in the file's order; quoted cells and empty ones are read as they are."""
    assert rows(SHELF) == (
        {"item": "I-2", "label": "Jam, red", "price": "3.50"},
        {"item": "I-1", "label": "", "price": "0"},
    )


def test_rows_by_their_first_cell() -> None:
    """The first column is the key."""
    assert list(keyed(SHELF)) == ["I-2", "I-1"]
    assert keyed(SHELF)["I-1"]["price"] == "0"


def test_a_row_of_another_length_is_refused() -> None:
    """A row with a cell too many or too few is no row of the table."""
    for line in ("I-3,short", "I-3,long,1,2"):
        with pytest.raises(ValueError, match="zip"):
            rows(f"{SHELF}{line}\n")


def test_the_first_that_fits() -> None:
    """The first of several is taken; of none, what to do is unclear."""
    assert first_fitting(n for n in (1, 2, 3) if n > 1) == 2
    with pytest.raises(Unclear):
        first_fitting(n for n in (1, 2, 3) if n > 3)
