"""Whether a customer's instructions make sense: receipts are covered, and one-offs find what they name."""

from collections.abc import Iterator, Sequence

from families.ledger.correspondence.acts import DISPUTE, GROUP, HALVES, NAMED, PART, OneOff
from families.ledger.correspondence.frame import Invoice, Receipt, Settled
from families.ledger.correspondence.in_force import InForce
from families.ledger.correspondence.settling import Mark, group


def is_sound(
    force: InForce,
    settled: Settled,
    marks: Sequence[Mark],
    invoices: Sequence[Invoice],
    receipts: Sequence[Receipt],
) -> bool:
    """Whether no receipt is more than what is open to it, and every one-off finds open what it names.

    marks: the account before each receipt.
    """
    used = [0] * len(receipts)
    for number, _, part in settled.applied:
        used[number] += part
    for mark, receipt, part in zip(marks, receipts, used, strict=True):
        if part < receipt.amount and _open_to(receipt, mark, force, invoices) < receipt.amount:
            return False
    for number, one_off in force.one_offs.items():
        pieces = [(i, part) for receipt, i, part in settled.applied if receipt == number]
        if not all(_serves(one_off, pieces, receipts[number].amount, invoices)):
            return False
    return True


def _open_to(receipt: Receipt, mark: Mark, force: InForce, invoices: Sequence[Invoice]) -> int:
    """Return the cents that a receipt finds open and not disputed; a practice may pay less all the same."""
    new = [i for i in range(mark.billed, len(invoices)) if invoices[i].day <= receipt.day]
    owed = mark.owed | {i: invoices[i].amount for i in new}
    for order in force.orders[DISPUTE]:
        if order.first <= receipt.day <= order.last:
            owed.pop(order.number, None)
    return sum(owed.values())


def _serves(
    one_off: OneOff, pieces: Sequence[tuple[int, int]], amount: int, invoices: Sequence[Invoice]
) -> Iterator[bool]:
    """Yield whether the pieces of a receipt are what its one-off speaks of."""
    paid = [i for i, _ in pieces]
    if one_off.split == NAMED:
        yield tuple(paid[: len(one_off.invoices)]) == one_off.invoices
    elif one_off.split == PART:
        yield pieces[:1] == [(one_off.invoices[0], one_off.cents)]
    elif one_off.split == GROUP:
        open_ones = group(one_off, dict(pieces), invoices)
        yield bool(open_ones) and paid[: len(open_ones)] == open_ones
    elif one_off.split == HALVES:
        for branch in one_off.branches:
            half = sum(part for i, part in pieces if invoices[i].branch == branch)
            yield 2 * half == amount
