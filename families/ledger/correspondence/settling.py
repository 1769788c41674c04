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
    Single,
    Stand,
    Until,
    Void,
)
from families.ledger.correspondence.frame import Frame, Invoice, Receipt, Settled

Missed = frozenset[str]
NOTHING_MISSED: Missed = frozenset()


class InForce(NamedTuple):
    """What a customer's instructions come to.

    stands: matter -> its standing orders, the one that prevails before those it prevails over.
    singles: receipt -> its one-off.
    """

    stands: dict[str, list[Stand]]
    singles: dict[int, Single]

    def on(self, matter: str, day: int) -> Stand | None:
        """Return the standing order that holds on a day, or None."""
        for stand in self.stands[matter]:
            if stand.first <= day <= stand.last:
                return stand
        return None


def live_acts(instructions: Iterable[Instruction], missed: Missed) -> dict[str, Stand | Single]:
    """Return the orders that a reader takes from a customer's mails who misses some instructions."""
    live: dict[str, Stand | Single] = {}
    later: list[Instruction] = []
    for one in instructions:
        act = one.act
        if isinstance(act, (Stand, Single)):
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
            if isinstance(target, Stand):
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
    stands: dict[str, list[Stand]] = {SEQUENCE: [], BRANCH: [], LARGE: [], DISPUTE: []}
    singles: dict[int, Single] = {}
    for act in live.values():
        if isinstance(act, Single):
            singles[act.receipt] = act
        elif not act.needs or act.needs in live:
            stands[act.matter].append(act)
    for one in instructions:
        if isinstance(one.act, Delegation) and one.id not in missed:
            for stand in delegated(one.act, others[one.act.customer], missed):
                stands[stand.matter].append(stand)
    for orders in stands.values():
        if len(orders) > 1:
            orders.sort(key=_precedence)
    return InForce(stands, singles)


def delegated(act: Delegation, instructions: Sequence[Instruction], missed: Missed) -> list[Stand]:
    """Return the standing orders of another customer that a delegation takes over."""
    return [
        stand
        for stand in live_acts(instructions, missed).values()
        if isinstance(stand, Stand)
        and stand.matter in act.matters
        and stand.writer == act.person
        and stand.written >= act.first
    ]


def _precedence(stand: Stand) -> tuple[int, int]:
    return -stand.first, -stand.written


def settle(frame: Frame, invoices: Sequence[Invoice], receipts: Sequence[Receipt], force: InForce) -> Settled:
    """Settle a customer's receipts; what finds no invoice is left unapplied."""
    owed: dict[int, int] = {}
    applied: list[tuple[int, int, int]] = []
    disputes = force.stands[DISPUTE]
    billed, count = 0, len(invoices)
    for number, receipt in enumerate(receipts):
        day = receipt.day
        while billed < count and invoices[billed].day <= day:
            owed[billed] = invoices[billed].amount
            billed += 1
        held = [stand.number for stand in disputes if stand.first <= day <= stand.last]
        free = {i: cents for i, cents in owed.items() if i not in held}
        left, barred = receipt.amount, ""
        before = len(applied)
        single = force.singles.get(number)
        if single is not None:
            left = _split(single, number, left, free, invoices, applied)
            barred = single.branches[0] if single.split == ALL_BUT else ""
        if left:
            rest = single.rest if single is not None else ""
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


def group(single: Single, free: dict[int, int], invoices: Sequence[Invoice]) -> list[int]:
    """Return the open invoices that a GROUP means, the oldest first."""
    branch = single.branches[0]
    return [i for i in free if invoices[i].branch == branch and month_of(invoices[i].day) == single.month]


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
    stand = large if large is not None and receipt.amount > large.number else force.on(SEQUENCE, day)
    order: Sequence[int]
    if stand is None or stand.order == PRACTICE:
        order = frame.practice(day, free, left, receipt.cited)
    else:
        order = by_sequence(stand.order, free)
    branch = force.on(BRANCH, day)
    if branch is None or not branch.order:
        return order
    ahead = [i for i in order if invoices[i].branch == branch.order]
    return ahead + [i for i in order if invoices[i].branch != branch.order]


def _split(
    single: Single,
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

    if single.split == NAMED:
        return pay(single.invoices, left)
    if single.split == PART:
        share = min(single.cents, left)
        return left - share + pay(single.invoices, share)
    if single.split == GROUP:
        return pay(group(single, free, invoices), left)
    if single.split == HALVES:
        one, other = ([i for i in free if invoices[i].branch == branch] for branch in single.branches)
        half = left // 2
        return pay(one, half) + pay(other, left - half)
    assert single.split in (ALL_BUT, ORDERED), single.split
    return left
