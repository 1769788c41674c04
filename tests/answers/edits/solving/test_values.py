"""Dates, months, amounts and percentages in a ticket: what is read, and what only looks like one."""

from typing import Any

import pytest

from trapcli.answers.edits.solving import values

ACCEPTED = [
    (values.find_dates, "on 2024-04-23.", ["2024-04-23"]),
    (values.find_dates, "from 3 March 2025, or March 3rd, 2025; 1st of Sept 2025", [
        "2025-03-03", "2025-09-01", "2025-03-03"]),
    (values.find_months, "March 2025 to 2025-04 (Dec. 2025)", ["2025-04", "2025-03", "2025-12"]),
    (values.find_amounts, "$149, $1,149.50, 12.00 USD, 9 dollars, US$7", [
        "149", "1149.50", "7", "12.00", "9"]),
    (values.find_shares, "15%, 12.5 percent, 7 per cent.", ["15", "12.5", "7"]),
]  # fmt: skip
NEAR_MISSES = [
    (values.find_dates, "2024-13-01, 2023-02-29, 31 April 2024, 2024-04-231, INV-2024-04-23, 12024-04-23"),
    (values.find_months, "2024-00, 2024-04-23, March, 12024-04, May 20255, XMay 2025, 2024-041"),
    (values.find_amounts, "149, A$X, $, PARTNER20 USD, USDT 5, 149 dollarsworth, $12%"),
    (values.find_shares, "15, PARTNER20%, 20 percentage, 12 per"),
]


@pytest.mark.parametrize(("find", "text", "found"), ACCEPTED)
def test_values_are_read(find: Any, text: str, found: list[str]) -> None:
    """Dates, months, amounts and percentages are read in their usual spellings."""
    assert [value for _, _, value in find(text)] == found


@pytest.mark.parametrize(("find", "text"), NEAR_MISSES)
def test_near_misses_are_not_read(find: Any, text: str) -> None:
    """Text that only looks like a value is not read as one."""
    assert [value for _, _, value in find(text)] == []
