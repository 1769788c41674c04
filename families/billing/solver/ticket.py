"""What a billing ticket says: records, new names, days, months, amounts and percentages."""

import re
from collections.abc import Iterable
from dataclasses import replace

from families.billing.solver.books import Books
from trapcli.answers.edits.solving import values
from trapcli.answers.edits.solving.ticket import Name, Ticket
from trapcli.answers.edits.solving.ticket import read_ticket as read

PROPER = re.compile(r"[A-Z]\w+(?:['&-]\w+)*(?: [A-Z]\w*(?:['&-]\w+)*)*")
NEW = "new name"
FINDERS = (
    ("date", values.find_dates),
    ("month", values.find_months),
    ("amount", values.find_amounts),
    ("share", values.find_shares),
)


def read_ticket(text: str, books: Books) -> Ticket:
    """Return what the text of a ticket names.

    The types are customer, plan, addon, code and region (values are keys), date, month, amount
    (dollars), share (percent) and new name.
    """
    names = (
        Name(row[column], type_, key)
        for type_, table, column in (
            ("customer", books.customers, "customer_name"),
            ("plan", books.plans, "plan_name"),
            ("addon", books.addons, "addon_name"),
            ("code", books.codes, "code"),
            ("region", books.regions, "region_name"),
        )
        for key, row in table.items()
    )
    ticket = read(text, names, FINDERS)
    new = _new_names(ticket.rest, [sentence.start for sentence in ticket.sentences])
    return replace(ticket, named={**ticket.named, NEW: tuple(new)})


def start_of(ticket: Ticket) -> str:
    """Return the day, or else the month, from which on the change counts."""
    return ticket.one("date") if ticket.all("date") else ticket.one("month")


def month_of(ticket: Ticket) -> str:
    """Return the month that the ticket is about."""
    return ticket.one("month") if ticket.all("month") else ticket.one("date")[:7]


def _new_names(rest: str, starts: Iterable[int]) -> list[str]:
    """Return capitalised words that are in no table and not only at the start of a sentence, by frequency."""
    begins = set(starts)
    runs = [(match.start(), match[0]) for match in PROPER.finditer(rest)]
    names = {run.removesuffix("'s") for start, run in runs if not _at_start(rest, start, begins)}
    counts = {name: rest.count(name) for name in names}
    return sorted(counts, key=lambda name: (-counts[name], -len(name), name))


def _at_start(text: str, start: int, begins: set[int]) -> bool:
    """Whether only signs are between this position and the start of its sentence."""
    while start not in begins and start > 0 and text[start - 1] in "# (\"'":
        start -= 1
    return start in begins
