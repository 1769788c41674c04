"""The question, read from its words: what is asked for, of which invoices, of whom, and when."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date

from families.ledger.solver.settling import Account
from families.ledger.solver.sheets import Unclear

OWED, IN_FULL, IN_PART, CASH = "owed", "in full", "in part", "cash"
MONTHS = (
    "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december",
)  # fmt: skip
NAMED = "|".join(MONTHS)
DAY = re.compile(
    rf"(?P<iso>\d{{4}}-\d\d-\d\d)|(?P<d>\d{{1,2}})(?:st|nd|rd|th)? (?:of )?(?P<m>{NAMED}),? (?P<y>\d{{4}})"
    rf"|(?P<m2>{NAMED}) (?P<d2>\d{{1,2}})(?:st|nd|rd|th)?,? (?P<y2>\d{{4}})",
    re.IGNORECASE,
)
# What stands around a day (written here as @) tells what it bounds; the first that fits counts.
BOUNDS = (
    ("end", r"\b(?:(?:end|close) of|up to|until|through|as of|as at|at) @"),
    ("before", r"\b(?:before|earlier than|prior to|older than) @"),
    ("since", r"\b(?:on (?:or|and) after|from|since) @|@ (?:or later|or after|onwards?)\b"),
)
# The words that each kind of question has; the first that fits counts.
KINDS = (
    (IN_PART, r"\bin part\b|\bpartly\b|\bpart[- ]paid\b|some cash but not all"),
    (IN_FULL, r"\bin full\b|\bfully\b|\bcompletely\b|nothing is owed"),
    (CASH, r"\bcash\b|\breceipts\b|\bmoney\b|\bpaid us\b"),
    (OWED, r"\bow(?:e|es|ed)\b|\boutstanding\b|\bopen\b|\bunpaid\b"),
)


@dataclass(frozen=True, slots=True)
class Question:
    """Asked of the invoices billed from `since` on, before `before`, as things are at the close of `end`.

    customer: the name of the one that is asked about, or "". received: the first day whose receipts count.
    """

    kind: str
    account: str
    end: date
    since: date = date.min
    before: date = date.max
    received: date = date.min
    customer: str = ""

    def answer(self, accounts: Iterable[Account]) -> int:
        return sum(self._of(account) for account in accounts)

    def _of(self, account: Account) -> int:
        scope = {e.voucher: e.cents for e in account.billed.values() if self.since <= e.day < self.before}
        if self.kind == CASH:
            return sum(
                cents
                for receipt, invoice, cents in account.put
                if receipt.day >= self.received and invoice.voucher in scope
            )
        if self.kind == IN_FULL:
            return sum(cents for invoice, cents in scope.items() if invoice not in account.owed)
        owed = [(account.owed.get(invoice, 0), cents) for invoice, cents in scope.items()]
        return sum(left for left, cents in owed if self.kind == OWED or left < cents)


def read_question(text: str, names: Iterable[str]) -> Question:
    """What a text asks; `names` are those of the customers. Raises Unclear."""
    account = re.search(r"^Account (.+?)\.?$", text, re.MULTILINE)
    if not account:
        raise Unclear("the question names no account")
    words = " ".join(text[account.end() :].split())
    named = [name for name in names if re.search(rf"\b{re.escape(name)}\b", words)]
    customer = max(named, key=len, default="")
    words = words.replace(customer, "it") if customer else words
    kind = next((kind for kind, pattern in KINDS if re.search(pattern, words, re.IGNORECASE)), "")
    days = _days(words)
    if not kind or "end" not in days:
        raise Unclear("the question does not say what it asks for, or for which day")
    if kind == CASH:
        days["received"] = days.pop("since", date.min)
    return Question(kind, account[1], customer=customer, **days)


def _days(words: str) -> dict[str, date]:
    """The days that a text names, by what they bound."""
    found: dict[str, date] = {}
    for day in DAY.finditer(words):
        around = f"{words[max(0, day.start() - 20) : day.start()]}@{words[day.end() : day.end() + 12]}"
        for bound, pattern in BOUNDS:
            if re.search(pattern, around, re.IGNORECASE):
                if found.setdefault(bound, _date(day.groupdict())) != _date(day.groupdict()):
                    raise Unclear(f"the question names two days as {bound}")
                break
        else:
            raise Unclear(f"it is not clear what {day[0]} is in the question")
    return found


def _date(said: Mapping[str, str | None]) -> date:
    if said["iso"]:
        return date.fromisoformat(said["iso"])
    day, month, year = (said[part] or said[f"{part}2"] or "" for part in "dmy")
    return date(int(year), MONTHS.index(month.lower()) + 1, int(day))
