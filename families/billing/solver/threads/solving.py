"""From the files of a case with threads to its edits."""

from collections.abc import Mapping

from families.billing.solver.books import read_books
from families.billing.solver.threads.effects import Effects
from families.billing.solver.threads.reading import Reader
from trapcli.answers.edits.solving.edits import Edit

TICKET = "ticket.md"


def is_thread(files: Mapping[str, str]) -> bool:
    """Whether the ticket of a case has messages."""
    return "(controller)" in files[TICKET]


def solve_thread(files: Mapping[str, str], mistake: str | None) -> list[Edit]:
    """Return the edits that the threads ask for, made with this mistake if one is named."""
    books = read_books(files)
    orders = Reader(books, mistake).read(files[TICKET])
    if mistake == "requests_apart":
        parts = [Effects(books, [order], mistake).edits() for order in orders]
        return [edit for part in parts for edits in part for edit in edits]
    current, invoices = Effects(books, orders, mistake).edits()
    if mistake == "live_only":
        return current
    return invoices if mistake == "baked_only" else [*current, *invoices]
