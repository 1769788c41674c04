"""What mails name in fixed forms: days, months, amounts, vouchers, invoices, receipts, persons, mails.

The constants are regular expressions without named groups. Days are proleptic ordinals, months
year * 12 + month - 1, amounts whole cents.
"""

import re
from datetime import date

from families.ledger.solver.sheets import UnclearFiles

MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")

_MONTH = "(?-i:" + "|".join(MONTHS) + ")"
_WEEKDAY = "(?-i:" + "|".join(WEEKDAYS) + ")"
MONTH = rf"{_MONTH}(?: \d{{4}})?"
DAY = (
    rf"(?:(?:{_WEEKDAY} )?\d{{1,2}} {MONTH}|the \d{{1,2}}(?:st|nd|rd|th) of {MONTH}"
    rf"|{_MONTH} \d{{1,2}}(?:, \d{{4}},)?(?!\d))"
)
MONEY = r"\d{1,3}(?:,\d{3})*\.\d\d"
VOUCHER = r"(?-i:[A-Z]+\d+-\d+)"
BRANCH = r"(?-i:[A-Z][\w'-]+)"
PERSON = r"(?-i:[A-Z][\w'-]+ [A-Z][\w'-]+)"
INVOICE = (
    rf"(?:(?:(?:your )?invoice )?{VOUCHER}"
    rf"|the (?:{BRANCH} )?invoice (?:for {MONEY}|dated {DAY})|the {BRANCH} invoice of {MONTH})"
)
INVOICES = rf"{INVOICE}(?:(?:, then | and then |, after that | first, then ){INVOICE})*"
RECEIPT = (
    rf"(?:the transfer (?:of {MONEY}|of {DAY}|that reache[sd] you on {DAY})"
    rf"|the {MONEY} that reached you on {DAY}"
    rf"|our next transfer|the transfer after our next one|our latest transfer"
    rf"|our (?:only|first) transfer of {MONTH})"
)
MAIL = (
    rf"(?:(?:my|our|{PERSON}'s) mail of {DAY}|the mail that (?:I|{PERSON}) sent you on {DAY}"
    rf"|the mail of {DAY} from (?:me|{PERSON}))"
)

_DAY = re.compile(DAY, re.IGNORECASE)
_MONEY = re.compile(MONEY)
_PARTS = re.compile(
    rf"(\d\d?)?(?:st|nd|rd|th)?(?: of)? ?({_MONTH})(?: (\d\d?)(?!\d))?,?(?: (\d{{4}}))?", re.IGNORECASE
)


class UnclearMails(UnclearFiles):
    """A mail says something that cannot be read, or that names nothing."""


def day_in(text: str, written: int, since: int = 0) -> int:
    """Return the first day that a text names, without a year that of the year of the mail.

    since: a day before which it cannot be; then it is one of the year after.
    """
    found = _DAY.search(text)
    if not found:
        raise UnclearMails(f"{text!r} names no day")
    parts = _PARTS.search(found[0])
    assert parts is not None
    number, month, after, year = parts.groups()
    in_year = int(year) if year else date.fromordinal(written).year
    day = date(in_year, _month(month), int(number or after))
    if not year and day.toordinal() < since:
        day = day.replace(year=in_year + 1)
    return day.toordinal()


def month_in(text: str, written: int) -> int:
    """Return the month that a text names, without a year that of the year of the mail."""
    found = re.search(rf"({_MONTH})(?: (\d{{4}}))?", text)
    if not found:
        raise UnclearMails(f"{text!r} names no month")
    year = int(found[2]) if found[2] else date.fromordinal(written).year
    return year * 12 + _month(found[1]) - 1


def month_of(day: int) -> int:
    """Return the month of a day."""
    when = date.fromordinal(day)
    return when.year * 12 + when.month - 1


def cents_in(text: str) -> int:
    """Return the first amount of a text."""
    found = _MONEY.search(text)
    if not found:
        raise UnclearMails(f"{text!r} names no amount")
    return int(found[0].replace(",", "").replace(".", ""))


def _month(name: str) -> int:
    return MONTHS.index(name) + 1
