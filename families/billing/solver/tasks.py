"""What each kind of ticket asks for: edits of current records, and edits of invoices.

A mistake switches one rule at the place where an agent would get it wrong.
"""

import re
from collections.abc import Callable, Collection, Mapping
from decimal import Decimal
from fractions import Fraction

from families.billing.solver.books import Books
from families.billing.solver.finding import (
    fresh_key,
    invoice_with,
    look_alikes,
    others_of_customer,
    subscription_in,
)
from families.billing.solver.restating import (
    covers,
    discount_by,
    discount_on,
    rate_of,
    rate_on,
    restated,
    subtotal_of,
)
from families.billing.solver.ticket import NEW, month_of, since
from trapcli.answers.edits.solving.edits import Edit, insert, updates
from trapcli.answers.edits.solving.tables import Row, first_fitting
from trapcli.answers.edits.solving.ticket import Ticket
from trapcli.answers.edits.solving.values import cents, dollars

Edits = tuple[list[Edit], list[Edit]]  # of current records, of invoices


def move(books: Books, ticket: Ticket, mistake: str | None) -> Edits:
    """A customer moved region: the customer, and the tax of the invoices covered."""
    named = ticket.all("region")[:2]
    customer = first_fitting(
        key for key in ticket.all("customer") if len(named) < 2 or books.customers[key]["region_id"] in named
    )
    region = first_fitting(key for key in named if key != books.customers[customer]["region_id"])
    movers = [customer]
    if mistake == "neighbour_touched":
        movers += look_alikes(books.customers, "customer_name", customer)
    theirs = {key for key, row in books.subscriptions.items() if row["customer_id"] in movers}
    covered, rate = covers(since(ticket), mistake), _rate(books, region, mistake)

    def retaxed(row: Row) -> dict[str, str]:
        return restated(row, rate, mistake)

    return (
        _updates("customers.csv", books.customers, movers, {"region_id": region}),
        _invoices(books, lambda row: row["subscription_id"] in theirs and covered(row), retaxed),
    )


def raise_price(books: Books, ticket: Ticket, mistake: str | None) -> Edits:
    """A plan costs more from a month on: the plan, and all figures of the invoices covered."""
    plan = ticket.one("plan")
    price = _another(ticket.all("amount"), cents(books.plans[plan]["base_price_usd"]))
    plans = [plan]
    if mistake == "neighbour_touched":
        plans += look_alikes(books.plans, "plan_name", plan)
    names = {books.plans[key]["plan_name"] for key in plans}
    covered = covers(since(ticket), mistake)

    def repriced(row: Row) -> dict[str, str]:
        discount = discount_on(books, row, price + cents(row["baked_addon_total_usd"]), mistake)
        return restated(row, rate_on(books, row), mistake, base=price, discount=discount)

    return (
        _updates("plans.csv", books.plans, plans, {"base_price_usd": dollars(price)}),
        _invoices(books, lambda row: row["baked_plan_name"] in names and covered(row), repriced),
    )


def rebrand(books: Books, ticket: Ticket, mistake: str | None) -> Edits:
    """An add-on has a new name and price from now on: the add-on alone."""
    addon = ticket.one("addon")
    old, before = books.addons[addon]["addon_name"], cents(books.addons[addon]["addon_price_usd"])
    new, price = ticket.one(NEW), _another(ticket.all("amount"), before)
    addons = [addon]
    if mistake == "neighbour_touched":
        addons += look_alikes(books.addons, "addon_name", addon)
    changes = {"addon_name": new, "addon_price_usd": dollars(price)}
    if mistake == "rename_only":
        del changes["addon_price_usd"]
    if mistake == "reprice_only":
        del changes["addon_name"]
    current = _updates("addons.csv", books.addons, addons, changes)
    if mistake != "backfill":
        return current, []

    def backfilled(row: Row) -> dict[str, str]:
        names = [new if name == old else name for name in row["baked_addon_names"].split("; ")]
        extra = cents(row["baked_addon_total_usd"]) + price - before
        discount = discount_on(books, row, cents(row["baked_base_price_usd"]) + extra, mistake)
        cells = restated(row, rate_on(books, row), mistake, addons=extra, discount=discount)
        return {"baked_addon_names": "; ".join(names), **cells}

    return current, _invoices(books, lambda row: old in row["baked_addon_names"].split("; "), backfilled)


def correct_code(books: Books, ticket: Ticket, mistake: str | None) -> Edits:
    """A code's percentage was wrong: the code, and the one invoice that used it."""
    code = books.codes[ticket.one("code")]
    wrong = Fraction(code["discount_pct"] or 0)
    shares = [Fraction(percent) / 100 for percent in ticket.all("share")]
    right = first_fitting(share for share in shares if share != wrong)
    if mistake == "code_name_pct":
        right = Fraction(re.findall(r"\d+", code["code"])[-1]) / 100
    corrected = {**code, "discount_pct": str(Decimal(right.numerator) / Decimal(right.denominator))}
    used = invoice_with(books, ticket.all("customer"), code, month_of(ticket))
    wanted = [used["invoice_id"]]
    if mistake == "neighbour_touched":
        theirs, month = others_of_customer(books, used["subscription_id"]), used["period"]
        wanted += _keys(books, lambda row: row["subscription_id"] in theirs and row["period"] == month)
    if mistake == "earlier_touched":
        of, month = used["subscription_id"], used["period"]
        wanted = _keys(books, lambda row: row["subscription_id"] == of and row["period"] <= month)

    def rediscounted(row: Row) -> dict[str, str]:
        return restated(row, rate_on(books, row), mistake, discount=discount_by(corrected, subtotal_of(row)))

    changes = {"discount_pct": corrected["discount_pct"]}
    return (
        _updates("discount_codes.csv", books.codes, [code["code"]], changes),
        _invoices(books, lambda row: row["invoice_id"] in wanted, rediscounted),
    )


def transfer(books: Books, ticket: Ticket, mistake: str | None) -> Edits:
    """A subscription goes to a new customer: that customer, the subscription, the invoices covered."""
    moved = subscription_in(books, ticket)
    entity, region, day = ticket.one(NEW), ticket.one("region"), since(ticket)
    handed = [moved]
    if mistake == "neighbour_touched":
        handed += others_of_customer(books, moved)
    fresh = fresh_key(books.customers)
    new = {"customer_name": entity, "region_id": region}
    current: list[Edit] = []
    if mistake == "renamed_in_place":
        old = books.subscriptions[moved]["customer_id"]
        current += _updates("customers.csv", books.customers, [old], new)
    else:
        row = {"customer_id": fresh, **new, "signup_date": day if len(day) == 10 else f"{day}-01"}
        current.append(insert("customers.csv", row))
    if mistake not in ("renamed_in_place", "not_reassigned"):
        to = {"customer_id": fresh}
        current += _updates("subscriptions.csv", books.subscriptions, handed, to)
    covered, rate = covers(day, mistake), _rate(books, region, mistake)

    def reissued(row: Row) -> dict[str, str]:
        return {"baked_customer_name": entity, **restated(row, rate, mistake)}

    return current, _invoices(books, lambda row: row["subscription_id"] in handed and covered(row), reissued)


def upgrade(books: Books, ticket: Ticket, mistake: str | None) -> Edits:
    """Another plan and a code from a month on: the subscription, and all figures of the invoices covered."""
    upgraded = subscription_in(books, ticket)
    code = books.codes[ticket.one("code")]
    held = books.subscriptions[upgraded]["plan_id"]
    new = books.plans[first_fitting(key for key in ticket.all("plan") if key != held)]
    changes = {"plan_id": new["plan_id"], "discount_code": code["code"]}
    if mistake == "plan_only":
        del changes["discount_code"]
    if mistake == "discount_only":
        del changes["plan_id"]
    items = [upgraded]
    if mistake == "neighbour_touched":
        items += others_of_customer(books, upgraded)
    covered = covers(since(ticket), mistake)

    def upgraded_terms(row: Row) -> dict[str, str]:
        name, base = new["plan_name"], cents(new["base_price_usd"])
        if mistake == "discount_only":
            name, base = row["baked_plan_name"], cents(row["baked_base_price_usd"])
        subtotal = base + cents(row["baked_addon_total_usd"])
        discount = discount_by(code, subtotal)
        if mistake == "plan_only":
            discount = discount_on(books, row, subtotal, mistake)
        if mistake == "discount_stale":
            discount = cents(row["baked_discount_applied_usd"])
        cells = restated(row, rate_on(books, row), mistake, base=base, discount=discount)
        return {"baked_plan_name": name, **cells}

    return (
        _updates("subscriptions.csv", books.subscriptions, items, changes),
        _invoices(books, lambda row: row["subscription_id"] in items and covered(row), upgraded_terms),
    )


def _rate(books: Books, region: str, mistake: str | None) -> Fraction:
    """The region's rate; by mistake that of a region whose name begins alike."""
    if mistake == "wrong_rate":
        region = first_fitting(look_alikes(books.regions, "region_name", region))
    return rate_of(books, region)


def _another(amounts: Collection[str], known: int) -> int:
    """The first of the amounts (dollars) that is not the `known` one; in cents."""
    return first_fitting(amount for amount in map(cents, amounts) if amount != known)


def _keys(books: Books, chosen: Callable[[Row], bool]) -> list[str]:
    return [row["invoice_id"] for row in books.invoices if chosen(row)]


def _invoices(
    books: Books, chosen: Callable[[Row], bool], terms: Callable[[Row], Mapping[str, str]]
) -> list[Edit]:
    """An edit for each chosen invoice in which `terms` change something."""
    return updates("invoices.csv", filter(chosen, books.invoices), terms)


def _updates(
    file: str, items: Mapping[str, Row], keys: Collection[str], cells: Mapping[str, str]
) -> list[Edit]:
    """An edit for each of these records in which the cells change something."""
    return updates(file, [items[key] for key in keys], lambda row: cells)
