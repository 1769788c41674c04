"""The question of a case as a sentence or two."""

from collections.abc import Mapping, Sequence
from datetime import date

from families.ledger.domain.formats import MONTHS
from families.ledger.domain.questions import (
    BILLED_OPEN,
    CASH_TO_EARLIER,
    IN_FULL,
    IN_PART,
    OWED_BY_CUSTOMERS,
    OWED_SINCE,
    Question,
)
from trapcli.core.draw import Draw

# Each is for questions with just the bounds that it names; {scope} is "billed on or after ..." or so.
WORDINGS: Mapping[str, tuple[str, ...]] = {
    OWED_SINCE: (
        "At the end of {end}, how much do customers still owe on invoices {scope}?",
        "Of all invoices {scope}, how much is still outstanding at the end of {end}?",
        "The auditor asks for the open amount, as of the close of {end}, on invoices {scope}. What is it?",
        "We provide only for the invoices {scope}. What is unpaid on those invoices at the close of {end}?",
    ),
    OWED_BY_CUSTOMERS: (
        "How much do {customers} still owe, taken together, at the end of {end} on invoices {scope}?",
        "As of the close of {end}: what is unpaid on the invoices {scope} of {customers}, in all?",
        "Credit control looks at {customers}. What is outstanding at the end of {end} on their invoices "
        "{scope}, all of them together?",
    ),
    IN_FULL: (
        "Of the invoices {scope}, how much was billed on those that are settled in full at the end of {end}? "
        "An invoice counts with its whole amount once nothing is left on it, and not at all before.",
        "Take the invoices {scope} on which nothing is left at the close of {end}. What were they billed at?",
    ),
    CASH_TO_EARLIER: (
        "Of the cash that came in from {cash_since} to the end of {end}, how much went to invoices {scope}?",
        "For the cut-off note: which part of the receipts dated {cash_since} or later, up to {end}, "
        "settled invoices {scope}?",
        "Customers paid us on and after {cash_since}. Up to the end of {end}, what amount of that money "
        "was put to invoices {scope}?",
    ),
    IN_PART: (
        "At the end of {end} some of the invoices {scope} are paid in part. How much is still owed on "
        "those? Leave out invoices that are still owed whole.",
        "What is left at the close of {end} on those invoices {scope} on which something, but not all, "
        "has been taken off?",
    ),
    BILLED_OPEN: (
        "Take the invoices {scope} on which anything is left at the close of {end}. What is the sum of "
        "the amounts that they were billed at?",
        "Some of the invoices {scope} are not settled in full at the end of {end}. At what amounts were they "
        "billed, in all?",
    ),
}
SCOPES = {
    (False, False): ("billed up to the end of {end}",),
    (True, False): ("billed on or after {since}", "billed from {since} onwards", "dated {since} or later"),
    (False, True): ("billed before {before}", "dated earlier than {before}"),
    (True, True): (
        "billed on or after {since} and before {before}",
        "dated {since} or later, but earlier than {before}",
    ),
}


def format_day(day: int, iso: bool) -> str:
    """Return a day (a proleptic ordinal) as 2026-03-31 or as 31 March 2026."""
    when = date.fromordinal(day)
    return when.isoformat() if iso else f"{when.day} {MONTHS[when.month - 1]} {when.year}"


def question_text(draw: Draw, question: Question, accounts: str, end: int, names: Sequence[str]) -> str:
    """Return the file of a question.

    accounts: what it says about the accounts, a sentence.
    end: the day at whose end the answer is taken.
    names: of the customers asked about, if it asks about some.
    """
    iso = draw.chance(0.4)
    days = {"end": format_day(end, iso)}
    for name in ("since", "before", "cash_since"):
        if value := getattr(question, name):
            days[name] = format_day(value, iso)
    scopes = SCOPES["since" in days, "before" in days]
    customers = f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else "".join(names)
    wording = draw.choice(WORDINGS[question.type])
    scope = draw.choice([one for one in scopes if "{scope}" in wording]).format(**days)
    text = wording.format(scope=scope, customers=customers, **days)
    return f"# Question\n\n{accounts}\n\n{text}\n"
