"""Read the question from its words: what is asked for, of which invoices, of whom, and when."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date

from families.ledger.solver.accounts import Accounts
from families.ledger.solver.sheets import UnclearFiles

MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip
DAY = rf"(\d{{4}}-\d\d-\d\d|\d{{1,2}} (?:{'|'.join(MONTHS)}) \d{{4}})"
SINCE = re.compile(rf"(?:on or after|from) {DAY}|{DAY} or later")
BEFORE = re.compile(rf"(?:before|earlier than) {DAY}")
CASH = re.compile(rf"(?:came in from|receipts dated|paid us on and after) {DAY}(?: or later)?")
OWED, IN_FULL, IN_PART, BILLED_OPEN, CASH_TO = "owed", "in full", "in part", "billed and open", "cash"


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked; since and before bound the days of billing, names are of the customers asked about."""

    type: str
    since: date
    before: date
    cash_since: date
    names: frozenset[str]

    def answer(self, accounts: Accounts, name_of: dict[str, str]) -> int:
        """Return the amount asked for, in cents; name_of: code -> customer."""
        asked = {
            invoice: event
            for invoice, event in accounts.billed.items()
            if self.since <= event.entry.day < self.before
            and (not self.names or name_of.get(event.customer) in self.names)
        }
        left = {invoice: cents for owed in accounts.owed.values() for invoice, cents in owed.items()}
        if self.type == CASH_TO:
            return sum(
                part
                for receipt, parts in accounts.cash.items()
                if accounts.paid[receipt].entry.day >= self.cash_since
                for invoice, part in parts.items()
                if invoice in asked
            )
        if self.type == IN_FULL:
            return sum(event.amount for invoice, event in asked.items() if invoice not in left)
        if self.type == BILLED_OPEN:
            return sum(event.amount for invoice, event in asked.items() if invoice in left)
        if self.type == IN_PART:
            return sum(left[i] for i, event in asked.items() if 0 < left.get(i, 0) < event.amount)
        return sum(left.get(invoice, 0) for invoice in asked)


def read_question(text: str, names: Iterable[str]) -> Question:
    """Return what a text asks; UnclearFiles if it says no end."""
    text = " ".join(text.partition("Year")[2].split())
    if not re.search(DAY, text):
        raise UnclearFiles("the question names no day")
    cash = CASH.search(text)
    scope = CASH.sub("", text) if cash else text
    since, before = SINCE.search(scope), BEFORE.search(scope)
    return Question(
        _type(text, bool(cash)),
        _day(next(filter(None, since.groups()))) if since else date.min,
        _day(before[1]) if before else date.max,
        _day(cash[1]) if cash else date.min,
        frozenset(name for name in names if name in text),
    )


def _type(text: str, cash: bool) -> str:
    if cash:
        return CASH_TO
    if re.search("anything is left|not settled in full", text):
        return BILLED_OPEN
    if re.search("settled in full|nothing is left", text):
        return IN_FULL
    if re.search("in part|something, but not all", text):
        return IN_PART
    return OWED


def _day(text: str) -> date:
    if "-" in text:
        return date.fromisoformat(text)
    number, month, year = text.split()
    return date(int(year), MONTHS.index(month) + 1, int(number))
