"""Parse decimal numbers, and check that every way of rounding gives the same cents."""

from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Context, Decimal, InvalidOperation
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fractions import Fraction

CENT = Decimal("0.01")
WIDE = Context(prec=64)  # wide enough that no amount a judge accepts is ever rounded


def number(text: str) -> Decimal | None:
    """Return the finite decimal that `text` spells in ASCII, or None."""
    if not text.isascii() or "_" in text:
        return None
    try:
        value = Decimal(text.strip())
    except InvalidOperation:
        return None
    return value if value.is_finite() else None


def unambiguous(exact: "Fraction") -> bool:
    """Whether half-up, half-even and binary floating point give the same cents for `exact` dollars.

    An amount within a ten-thousandth of a cent of a tie does not count as unambiguous, because binary
    noise would decide it (IEEE 754 doubles have at least 15 significant digits).
    """
    in_cents = exact * 100
    if abs(2 * (in_cents % 1) - 1) * 5_000 < 1:
        return False
    decimal = Decimal(exact.numerator) / Decimal(exact.denominator)
    up = decimal.quantize(CENT, rounding=ROUND_HALF_UP)
    even = decimal.quantize(CENT, rounding=ROUND_HALF_EVEN)
    return up == even == Decimal(repr(round(float(exact), 2))).quantize(CENT)
