"""Dates, months, amounts and percentages as people write them in a ticket."""

import re
from collections.abc import Callable, Iterator
from datetime import date
from fractions import Fraction
from functools import lru_cache

MONTHS = ("january", "february", "march", "april", "may", "june", "july", "august", "september", "october",
          "november", "december")  # fmt: skip
_MONTH = r"(?P<month>Jan|Feb|Mar|Apr|May|June?|July?|Aug|Sept?|Oct|Nov|Dec|" + "|".join(
    name.capitalize() for name in MONTHS
) + r")\b\.?"  # fmt: skip
_YEAR = r"(?P<year>\d{4})(?![\w]|-\d)"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_NUMBER = r"(?P<number>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)"
_START = r"(?<![\w.,-])"

DATES = (
    re.compile(_START + r"(?P<year>\d{4})-(?P<month>\d\d)-(?P<day>\d\d)(?![\w-])"),
    re.compile(rf"{_START}{_DAY}(?: of)? {_MONTH},? {_YEAR}"),
    re.compile(rf"{_START}{_MONTH} {_DAY},? {_YEAR}"),
)
PERIODS = (
    re.compile(_START + r"(?P<year>\d{4})-(?P<month>\d\d)(?![\w-])"),
    re.compile(rf"{_START}{_MONTH} {_YEAR}"),
)
AMOUNTS = (
    re.compile(rf"(?<![\w.,$-])(?:US)?\$ ?{_NUMBER}(?![\w%]|[.,]\d)"),
    re.compile(rf"{_START}{_NUMBER} ?(?:USD|dollars)\b"),
    re.compile(rf"{_START}USD ?{_NUMBER}(?![\w%]|[.,]\d)"),
)
SHARES = (re.compile(rf"{_START}{_NUMBER} ?(?:%|per ?cent\b)"),)

Found = tuple[int, int, str]  # start, end, value
Find = Callable[[str], Iterator[Found]]


def find_dates(text: str) -> Iterator[Found]:
    """Yield days as "YYYY-MM-DD"; days that do not exist are left out."""
    for match in _matches(DATES, text):
        try:
            day = date(int(match["year"]), _month_number(match["month"]), int(match["day"]))
        except ValueError:
            continue
        yield *match.span(), day.isoformat()


def find_months(text: str) -> Iterator[Found]:
    """Yield months as "YYYY-MM"."""
    for match in _matches(PERIODS, text):
        number = _month_number(match["month"])
        if 1 <= number <= 12:
            yield *match.span(), f"{match['year']}-{number:02d}"


def find_amounts(text: str) -> Iterator[Found]:
    """Yield amounts of money as plain numbers of dollars."""
    for match in _matches(AMOUNTS, text):
        yield *match.span(), match["number"].replace(",", "")


def find_shares(text: str) -> Iterator[Found]:
    """Yield percentages as plain numbers."""
    for match in _matches(SHARES, text):
        yield *match.span(), match["number"].replace(",", "")


def _matches(patterns: tuple[re.Pattern[str], ...], text: str) -> Iterator[re.Match[str]]:
    for pattern in patterns:
        yield from pattern.finditer(text)


def _month_number(text: str) -> int:
    if text.isdigit():
        return int(text)
    return next(i for i, name in enumerate(MONTHS, 1) if name.startswith(text.lower()))


def shift_month(month: str, by: int) -> str:
    """Return the month ("YYYY-MM") `by` months later; earlier if negative."""
    count = int(month[:4]) * 12 + int(month[5:]) - 1 + by
    return f"{count // 12:04d}-{count % 12 + 1:02d}"


@lru_cache(maxsize=8192)
def cents(cell: str) -> int:
    """Return a number of dollars as whole cents."""
    return round_half_up(Fraction(cell) * 100)


def round_half_up(amount: Fraction) -> int:
    """Return an amount, not negative, rounded to a whole number."""
    return int(amount + Fraction(1, 2))


def dollars(amount: int) -> str:
    """Return cents as a money cell."""
    return f"{amount // 100}.{amount % 100:02d}"
