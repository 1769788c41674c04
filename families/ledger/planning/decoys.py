"""Files that do not belong: last year's, closed out at its end, and those of another account."""

from collections.abc import Sequence
from datetime import date

from families.ledger.domain.book import Entry
from families.ledger.files import vocabulary
from families.ledger.files.case_files import Document, Sheet
from families.ledger.planning.labels import Papers
from families.ledger.planning.year_outline import YEAR
from trapcli.core.draw import Draw


def prior_sheets(
    draw: Draw, account: str, prefix: str, months: int, codes: Sequence[str], papers: Papers
) -> tuple[tuple[Sheet, ...], list[Document]]:
    """Return the last months of the year before, and the documents of their invoices.

    codes: customers that each have an invoice which their receipts in these files do not pay.

    The last month ends with one entry, without a customer, that takes everything open off the account.
    """
    received = draw.sample(vocabulary.RECEIVED, 2)
    sheets: list[Sheet] = []
    documents: list[Document] = []
    opening = draw.between(2_000_000, 7_000_000)
    for month in range(13 - months, 13):
        entries = []
        for number, (day, code, amount) in enumerate(_prior_amounts(draw, month, codes), 1):
            voucher, ref = _voucher(prefix, month, number), ""
            if amount > 0:
                papers_of = papers.of(voucher)
                documents += papers_of
                ref = papers_of[1].document
            narration = draw.choice(vocabulary.BILLED if amount > 0 else received)
            entries.append(Entry(day, voucher, code, amount, ref, narration))
        closing = opening + sum(entry.amount for entry in entries)
        if month == 12:
            end = date(YEAR - 1, 12, 31).toordinal()
            voucher = _voucher(prefix, month, len(entries) + 1)
            entries.append(Entry(end, voucher, "", -closing, "", draw.choice(vocabulary.CLOSED_OUT)))
            closing = 0
        sheets.append(Sheet(account, f"{YEAR - 1}-{month:02d}", opening, tuple(entries), closing))
        opening = closing
    return tuple(sheets), documents


def _prior_amounts(draw: Draw, month: int, codes: Sequence[str]) -> list[tuple[int, str, int]]:
    """Return (day, code, cents) of a month's entries, sorted."""
    amounts: list[tuple[int, str, int]] = []
    for code in codes:
        for _ in range(draw.between(1, 2)):
            amounts.append((_day(draw, month), code, draw.between(90_000, 500_000)))
        if draw.chance(0.5):
            amounts.append((_day(draw, month), code, -draw.between(20_000, 80_000)))
    return sorted(amounts)


def other_sheets(
    draw: Draw, accounts: Sequence[str], prefixes: Sequence[str], months: Sequence[int], codes: Sequence[str]
) -> tuple[Sheet, ...]:
    """Return one month of each of these accounts, with entries of the same customers."""
    sheets = []
    for account, prefix, month in zip(accounts, prefixes, months, strict=True):
        days = sorted(date(YEAR, month, draw.between(1, 28)).toordinal() for _ in range(draw.between(6, 10)))
        opening = draw.between(1_000_000, 4_000_000)
        entries = []
        for number, day in enumerate(days, 1):
            amount = draw.between(20_000, 400_000) if draw.chance(0.6) else -draw.between(20_000, 150_000)
            narration = draw.choice(vocabulary.BILLED if amount > 0 else vocabulary.RECEIVED)
            voucher = f"{prefix}{YEAR % 100}{month:02d}-{number:03d}"
            entries.append(Entry(day, voucher, draw.choice(codes), amount, "", narration))
        closing = opening + sum(entry.amount for entry in entries)
        sheets.append(Sheet(account, f"{YEAR}-{month:02d}", opening, tuple(entries), closing))
    return tuple(sheets)


def _day(draw: Draw, month: int) -> int:
    return date(YEAR - 1, month, draw.between(1, 28)).toordinal()


def _voucher(prefix: str, month: int, number: int) -> str:
    return f"{prefix}{(YEAR - 1) % 100}{month:02d}-{number:03d}"
