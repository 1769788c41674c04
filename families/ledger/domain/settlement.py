"""Who pays which invoice: the one settlement that both ledger families stand on.

All amounts are whole cents, so nothing is ever rounded. Customers settle apart from each
other; within one, entries take effect in the order they are given.
"""

from collections.abc import Callable, Hashable, Iterable
from typing import NamedTuple, TypeVar

K = TypeVar("K", bound=Hashable)  # what invoices are known by

# The four ways to settle a receipt that policies are made of.
CITED_FIRST, OLDEST, NEWEST, CITED_ONLY = BASES = (0, 1, 2, 3)
BASE_NAMES = (
    "the cited invoice, then the oldest",
    "the oldest first",
    "the newest first",
    "the cited invoice only",
)


class Event(NamedTuple):
    """An entry of one customer: an invoice if `amount` is above zero, a receipt if below.

    n: the receipt's number among all receipts, in the order in which they take effect; -1 for
    an invoice. cited: the voucher of the invoice that a receipt cites, or what else it cites.
    """

    n: int
    day: int
    voucher: str
    code: str
    amount: int
    cited: str = ""
    narration: str = ""


class Settled(NamedTuple):
    """open: what is left of each invoice, oldest first, paid ones left out. applied: (receipt,
    invoice, cents), in order. unapplied: what is left of each receipt, if anything."""

    open: dict[str, int]
    applied: list[tuple[str, str, int]]
    unapplied: dict[str, int]


def order(base: int, open_: dict[K, int], cited: K) -> list[K]:
    """The open invoices that a receipt may settle, in the order it does; `open_` is oldest first."""
    if base == CITED_ONLY:
        return [cited] if cited in open_ else []
    if base == NEWEST:
        return list(open_)[::-1]
    if base == CITED_FIRST and cited in open_:
        return [cited, *(voucher for voucher in open_ if voucher != cited)]
    return list(open_)


def allocation(base: int, open_: dict[K, int], cited: K, cents: int) -> dict[K, int]:
    """What each invoice gets of a receipt of so many cents."""
    pieces = {}
    for voucher in order(base, open_, cited):
        if not cents:
            break
        pieces[voucher] = part = min(cents, open_[voucher])
        cents -= part
    return pieces


def settle(events: Iterable[Event], choose: Callable[[Event, int], int], carried: bool = False) -> Settled:
    """Settle one customer's entries.

    choose(receipt, how many invoices are open) gives the base that settles a receipt. carried:
    whether cash that nothing was open for waits for later invoices; otherwise it stays unapplied.
    """
    open_: dict[str, int] = {}
    applied: list[tuple[str, str, int]] = []
    unapplied: dict[str, int] = {}
    for event in events:
        if event.amount > 0:
            open_[event.voucher] = event.amount
            if carried:
                _use_up(event.voucher, open_, applied, unapplied)
            continue
        left = -event.amount
        for voucher, part in allocation(choose(event, len(open_)), open_, event.cited, left).items():
            left -= part
            applied.append((event.voucher, voucher, part))
            reduce(open_, voucher, part)
        if left:
            unapplied[event.voucher] = left
    return Settled(open_, applied, unapplied)


def reduce(open_: dict[K, int], voucher: K, cents: int) -> None:
    """Take so many cents off an open invoice; one that is paid is open no more."""
    open_[voucher] -= cents
    if not open_[voucher]:
        del open_[voucher]


def _use_up(
    voucher: str, open_: dict[str, int], applied: list[tuple[str, str, int]], unapplied: dict[str, int]
) -> None:
    """Settle a new invoice from the cash that waits, oldest first."""
    for receipt in list(unapplied):
        part = min(unapplied[receipt], open_.get(voucher, 0))
        if part:
            applied.append((receipt, voucher, part))
            reduce(open_, voucher, part)
            reduce(unapplied, receipt, part)
