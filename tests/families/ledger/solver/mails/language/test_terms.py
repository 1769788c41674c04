"""Days, months and amounts are read in every form in which mails name them."""

import re
from datetime import date

import pytest

from families.ledger.solver.mails.language.terms import (
    DAY,
    INVOICE,
    RECEIPT,
    UnclearMails,
    cents_in,
    day_in,
    month_in,
)

WRITTEN = date(2026, 5, 4).toordinal()


@pytest.mark.parametrize(
    "text",
    [
        "3 March",
        "March 3",
        "the 3rd of March",
        "Tuesday 3 March",
        "3 March 2026",
        "March 3, 2026,",
        "the 3rd of March 2026",
    ],
)
def test_days(text: str) -> None:
    """A day without a year is in the year of the mail."""
    assert re.fullmatch(DAY, text)
    assert day_in(f"from {text} on", WRITTEN) == date(2026, 3, 3).toordinal()


@pytest.mark.parametrize("text", ["March", "3 march", "3rd March", "Tuesday", "March 2026"])
def test_what_is_no_day(text: str) -> None:
    """A month alone and other spellings are no days."""
    assert not re.fullmatch(DAY, text)


def test_days_to_come() -> None:
    """A day that cannot be before another one is, without a year, in the year after."""
    assert day_in("3 March", WRITTEN, WRITTEN) == date(2027, 3, 3).toordinal()
    assert day_in("3 March 2026", WRITTEN, WRITTEN) == date(2026, 3, 3).toordinal()


def test_amounts_and_months() -> None:
    """Amounts are read as cents, months as numbers that grow by one."""
    assert cents_in("the transfer of 1,234.05") == 123_405
    assert month_in("December 2025", WRITTEN) + 1 == month_in("January", WRITTEN)


@pytest.mark.parametrize(
    "read", [lambda text: day_in(text, WRITTEN), lambda text: month_in(text, WRITTEN), cents_in]
)
def test_what_names_nothing(read) -> None:  # type: ignore[no-untyped-def]
    """A text without what is looked for is an error."""
    with pytest.raises(UnclearMails, match="soon"):
        read("soon")


@pytest.mark.parametrize(
    "text", ["AB2601-001", "your invoice AB2601-001", "the Hull invoice of May", "the invoice for 9.50"]
)
def test_invoices(text: str) -> None:
    """An invoice is named by its voucher or by what is true of it alone."""
    assert re.fullmatch(INVOICE, text)
    assert not re.fullmatch(RECEIPT, text)
