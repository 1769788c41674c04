"""The settlement: which invoice gets what of a receipt."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from families.ledger.domain.settlement import BASES, CITED_FIRST, CITED_ONLY, NEWEST, OLDEST, Event, settle

INVOICES = [Event(-1, 1, "A", "c", 500), Event(-1, 2, "B", "c", 300), Event(-1, 3, "C", "c", 200)]


def paying(amount: int, cited: str = "", n: int = 0) -> Event:
    return Event(n, 9 + n, f"r{n}", "c", -amount, cited)


@pytest.mark.parametrize(
    ("base", "amount", "cited", "settles"),
    [
        (CITED_FIRST, 100, "B", {"B": 100}),
        (CITED_FIRST, 400, "B", {"B": 300, "A": 100}),
        (CITED_FIRST, 400, "", {"A": 400}),
        (CITED_FIRST, 400, "Z", {"A": 400}),
        (OLDEST, 600, "C", {"A": 500, "B": 100}),
        (NEWEST, 600, "A", {"C": 200, "B": 300, "A": 100}),
        (CITED_ONLY, 400, "B", {"B": 300}),
        (CITED_ONLY, 400, "", {}),
        (OLDEST, 1300, "", {"A": 500, "B": 300, "C": 200}),
    ],
)
def test_each_base_settles_in_its_order(base: int, amount: int, cited: str, settles: dict[str, int]) -> None:
    """A receipt settles what its base says, in that order, and no more than is open."""
    done = settle([*INVOICES, paying(amount, cited)], lambda receipt, count: base)
    assert {invoice: cents for _, invoice, cents in done.applied} == settles
    assert [invoice for _, invoice, _ in done.applied] == list(settles)
    assert done.unapplied == (
        {"r0": amount - sum(settles.values())} if amount > sum(settles.values()) else {}
    )


def test_an_invoice_that_is_paid_is_open_no_more() -> None:
    """A citation of a paid invoice counts for nothing, and the next oldest is settled."""
    events = [*INVOICES, paying(500, "A"), paying(100, "A", 1)]
    done = settle(events, lambda receipt, count: CITED_FIRST)
    assert done.applied == [("r0", "A", 500), ("r1", "B", 100)]
    assert done.open == {"B": 200, "C": 200}


def test_excess_cash_stays_unapplied() -> None:
    """Cash beyond all that is owed is not carried to a later invoice."""
    events = [paying(100), *INVOICES]
    done = settle(events, lambda receipt, count: OLDEST)
    assert done.open == {"A": 500, "B": 300, "C": 200}
    assert done.unapplied == {"r0": 100}


def test_excess_cash_is_carried_only_by_mistake() -> None:
    """With `carried` the same cash settles the next invoices as far as it goes."""
    events = [paying(550), *INVOICES, paying(100, "C", 1)]
    done = settle(events, lambda receipt, count: CITED_FIRST, carried=True)
    assert done.applied == [("r0", "A", 500), ("r0", "B", 50), ("r1", "C", 100)]
    assert done.unapplied == {}


def test_the_policy_is_told_how_many_invoices_are_open() -> None:
    """`choose` gets the receipt and the number of open invoices at that moment."""
    told = []
    settle(
        [*INVOICES, paying(500), paying(1, n=1)],
        lambda receipt, count: told.append((receipt.voucher, count)) or OLDEST,
    )
    assert told == [("r0", 3), ("r1", 2)]


@given(
    st.lists(
        st.tuples(st.integers(-900, 900).filter(bool), st.integers(0, 9), st.sampled_from(BASES)), max_size=12
    ),
    st.booleans(),
)
def test_nothing_is_lost(drawn: list[tuple[int, int, int]], carried: bool) -> None:
    """Whatever the order and policy: billed less open is what was applied, received less unapplied too."""
    events, receipts = [], 0
    for i, (amount, cited, _) in enumerate(drawn):
        events.append(Event(receipts if amount < 0 else -1, i, f"v{i}", "c", amount, f"v{cited}"))
        receipts += amount < 0
    done = settle(events, lambda receipt, count: drawn[receipt.day][2], carried)
    applied = sum(cents for _, _, cents in done.applied)
    assert sum(e.amount for e in events if e.amount > 0) - sum(done.open.values()) == applied
    assert -sum(e.amount for e in events if e.amount < 0) - sum(done.unapplied.values()) == applied
    assert all(cents > 0 for cents in (*done.open.values(), *done.unapplied.values()))
    assert all(cents > 0 for _, _, cents in done.applied)
