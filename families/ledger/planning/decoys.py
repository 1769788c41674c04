"""Files that do not belong: last year's, closed out at its end, and those of another account."""

from collections.abc import Sequence
from datetime import date

from families.ledger.domain.book import Entry
from families.ledger.files import vocabulary as words
from families.ledger.files.case_files import Document, Sheet
from families.ledger.planning.labels import Papers
from families.ledger.planning.year_outline import YEAR
from trapcli.core.draw import Draw


def prior_sheets(
    draw: Draw, account: str, prefix: str, months: int, codes: Sequence[str], papers: Papers
) -> tuple[tuple[Sheet, ...], list[Document]]:
    """The last months of the year before, and the documents of their invoices.

    The last month ends with everything that is open taken off the account, in one entry that names
    no customer. Each of `codes` has an invoice that its receipts in these files do not pay.
    """
    received = draw.sample(words.RECEIVED, 2)
    sheets: list[Sheet] = []
    documents: list[Document] = []
    opening = draw.between(2_000_000, 7_000_000)
    for month in range(13 - months, 13):
        drawn: list[tuple[int, str, int]] = []
        for code in codes:
            for _ in range(draw.between(1, 2)):
                drawn.append((_day(draw, month), code, draw.between(90_000, 500_000)))
            if draw.chance(0.5):
                drawn.append((_day(draw, month), code, -draw.between(20_000, 80_000)))
        drawn.sort()
        entries = []
        for number, (day, code, amount) in enumerate(drawn, 1):
            voucher, ref = _voucher(prefix, month, number), ""
            if amount > 0:
                papers_of = papers.of(voucher)
                documents += papers_of
                ref = papers_of[1].document
            narration = draw.choice(words.BILLED if amount > 0 else received)
            entries.append(Entry(day, voucher, code, amount, ref, narration))
        closing = opening + sum(entry.amount for entry in entries)
        if month == 12:
            end = date(YEAR - 1, 12, 31).toordinal()
            voucher = _voucher(prefix, month, len(entries) + 1)
            entries.append(Entry(end, voucher, "", -closing, "", draw.choice(words.CLOSED_OUT)))
            closing = 0
        sheets.append(Sheet(account, f"{YEAR - 1}-{month:02d}", opening, tuple(entries), closing))
        opening = closing
    return tuple(sheets), documents


def other_sheets(
    draw: Draw, accounts: Sequence[str], prefixes: Sequence[str], months: Sequence[int], codes: Sequence[str]
) -> tuple[Sheet, ...]:
    """A month of each of these accounts, with entries that bear the same customers' codes."""
    sheets = []
    for account, prefix, month in zip(accounts, prefixes, months, strict=True):
        days = sorted(date(YEAR, month, draw.between(1, 28)).toordinal() for _ in range(draw.between(6, 10)))
        opening = draw.between(1_000_000, 4_000_000)
        entries = []
        for number, day in enumerate(days, 1):
            amount = draw.between(20_000, 400_000) if draw.chance(0.6) else -draw.between(20_000, 150_000)
            narration = draw.choice(words.BILLED if amount > 0 else words.RECEIVED)
            voucher = f"{prefix}{YEAR % 100}{month:02d}-{number:03d}"
            entries.append(Entry(day, voucher, draw.choice(codes), amount, "", narration))
        closing = opening + sum(entry.amount for entry in entries)
        sheets.append(Sheet(account, f"{YEAR}-{month:02d}", opening, tuple(entries), closing))
    return tuple(sheets)


def _day(draw: Draw, month: int) -> int:
    return date(YEAR - 1, month, draw.between(1, 28)).toordinal()


def _voucher(prefix: str, month: int, number: int) -> str:
    return f"{prefix}{(YEAR - 1) % 100}{month:02d}-{number:03d}"
