"""Settle one customer's receipts as its instructions say.

`in_force` turns instructions, some of them missed, into what holds when; `settle` applies it.
"""

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
    Correction,
    Delegation,
    Instruction,
    OneOff,
    StandingOrder,
    Until,
    Void,
)
from families.ledger.correspondence.frame import Frame, Invoice, Receipt, Settled

Missed = frozenset[str]
NOTHING_MISSED: Missed = frozenset()


class InForce(NamedTuple):
    """What a customer's instructions come to.

    orders: matter -> its standing orders, the one that prevails before those it prevails over.
    one_offs: receipt -> its one-off.
    """

    orders: dict[str, list[StandingOrder]]
    one_offs: dict[int, OneOff]

    def on(self, matter: str, day: int) -> StandingOrder | None:
        """Return the standing order that holds on a day, or None."""
        for order in self.orders[matter]:
            if order.first <= day <= order.last:
                return order
        return None


def live_acts(instructions: Iterable[Instruction], missed: Missed) -> dict[str, StandingOrder | OneOff]:
    """Return the orders that a reader takes from a customer's mails who misses some instructions."""
    live: dict[str, StandingOrder | OneOff] = {}
    later: list[Instruction] = []
    for one in instructions:
        act = one.act
        if isinstance(act, (StandingOrder, OneOff)):
            if one.id not in missed:
                live[one.id] = act
        elif isinstance(act, Void):
            if one.id in missed:
                live[one.id] = act.act
        elif not isinstance(act, Delegation):
            later.append(one)
    for one in later:
        if isinstance(one.act, Correction) and one.id in missed and one.act.target in live:
            live[one.act.target] = one.act.instead
    for one in later:
        if isinstance(one.act, Until) and one.id not in missed:
            target = live.get(one.act.target)
            if isinstance(target, StandingOrder):
                live[one.act.target] = target._replace(last=one.act.last)
    return live


def in_force(
    instructions: Sequence[Instruction],
    missed: Missed = NOTHING_MISSED,
    others: Sequence[Sequence[Instruction]] = (),
) -> InForce:
    """Return what a customer's instructions come to for a reader who misses some.

    others: the instructions of all customers, for those that this one leaves matters to.
    """
    live = live_acts(instructions, missed)
    orders: dict[str, list[StandingOrder]] = {SEQUENCE: [], BRANCH: [], LARGE: [], DISPUTE: []}
    one_offs: dict[int, OneOff] = {}
    for act in live.values():
        if isinstance(act, OneOff):
            one_offs[act.receipt] = act
        elif not act.needs or act.needs in live:
            orders[act.matter].append(act)
    for one in instructions:
        if isinstance(one.act, Delegation) and one.id not in missed:
            for order in delegated(one.act, others[one.act.customer], missed):
                orders[order.matter].append(order)
    for rivals in orders.values():
        if len(rivals) > 1:
            rivals.sort(key=_precedence)
    return InForce(orders, one_offs)


def delegated(act: Delegation, instructions: Sequence[Instruction], missed: Missed) -> list[StandingOrder]:
    """Return the standing orders of another customer that a delegation takes over."""
    return [
        order
        for order in live_acts(instructions, missed).values()
        if isinstance(order, StandingOrder)
        and order.matter in act.matters
        and order.writer == act.person
        and order.written >= act.first
    ]


def _precedence(order: StandingOrder) -> tuple[int, int]:
    return -order.first, -order.written


def settle(frame: Frame, invoices: Sequence[Invoice], receipts: Sequence[Receipt], force: InForce) -> Settled:
    """Settle a customer's receipts; what finds no invoice is left unapplied."""
    owed: dict[int, int] = {}
    applied: list[tuple[int, int, int]] = []
    disputes = force.orders[DISPUTE]
    billed, count = 0, len(invoices)
    for number, receipt in enumerate(receipts):
        day = receipt.day
        while billed < count and invoices[billed].day <= day:
            owed[billed] = invoices[billed].amount
            billed += 1
        held = [order.number for order in disputes if order.first <= day <= order.last]
        free = {i: cents for i, cents in owed.items() if i not in held}
        left, barred = receipt.amount, ""
        before = len(applied)
        one_off = force.one_offs.get(number)
        if one_off is not None:
            left = _split(one_off, number, left, free, invoices, applied)
            barred = one_off.branches[0] if one_off.split == ALL_BUT else ""
        if left:
            rest = one_off.rest if one_off is not None else ""
            for i in _order(frame, receipt, left, free, invoices, force, rest):
                if barred and invoices[i].branch == barred:
                    continue
                part = min(left, free[i])
                applied.append((number, i, part))
                left -= part
                if not left:
                    break
        for _, i, part in applied[before:]:
            owed[i] -= part
            if not owed[i]:
                del owed[i]
    for i in range(billed, count):
        owed[i] = invoices[i].amount
    return Settled(owed, applied)


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
    number: int,
    left: int,
    free: dict[int, int],
    invoices: Sequence[Invoice],
    applied: list[tuple[int, int, int]],
) -> int:
    """Apply a one-off to what is open, and return what it leaves of the receipt."""

    def pay(targets: Iterable[int], cents: int) -> int:
        for i in targets:
            part = min(cents, free.get(i, 0))
            if part:
                applied.append((number, i, part))
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
