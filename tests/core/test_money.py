"""Numbers in text, and amounts whose rounding nobody can argue about."""

from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trapcli.core.money import CENT, number, unambiguous


@pytest.mark.parametrize("text", ["0", "-1.50", "+2", " 3 ", "1e2", "0.10"])
def test_a_number_is_read(text: str) -> None:
    """Plain and scientific decimals are numbers, white space around them or not."""
    assert number(text) == Decimal(text.strip())


@pytest.mark.parametrize(
    "text", ["", "x", "1,0", "1_0", "NaN", "Infinity", "-inf", "\u0663", "0x10", "1 0", "$1"]
)
def test_anything_else_is_no_number(text: str) -> None:
    """Groups, other digits, currency, and what is not finite give None."""
    assert number(text) is None


@pytest.mark.parametrize(
    ("exact", "clear"),
    [
        ("1.005", False),
        ("1.00500000001", False),
        ("1.01500000001", False),
        ("1.0050009999", False),
        ("1.005001", True),  # a ten-thousandth of a cent from the tie
        ("1.0049", True),
        ("1.0051", True),
        ("-2.675", False),
        ("0", True),
        ("10.12", True),
    ],
)
def test_ties_are_refused(exact: str, clear: bool) -> None:
    """An amount at or next to half a cent is ambiguous; one well away from it is not."""
    assert unambiguous(Fraction(exact)) is clear


@pytest.mark.slow
@given(st.fractions(min_value=0, max_value=10**7, max_denominator=10**6))
def test_a_clear_amount_rounds_the_same_in_every_way(exact: Fraction) -> None:
    """Where an amount counts as clear, half-up, half-even and binary floating point agree."""
    if unambiguous(exact):
        decimal = Decimal(exact.numerator) / Decimal(exact.denominator)
        up = decimal.quantize(CENT, ROUND_HALF_UP)
        assert up == decimal.quantize(CENT, ROUND_HALF_EVEN)
        assert f"{float(exact):.2f}" == f"{up:.2f}"
