"""Settle one customer's receipts as the orders in force say."""

from collections.abc import Iterable, Sequence
from datetime import date
from typing import NamedTuple

from families.ledger.correspondence.acts import (
    ALL_BUT,
    BRANCH,
    DISPUTE,
    GROUP,
    HALVES,
    LARGE,
    LARGEST,
    NAMED,
    NEWEST,
    OLDEST,
    ORDERED,
    PART,
    PRACTICE,
    SEQUENCE,
    SMALLEST,
    OneOff,
)
from families.ledger.correspondence.frame import Frame, Invoice, Receipt, Settled
from families.ledger.correspondence.in_force import InForce


class Mark(NamedTuple):
    """A customer's account just before a receipt.

    receipt: its number.
    owed: open invoice -> cents left on it.
    applied: what the receipts before it settled.
    billed: how many invoices are dated before or on the day of the receipt before it.
    """

    receipt: int
    owed: dict[int, int]
    applied: list[tuple[int, int, int]]
    billed: int


NOTHING_YET = Mark(0, {}, [], 0)


def settle(
    frame: Frame,
    invoices: Sequence[Invoice],
    receipts: Sequence[Receipt],
    force: InForce,
    since: Mark = NOTHING_YET,
    marks: list[Mark] | None = None,
) -> Settled:
    """Settle a customer's receipts; what finds no invoice is left unapplied.

    since: where to begin, if what came before is known.
    marks: gets the mark before every receipt.
    """
    owed, applied, billed = dict(since.owed), list(since.applied), since.billed
    disputes, count = force.orders[DISPUTE], len(invoices)
    for number in range(since.receipt, len(receipts)):
        receipt = receipts[number]
        day = receipt.day
        if marks is not None:
            marks.append(Mark(number, dict(owed), list(applied), billed))
        while billed < count and invoices[billed].day <= day:
            owed[billed] = invoices[billed].amount
            billed += 1
        free = dict(owed)
        for order in disputes:
            if order.first <= day <= order.last:
                free.pop(order.number, None)
        for i, part in _pieces(frame, number, receipt, free, invoices, force):
            applied.append((number, i, part))
            owed[i] -= part
            if not owed[i]:
                del owed[i]
    for i in range(billed, count):
        owed[i] = invoices[i].amount
    return Settled(owed, applied)


def _pieces(
    frame: Frame,
    number: int,
    receipt: Receipt,
    free: dict[int, int],
    invoices: Sequence[Invoice],
    force: InForce,
) -> list[tuple[int, int]]:
    """Return (invoice, cents) that a receipt settles of what is open and not disputed, in order."""
    pieces: list[tuple[int, int]] = []
    left, barred, rest = receipt.amount, "", ""
    one_off = force.one_offs.get(number)
    if one_off is not None:
        left = _split(one_off, left, free, invoices, pieces)
        barred = one_off.branches[0] if one_off.split == ALL_BUT else ""
        rest = one_off.rest
    if left:
        for i in _order(frame, receipt, left, free, invoices, force, rest):
            if barred and invoices[i].branch == barred:
                continue
            part = free[i]
            if part >= left:
                pieces.append((i, left))
                break
            pieces.append((i, part))
            left -= part
    return pieces


def by_sequence(sequence: str, free: dict[int, int]) -> list[int]:
    """Return open invoices in a sequence; of equal amounts the older invoice comes first."""
    if sequence == OLDEST:
        return list(free)
    if sequence == NEWEST:
        return list(free)[::-1]
    if sequence == LARGEST:
        return sorted(free, key=lambda i: (-free[i], i))
    if sequence == SMALLEST:
        return sorted(free, key=lambda i: (free[i], i))
    raise ValueError(f"{sequence!r} is no sequence")


def month_of(day: int) -> int:
    """Return the month of a day, counted so that neighbouring months differ by one."""
    when = date.fromordinal(day)
    return when.year * 12 + when.month - 1


def group(one_off: OneOff, free: dict[int, int], invoices: Sequence[Invoice]) -> list[int]:
    """Return the open invoices that a GROUP means, the oldest first."""
    branch = one_off.branches[0]
    return [i for i in free if invoices[i].branch == branch and month_of(invoices[i].day) == one_off.month]


def _order(
    frame: Frame,
    receipt: Receipt,
    left: int,
    free: dict[int, int],
    invoices: Sequence[Invoice],
    force: InForce,
    rest: str,
) -> Sequence[int]:
    """Return the open invoices in the order that takes what is left of a receipt."""
    if rest:
        return by_sequence(rest, free)
    day = receipt.day
    large = force.on(LARGE, day)
    is_large = large is not None and receipt.amount > large.number
    ordered = large if is_large else force.on(SEQUENCE, day)
    turns: Sequence[int]
    if ordered is None or ordered.value == PRACTICE:
        turns = frame.practice(day, free, left, receipt.cited)
    else:
        turns = by_sequence(ordered.value, free)
    branch = force.on(BRANCH, day)
    if branch is None or not branch.value:
        return turns
    ahead = [i for i in turns if invoices[i].branch == branch.value]
    return ahead + [i for i in turns if invoices[i].branch != branch.value]


def _split(
    one_off: OneOff,
    left: int,
    free: dict[int, int],
    invoices: Sequence[Invoice],
    pieces: list[tuple[int, int]],
) -> int:
    """Apply a one-off to what is open, and return what it leaves of the receipt."""

    def pay(targets: Iterable[int], cents: int) -> int:
        for i in targets:
            part = min(cents, free.get(i, 0))
            if part:
                pieces.append((i, part))
                cents -= part
                free[i] -= part
                if not free[i]:
                    del free[i]
        return cents

    if one_off.split == NAMED:
        return pay(one_off.invoices, left)
    if one_off.split == PART:
        share = min(one_off.cents, left)
        return left - share + pay(one_off.invoices, share)
    if one_off.split == GROUP:
        return pay(group(one_off, free, invoices), left)
    if one_off.split == HALVES:
        one, other = ([i for i in free if invoices[i].branch == branch] for branch in one_off.branches)
        half = left // 2
        return pay(one, half) + pay(other, left - half)
    assert one_off.split in (ALL_BUT, ORDERED), one_off.split
    return left
