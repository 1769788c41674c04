"""From the files of a case to what an agent prints."""

import json
from collections.abc import Callable, Mapping

from families.billing.solver import tasks
from families.billing.solver.books import Books, Unclear, read_books
from families.billing.solver.ticket import Ticket, read_ticket

Task = Callable[[Books, Ticket, str | None], tasks.Edits]


def solve(files: Mapping[str, str], mistake: str | None = None) -> str:
    """The JSON array of edits that the ticket in `files` asks for, made with one `mistake` or none.

    If the files do not decide the answer, a sentence that says why.
    """
    books = read_books(files)
    try:
        ticket = read_ticket(files["ticket.md"], books)
        current, invoices = _task(ticket)(books, ticket, mistake)
    except Unclear as why:
        return f"I cannot tell what to do: {why}."
    if mistake == "live_only":
        invoices = []
    if mistake == "baked_only":
        current = []
    return json.dumps([*current, *invoices])


def _task(ticket: Ticket) -> Task:
    """What is to be done, told by the kinds of facts that the ticket brings together."""
    if ticket.has("addon", "amount"):
        return tasks.rebrand
    if ticket.has("code", "share"):
        return tasks.correct_code
    if ticket.has("plan", "amount"):
        return tasks.raise_price
    if ticket.has("customer", "code", "plan"):
        return tasks.upgrade
    if ticket.has("customer", "region", "plan"):
        return tasks.transfer
    if ticket.has("customer", "region"):
        return tasks.move
    raise Unclear("the ticket asks for nothing that is known here")
