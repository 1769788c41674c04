"""File the customers who write mails: an account of their own, and their mails."""

from collections.abc import Iterator
from dataclasses import dataclass

from families.ledger.correspondence.correspondence import Correspondence
from families.ledger.correspondence.render import mail_paths, render
from families.ledger.files import vocabulary
from families.ledger.filing.binder import SLIP, Binder, Customer, Line, Sheet, month_name
from trapcli.core.draw import Draw


@dataclass(frozen=True, slots=True)
class FiledMails:
    """The sheets, index rows and mails of the correspondents.

    mails: path -> text.
    paths: instruction -> the paths of the mails that give it.
    vouchers: (customer, invoice) -> its voucher.
    """

    account: str
    sheets: tuple[Sheet, ...]
    index: tuple[tuple[str, str, str], ...]
    mails: dict[str, str]
    paths: dict[str, tuple[str, ...]]
    vouchers: dict[tuple[int, int], str]


def file_mails(draw: Draw, binder: Binder, planned: Correspondence) -> FiledMails:
    """File the correspondents; their customers are added to the master of the binder."""
    number = int(binder.account.split()[0]) + draw.between(11, 19)
    account = f"{number} {draw.choice(vocabulary.MAIL_ACCOUNTS)}"
    months = _lines(draw, binder, planned)
    vouchers = _number(binder, months)
    index = _documents(draw.stream("documents"), binder, months)
    sheets = tuple(_sheets(draw.stream("sheets"), binder, account, months))
    mails = render(draw.stream("texts"), planned, lambda who, n: vouchers[who, n])
    paths = mail_paths(planned)
    return FiledMails(account, sheets, index, mails, _paths_of(planned, paths), vouchers)


def _lines(draw: Draw, binder: Binder, planned: Correspondence) -> dict[int, list[tuple[int, int, Line]]]:
    """Return month -> (customer, number of the invoice or -1, line), in order."""
    frame = binder.plan.frame
    paper = draw.choice(vocabulary.INVOICE_TYPES)
    months: dict[int, list[tuple[int, int, Line]]] = {
        frame.month_of(day): [] for day in frame.starts[:-1] if day >= planned.frame.start
    }
    for who, customer in enumerate(planned.customers):
        code = next(binder.plan.codes)
        note = draw.choice(vocabulary.MAIL_NOTES) if draw.chance(0.4) else ""
        binder.customers[code] = Customer(code, customer.name, frame.offices[0], note=note)
        for n, invoice in enumerate(customer.invoices):
            narration = f"{draw.choice(vocabulary.BILLED)}, {invoice.branch}"
            line = Line(invoice.day, n, code, invoice.amount, narration, -1, paper)
            months[frame.month_of(invoice.day)].append((who, n, line))
        for receipt in customer.receipts:
            line = Line(receipt.day, -1, code, -receipt.amount, frame.narrations[0], receipt.cited, SLIP)
            months[frame.month_of(receipt.day)].append((who, -1, line))
    for lines in months.values():
        lines.sort(key=lambda one: (one[2].day, one[2].code))
    return months


def _number(binder: Binder, months: dict[int, list[tuple[int, int, Line]]]) -> dict[tuple[int, int], str]:
    """Give each line its voucher; return those of invoices."""
    prefix = f"{binder.prefixes[0][1]}{binder.prefixes[1][0]}"
    vouchers = {}
    for month, lines in months.items():
        for number, (who, n, line) in enumerate(lines, 1):
            line.voucher = f"{prefix}{month_name(month)[2:4]}{month:02d}-{number:03d}"
            if n >= 0:
                vouchers[who, n] = line.voucher
    return vouchers


def _documents(
    draw: Draw, binder: Binder, months: dict[int, list[tuple[int, int, Line]]]
) -> tuple[tuple[str, str, str], ...]:
    """Give each line its document, and receipts what they quote; return the index."""
    docs, index = {}, []
    for lines in months.values():
        for who, n, line in lines:
            paper, letters = line.paper
            line.doc = f"{letters}-{next(binder.numbers)}"
            if n >= 0:
                docs[who, n] = line.doc
            if n >= 0 or draw.chance(0.8):
                index.append((line.doc, line.voucher, paper))
    for lines in months.values():
        for who, n, line in lines:
            if n < 0 and line.refers >= 0:
                line.ref = docs[who, line.refers]
    return tuple(index)


def _sheets(
    draw: Draw, binder: Binder, account: str, months: dict[int, list[tuple[int, int, Line]]]
) -> Iterator[Sheet]:
    balance = 0
    for month, lines in months.items():
        opening, shown = balance, []
        for _, _, line in lines:
            balance += line.amount
            shown.append((line, balance))
        period = month_name(month)
        exported = (binder.plan.frame.starts[month] + draw.between(2, 9), f"{draw.between(8, 17):02d}:30")
        yield Sheet(f"{period}-mails", account, period, exported, opening, tuple(shown), balance)


def _paths_of(planned: Correspondence, paths: dict[tuple[int, int], str]) -> dict[str, tuple[str, ...]]:
    """Return instruction -> the paths of the mails that give it."""
    return {
        one.id: tuple(paths[who, number] for number in one.mails)
        for who, customer in enumerate(planned.customers)
        for one in customer.instructions
    }
