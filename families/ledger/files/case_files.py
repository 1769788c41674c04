"""Everything a case's files say, as data: what is rendered, and what comes of reading that back."""

import re
from dataclasses import dataclass
from typing import NamedTuple

from families.ledger.domain.book import Book, Entry, Worked
from families.ledger.domain.questions import asked
from families.ledger.files.vocabulary import SUCCESSIONS


class Sheet(NamedTuple):
    """One file of entries. period: "2026-03", or the first and the last day. opening, closing: cents.

    entries: in the order of the file; one that names no customer has the code "".
    """

    account: str
    period: str
    opening: int
    entries: tuple[Entry, ...]
    closing: int


class Customer(NamedTuple):
    """A line of the master. note: whatever it says; see `succession`."""

    code: str
    name: str
    status: str
    note: str


class Document(NamedTuple):
    """A line of the index: the voucher that a document belongs to."""

    document: str
    voucher: str
    type: str


@dataclass(frozen=True, slots=True)
class Binder:
    """The files of a case. months: of the account and year; late: the supplement's sheet, if there is one.

    prior: last year's sheets; others: those of another account. question: the text that asks.
    """

    account: str
    question: str
    months: tuple[Sheet, ...]
    memo: tuple[Worked, ...]
    customers: tuple[Customer, ...]
    late: Sheet | None = None
    prior: tuple[Sheet, ...] = ()
    others: tuple[Sheet, ...] = ()
    documents: tuple[Document, ...] = ()


def codes_of(customers: tuple[Customer, ...]) -> dict[str, tuple[str, ...]]:
    """All codes that a customer's name has, by name."""
    found: dict[str, tuple[str, ...]] = {}
    for customer in customers:
        found[customer.name] = (*found.get(customer.name, ()), customer.code)
    return found


def successions(customers: tuple[Customer, ...]) -> tuple[tuple[str, str], ...]:
    """(old code, new code) of every note that says that an account goes on under another code."""
    found = []
    for customer in customers:
        for side, note in SUCCESSIONS:
            pattern = re.escape(note)
            for slot, group in (("old", r"(?P<old>\d+)"), ("new", r"(?P<new>\d+)"), ("day", r"[0-9-]+")):
                pattern = pattern.replace(re.escape(f"{{{slot}}}"), group)
            if said := re.fullmatch(pattern, customer.note):
                found.append((customer.code, said["new"]) if side == "old" else (said["old"], customer.code))
    return tuple(found)


def book_of(binder: Binder) -> Book:
    """What of the binder bears on the answer; ValueError if its question cannot be read."""
    question, _ = asked(binder.question, codes_of(binder.customers))
    return Book(
        entries=tuple(sorted(entry for sheet in binder.months for entry in sheet.entries)),
        memo=binder.memo,
        question=question,
        late=binder.late.entries if binder.late else (),
        prior=tuple(sorted(entry for sheet in binder.prior for entry in sheet.entries if entry.code)),
        successions=successions(binder.customers),
        documents=tuple((document.document, document.voucher) for document in binder.documents),
    )
