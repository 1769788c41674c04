"""The practice that receipts put to invoices by hand show, found by elimination.

Receipts are put by one of the `settling.ORDERS`, from some day on by another one, and those of
which one thing is true (`traits`) by a third. Of all such practices that put every receipt as it
was put by hand the simplest is taken: one order for all, or two, or an exception as well.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import accumulate, product
from operator import and_
from typing import NamedTuple

from families.ledger.solver.settling import ORDERS, Account, Order, cited_then_oldest, oldest, shares
from families.ledger.solver.sheets import Entry, Unclear, Worked

ALWAYS = date.min
ALL = (1 << len(ORDERS)) - 1  # a set of orders is a number: bit i stands for ORDERS[i]
Traits = Mapping[str, int | str]


class Exceptional(NamedTuple):
    """What is true of the receipts that make the exception: a trait is, is over or is under a value."""

    trait: str
    relation: str
    value: int | str

    def fits(self, traits: Traits) -> bool:
        value = traits.get(self.trait)
        if isinstance(value, int) and isinstance(self.value, int):
            return value > self.value if self.relation == "over" else value < self.value
        return value == self.value


@dataclass(frozen=True, slots=True)
class Practice:
    """Receipts are put by `before`, from the day `since` on by `after`, exceptional ones by `instead`."""

    before: Order
    after: Order
    since: date = ALWAYS
    exceptional: Exceptional | None = None
    instead: Order | None = None

    def order_of(self, account: Account, receipt: Entry, cited: str) -> Order:
        if self.exceptional and self.instead and self.exceptional.fits(traits(account, receipt, cited)):
            return self.instead
        return self.before if receipt.day < self.since else self.after


CITATION_ALWAYS = Practice(cited_then_oldest, cited_then_oldest)
CITATION_NEVER = Practice(oldest, oldest)


class Row(NamedTuple):
    """A receipt put by hand. orders: those that put it so."""

    entry: Entry
    orders: int
    traits: Traits


def traits(account: Account, receipt: Entry, cited: str) -> Traits:
    """What an exception can be made of; there is no age unless an open invoice is cited."""
    found: dict[str, int | str] = {
        "narration": receipt.narration,
        "customer": account.customer,
        "amount": -receipt.cents,
        "open": len(account.owed),
    }
    if cited in account.owed:
        found["age"] = (receipt.day - account.billed[cited].day).days
    return found


def induce(
    customers: Mapping[str, Sequence[Entry]], cites: Mapping[str, str], worked: Iterable[Worked]
) -> Practice:
    """The simplest practice that puts every receipt as it was put by hand; Unclear if none does.

    customers: the entries of each in the order that they take effect in. cites: receipt -> invoice.
    """
    by_hand = {line.receipt: line for line in worked}
    receipts = [entry for entries in customers.values() for entry in entries if entry.voucher in by_hand]
    if len(receipts) < len(by_hand) or not receipts:
        raise Unclear("receipts that were put by hand are not in the ledger")
    stop = max(receipts)
    told = [
        list(_readings(Account(customer), [e for e in entries if e <= stop], cites, by_hand))
        for customer, entries in customers.items()
    ]
    readings = [sorted(row for rows in each for row in rows) for each in product(*told)]
    for simple in (_one, _two, _with_exception):
        for rows in readings:
            if practice := next(simple(rows), None):
                return practice
    raise Unclear("the receipts that were put by hand show no practice that is known here")


def _readings(
    account: Account, entries: Sequence[Entry], cites: Mapping[str, str], by_hand: Mapping[str, Worked]
) -> Iterator[list[Row]]:
    """The rows of a customer; several readings if a receipt between them was not put by hand."""
    rows: list[Row] = []
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
            rows.append(Row(entry, orders, known))
            account.receive(entry, line.settles)
            continue
        for parts in [parts for i, parts in enumerate(outcomes) if parts not in outcomes[:i]]:
            orders = sum(1 << i for i, other in enumerate(outcomes) if other == parts)
            branch = account.copy()
            branch.receive(entry, parts)
            for rest in _readings(branch, entries[place + 1 :], cites, by_hand):
                yield [*rows, Row(entry, orders, known), *rest]
        return
    yield rows


def _one(rows: Sequence[Row]) -> Iterator[Practice]:
    """The practices of one order for all."""
    for order in _members(_common(rows)):
        yield Practice(order, order)


def _two(rows: Sequence[Row]) -> Iterator[Practice]:
    """The practices of one order and, from some day on, another."""
    first = list(accumulate((row.orders for row in rows), and_))
    last = list(accumulate((row.orders for row in reversed(rows)), and_))[::-1]
    for place in range(1, len(rows)):
        since = rows[place].entry.day
        if rows[place - 1].entry.day < since:
            for before, after in product(_members(first[place - 1]), _members(last[place])):
                yield Practice(before, after, since)


def _with_exception(rows: Sequence[Row]) -> Iterator[Practice]:
    """The practices of one order or two, and another one for exceptional receipts."""
    simple: Callable[[Sequence[Row]], Iterator[Practice]]
    for simple, exceptional in product((_one, _two), _conditions(rows)):
        rest = [row for row in rows if not exceptional.fits(row.traits)]
        apart = [row for row in rows if exceptional.fits(row.traits)]
        for practice, instead in product(simple(rest), _members(_common(apart))):
            yield Practice(practice.before, practice.after, practice.since, exceptional, instead)


def _conditions(rows: Sequence[Row]) -> Iterator[Exceptional]:
    """All exceptions that tell some of the rows from others."""
    for trait, relations in (
        ("narration", ("is",)),
        ("customer", ("is",)),
        ("amount", ("over", "under")),
        ("age", ("over",)),
        ("open", ("over",)),
    ):
        for value in sorted({row.traits[trait] for row in rows if trait in row.traits}, key=str):
            for relation in relations:
                yield Exceptional(trait, relation, value)


def _common(rows: Iterable[Row]) -> int:
    """The orders that put all the rows."""
    found = ALL
    for row in rows:
        found &= row.orders
    return found


def _members(orders: int) -> list[Order]:
    return [order for i, order in enumerate(ORDERS) if orders >> i & 1]
