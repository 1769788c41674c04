"""Orders that somebody might read out of a memo, besides those that practices have.

The parameters are bounds in days; only bounds between the ages that occur matter.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from families.ledger.domain.practice import ORDERS, Look, Order, cited_open, exact_open


def _then(first: Iterable[int], rest: Iterable[int]) -> list[int]:
    return list(dict.fromkeys([*first, *rest]))


def _pays_in_full(look: Look) -> list[int]:
    """Return the open invoices that the receipt can pay off, oldest first."""
    left, found = look.cents, []
    for invoice, owed in look.owed.items():
        if owed <= left:
            found.append(invoice)
            left -= owed
    return found


OWN_CODE = "those of the receipt's code first"
FIXED: dict[str, Order] = {
    **ORDERS,
    "the one billed at most first": lambda k: sorted(k.owed, key=lambda i: -k.face[i]),
    "the one billed at least first": lambda k: sorted(k.owed, key=k.face.__getitem__),
    "the cited one only": cited_open,
    "the cited one if the amount is exact": lambda k: _then(
        [i for i in cited_open(k) if k.owed[i] == k.cents], k.owed
    ),
    "the cited one, then the newest": lambda k: _then(cited_open(k), list(k.owed)[::-1]),
    "the exact one, then the cited one": lambda k: _then([*exact_open(k), *cited_open(k)], k.owed),
    "the cited one, then the exact one": lambda k: _then([*cited_open(k), *exact_open(k)], k.owed),
    "the exact one, then the newest": lambda k: _then(exact_open(k), list(k.owed)[::-1]),
    OWN_CODE: lambda k: sorted(k.owed, key=lambda i: k.codes[i] != k.code),
    "those paid in part first": lambda k: sorted(k.owed, key=lambda i: k.owed[i] == k.face[i]),
    "those that can be paid in full first": lambda k: _then(_pays_in_full(k), k.owed),
}

# Those that look at nothing but what is open, the amount and what is cited.
BLIND: Mapping[str, Order] = {
    name: order
    for name, order in FIXED.items()
    if "billed" not in name and "code" not in name and "in part" not in name
}


def _if_cited_is_young(days: int) -> Order:
    return lambda k: _then([i for i in cited_open(k) if k.day - k.billed[i] <= days], k.owed)


def _if_cited_is_old(days: int) -> Order:
    return lambda k: _then([i for i in cited_open(k) if k.day - k.billed[i] > days], k.owed)


def _if_oldest_is_young(days: int) -> Order:
    return lambda k: _then(
        cited_open(k) if k.owed and k.day - k.billed[next(iter(k.owed))] <= days else (), k.owed
    )


class RivalOrder(NamedTuple):
    """An order; rules: how many rules of a practice it counts for, two if it has a bound."""

    name: str
    order: Order
    rules: int = 1


def rival_orders(cited_ages: Iterable[int], oldest_ages: Iterable[int]) -> Iterator[RivalOrder]:
    """Yield every order of the class.

    cited_ages, oldest_ages: how many days old cited invoices, and the oldest open ones, are at receipts.
    """
    for name, order in FIXED.items():
        yield RivalOrder(name, order)
    for days in sorted(set(cited_ages))[:-1]:
        yield RivalOrder(f"the cited one if it is at most {days} days old", _if_cited_is_young(days), 2)
        yield RivalOrder(f"the cited one if it is over {days} days old", _if_cited_is_old(days), 2)
    for days in sorted(set(oldest_ages))[:-1]:
        name = f"the cited one while the oldest is at most {days} days old"
        yield RivalOrder(name, _if_oldest_is_young(days), 2)
