"""Everything that the files of a case say, as data: what is rendered, and what reading it back gives."""

import re
from dataclasses import dataclass
from typing import NamedTuple

from families.ledger.domain.book import Book, Entry, WorkedReceipt
from families.ledger.domain.questions import parse_question
from families.ledger.files.vocabulary import SUCCESSIONS


class Sheet(NamedTuple):
    """One file of entries.

    period: "2026-03", or the first and the last day.
    opening, closing: balances in cents.
    entries: in the order of the file; one that names no customer has the code "".
    """

    account: str
    period: str
    opening: int
    entries: tuple[Entry, ...]
    closing: int


class Customer(NamedTuple):
    """A line of the master.

    note: free text; see `successions`.
    """

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
class CaseFiles:
    """The files of a case, except its README.

    question: the text of the question.
    months: the sheets of the account and year.
    supplement: the sheet of the entries booked late, if there is one.
    prior: last year's sheets.
    other_accounts: the sheets of other accounts.
    """

    account: str
    question: str
    months: tuple[Sheet, ...]
    memo: tuple[WorkedReceipt, ...]
    customers: tuple[Customer, ...]
    supplement: Sheet | None = None
    prior: tuple[Sheet, ...] = ()
    other_accounts: tuple[Sheet, ...] = ()
    documents: tuple[Document, ...] = ()


def codes_by_name(customers: tuple[Customer, ...]) -> dict[str, tuple[str, ...]]:
    """Return all codes of each customer, by name."""
    codes: dict[str, tuple[str, ...]] = {}
    for customer in customers:
        codes[customer.name] = (*codes.get(customer.name, ()), customer.code)
    return codes


def successions(customers: tuple[Customer, ...]) -> tuple[tuple[str, str], ...]:
    """Return (old code, new code) of every note that says that an account continues under another code."""
    pairs = []
    for customer in customers:
        for side, note in SUCCESSIONS:
            pattern = re.escape(note)
            for slot, group in (("old", r"(?P<old>\d+)"), ("new", r"(?P<new>\d+)"), ("day", r"[0-9-]+")):
                pattern = pattern.replace(re.escape(f"{{{slot}}}"), group)
            if match := re.fullmatch(pattern, customer.note):
                pairs.append(
                    (customer.code, match["new"]) if side == "old" else (match["old"], customer.code)
                )
    return tuple(pairs)


def book_of(case_files: CaseFiles) -> Book:
    """Return what the answer depends on; ValueError if the question cannot be read."""
    question, _ = parse_question(case_files.question, codes_by_name(case_files.customers))
    return Book(
        entries=tuple(sorted(entry for sheet in case_files.months for entry in sheet.entries)),
        memo=case_files.memo,
        question=question,
        late=case_files.supplement.entries if case_files.supplement else (),
        prior=tuple(sorted(entry for sheet in case_files.prior for entry in sheet.entries if entry.code)),
        successions=successions(case_files.customers),
        documents=tuple((document.document, document.voucher) for document in case_files.documents),
    )
