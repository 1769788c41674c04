"""Turn entries into what happens to customers' accounts."""

from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

from families.ledger.solver.binder import Binder, counting_entries
from families.ledger.solver.sheets import Entry

BILL, PAY, RETURN, LESSEN = "bill", "pay", "return", "lessen"


class Happening(NamedTuple):
    """What an entry does. other: the voucher that a receipt cites, or that is taken back or lessened."""

    what: str
    entry: Entry
    customer: str
    office: str
    amount: int
    other: str = ""


def close_events(binder: Binder, missed: Collection[str] = ()) -> list[Happening]:
    """Return what happens in a close, in order."""
    entries = counting_entries(binder, missed)
    by_voucher = {entry.voucher.rstrip("*"): entry for entry in entries}
    moved = _journals(entries, binder.papers, by_voucher)
    journal = {id(entry) for entry, _ in moved.values()} | {id(other) for _, other in moved.values()}
    events = []
    for entry in entries:
        if id(entry) in journal or _moves(entry, binder.papers, by_voucher, moved):
            continue
        code = entry.code
        voucher = entry.voucher.rstrip("*")
        if voucher in moved and "wrong_posting_kept" not in missed:
            code = moved[voucher][1].code
        events.append(_event(binder, entry, code, by_voucher, missed))
    return events


def _journals(
    entries: Iterable[Entry], papers: Mapping[str, str], by_voucher: Mapping[str, Entry]
) -> dict[str, tuple[Entry, Entry]]:
    """Return receipt -> the two lines of the journal that moves it: from one customer, to another."""
    quoting: dict[tuple[str, int], list[Entry]] = {}
    for entry in entries:
        receipt = by_voucher.get(papers.get(entry.ref, ""))
        if receipt is not None and receipt.credit and receipt.credit in (entry.debit, entry.credit):
            quoting.setdefault((receipt.voucher.rstrip("*"), entry.day.toordinal()), []).append(entry)
    journals = {}
    for (receipt_voucher, _), lines in quoting.items():
        debits, credits = [e for e in lines if e.debit], [e for e in lines if e.credit]
        if debits and credits:
            journals[receipt_voucher] = (debits[0], credits[0])
    return journals


def _moves(
    entry: Entry, papers: Mapping[str, str], by_voucher: Mapping[str, Entry],
    moved: Mapping[str, tuple[Entry, Entry]],
) -> bool:  # fmt: skip
    """Whether an entry is a line of a journal, perhaps in a copy."""
    quoted = by_voucher.get(papers.get(entry.ref, ""))
    if quoted is None or quoted.voucher.rstrip("*") not in moved:
        return False
    return entry.voucher.rstrip("*") in {line.voucher for line in moved[quoted.voucher.rstrip("*")]}


def _event(
    binder: Binder, entry: Entry, code: str, by_voucher: Mapping[str, Entry], missed: Collection[str]
) -> Happening:
    payer = code in binder.pays_for
    if payer and "payer_apart" not in missed:
        code = binder.pays_for[code]
    customer = code if "recoded_split" in missed else binder.same.get(code, code)
    office = binder.offices.get(code, "")
    other = binder.papers.get(entry.ref, "")
    quoted = by_voucher.get(other)
    if entry.debit:
        back = quoted is not None and quoted.credit and "return_as_invoice" not in missed
        return Happening(
            RETURN if back else BILL, entry, customer, office, entry.debit, other if back else ""
        )
    note = entry.narration == "Credit note" and "credit_as_receipt" not in missed
    return Happening(LESSEN if note else PAY, entry, customer, office, entry.credit, other)
