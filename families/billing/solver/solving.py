"""From the files of a case to what an agent prints."""

from collections.abc import Callable, Mapping

from families.billing.solver import tasks
from families.billing.solver.books import Books, read_books
from families.billing.solver.ticket import read_ticket
from trapcli.answers.edits.solving.edits import Edit, printed
from trapcli.answers.edits.solving.ticket import Ticket, task_of

Task = Callable[[Books, Ticket, str | None], tasks.Edits]
TASKS: dict[tuple[str, ...], Task] = {
    ("addon", "amount"): tasks.rebrand,
    ("code", "share"): tasks.correct_code,
    ("plan", "amount"): tasks.raise_price,
    ("customer", "code", "plan"): tasks.upgrade,
    ("customer", "region", "plan"): tasks.transfer,
    ("customer", "region"): tasks.move,
}
"""What is to be done, told by the kinds of facts that the ticket brings together."""


def solve(files: Mapping[str, str], mistake: str | None = None) -> str:
    """The JSON array of edits that the ticket in `files` asks for, made with one `mistake` or none.

    If the files do not decide the answer, a sentence that says why.
    """

    def edits() -> list[Edit]:
        books = read_books(files)
        ticket = read_ticket(files["ticket.md"], books)
        current, invoices = task_of(ticket, TASKS)(books, ticket, mistake)
        if mistake == "live_only":
            return current
        return invoices if mistake == "baked_only" else [*current, *invoices]

    return printed(edits)
