"""Amounts and days as the files show them."""

import re
from datetime import date

AMOUNT = re.compile(r"-?\d{1,3}(?:,\d{3})*\.\d\d")


def money(cents: int) -> str:
    """Whole cents as 59,240.61."""
    sign, cents = ("-", -cents) if cents < 0 else ("", cents)
    return f"{sign}{cents // 100:,}.{cents % 100:02d}"


def plain(cents: int) -> str:
    """Whole cents as 59240.61, which is how answers are given."""
    return money(cents).replace(",", "")


def cents_of_plain(text: str) -> int:
    """Whole cents of an amount as `plain` writes it."""
    return int(text.replace(".", ""))


def cents_of(text: str) -> int:
    """Whole cents of an amount as `money` writes it; ValueError if it is none."""
    if not AMOUNT.fullmatch(text):
        raise ValueError(f"{text!r} is no amount like 59,240.61")
    return int(text.replace(",", "").replace(".", ""))


def iso(day: int) -> str:
    return date.fromordinal(day).isoformat()


def day_of(text: str) -> int:
    """The ordinal of a day as `iso` writes it; ValueError if it is none."""
    return date.fromisoformat(text).toordinal()
