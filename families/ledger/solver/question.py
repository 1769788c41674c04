"""Read the question from its words: what is asked for, of which invoices, of whom, and when."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date

from families.ledger.solver.settling import Account
from families.ledger.solver.sheets import UnclearFiles

OWED, IN_FULL, IN_PART, CASH = "owed", "in full", "in part", "cash"
MONTHS = (
    "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december",
)  # fmt: skip
NAMES = "|".join(MONTHS)
DAY = re.compile(
    rf"(?P<iso>\d{{4}}-\d\d-\d\d)|(?P<d>\d{{1,2}})(?:st|nd|rd|th)? (?:of )?(?P<m>{NAMES}),? (?P<y>\d{{4}})"
    rf"|(?P<m2>{NAMES}) (?P<d2>\d{{1,2}})(?:st|nd|rd|th)?,? (?P<y2>\d{{4}})",
    re.IGNORECASE,
)
# The words around a day (written here as @) decide what it bounds; the first pattern that fits counts.
BOUNDS = (
    ("end", r"\b(?:(?:end|close) of|up to|until|through|as of|as at|at) @"),
    ("before", r"\b(?:before|earlier than|prior to|older than) @"),
    ("since", r"\b(?:on (?:or|and) after|from|since) @|@ (?:or later|or after|onwards?)\b"),
)
# The words of each type of question; the first pattern that fits counts.
TYPES = (
    (IN_PART, r"\bin part\b|\bpartly\b|\bpart[- ]paid\b|some cash but not all"),
    (IN_FULL, r"\bin full\b|\bfully\b|\bcompletely\b|nothing is owed"),
    (CASH, r"\bcash\b|\breceipts\b|\bmoney\b|\bpaid us\b"),
    (OWED, r"\bow(?:e|es|ed)\b|\boutstanding\b|\bopen\b|\bunpaid\b"),
)


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked.

    type: one of the `TYPES`.
    end: the day at whose close the answer is taken.
    since: the first day of billing.
    before: the day after the last day of billing.
    cash_since: the first day of the receipts that count.
    customer: the name of the one asked about, or "".
    """

    type: str
    account: str
    end: date
    since: date = date.min
    before: date = date.max
    cash_since: date = date.min
    customer: str = ""

    def answer(self, accounts: Iterable[Account]) -> int:
        """Return the answer in cents."""
        return sum(self._part(account) for account in accounts)

    def _part(self, account: Account) -> int:
        scope = {e.voucher: e.cents for e in account.billed.values() if self.since <= e.day < self.before}
        if self.type == CASH:
            return sum(
                cents
                for receipt, invoice, cents in account.applied
                if receipt.day >= self.cash_since and invoice.voucher in scope
            )
        if self.type == IN_FULL:
            return sum(cents for invoice, cents in scope.items() if invoice not in account.owed)
        owed = [(account.owed.get(invoice, 0), cents) for invoice, cents in scope.items()]
        return sum(left for left, cents in owed if self.type == OWED or left < cents)


def read_question(text: str, names: Iterable[str]) -> Question:
    """Return the question that a text asks; UnclearFiles if it is not clear.

    names: of the customers.
    """
    account = re.search(r"^Account (.+?)\.?$", text, re.MULTILINE)
    if not account:
        raise UnclearFiles("the question names no account")
    words = " ".join(text[account.end() :].split())
    mentioned = [name for name in names if re.search(rf"\b{re.escape(name)}\b", words)]
    customer = max(mentioned, key=len, default="")
    words = words.replace(customer, "it") if customer else words
    question_type = next((t for t, pattern in TYPES if re.search(pattern, words, re.IGNORECASE)), "")
    days = _days(words)
    if not question_type or "end" not in days:
        raise UnclearFiles("the question does not say what it asks for, or for which day")
    if question_type == CASH:
        days["cash_since"] = days.pop("since", date.min)
    return Question(question_type, account[1], customer=customer, **days)


def _days(words: str) -> dict[str, date]:
    """Return the days in a text, by what they bound."""
    days: dict[str, date] = {}
    for day in DAY.finditer(words):
        around = f"{words[max(0, day.start() - 20) : day.start()]}@{words[day.end() : day.end() + 12]}"
        for bound, pattern in BOUNDS:
            if re.search(pattern, around, re.IGNORECASE):
                if days.setdefault(bound, _date(day.groupdict())) != _date(day.groupdict()):
                    raise UnclearFiles(f"the question names two days as {bound}")
                break
        else:
            raise UnclearFiles(f"it is not clear what {day[0]} is in the question")
    return days


def _date(groups: Mapping[str, str | None]) -> date:
    if groups["iso"]:
        return date.fromisoformat(groups["iso"])
    day, month, year = (groups[part] or groups[f"{part}2"] or "" for part in "dmy")
    return date(int(year), MONTHS.index(month.lower()) + 1, int(day))
