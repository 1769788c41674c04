"""Read a thread: what each sentence asks for, and what holds when all has been said."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from families.billing.solver.books import Books
from families.billing.solver.threads.phrases import matches, sections
from trapcli.answers.edits.solving.tables import Unclear
from trapcli.answers.edits.solving.values import cents, find_amounts, find_dates, find_months, find_shares

HEADING = re.compile(r"^### \d+\. (.+?), (?:\d{4}|\d{1,2} |[A-Z][a-z]+ \d{1,2}).*$")
CHIEF = re.compile(r"([A-Z]\w+ [A-Z]\w+) \(controller\)")
SENTENCE = re.compile(r"(?<=[.?!]) (?=[A-Z0-9$])")
STATED = (
    "move", "price", "rebrand", "share", "fixed", "transfer new", "transfer known", "upgrade", "addon on",
    "addon off", "code on", "code off",
)  # fmt: skip
OPEN = "?"  # a start that a later message gives
MOST_SENTENCES = 3  # of one statement


@dataclass(slots=True)
class Order:
    """A request as it holds so far.

    kind: move, price, rebrand, share, fixed, transfer, upgrade, addon or code.
    record: its key; of an add-on on a subscription, that of the subscription.
    values: by the name of the field: start, region, price, name, percent, amount, newcomer, customer,
        plan, code ("" for none), addon, added ("yes" or "").
    decided: the fields on which the controller has spoken, "" for whether it is to be carried out.
    """

    kind: str
    record: str
    values: dict[str, str]
    holds: bool = True
    condition: bool = True
    decided: set[str] = field(default_factory=set)


class Said(NamedTuple):
    """A statement.

    section: of its pattern; "" for what asks for nothing.
    slots: what fills its slots.
    chief: whether the controller says it.
    order: the request that it makes, or is about.
    """

    section: str
    slots: Mapping[str, str]
    chief: bool
    order: Order | None


class Reader:
    """What reads the threads of one case.

    mistake: a kind of statement that is passed over.
    """

    def __init__(self, books: Books, mistake: str | None) -> None:
        self.books, self.mistake = books, mistake
        self.records = {
            "customer": books.customers,
            "plan": books.plans,
            "addon": books.addons,
            "code": books.codes,
            "region": books.regions,
        }
        self.orders: dict[tuple[str, str], Order] = {}
        self.last: Order | None = None

    def read(self, text: str) -> list[Order]:
        """Return the requests that hold when the threads end."""
        chiefs = CHIEF.search(text)
        if not chiefs:
            raise Unclear("nobody is the controller")
        writer = ""
        for line in text.split("\n"):
            heading = HEADING.match(line)
            if heading:
                writer = heading[1]
            elif line.strip() and not line.startswith(("#", "Taking part:")):
                for said in self._statements(line, writer == chiefs[1]):
                    self._take(said)
        always = self.mistake == "condition_ignored"
        return [
            order
            for order in self.orders.values()
            if order.holds and (order.condition or always) and OPEN not in order.values.values()
        ]

    def _statements(self, line: str, chief: bool) -> Iterator[Said]:
        """Yield what a paragraph says; Unclear if a sentence is of no known pattern."""
        parts = SENTENCE.split(line)
        at = 0
        while at < len(parts):
            for count in range(min(MOST_SENTENCES, len(parts) - at), 0, -1):
                said = self._statement(" ".join(parts[at : at + count]), chief)
                if said:
                    break
            else:
                raise Unclear(f"what does this mean: {parts[at]!r}?")
            if said.section:
                yield said
            at += count

    def _statement(self, text: str, chief: bool) -> Said | None:
        """Return what a text says in the first way of reading it that fits the tables, or None."""
        for section in (*STATED, "correct", "supply", "withdraw", "reinstate", "condition"):
            for slots in matches(section, text):
                try:
                    if section in STATED:
                        return Said(section, slots, chief, self._stated(section, slots))
                    if "topic" in slots:
                        return Said(section, slots, chief, self.orders[self._topic(slots["topic"])])
                    self._unpaid(slots)
                    return Said(section, slots, chief, self.last)
                except Unclear:
                    continue
        for section in ("chat", "why", "greeting", "farewell"):
            for _ in matches(section, text):
                return Said("", {}, chief, None)
        return None

    def _take(self, said: Said) -> None:
        if not said.order:
            raise Unclear("a condition of nothing")
        if said.section in STATED:
            self.last = said.order
            self.orders[self.last.kind, self.last.record] = self.last
        elif said.section == "condition":
            said.order.condition = self._unpaid(said.slots)
        else:
            self._follow(said, said.order)

    def _follow(self, said: Said, order: Order) -> None:
        """Apply a later statement, unless the controller has decided the point."""
        name = _field(said.slots["field"]) if "field" in said.slots else ""
        missed = {"correct": "corrections_missed", "withdraw": "withdrawals_missed"}
        if said.section != "supply" and self.mistake == missed.get(said.section, "reinstatements_missed"):
            return
        if name in order.decided and not said.chief and self.mistake != "rank_ignored":
            return
        if said.chief:
            order.decided.add(name)
        if name:
            order.values[name] = self._value(name, said.slots["new"])
        else:
            order.holds = said.section == "reinstate"

    def _stated(self, section: str, slots: Mapping[str, str]) -> Order:
        kind, _, more = section.partition(" ")
        values: dict[str, str] = {}
        for name in ("day", "month"):
            if name in slots:
                is_open = any(text.lower() in slots[name].lower() for text in sections()[f"open {name}"])
                values["start"] = OPEN if is_open else self._value("start", slots[name])
        for name in ("region", "plan", "code", "addon"):
            if name in slots:
                values[name] = self._key(name, slots[name])
        for name in ("name", "newcomer"):
            if name in slots:
                values[name] = slots[name]
        for name, text in (("price", "price"), ("amount", "amount"), ("percent", "share")):
            if text in slots:
                values[name] = self._value(name, slots[text])
        if "other" in slots:
            values["customer"] = self._key("customer", slots["other"])
        if kind == "addon":
            values["added"] = "yes" if more == "on" else ""
        if kind == "code" and more == "off":
            values["code"] = ""
        return Order(kind, self._record(kind, slots), values)

    def _record(self, kind: str, slots: Mapping[str, str]) -> str:
        table = {"move": "customer", "price": "plan", "rebrand": "addon", "share": "code", "fixed": "code"}
        if kind in table:
            return self._key(table[kind], slots[table[kind]])
        return self._subscription(slots["sub"])

    def _topic(self, text: str) -> tuple[str, str]:
        """Return kind and record of the request that a later message is about."""
        for section in sections():
            if section.startswith("topic "):
                for slots in matches(section, text):
                    kind = section.removeprefix("topic ")
                    key = kind, self._record(kind, slots)
                    if key in self.orders:
                        return key
        raise Unclear(f"no request is {text!r}")

    def _unpaid(self, slots: Mapping[str, str]) -> bool:
        key, month = self._subscription(slots["sub"]), self._value("start", slots["month"])
        rows = [r for r in self.books.invoices if (r["subscription_id"], r["period"]) == (key, month)]
        if len(rows) != 1:
            raise Unclear(f"{key} has {len(rows)} invoices of {month}")
        return rows[0]["status"] != "paid"

    def _value(self, name: str, text: str) -> str:
        if name == "region":
            return self._key("region", text)
        finders = {"start": (find_dates, find_months), "percent": (find_shares,)}.get(name, (find_amounts,))
        for find in finders:
            for _, _, value in find(text):
                return value
        raise Unclear(f"{text!r} is no {name}")

    def _key(self, table: str, text: str) -> str:
        """Return the key of the record that a text names or points at."""
        column = 0 if table == "code" else 1
        if table == "code" and " on " not in text:
            text = text.split()[-1]
        for key, row in self.records[table].items():
            if list(row.values())[column].lower() == text.lower():
                return key
        if table == "customer":
            for slots in matches("customer by plan", text):
                region, plan = self._key("region", slots["region"]), self._key("plan", slots["plan"])
                holders = {
                    row["customer_id"]
                    for row in self.books.subscriptions.values()
                    if row["plan_id"] == plan
                    and row["status"] == "active"
                    and self.books.customers[row["customer_id"]]["region_id"] == region
                }
                if len(holders) == 1:
                    return holders.pop()
        if table == "code":
            for slots in matches("code by sub", text):
                held = self._held(slots["customer"], slots["plan"])
                return self.books.subscriptions[held]["discount_code"]
        raise Unclear(f"no {table} is {text!r}")

    def _held(self, customer: str, plan: str) -> str:
        wanted = self._key("customer", customer), self._key("plan", plan)
        found = [
            key
            for key, row in self.books.subscriptions.items()
            if (row["customer_id"], row["plan_id"]) == wanted
        ]
        if len(found) != 1:
            raise Unclear(f"{customer} has {len(found)} subscriptions to {plan}")
        return found[0]

    def _subscription(self, text: str) -> str:
        for slots in matches("sub named", text):
            return self._held(slots["customer"], slots["plan"])
        for slots in matches("sub by total", text):
            total, month = cents(self._value("price", slots["total"])), self._value("start", slots["month"])
            found = [
                row["subscription_id"]
                for row in self.books.invoices
                if row["period"] == month
                and row["baked_total_usd"]
                and cents(row["baked_total_usd"]) == total
            ]
            if len(found) == 1:
                return found[0]
        raise Unclear(f"no subscription is {text!r}")


def _field(text: str) -> str:
    """Return the field that a word stands for."""
    for section, words in sections().items():
        if section.startswith("field ") and text.lower() in words:
            return section.split()[1]
    raise Unclear(f"{text!r} is no field")
