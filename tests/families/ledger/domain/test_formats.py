"""Amounts and days as the files show them."""

import pytest

from families.ledger.domain.formats import cents_of, day_of, iso, money, plain


@pytest.mark.parametrize(
    ("cents", "text"),
    [(5924061, "59,240.61"), (5, "0.05"), (-123456, "-1,234.56"), (100, "1.00"), (0, "0.00")],
)
def test_amounts(cents: int, text: str) -> None:
    """Amounts are written with commas and two decimals, and read back."""
    assert money(cents) == text
    assert cents_of(text) == cents
    assert plain(cents) == text.replace(",", "")


@pytest.mark.parametrize("text", ["1.5", "1,23.00", "12345.67", "", "1.00 ", "+1.00", "1.000"])
def test_other_texts_are_not_amounts(text: str) -> None:
    """An amount in any other form is refused."""
    with pytest.raises(ValueError, match="is not an amount"):
        cents_of(text)


def test_days() -> None:
    """Days are written as ISO dates and read back; a day that does not exist is refused."""
    assert iso(day_of("2026-02-28")) == "2026-02-28"
    with pytest.raises(ValueError, match="day"):
        day_of("2026-02-30")
