"""Which receipt pays which invoice: the settlement on which both ledger families are built.

All amounts are whole cents, so nothing is ever rounded. Customers settle separately; the entries of
one customer take effect in the order they are given. `owed` always maps an open invoice to the
cents left on it, oldest invoice first.
"""

from collections.abc import Callable, Hashable, Iterable
from typing import NamedTuple, TypeVar

K = TypeVar("K", bound=Hashable)  # the type of an invoice's key

# A base is one of the four ways to settle a receipt; policies are made of them.
CITED_FIRST, OLDEST, NEWEST, CITED_ONLY = BASES = (0, 1, 2, 3)
BASE_NAMES = (
    "the cited invoice, then the oldest",
    "the oldest first",
    "the newest first",
    "the cited invoice only",
)


class Event(NamedTuple):
    """An entry of one customer: an invoice if `amount` is positive, a receipt if negative.

    number: of a receipt among all receipts, in the order in which they take effect; -1 for an invoice.
    day: a proleptic ordinal.
    cited: the voucher of the invoice that a receipt cites, or whatever else it cites.
    """

    number: int
    day: int
    voucher: str
    code: str
    amount: int
    cited: str = ""
    narration: str = ""


Policy = Callable[[Event, int], int]  # (receipt, number of open invoices) -> the base that settles it


class Settlement(NamedTuple):
    """How one customer's entries settle.

    owed: open invoice -> cents left on it, oldest first.
    applied: (receipt, invoice, cents), in order.
    unapplied: receipt -> cents left of it, if any.
    """

    owed: dict[str, int]
    applied: list[tuple[str, str, int]]
    unapplied: dict[str, int]


def settling_order(base: int, owed: dict[K, int], cited: K) -> list[K]:
    """Return the open invoices that a receipt may settle, in the order in which it does."""
    if base == CITED_ONLY:
        return [cited] if cited in owed else []
    if base == NEWEST:
        return list(owed)[::-1]
    if base == CITED_FIRST and cited in owed:
        return [cited, *(voucher for voucher in owed if voucher != cited)]
    return list(owed)


def allocation(base: int, owed: dict[K, int], cited: K, cents: int) -> dict[K, int]:
    """Return what each invoice gets of a receipt of `cents`."""
    pieces = {}
    for voucher in settling_order(base, owed, cited):
        if not cents:
            break
        pieces[voucher] = part = min(cents, owed[voucher])
        cents -= part
    return pieces


def settle(events: Iterable[Event], policy: Policy, carried: bool = False) -> Settlement:
    """Settle one customer's entries.

    carried: keep cash that finds no open invoice for later invoices, instead of leaving it unapplied.
    """
    owed: dict[str, int] = {}
    applied: list[tuple[str, str, int]] = []
    unapplied: dict[str, int] = {}
    for event in events:
        if event.amount > 0:
            owed[event.voucher] = event.amount
            if carried:
                _use_carried_cash(event.voucher, owed, applied, unapplied)
            continue
        left = -event.amount
        for voucher, part in allocation(policy(event, len(owed)), owed, event.cited, left).items():
            left -= part
            applied.append((event.voucher, voucher, part))
            reduce(owed, voucher, part)
        if left:
            unapplied[event.voucher] = left
    return Settlement(owed, applied, unapplied)


def reduce(owed: dict[K, int], voucher: K, cents: int) -> None:
    """Take cents off an open invoice, and remove it once nothing is left on it."""
    owed[voucher] -= cents
    if not owed[voucher]:
        del owed[voucher]


def _use_carried_cash(
    voucher: str, owed: dict[str, int], applied: list[tuple[str, str, int]], unapplied: dict[str, int]
) -> None:
    """Settle a new invoice from unapplied cash, oldest receipt first."""
    for receipt in list(unapplied):
        part = min(unapplied[receipt], owed.get(voucher, 0))
        if part:
            applied.append((receipt, voucher, part))
            reduce(owed, voucher, part)
            reduce(unapplied, receipt, part)
