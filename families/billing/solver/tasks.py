"""What each ticket asks for: edits of current records, and edits of invoices.

A mistake changes one rule, at the place where an agent would get it wrong.
"""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction

from families.billing.solver.books import Books
from families.billing.solver.figures import (
    discount_by,
    discount_on,
    invoice_coverage,
    rate_of,
    rate_on,
    restate,
    subtotal_of,
)
from families.billing.solver.lookup import (
    fresh_key,
    invoice_with,
    look_alikes,
    others_of_customer,
    subscription_in,
)
from families.billing.solver.ticket import NEW, month_of, start_of
from trapcli.answers.edits.solving.edits import Edit, insert, updates
from trapcli.answers.edits.solving.tables import Row, first_of
from trapcli.answers.edits.solving.ticket import Ticket
from trapcli.answers.edits.solving.values import cents, dollars

Edits = tuple[list[Edit], list[Edit]]  # of current records, of invoices


def move(books: Books, ticket: Ticket, mistake: str | None) -> Edits:
    """A customer moved region: edit the customer, and the tax of the invoices that are covered."""
    named = ticket.all("region")[:2]
    customer = first_of(
        key for key in ticket.all("customer") if len(named) < 2 or books.customers[key]["region_id"] in named
    )
    region = first_of(key for key in named if key != books.customers[customer]["region_id"])
    movers = [customer]
    if mistake == "neighbour_touched":
        movers += look_alikes(books.customers, "customer_name", customer)
    theirs = {key for key, row in books.subscriptions.items() if row["customer_id"] in movers}
    is_covered, rate = invoice_coverage(start_of(ticket), mistake), _rate(books, region, mistake)

    def retax(row: Row) -> dict[str, str]:
        return restate(row, rate, mistake)

    return (
        _updates("customers.csv", books.customers, movers, {"region_id": region}),
        _invoices(books, lambda row: row["subscription_id"] in theirs and is_covered(row), retax),
    )


def raise_price(books: Books, ticket: Ticket, mistake: str | None) -> Edits:
    """A plan costs more from a month on: edit the plan, and all figures of the invoices that are covered."""
    plan = ticket.one("plan")
    price = _new_amount(ticket.all("amount"), cents(books.plans[plan]["base_price_usd"]))
    plans = [plan]
    if mistake == "neighbour_touched":
        plans += look_alikes(books.plans, "plan_name", plan)
    names = {books.plans[key]["plan_name"] for key in plans}
    is_covered = invoice_coverage(start_of(ticket), mistake)

    def reprice(row: Row) -> dict[str, str]:
        discount = discount_on(books, row, price + cents(row["baked_addon_total_usd"]), mistake)
        return restate(row, rate_on(books, row), mistake, base=price, discount=discount)

    return (
        _plans(books, plans, {"base_price_usd": dollars(price)}, mistake),
        _invoices(books, lambda row: row["baked_plan_name"] in names and is_covered(row), reprice),
    )


def rebrand(books: Books, ticket: Ticket, mistake: str | None) -> Edits:
    """An add-on has a new name and price from now on: edit only the add-on."""
    addon = ticket.one("addon")
    old, before = books.addons[addon]["addon_name"], cents(books.addons[addon]["addon_price_usd"])
    new, price = ticket.one(NEW), _new_amount(ticket.all("amount"), before)
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

    def backfill(row: Row) -> dict[str, str]:
        names = [new if name == old else name for name in row["baked_addon_names"].split("; ")]
        extra = cents(row["baked_addon_total_usd"]) + price - before
        discount = discount_on(books, row, cents(row["baked_base_price_usd"]) + extra, mistake)
        cells = restate(row, rate_on(books, row), mistake, addons=extra, discount=discount)
        return {"baked_addon_names": "; ".join(names), **cells}

    return current, _invoices(books, lambda row: old in row["baked_addon_names"].split("; "), backfill)


def correct_code(books: Books, ticket: Ticket, mistake: str | None) -> Edits:
    """A code's percentage was wrong: edit the code, and the one invoice that used it."""
    code = books.codes[ticket.one("code")]
    wrong = Fraction(code["discount_pct"] or 0)
    shares = [Fraction(percent) / 100 for percent in ticket.all("share")]
    right = first_of(share for share in shares if share != wrong)
    if mistake == "code_name_pct":
        right = Fraction(re.findall(r"\d+", code["code"])[-1]) / 100
    corrected = {**code, "discount_pct": str(Decimal(right.numerator) / Decimal(right.denominator))}
    used = invoice_with(books, ticket.all("customer"), code, month_of(ticket))
    wanted = [used["invoice_id"]]
    if mistake == "neighbour_touched":
        theirs, month = others_of_customer(books, used["subscription_id"]), used["period"]
        wanted += _invoice_ids(books, lambda row: row["subscription_id"] in theirs and row["period"] == month)
    if mistake == "earlier_touched":
        of, month = used["subscription_id"], used["period"]
        wanted = _invoice_ids(books, lambda row: row["subscription_id"] == of and row["period"] <= month)

    def rediscount(row: Row) -> dict[str, str]:
        return restate(row, rate_on(books, row), mistake, discount=discount_by(corrected, subtotal_of(row)))

    changes = {"discount_pct": corrected["discount_pct"]}
    return (
        _updates("discount_codes.csv", books.codes, [code["code"]], changes),
        _invoices(books, lambda row: row["invoice_id"] in wanted, rediscount),
    )


def transfer(books: Books, ticket: Ticket, mistake: str | None) -> Edits:
    """A subscription goes to a new customer: edit both, and the invoices that are covered."""
    moved = subscription_in(books, ticket)
    entity, region, day = ticket.one(NEW), ticket.one("region"), start_of(ticket)
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
    is_covered, rate = invoice_coverage(day, mistake), _rate(books, region, mistake)

    def reissue(row: Row) -> dict[str, str]:
        return {"baked_customer_name": entity, **restate(row, rate, mistake)}

    return current, _invoices(
        books, lambda row: row["subscription_id"] in handed and is_covered(row), reissue
    )


def upgrade(books: Books, ticket: Ticket, mistake: str | None) -> Edits:
    """Another plan and a code from a month on: edit the subscription, and the invoices that are covered."""
    upgraded = subscription_in(books, ticket)
    code = books.codes[ticket.one("code")]
    held = books.subscriptions[upgraded]["plan_id"]
    new = books.plans[first_of(key for key in ticket.all("plan") if key != held)]
    changes = {"plan_id": new["plan_id"], "discount_code": code["code"]}
    if mistake == "plan_only":
        del changes["discount_code"]
    if mistake == "discount_only":
        del changes["plan_id"]
    items = [upgraded]
    if mistake == "neighbour_touched":
        items += others_of_customer(books, upgraded)
    is_covered = invoice_coverage(start_of(ticket), mistake)

    def change_terms(row: Row) -> dict[str, str]:
        name, base = new["plan_name"], cents(new["base_price_usd"])
        if mistake == "discount_only":
            name, base = row["baked_plan_name"], cents(row["baked_base_price_usd"])
        subtotal = base + cents(row["baked_addon_total_usd"])
        discount = discount_by(code, subtotal)
        if mistake == "plan_only":
            discount = discount_on(books, row, subtotal, mistake)
        if mistake == "discount_stale":
            discount = cents(row["baked_discount_applied_usd"])
        cells = restate(row, rate_on(books, row), mistake, base=base, discount=discount)
        return {"baked_plan_name": name, **cells}

    return (
        _updates("subscriptions.csv", books.subscriptions, items, changes),
        _invoices(books, lambda row: row["subscription_id"] in items and is_covered(row), change_terms),
    )


def _rate(books: Books, region: str, mistake: str | None) -> Fraction:
    """Return the region's rate; by mistake that of a region with a similar name."""
    if mistake == "wrong_rate":
        region = first_of(look_alikes(books.regions, "region_name", region))
    return rate_of(books, region)


def _new_amount(amounts: Collection[str], old: int) -> int:
    """Return the first of the amounts (dollars) that is not the old one, in cents."""
    return first_of(amount for amount in map(cents, amounts) if amount != old)


def _invoice_ids(books: Books, chosen: Callable[[Row], bool]) -> list[str]:
    """Return the ids of the invoices for which `chosen` is true."""
    return [row["invoice_id"] for row in books.invoices if chosen(row)]


def _invoices(
    books: Books, chosen: Callable[[Row], bool], terms: Callable[[Row], Mapping[str, str]]
) -> list[Edit]:
    """Return an edit for each chosen invoice in which `terms` changes something."""
    return updates("invoices.csv", filter(chosen, books.invoices), terms)


def _plans(books: Books, plans: Sequence[str], cells: Mapping[str, str], mistake: str | None) -> list[Edit]:
    """Return the edits of plans; by mistake a new plan beside the first, for those who have that one."""
    if mistake != "second_record":
        return _updates("plans.csv", books.plans, plans, cells)
    old, new = plans[0], fresh_key(books.plans)

    def renewed(row: Row) -> dict[str, str]:
        return {"plan_id": new if row["plan_id"] == old else row["plan_id"]}

    added = insert("plans.csv", {**books.plans[old], **cells, "plan_id": new})
    return [added, *updates("subscriptions.csv", books.subscriptions.values(), renewed)]


def _updates(
    file: str, items: Mapping[str, Row], keys: Collection[str], cells: Mapping[str, str]
) -> list[Edit]:
    """Return an edit for each of these records in which the cells change something."""
    return updates(file, [items[key] for key in keys], lambda row: cells)
