"""Billing with little effort.

Of a customer's subscriptions the shallow agent takes the first with a plan or code that is in the
ticket, or else the first. It searches the invoices for that subscription, or for the plan if the
ticket is about one. The guess is lucky if a change happens to cover the last two issued months.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from decimal import Decimal

from shallow_agents.reading import (
    ROWS,
    Edit,
    Files,
    Row,
    by_name,
    named_rows,
    number,
    read_rows,
    rows,
    table,
    update,
)

from families.billing.solver import solve
from families.billing.solver.books import read_books
from families.billing.solver.ticket import read_ticket
from trapcli.answers.edits.solving.ticket import Ticket

NAMES = {
    "customers.csv": "customer_name",
    "plans.csv": "plan_name",
    "addons.csv": "addon_name",
    "discount_codes.csv": "code",
    "regions.csv": "region_name",
}


def shallow(files: Files) -> str:
    """Return what the solver prints if it is given only what the shallow agent reads."""
    read = {**files, **{file: table(files, file, read_rows(files, file, NAMES[file])) for file in NAMES}}
    books = read_books(read)
    ticket = read_ticket(files["ticket.md"], books)
    invoices: list[Row] = []
    subscriptions = rows(files, "subscriptions.csv")
    if ticket.has("customer"):
        subscriptions = first_subscription(subscriptions, ticket)
        ids = {row["subscription_id"] for row in subscriptions}
        invoices = [row for row in rows(files, "invoices.csv") if row["subscription_id"] in ids][:ROWS]
    elif ticket.has("plan"):
        name = books.plans[ticket.one("plan")]["plan_name"]
        invoices = [row for row in rows(files, "invoices.csv") if row["baked_plan_name"].startswith(name)][
            :ROWS
        ]
        read["customers.csv"] = files["customers.csv"]  # it looks up the ids on these invoices
    read["subscriptions.csv"] = table(files, "subscriptions.csv", subscriptions)
    read["invoices.csv"] = table(files, "invoices.csv", invoices)
    try:
        return solve(read, None)
    except KeyError as error:
        return f"I did not see {error}."


def first_subscription(subscriptions: Sequence[Row], ticket: Ticket) -> list[Row]:
    """Return the subscription that the agent stays with."""
    theirs = [row for row in subscriptions if row["customer_id"] == ticket.one("customer")]
    named = {*ticket.all("plan"), *ticket.all("code")}
    fitting = [row for row in theirs if row["plan_id"] in named or row["discount_code"] in named]
    return (fitting or theirs)[:1]


def named(files: Files, file: str) -> list[Row]:
    """Return the rows of a table that the ticket names."""
    return named_rows(files, file, NAMES[file])


def retax(files: Files, invoices: Iterable[Row]) -> list[Edit]:
    """Return edits of tax and total, at the rate of the region that the ticket names last."""
    region = (named(files, "regions.csv") or rows(files, "regions.csv"))[-1]
    edits = []
    for row in invoices:
        base, extra, less = (
            Decimal(row[f"baked_{part}_usd"]) for part in ("base_price", "addon_total", "discount_applied")
        )
        tax = ((base + extra - less) * Decimal(region["tax_rate_pct"]) / 100).quantize(Decimal("0.01"))
        total = f"{base + extra - less + tax}"
        edits.append(update("invoices.csv", row, baked_tax_usd=f"{tax}", baked_total_usd=total))
    return edits


def move(files: Files, customer: Row, invoices: Iterable[Row]) -> list[Edit]:
    """Return edits that move the customer to the region that the ticket names last, and its invoices."""
    region = (named(files, "regions.csv") or rows(files, "regions.csv"))[-1]
    return [
        update("customers.csv", customer, region_id=region["region_id"]),
        *retax(files, (row for row in invoices if row["baked_customer_name"] == customer["customer_name"])),
    ]


def first_invoice(files: Files) -> list[Edit]:
    return retax(files, rows(files, "invoices.csv")[:1])


def last_invoice(files: Files) -> list[Edit]:
    return retax(files, rows(files, "invoices.csv")[-1:])


def last_issued_invoice(files: Files) -> list[Edit]:
    return retax(files, [row for row in rows(files, "invoices.csv") if row["status"] != "draft"][-1:])


def most_frequent_customer(files: Files) -> list[Edit]:
    invoices = rows(files, "invoices.csv")
    name = Counter(row["baked_customer_name"] for row in invoices).most_common(1)[0][0]
    customer = next(row for row in rows(files, "customers.csv") if row["customer_name"] == name)
    return move(files, customer, invoices)


def last_two_months(files: Files) -> list[Edit]:
    invoices = rows(files, "invoices.csv")
    months = sorted({row["period"] for row in invoices})[-2:]
    customer = (named(files, "customers.csv") or rows(files, "customers.csv"))[0]
    return move(files, customer, (row for row in invoices if row["period"] in months))


def last_two_issued(files: Files) -> list[Edit]:
    invoices = [row for row in rows(files, "invoices.csv") if row["status"] != "draft"]
    months = sorted({row["period"] for row in invoices})[:-1][-2:]
    customer = (named(files, "customers.csv") or rows(files, "customers.csv"))[0]
    return move(files, customer, (row for row in invoices if row["period"] in months))


def number_into_base_price(files: Files) -> list[Edit]:
    plans = named(files, "plans.csv") or rows(files, "plans.csv")
    return [update("plans.csv", plans[0], base_price_usd=number(files, r"(\d+(?:\.\d+)?)"))]


def numbers_where_they_fit(files: Files) -> list[Edit]:
    money = number(files, r"\$(\d[\d.]*\d)") or number(files, r"(\d[\d.]*\d) (?:USD|dollars)")
    share = number(files, r"(\d+)(?:%| percent)")
    edits = [update("plans.csv", row, base_price_usd=money) for row in named(files, "plans.csv")[:1] if money]
    edits += [
        update("addons.csv", row, addon_price_usd=money) for row in named(files, "addons.csv")[:1] if money
    ]
    codes = named(files, "discount_codes.csv")[:1] if share else []
    return edits + [update("discount_codes.csv", row, discount_pct=f"0.{int(share):02d}") for row in codes]


def everything_in_ticket(files: Files) -> list[Edit]:
    names = [row["customer_name"] for row in named(files, "customers.csv")]
    names += [row["plan_name"] for row in named(files, "plans.csv")]
    invoices = rows(files, "invoices.csv")
    return retax(
        files,
        (row for row in invoices if row["baked_customer_name"] in names or row["baked_plan_name"] in names),
    )


SCRIPTS = by_name(
    first_invoice, last_invoice, last_issued_invoice, most_frequent_customer, last_two_months,
    number_into_base_price, numbers_where_they_fit, everything_in_ticket,
)  # fmt: skip
GUESSES = by_name(last_two_issued)
