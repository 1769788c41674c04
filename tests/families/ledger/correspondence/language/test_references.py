"""Whatever a mail names is exactly one thing: a reader of the ledgers alone finds it."""

import re
from datetime import date
from typing import Any

import pytest

from families.ledger.correspondence.correspondence import Correspondence
from families.ledger.correspondence.language.people import all_names
from families.ledger.correspondence.language.references import Place, ordinal
from families.ledger.domain.formats import MONTHS
from trapcli.core.draw import Draw

NAMES = list(MONTHS)


def places(case: Correspondence, customers: int) -> Any:
    """Yield a place for some mails of some customers."""
    outsiders = all_names()[:50]
    for number, customer in enumerate(case.customers[:customers]):
        vouchers = tuple(f"RC{number:02d}-{i:03d}" for i in range(len(customer.invoices)))
        by_day = {mail.day: mail for mail in customer.mails}
        for mail in customer.mails[::5]:
            yield Place(
                Draw(f"{number} {mail.day}"), case, customer, mail, vouchers, outsiders, False, by_day
            )


def day_of(text: str) -> int:
    """Return the ordinal of a day of 2026 that a text names in its plain form."""
    number, month = re.search(r"(\d+) ([A-Z][a-z]+)$", text).groups()
    return date(2026, NAMES.index(month) + 1, int(number)).toordinal()


def cents_of(text: str) -> int:
    """Return the amount that a text names."""
    return int(re.search(r"[\d,]+\.\d\d", text)[0].replace(",", "").replace(".", ""))


def month_of(day: int) -> str:
    """Return the name of a day's month."""
    return NAMES[date.fromordinal(day).month - 1]


def invoices_named(place: Place, text: str) -> list[int]:
    """Return the invoices of the customer that a name fits."""
    found = []
    for i, one in enumerate(place.customer.invoices):
        branch = re.match(r"the (\w+) invoice", text)
        if "RC" in text:
            fits = place.vouchers[i] in text
        elif " for " in text:
            fits = one.amount == cents_of(text)
        elif " dated " in text:
            fits = one.day == day_of(text)
        else:
            fits = month_of(one.day) == text.split(" of ")[1]
        if fits and (branch is None or branch[1] == one.branch):
            found.append(i)
    return found


def receipts_named(place: Place, text: str) -> list[int]:
    """Return the receipts of the customer that a name fits."""
    receipts, written = place.customer.receipts, place.mail.day
    later = [number for number, one in enumerate(receipts) if one.day > written]
    earlier = [number for number, one in enumerate(receipts) if one.day < written]
    month = re.search(r"our (first|only) transfer of (\w+)$", text)
    if month:
        dated = [number for number, one in enumerate(receipts) if month_of(one.day) == month[2]]
        return dated[:1] if month[1] == "first" else dated
    if text == "our next transfer":
        return later[:1]
    if text == "the transfer after our next one":
        return later[1:2]
    if text == "our latest transfer":
        return earlier[-1:]
    if re.search(r"\d\.\d\d", text):
        return [number for number, one in enumerate(receipts) if one.amount == cents_of(text)]
    return [number for number, one in enumerate(receipts) if one.day == day_of(text)]


@pytest.mark.slow
def test_invoices_are_named_beyond_doubt(big: Correspondence) -> None:
    """Every name of an invoice fits that invoice of the customer and no other."""
    kinds = set()
    for place in places(big, 20):
        for number in range(len(place.customer.invoices)):
            text = place.invoice(number)
            assert invoices_named(place, text) == [number], text
            kinds.add(re.sub(r"[\d,.]+|RC\S+", "#", text.split(" of ")[0]))
    assert len(kinds) > 8


@pytest.mark.slow
def test_receipts_are_named_beyond_doubt(big: Correspondence) -> None:
    """Every name of a receipt fits that receipt of the customer and no other."""
    kinds = set()
    for place in places(big, 20):
        for number, one in enumerate(place.customer.receipts):
            if one.day == place.mail.day:
                continue
            text = place.receipt(number)
            assert receipts_named(place, text) == [number], text
            kinds.add(re.sub(r"\d\S*|[A-Z]\w+", "#", text))
    assert len(kinds) >= 9


@pytest.mark.slow
def test_earlier_mails_are_named_beyond_doubt(big: Correspondence) -> None:
    """A customer has at most one mail a day, and a mail refers to an earlier one of its customer."""
    for customer in big.customers:
        days = [mail.day for mail in customer.mails]
        assert len(days) == len(set(days))
        for mail in customer.mails:
            for said in mail.said:
                if said.form not in ("outcome", "chat") and said.refers:
                    assert said.refers < mail.day and said.refers in days, said


def test_ordinals() -> None:
    """Numbers of days get the endings of English."""
    shown = [ordinal(number) for number in (1, 2, 3, 4, 11, 12, 13, 21, 22, 23, 31)]
    assert shown == ["1st", "2nd", "3rd", "4th", "11th", "12th", "13th", "21st", "22nd", "23rd", "31st"]
