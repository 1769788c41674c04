"""From the files of a case to the answer: find out what the ticket asks for, and do it."""

from collections.abc import Callable, Mapping

from families.billing.solver import tasks
from families.billing.solver.books import Books, read_books
from families.billing.solver.threads.solving import is_thread, solve_thread
from families.billing.solver.ticket import read_ticket
from trapcli.answers.edits.solving.edits import Edit, answer_text
from trapcli.answers.edits.solving.ticket import Ticket, task_of

Task = Callable[[Books, Ticket, str | None], tasks.Edits]
# The types of facts that a ticket brings together -> what it asks for.
TASKS: dict[tuple[str, ...], Task] = {
    ("addon", "amount"): tasks.rebrand,
    ("code", "share"): tasks.correct_code,
    ("plan", "amount"): tasks.raise_price,
    ("customer", "code", "plan"): tasks.upgrade,
    ("customer", "region", "plan"): tasks.transfer,
    ("customer", "region"): tasks.move,
}


def solve(files: Mapping[str, str], mistake: str | None = None) -> str:
    """Return the edits that the ticket asks for as a JSON array, made with this mistake if one is named.

    If the files do not decide the answer, return a sentence that says why.
    """

    def make_edits() -> list[Edit]:
        if is_thread(files):
            return solve_thread(files, mistake)
        books = read_books(files)
        ticket = read_ticket(files["ticket.md"], books)
        current, invoices = task_of(ticket, TASKS)(books, ticket, mistake)
        if mistake == "live_only":
            return current
        return invoices if mistake == "baked_only" else [*current, *invoices]

    return answer_text(make_edits)
