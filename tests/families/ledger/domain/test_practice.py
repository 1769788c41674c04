"""Orders in which receipts are put to invoices, and which of them a practice has in force."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from families.ledger.domain.practice import (
    BASES,
    CITED,
    EXACT,
    LARGEST,
    NARRATION,
    NEWEST,
    OFFICE,
    OLDEST,
    ORDERS,
    SMALLEST,
    Look,
    Practice,
    Rule,
    allocation,
)

OWED = {1: 500, 2: 300, 3: 900, 4: 300}


def look(cents: int, cited: int = -1) -> Look:
    return Look(50, cents, cited, OWED, dict.fromkeys(OWED, 1_000), {i: i for i in OWED}, {})


@pytest.mark.parametrize(
    ("base", "cents", "cited", "order"),
    [
        (OLDEST, 100, 3, [1, 2, 3, 4]),
        (NEWEST, 100, 3, [4, 3, 2, 1]),
        (LARGEST, 100, 2, [3, 1, 2, 4]),
        (SMALLEST, 100, 1, [2, 4, 1, 3]),
        (CITED, 100, 3, [3, 1, 2, 4]),
        (CITED, 100, 9, [1, 2, 3, 4]),
        (EXACT, 300, 3, [2, 1, 3, 4]),
        (EXACT, 301, 3, [1, 2, 3, 4]),
    ],
)
def test_orders(base: str, cents: int, cited: int, order: list[int]) -> None:
    """Each base takes the open invoices in its order; what is equal is taken oldest first."""
    assert list(ORDERS[base](look(cents, cited))) == order


@given(base=st.sampled_from(BASES), cents=st.integers(1, 2_500), cited=st.sampled_from([-1, 1, 2, 3, 4, 9]))
def test_a_receipt_is_used_up(base: str, cents: int, cited: int) -> None:
    """Whatever the order, as much is settled as is there and is open, and no invoice gets too much."""
    order = ORDERS[base](look(cents, cited))
    pieces = allocation(order, OWED, cents)
    assert sorted(order) == sorted(OWED)
    assert sum(pieces.values()) == min(cents, sum(OWED.values()))
    assert all(0 < pieces[invoice] <= OWED[invoice] for invoice in pieces)


DATED = Practice((Rule(0, CITED), Rule(40, OLDEST), Rule(80, NEWEST)))
GROUPED = Practice((Rule(0, CITED), Rule(40, OLDEST), Rule(0, LARGEST, "Cheque")), NARRATION)
OFFICES = Practice((Rule(0, CITED), Rule(0, EXACT, "Hull")), OFFICE)


@pytest.mark.parametrize(
    ("practice", "day", "narration", "office", "base"),
    [
        (DATED, 39, "Cheque", "Hull", CITED),
        (DATED, 40, "Cheque", "Hull", OLDEST),
        (DATED, 80, "Cheque", "Hull", NEWEST),
        (GROUPED, 39, "Card", "Hull", CITED),
        (GROUPED, 39, "Cheque", "Hull", LARGEST),
        (GROUPED, 99, "Cheque", "Hull", LARGEST),
        (OFFICES, 10, "Cheque", "Hull", EXACT),
        (OFFICES, 10, "Hull", "York", CITED),
    ],
)
def test_which_order_is_in_force(
    practice: Practice, day: int, narration: str, office: str, base: str
) -> None:
    """A rule holds from its day on; receipts of a group have their own order all year."""
    assert practice.base_of(day, narration, office) == base
