"""What a customer's instructions come to: which order holds when, and how a receipt is split.

A reader may miss some of the instructions.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from families.ledger.correspondence.acts import (
    BRANCH,
    DISPUTE,
    LARGE,
    SEQUENCE,
    Act,
    Correction,
    Delegation,
    Instruction,
    OneOff,
    StandingOrder,
    Until,
    Void,
)
from families.ledger.correspondence.frame import Receipt

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


def first_day(act: Act, acts: Mapping[str, Act], receipts: Sequence[Receipt]) -> int:
    """Return a day before which it makes no difference whether an instruction is missed.

    acts: of all instructions of the customer, by id.
    """
    if isinstance(act, OneOff):
        return receipts[act.receipt].day
    if isinstance(act, Void):
        return first_day(act.act, acts, receipts)
    if isinstance(act, Until):
        target = acts[act.target]
        return min(act.last, target.last if isinstance(target, StandingOrder) else act.last) + 1
    if isinstance(act, Correction):
        return min(first_day(each, acts, receipts) for each in (act.instead, acts[act.target]))
    return act.first


def _precedence(order: StandingOrder) -> tuple[int, int]:
    return -order.first, -order.written
