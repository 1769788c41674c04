"""Find, by elimination, the practice that the receipts applied by hand show.

Receipts are applied in one of the `settling.ORDERS`, from some day on in another one, and those that
meet one condition (on their `traits`) in a third. Of all such practices that apply every receipt as
it was applied by hand, the simplest is taken: one order for all, or two, or an exception as well.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import accumulate, product
from operator import and_
from typing import NamedTuple

from families.ledger.solver.settling import ORDERS, Account, Order, cited_then_oldest, oldest, shares
from families.ledger.solver.sheets import Entry, UnclearFiles, WorkedReceipt

ALWAYS = date.min
ALL = (1 << len(ORDERS)) - 1  # a set of orders is a number: bit i is ORDERS[i]
Traits = Mapping[str, int | str]


class Condition(NamedTuple):
    """What the exceptional receipts have in common: a trait that is, is over or is under a value."""

    trait: str
    relation: str
    value: int | str

    def holds(self, traits: Traits) -> bool:
        value = traits.get(self.trait)
        if isinstance(value, int) and isinstance(self.value, int):
            return value > self.value if self.relation == "over" else value < self.value
        return value == self.value


@dataclass(frozen=True, slots=True)
class Practice:
    """How receipts are applied: in the order `before`, from the day `since` on in the order `after`.

    Receipts that meet the condition are applied in the order `instead`.
    """

    before: Order
    after: Order
    since: date = ALWAYS
    condition: Condition | None = None
    instead: Order | None = None

    def order_of(self, account: Account, receipt: Entry, cited: str) -> Order:
        if self.condition and self.instead and self.condition.holds(traits(account, receipt, cited)):
            return self.instead
        return self.before if receipt.day < self.since else self.after


CITATION_ALWAYS = Practice(cited_then_oldest, cited_then_oldest)
CITATION_NEVER = Practice(oldest, oldest)


class Observation(NamedTuple):
    """A receipt applied by hand, and the orders (a set) that apply it so."""

    entry: Entry
    orders: int
    traits: Traits


def traits(account: Account, receipt: Entry, cited: str) -> Traits:
    """Return what a condition can be about; there is no age unless an open invoice is cited."""
    known: dict[str, int | str] = {
        "narration": receipt.narration,
        "customer": account.customer,
        "amount": -receipt.cents,
        "open": len(account.owed),
    }
    if cited in account.owed:
        known["age"] = (receipt.day - account.billed[cited].day).days
    return known


def induce(
    customers: Mapping[str, Sequence[Entry]], cites: Mapping[str, str], worked: Iterable[WorkedReceipt]
) -> Practice:
    """Return the simplest practice that applies every receipt as it was applied by hand.

    customers: the entries of each, in the order in which they take effect.
    cites: receipt -> invoice.

    Raises UnclearFiles if no practice does.
    """
    by_hand = {line.receipt: line for line in worked}
    receipts = [entry for entries in customers.values() for entry in entries if entry.voucher in by_hand]
    if len(receipts) < len(by_hand) or not receipts:
        raise UnclearFiles("receipts that were applied by hand are not in the ledger")
    stop = max(receipts)
    by_customer = [
        list(_readings(Account(customer), [e for e in entries if e <= stop], cites, by_hand))
        for customer, entries in customers.items()
    ]
    readings = [sorted(row for rows in each for row in rows) for each in product(*by_customer)]
    for simple in (_one_order, _two_orders, _with_exception):
        for rows in readings:
            if practice := next(simple(rows), None):
                return practice
    raise UnclearFiles("the receipts that were applied by hand show no practice that is known here")


def _readings(
    account: Account,
    entries: Sequence[Entry],
    cites: Mapping[str, str],
    by_hand: Mapping[str, WorkedReceipt],
) -> Iterator[list[Observation]]:
    """Yield a customer's observations: several readings if a receipt in between was not applied by hand."""
    rows: list[Observation] = []
    for place, entry in enumerate(entries):
        if entry.cents > 0:
            account.bill(entry)
            continue
        cited = cites.get(entry.voucher, "")
        outcomes = [shares(account.owed, order(account.owed, cited), -entry.cents) for order in ORDERS]
        known = traits(account, entry, cited)
        if line := by_hand.get(entry.voucher):
            orders = sum(1 << i for i, parts in enumerate(outcomes) if parts == line.settles)
            if not orders or line.unapplied != -entry.cents - sum(line.settles.values()):
                return
            rows.append(Observation(entry, orders, known))
            account.receive(entry, line.settles)
            continue
        for parts in [parts for i, parts in enumerate(outcomes) if parts not in outcomes[:i]]:
            orders = sum(1 << i for i, other in enumerate(outcomes) if other == parts)
            branch = account.copy()
            branch.receive(entry, parts)
            for rest in _readings(branch, entries[place + 1 :], cites, by_hand):
                yield [*rows, Observation(entry, orders, known), *rest]
        return
    yield rows


def _one_order(rows: Sequence[Observation]) -> Iterator[Practice]:
    """Yield the practices of one order for all."""
    for order in _members(_common(rows)):
        yield Practice(order, order)


def _two_orders(rows: Sequence[Observation]) -> Iterator[Practice]:
    """Yield the practices of one order and, from some day on, another."""
    first = list(accumulate((row.orders for row in rows), and_))
    last = list(accumulate((row.orders for row in reversed(rows)), and_))[::-1]
    for place in range(1, len(rows)):
        since = rows[place].entry.day
        if rows[place - 1].entry.day < since:
            for before, after in product(_members(first[place - 1]), _members(last[place])):
                yield Practice(before, after, since)


def _with_exception(rows: Sequence[Observation]) -> Iterator[Practice]:
    """Yield the practices of one order or two, and another one for exceptional receipts."""
    simple: Callable[[Sequence[Observation]], Iterator[Practice]]
    for simple, condition in product((_one_order, _two_orders), _conditions(rows)):
        rest = [row for row in rows if not condition.holds(row.traits)]
        exceptional = [row for row in rows if condition.holds(row.traits)]
        for practice, instead in product(simple(rest), _members(_common(exceptional))):
            yield Practice(practice.before, practice.after, practice.since, condition, instead)


def _conditions(rows: Sequence[Observation]) -> Iterator[Condition]:
    """Yield all conditions that separate some of the rows from others."""
    for trait, relations in (
        ("narration", ("is",)),
        ("customer", ("is",)),
        ("amount", ("over", "under")),
        ("age", ("over",)),
        ("open", ("over",)),
    ):
        for value in sorted({row.traits[trait] for row in rows if trait in row.traits}, key=str):
            for relation in relations:
                yield Condition(trait, relation, value)


def _common(rows: Iterable[Observation]) -> int:
    """Return the orders that apply all the rows."""
    orders = ALL
    for row in rows:
        orders &= row.orders
    return orders


def _members(orders: int) -> list[Order]:
    return [order for i, order in enumerate(ORDERS) if orders >> i & 1]
