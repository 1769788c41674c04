"""From the files of a case to what an agent prints."""

from collections.abc import Callable, Mapping

from families.payout.solver import tasks
from families.payout.solver.books import Books, read_books
from families.payout.solver.ticket import read_ticket
from trapcli.answers.edits.solving.edits import Edit, printed
from trapcli.answers.edits.solving.ticket import Ticket, task_of

Task = Callable[[Books, Ticket, str | None], list[Edit]]
TASKS: dict[tuple[str, ...], Task] = {
    ("product", "vendor", "factor"): tasks.reprice,
    ("product", "vendor", "amount"): tasks.renegotiate,
    ("product", "vendor"): tasks.rebook,
}
"""What is to be done, told by the kinds of facts that the ticket brings together."""


def solve(files: Mapping[str, str], mistake: str | None = None) -> str:
    """The JSON array of edits that the ticket in `files` asks for, made with one `mistake` or none.

    If the files do not decide the answer, a sentence that says why.
    """

    def edits() -> list[Edit]:
        books = read_books(files)
        ticket = read_ticket(files["ticket.md"], books)
        return task_of(ticket, TASKS)(books, ticket, mistake)

    return printed(edits)
