"""Practices found from what they do to a small set of receipts."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date

import pytest

from families.ledger.solver.practice import Exceptional, Practice, induce
from families.ledger.solver.settling import cited_only, cited_then_oldest, newest, oldest, settle
from families.ledger.solver.sheets import Entry, Worked

CITED = {"I1": "I3", "I2": "I2", "I3": "I1", "I4": "I3"}


def receipts(customers: int = 4) -> tuple[dict[str, list[Entry]], dict[str, str]]:
    """Customers with four invoices, and four receipts by each, on days of their own; and what they cite."""
    found: dict[str, list[Entry]] = {}
    cites: dict[str, str] = {}
    for c in range(customers):
        name = f"C{c}"
        entries = [
            Entry(date(2026, 1, 1 + 5 * n + c), f"{name}I{n}", "", "billed", name, 20_000)
            for n in range(1, 5)
        ]
        for n in range(1, 5):
            receipt = f"{name}R{n}"
            narration = "wire" if (n + c) % 3 else "card"
            day = date(2026, 2, 1 + n * customers + c)
            entries.append(Entry(day, receipt, "", narration, name, -(7_000 + 4_000 * ((n + 2 * c) % 5))))
            cites[receipt] = name + CITED[f"I{n}"]
        found[name] = sorted(entries)
    return found, cites


def by_hand(
    practice: Practice, customers: Mapping[str, Sequence[Entry]], cites: Mapping[str, str]
) -> list[Worked]:
    """All receipts as a practice puts them."""
    lines: dict[str, Worked] = {}
    for customer, entries in customers.items():
        for entry in entries:
            if entry.cents < 0:
                lines[entry.voucher] = Worked(entry.voucher, {}, -entry.cents)
        for receipt, invoice, cents in settle(customer, entries, cites, practice.order_of).put:
            line = lines[receipt.voucher]
            lines[receipt.voucher] = Worked(
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
        replace(CHANGED, exceptional=Exceptional("narration", "is", "card"), instead=newest),
        replace(CHANGED, exceptional=Exceptional("customer", "is", "C2"), instead=newest),
        replace(CHANGED, exceptional=Exceptional("amount", "over", 15_000), instead=newest),
        replace(CHANGED, exceptional=Exceptional("amount", "under", 11_000), instead=newest),
        replace(CHANGED, exceptional=Exceptional("age", "over", 35), instead=newest),
        replace(SIMPLE[1], exceptional=Exceptional("open", "over", 3), instead=newest),
    ],
    ids=lambda _: "practice",  # a function's own text has its address
)
def test_the_practice_is_found(practice: Practice) -> None:
    """What is found puts every receipt as it was put by hand, with no exception where none is needed."""
    customers, cites = receipts()
    shown = by_hand(practice, customers, cites)
    found = induce(customers, cites, shown)
    assert by_hand(found, customers, cites) == shown
    assert bool(found.exceptional) == bool(practice.exceptional)


@pytest.mark.parametrize("hidden", ["C0R2", "C1R3", "C3R1"])
def test_receipts_left_out_by_hand(hidden: str) -> None:
    """A receipt between those put by hand is taken to be put by the practice that these show."""
    customers, cites = receipts()
    shown = by_hand(CHANGED, customers, cites)
    found = induce(customers, cites, [line for line in shown if line.receipt != hidden])
    assert by_hand(found, customers, cites) == shown
