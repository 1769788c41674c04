"""From the files of a case to the answer: find out what the ticket asks for, and do it."""

from collections.abc import Callable, Mapping

from families.payout.solver import tasks
from families.payout.solver.books import Books, read_books
from families.payout.solver.ticket import read_ticket
from trapcli.answers.edits.solving.edits import Edit, answer_text
from trapcli.answers.edits.solving.ticket import Ticket, task_of

Task = Callable[[Books, Ticket, str | None], list[Edit]]
# The types of facts that a ticket brings together -> what it asks for.
TASKS: dict[tuple[str, ...], Task] = {
    ("product", "vendor", "factor"): tasks.reprice,
    ("product", "vendor", "amount"): tasks.renegotiate,
    ("product", "vendor"): tasks.rebook,
}


def solve(files: Mapping[str, str], mistake: str | None = None) -> str:
    """Return the edits that the ticket asks for as a JSON array, made with this mistake if one is named.

    If the files do not decide the answer, return a sentence that says why.
    """

    def make_edits() -> list[Edit]:
        books = read_books(files)
        ticket = read_ticket(files["ticket.md"], books)
        return task_of(ticket, TASKS)(books, ticket, mistake)

    return answer_text(make_edits)
