"""The records that a ticket is about."""

import re
from collections.abc import Mapping, Sequence

from families.billing.solver.books import Books
from families.billing.solver.figures import DISCOUNT, discount_by, subtotal_of
from trapcli.answers.edits.solving.tables import Row, Unclear
from trapcli.answers.edits.solving.ticket import Ticket
from trapcli.answers.edits.solving.values import cents


def look_alikes(items: Mapping[str, Row], column: str, key: str) -> list[str]:
    """Return the records with a longer name that begins with the name of this one."""
    return [other for other, row in items.items() if row[column].startswith(items[key][column] + " ")]


def subscription_in(books: Books, ticket: Ticket) -> str:
    """Return the active subscription that a customer in the ticket has to a plan in the ticket."""
    for customer in ticket.all("customer"):
        held = [
            key
            for key in _active(books, customer)
            if books.subscriptions[key]["plan_id"] in ticket.all("plan")
        ]
        if len(held) > 1:
            raise Unclear(f"{' and '.join(held)} both fit the ticket")
        if held:
            return held[0]
    raise Unclear("no customer in the ticket has a subscription to a plan in it")


def others_of_customer(books: Books, subscription: str) -> list[str]:
    """Return the other active subscriptions of the customer who has this one."""
    customer = books.subscriptions[subscription]["customer_id"]
    return [key for key in _active(books, customer) if key != subscription]


def _active(books: Books, customer: str) -> list[str]:
    return [
        key
        for key, row in books.subscriptions.items()
        if row["customer_id"] == customer and row["status"] == "active"
    ]


def invoice_with(books: Books, customers: Sequence[str], code: Row, month: str) -> Row:
    """Return the issued invoice of one of the customers for that month that was made out with the code."""
    for customer in customers:
        fitting = [
            row
            for row in books.invoices
            if row["period"] == month
            and books.subscriptions[row["subscription_id"]]["customer_id"] == customer
            and row["status"] != "draft"
            and cents(row[DISCOUNT]) == discount_by(code, subtotal_of(row))
        ]
        # Two codes may give the same discount; then the subscription's code decides.
        coded = [
            row
            for row in fitting
            if books.subscriptions[row["subscription_id"]]["discount_code"] == code["code"]
        ]
        if len(coded or fitting) > 1:
            raise Unclear(f"{len(coded or fitting)} invoices of {month} may have used {code['code']}")
        if fitting:
            return (coded or fitting)[0]
    raise Unclear(f"no invoice of {month} used {code['code']}")


def fresh_key(items: Mapping[str, Row]) -> str:
    """Return a key like the others that is not taken."""
    prefix, number = max(
        (match[1], int(match[2])) for key in items if (match := re.fullmatch(r"(.*?)(\d+)", key)) is not None
    )
    return f"{prefix}{number + 1}"
