"""Amounts and days as the files show them."""

import re
from datetime import date

MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip
AMOUNT = re.compile(r"-?\d{1,3}(?:,\d{3})*\.\d\d")


def money(cents: int) -> str:
    """Return whole cents as 59,240.61."""
    sign, cents = ("-", -cents) if cents < 0 else ("", cents)
    return f"{sign}{cents // 100:,}.{cents % 100:02d}"


def plain(cents: int) -> str:
    """Return whole cents as 59240.61, the form of answers."""
    return money(cents).replace(",", "")


def cents_of_plain(text: str) -> int:
    """Return the whole cents of an amount as `plain` writes it."""
    return int(text.replace(".", ""))


def cents_of(text: str) -> int:
    """Return the whole cents of an amount as `money` writes it; ValueError for any other text."""
    if not AMOUNT.fullmatch(text):
        raise ValueError(f"{text!r} is not an amount like 59,240.61")
    return int(text.replace(",", "").replace(".", ""))


def iso(day: int) -> str:
    """Return a day (a proleptic ordinal) as 2026-03-31."""
    return date.fromordinal(day).isoformat()


def day_of(text: str) -> int:
    """Return the ordinal of a day as `iso` writes it; ValueError for any other text."""
    return date.fromisoformat(text).toordinal()
