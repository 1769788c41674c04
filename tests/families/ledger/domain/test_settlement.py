"""The settlement: what each invoice gets of a receipt."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from families.ledger.domain.settlement import (
    BASE_NAMES,
    BASES,
    CITED_FIRST,
    CITED_ONLY,
    NEWEST,
    OLDEST,
    Event,
    settle,
)

INVOICES = [Event(-1, 1, "A", "c", 500), Event(-1, 2, "B", "c", 300), Event(-1, 3, "C", "c", 200)]


def receipt_of(amount: int, cited: str = "", number: int = 0) -> Event:
    return Event(number, 9 + number, f"r{number}", "c", -amount, cited)


@pytest.mark.parametrize(
    ("base", "amount", "cited", "settles"),
    [
        (CITED_FIRST, 100, "B", {"B": 100}),
        (CITED_FIRST, 400, "B", {"B": 300, "A": 100}),
        (CITED_FIRST, 900, "B", {"B": 300, "A": 500, "C": 100}),
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
    settlement = settle([*INVOICES, receipt_of(amount, cited)], lambda receipt, count: base)
    assert {invoice: cents for _, invoice, cents in settlement.applied} == settles
    assert [invoice for _, invoice, _ in settlement.applied] == list(settles)
    assert settlement.unapplied == (
        {"r0": amount - sum(settles.values())} if amount > sum(settles.values()) else {}
    )


def test_a_paid_invoice_is_no_longer_open() -> None:
    """A citation of a paid invoice counts for nothing, and the next oldest is settled."""
    events = [*INVOICES, receipt_of(500, "A"), receipt_of(100, "A", 1)]
    settlement = settle(events, lambda receipt, count: CITED_FIRST)
    assert settlement.applied == [("r0", "A", 500), ("r1", "B", 100)]
    assert settlement.owed == {"B": 200, "C": 200}


def test_excess_cash_stays_unapplied() -> None:
    """Cash beyond all that is owed is not carried to a later invoice."""
    events = [receipt_of(100), *INVOICES]
    settlement = settle(events, lambda receipt, count: OLDEST)
    assert settlement.owed == {"A": 500, "B": 300, "C": 200}
    assert settlement.unapplied == {"r0": 100}


def test_excess_cash_is_carried_only_by_mistake() -> None:
    """With `carried` the same cash settles the next invoices as far as it goes."""
    events = [receipt_of(550), *INVOICES, receipt_of(100, "C", 1)]
    settlement = settle(events, lambda receipt, count: CITED_FIRST, carried=True)
    assert settlement.applied == [("r0", "A", 500), ("r0", "B", 50), ("r1", "C", 100)]
    assert settlement.owed == {"B": 250, "C": 100}
    assert settlement.unapplied == {}


def test_carried_cash_stays_if_older_cash_pays_the_invoice() -> None:
    """The oldest receipt pays a new invoice; what a later one left waits for the next, to the last cent."""
    events = [receipt_of(500), receipt_of(100, number=1), INVOICES[0]]
    settlement = settle(events, lambda receipt, count: OLDEST, carried=True)
    assert (settlement.applied, settlement.owed) == ([("r0", "A", 500)], {})
    assert settlement.unapplied == {"r1": 100}
    more = settle([*events, Event(-1, 4, "D", "c", 1)], lambda receipt, count: OLDEST, carried=True)
    assert more.applied == [("r0", "A", 500), ("r1", "D", 1)] and more.unapplied == {"r1": 99}


def test_each_base_has_its_name() -> None:
    """A base is the position of its name; what is not given about an entry is empty."""
    assert {base: BASE_NAMES[base] for base in BASES} == {
        CITED_FIRST: "the cited invoice, then the oldest",
        OLDEST: "the oldest first",
        NEWEST: "the newest first",
        CITED_ONLY: "the cited invoice only",
    }
    assert (INVOICES[0].cited, INVOICES[0].narration) == ("", "")


def test_the_policy_gets_the_number_of_open_invoices() -> None:
    """The policy is called with the receipt and the number of open invoices when it arrives."""
    calls = []
    settle(
        [*INVOICES, receipt_of(500), receipt_of(1, number=1)],
        lambda receipt, count: calls.append((receipt.voucher, count)) or OLDEST,
    )
    assert calls == [("r0", 3), ("r1", 2)]


@pytest.mark.slow
@given(
    st.lists(
        st.tuples(st.integers(-900, 900).filter(bool), st.integers(0, 9), st.sampled_from(BASES)), max_size=12
    ),
    st.booleans(),
)
def test_nothing_is_lost(drawn: list[tuple[int, int, int]], carried: bool) -> None:
    """In any order, with any policy: billed less open equals applied, and so does received less unapplied."""
    events, receipts = [], 0
    for i, (amount, cited, _) in enumerate(drawn):
        events.append(Event(receipts if amount < 0 else -1, i, f"v{i}", "c", amount, f"v{cited}"))
        receipts += amount < 0
    settlement = settle(events, lambda receipt, count: drawn[receipt.day][2], carried)
    applied = sum(cents for _, _, cents in settlement.applied)
    assert sum(e.amount for e in events if e.amount > 0) - sum(settlement.owed.values()) == applied
    assert -sum(e.amount for e in events if e.amount < 0) - sum(settlement.unapplied.values()) == applied
    assert all(cents > 0 for cents in (*settlement.owed.values(), *settlement.unapplied.values()))
    assert all(cents > 0 for _, _, cents in settlement.applied)
