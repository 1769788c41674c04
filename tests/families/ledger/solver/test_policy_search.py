"""Practices are found from what they do to a small set of receipts."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date

import pytest

from families.ledger.solver.policy_search import Condition, Practice, induce
from families.ledger.solver.settling import cited_only, cited_then_oldest, newest, oldest, settle
from families.ledger.solver.sheets import Entry, WorkedReceipt

CITED = {"I1": "I3", "I2": "I2", "I3": "I1", "I4": "I3"}


def receipts(count: int = 4) -> tuple[dict[str, list[Entry]], dict[str, str]]:
    """Return customers with four invoices and four receipts each, on different days, and what these cite."""
    customers: dict[str, list[Entry]] = {}
    cites: dict[str, str] = {}
    for c in range(count):
        name = f"C{c}"
        entries = [
            Entry(date(2026, 1, 1 + 5 * n + c), f"{name}I{n}", "", "billed", name, 20_000)
            for n in range(1, 5)
        ]
        for n in range(1, 5):
            receipt = f"{name}R{n}"
            narration = "wire" if (n + c) % 3 else "card"
            day = date(2026, 2, 1 + n * count + c)
            entries.append(Entry(day, receipt, "", narration, name, -(7_000 + 4_000 * ((n + 2 * c) % 5))))
            cites[receipt] = name + CITED[f"I{n}"]
        customers[name] = sorted(entries)
    return customers, cites


def by_hand(
    practice: Practice, customers: Mapping[str, Sequence[Entry]], cites: Mapping[str, str]
) -> list[WorkedReceipt]:
    """Return all receipts as a practice applies them."""
    lines: dict[str, WorkedReceipt] = {}
    for customer, entries in customers.items():
        for entry in entries:
            if entry.cents < 0:
                lines[entry.voucher] = WorkedReceipt(entry.voucher, {}, -entry.cents)
        for receipt, invoice, cents in settle(customer, entries, cites, practice.order_of).applied:
            line = lines[receipt.voucher]
            lines[receipt.voucher] = WorkedReceipt(
                line.receipt, {**line.settles, invoice.voucher: cents}, line.unapplied - cents
            )
    return list(lines.values())


SIMPLE = [Practice(order, order) for order in (cited_then_oldest, oldest, newest, cited_only)]
CHANGED = Practice(cited_then_oldest, oldest, date(2026, 2, 12))


@pytest.mark.parametrize(
    "practice",
    [
        *SIMPLE,
        CHANGED,
        Practice(newest, cited_only, date(2026, 2, 9)),
        replace(CHANGED, condition=Condition("narration", "is", "card"), instead=newest),
        replace(CHANGED, condition=Condition("customer", "is", "C2"), instead=newest),
        replace(CHANGED, condition=Condition("amount", "over", 15_000), instead=newest),
        replace(CHANGED, condition=Condition("amount", "under", 11_000), instead=newest),
        replace(CHANGED, condition=Condition("age", "over", 35), instead=newest),
        replace(SIMPLE[1], condition=Condition("open", "over", 3), instead=newest),
    ],
    ids=lambda _: "practice",  # a function's own text has its address
)
def test_the_practice_is_found(practice: Practice) -> None:
    """It applies every receipt as it was applied by hand, without an exception where none is needed."""
    customers, cites = receipts()
    worked = by_hand(practice, customers, cites)
    found = induce(customers, cites, worked)
    assert by_hand(found, customers, cites) == worked
    assert bool(found.condition) == bool(practice.condition)


@pytest.mark.parametrize("hidden", ["C0R2", "C1R3", "C3R1"])
def test_receipts_left_out_by_hand(hidden: str) -> None:
    """A receipt between those applied by hand is taken to follow the practice that these show."""
    customers, cites = receipts()
    worked = by_hand(CHANGED, customers, cites)
    found = induce(customers, cites, [line for line in worked if line.receipt != hidden])
    assert by_hand(found, customers, cites) == worked
