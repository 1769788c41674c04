"""The entries of customers who write mails, and which of them a mail names."""

import re
from dataclasses import dataclass

from families.ledger.solver.mails.language.terms import (
    DAY,
    INVOICE,
    VOUCHER,
    UnclearMails,
    cents_in,
    day_in,
    month_in,
    month_of,
)


@dataclass(frozen=True, slots=True)
class Invoice:
    """An invoice. day: a proleptic ordinal. branch: the town in its narration."""

    voucher: str
    day: int
    cents: int
    branch: str


@dataclass(frozen=True, slots=True)
class Receipt:
    """A receipt. cited: the voucher of the invoice that it quotes, or ""."""

    voucher: str
    day: int
    cents: int
    cited: str = ""


@dataclass(frozen=True, slots=True)
class Account:
    """A customer's invoices and receipts, each in the order of their days."""

    invoices: tuple[Invoice, ...]
    receipts: tuple[Receipt, ...]

    def invoice(self, text: str, written: int) -> str:
        """Return the voucher of the one invoice that a mail of a day means."""
        voucher = re.search(VOUCHER, text)
        found = [one for one in self.invoices if not voucher or one.voucher == voucher[0]]
        if not voucher:
            branch = re.match(r"the (\w+) invoice", text, re.IGNORECASE)
            found = [one for one in found if not branch or one.branch == branch[1]]
            if re.search(r" for \d", text):
                found = [one for one in found if one.cents == cents_in(text)]
            elif " dated " in text:
                found = [one for one in found if one.day == day_in(text, written)]
            else:
                found = [one for one in found if month_of(one.day) == month_in(text, written)]
        return _only([one.voucher for one in found], text)

    def invoices_in(self, text: str, written: int) -> tuple[str, ...]:
        """Return the vouchers of the invoices that a list names, in order."""
        return tuple(self.invoice(found[0], written) for found in re.finditer(INVOICE, text, re.IGNORECASE))

    def receipt(self, text: str, written: int) -> str:
        """Return the voucher of the one receipt that a mail of a day means."""
        to_come = [one for one in self.receipts if one.day > written]
        lowered = text.lower()
        if lowered == "our next transfer":
            found = to_come[:1]
        elif lowered == "the transfer after our next one":
            found = to_come[1:2]
        elif lowered == "our latest transfer":
            found = [one for one in self.receipts if one.day < written][-1:]
        elif lowered.startswith(("our only ", "our first ")):
            found = [one for one in self.receipts if month_of(one.day) == month_in(text, written)]
            found = found[:1] if lowered.startswith("our first ") else found
        else:
            found = [one for one in self.receipts if _fits(one, text, written)]
        return _only([one.voucher for one in found], text)


def _fits(receipt: Receipt, text: str, written: int) -> bool:
    """Whether a receipt has the amount and the day that a text names."""
    amount, day = re.search(r"\d\.\d\d", text), re.search(DAY, text, re.IGNORECASE)
    return (not amount or receipt.cents == cents_in(text)) and (
        not day or receipt.day == day_in(text, written)
    )


def _only(vouchers: list[str], text: str) -> str:
    if len(vouchers) != 1:
        raise UnclearMails(f"{text!r} names {len(vouchers)} entries")
    return vouchers[0]
