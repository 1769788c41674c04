"""Say in one plain sentence what an instruction means."""

from collections.abc import Callable

from families.ledger.correspondence.acts import (
    ALL_BUT,
    BRANCH,
    DISPUTE,
    FOREVER,
    GROUP,
    HALVES,
    LARGE,
    NAMED,
    PART,
    PRACTICE,
    Correction,
    Delegation,
    Instruction,
    OneOff,
    StandingOrder,
    Until,
    Void,
)
from families.ledger.domain.formats import iso, money

Vouchers = Callable[[int], str]


def describe(instruction: Instruction, voucher_of: Callable[[int, int], str]) -> str:
    """Return what an instruction means, e.g. "From 2026-03-02 the newest invoice is paid first."."""

    def own(invoice: int) -> str:
        return voucher_of(instruction.customer, invoice)

    act = instruction.act
    if isinstance(act, Until):
        return f"Instruction {act.target} holds until {iso(act.last)}."
    if isinstance(act, Correction):
        return f"Instruction {act.target} was wrongly written at first as: {_order(act.instead, own)}"
    if isinstance(act, Void):
        return f"This does not count, although a mail says it: {_order(act.act, own)}"
    if isinstance(act, Delegation):
        matters = " and ".join(act.matters)
        return f"From {iso(act.first)} {act.person} decides the {matters} here too."
    return _order(act, own)


def _order(act: StandingOrder | OneOff, own: Vouchers) -> str:
    return _one_off(act, own) if isinstance(act, OneOff) else _standing(act, own)


def _standing(act: StandingOrder, own: Vouchers) -> str:
    span = f"From {iso(act.first)}" + (f" to {iso(act.last)}" if act.last < FOREVER else "")
    if act.matter == DISPUTE:
        return f"{span} invoice {own(act.number)} is disputed."
    if act.matter == BRANCH:
        return f"{span} {act.value or 'no branch'} comes first."
    order = "the practice decides" if act.value == PRACTICE else f"the {act.value} invoice is paid first"
    return f"{span} {order}{f' by receipts over {money(act.number)}' if act.matter == LARGE else ''}."


def _one_off(act: OneOff, own: Vouchers) -> str:
    receipt = f"Receipt {act.receipt + 1} of the customer"
    rest = f", the rest {act.rest} first" if act.rest else ""
    if act.split == NAMED:
        return f"{receipt} pays {', then '.join(own(i) for i in act.invoices)}{rest}."
    if act.split == PART:
        return f"{receipt} pays {money(act.cents)} on {own(act.invoices[0])}{rest}."
    if act.split == GROUP:
        month = f"{act.month // 12}-{act.month % 12 + 1:02d}"
        return f"{receipt} pays the {act.branches[0]} invoices of {month}{rest}."
    if act.split == HALVES:
        return f"{receipt} pays half for {act.branches[0]} and half for {act.branches[1]}."
    if act.split == ALL_BUT:
        return f"{receipt} pays nothing for {act.branches[0]}."
    return f"{receipt} is used {act.rest} first."
