"""Carry out the requests of a thread: edits of current records, and of invoices."""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache

from families.billing.solver.books import Books
from families.billing.solver.figures import (
    ADDONS,
    BASE,
    DISCOUNT,
    discount_by,
    first_month,
    rate_of,
    rate_on,
    restate,
    subtotal_of,
)
from families.billing.solver.lookup import fresh_key
from families.billing.solver.threads.reading import Order
from trapcli.answers.edits.solving.edits import Edit, insert, updates
from trapcli.answers.edits.solving.tables import Row, Unclear
from trapcli.answers.edits.solving.values import cents, dollars

Edits = tuple[list[Edit], list[Edit]]  # of current records, of invoices


class Effects:
    """The requests that hold, by what they change."""

    def __init__(self, books: Books, orders: Sequence[Order], mistake: str | None) -> None:
        self.books, self.orders, self.mistake = books, orders, mistake
        self.plans = {row["plan_name"]: key for key, row in books.plans.items()}
        self.addons = {row["addon_name"]: key for key, row in books.addons.items()}
        self.new_keys: dict[str, str] = {}
        taken = dict(books.customers)
        for order in orders:
            if "newcomer" in order.values:
                key = fresh_key(taken)
                self.new_keys[order.record] = key
                taken[key] = {"customer_id": key}

    def edits(self) -> Edits:
        """Return the edits; Unclear if the tables do not show the terms of an invoice."""
        return [*self._newcomers(), *self._current()], updates(
            "invoices.csv", self.books.invoices, self._restated
        )

    def _of(self, kind: str, record: str, period: str = "9999-99") -> Mapping[str, str]:
        """Return the values of the request of a kind about a record, if it has begun by a period."""
        for order in self.orders:
            if (order.kind, order.record) == (kind, record):
                start = order.values.get("start", "")
                if not start or first_month(start) <= period:
                    return order.values
        return {}

    def _newcomers(self) -> Iterator[Edit]:
        for order in self.orders:
            if order.record in self.new_keys and order.kind == "transfer":
                yield insert(
                    "customers.csv",
                    {
                        "customer_id": self.new_keys[order.record],
                        "customer_name": order.values["newcomer"],
                        "region_id": order.values["region"],
                        "signup_date": order.values["start"],
                    },
                )

    def _current(self) -> Iterator[Edit]:
        books = self.books
        yield from updates("customers.csv", books.customers.values(), self._customer)
        yield from updates("subscriptions.csv", books.subscriptions.values(), self._subscription)
        yield from updates("plans.csv", books.plans.values(), self._plan)
        yield from updates("addons.csv", books.addons.values(), self._addon)
        yield from updates("discount_codes.csv", books.codes.values(), self._code)

    def _customer(self, row: Row) -> Mapping[str, str]:
        return {"region_id": self._of("move", row["customer_id"]).get("region", row["region_id"])}

    def _plan(self, row: Row) -> Mapping[str, str]:
        price = self._of("price", row["plan_id"]).get("price")
        return {"base_price_usd": dollars(cents(price))} if price else {}

    def _addon(self, row: Row) -> Mapping[str, str]:
        values = self._of("rebrand", row["addon_id"])
        if not values:
            return {}
        return {"addon_name": values["name"], "addon_price_usd": dollars(cents(values["price"]))}

    def _code(self, row: Row, period: str = "9999-99") -> Mapping[str, str]:
        """Return the cells of a code that differ in a period."""
        cells = {}
        if share := self._of("share", row["code"], period).get("percent"):
            cells["discount_pct"] = dollars(int(share))
        if amount := self._of("fixed", row["code"], period).get("amount"):
            cells["discount_fixed_usd"] = dollars(cents(amount))
        return cells

    def _subscription(self, row: Row) -> Mapping[str, str]:
        key = row["subscription_id"]
        upgrade, code = self._of("upgrade", key), self._of("code", key)
        return {
            "customer_id": self._holder(row, "9999-99"),
            "plan_id": upgrade.get("plan", row["plan_id"]),
            "addon_ids": ";".join(self._with_addons(key, row["addon_ids"].split(";"), "9999-99")),
            "discount_code": code.get("code", upgrade.get("code", row["discount_code"])),
        }

    def _holder(self, subscription: Row, period: str) -> str:
        values = self._of("transfer", subscription["subscription_id"], period)
        if "newcomer" in values:
            return self.new_keys[subscription["subscription_id"]]
        return values.get("customer", subscription["customer_id"])

    def _with_addons(self, key: str, addons: Sequence[str], period: str) -> list[str]:
        values = self._of("addon", key, period)
        kept = [addon for addon in addons if addon and addon != values.get("addon")]
        return sorted([*kept, values["addon"]] if values.get("added") else kept)

    def _restated(self, row: Row) -> Mapping[str, str]:
        """Return the cells of an invoice on the terms of its period."""
        key, period = row["subscription_id"], row["period"]
        subscription = self.books.subscriptions[key]
        upgrade = self._of("upgrade", key, period)
        plan = upgrade.get("plan") or self.plans[row["baked_plan_name"]]
        base = cents(self.books.plans[plan]["base_price_usd"]) if upgrade else cents(row[BASE])
        if price := self._of("price", plan, period).get("price"):
            base = cents(price)
        had = [self.addons[name] for name in row["baked_addon_names"].split("; ") if name]
        has = self._with_addons(key, had, period)
        extra = cents(row[ADDONS]) + self._price_of(has) - self._price_of(had)
        discount = self._discount(row, subscription, base + extra)
        holder = self._holder(subscription, period)
        cells = {"baked_plan_name": self.books.plans[plan]["plan_name"]}
        cells["baked_addon_names"] = "; ".join(self.books.addons[addon]["addon_name"] for addon in has)
        if holder != subscription["customer_id"]:
            cells["baked_customer_name"] = self._name_of(holder)
        rate = self._rate(row, subscription["customer_id"], holder)
        changed = restate(row, rate, self.mistake, base=base, addons=extra, discount=discount)
        return {**cells, **changed}

    def _price_of(self, addons: Sequence[str]) -> int:
        return sum(cents(self.books.addons[addon]["addon_price_usd"]) for addon in addons)

    def _discount(self, row: Row, subscription: Row, subtotal: int) -> int:
        """Return the discount, by the code that the invoice was made out with or has now."""
        key, period, given = row["subscription_id"], row["period"], cents(row[DISCOUNT])
        change = self._of("code", key, period) or self._of("upgrade", key, period)
        if "code" in change:
            names = [change["code"]]
        else:
            names = self._codes_of(row, subscription["discount_code"]) if given else [""]
        found = {self._taken_off(name, period, subtotal) for name in names}
        if len(found) != 1:
            raise Unclear(f"the discount of {row['invoice_id']} fits {len(names)} codes")
        return found.pop()

    def _taken_off(self, name: str, period: str, subtotal: int) -> int:
        if not name:
            return 0
        code = self.books.codes[name]
        return discount_by({**code, **self._code(code, period)}, subtotal)

    def _codes_of(self, row: Row, current: str) -> list[str]:
        """Return the codes that give an invoice's discount: only the subscription's, if it is one of them."""
        terms = tuple(
            (key, code["discount_pct"], code["discount_fixed_usd"]) for key, code in self.books.codes.items()
        )
        fitting = _fitting(terms, subtotal_of(row), cents(row[DISCOUNT]))
        return [current] if current in fitting else fitting

    def _name_of(self, customer: str) -> str:
        for record, key in self.new_keys.items():
            if key == customer:
                return self._of("transfer", record)["newcomer"]
        return self.books.customers[customer]["customer_name"]

    def _rate(self, row: Row, customer: str, holder: str) -> Fraction:
        moved = self._of("move", holder, row["period"])
        if moved:
            return rate_of(self.books, moved["region"])
        if holder == customer:
            return rate_on(self.books, row)
        for record, key in self.new_keys.items():
            if key == holder:
                return rate_of(self.books, self._of("transfer", record)["region"])
        return rate_of(self.books, self.books.customers[holder]["region_id"])


@lru_cache(maxsize=4096)
def _fitting(codes: tuple[tuple[str, str, str], ...], subtotal: int, given: int) -> list[str]:
    """Return the codes (key, percentage, fixed amount) that take this off a subtotal."""
    return [
        key
        for key, share, fixed in codes
        if discount_by({"discount_pct": share, "discount_fixed_usd": fixed}, subtotal) == given
    ]
