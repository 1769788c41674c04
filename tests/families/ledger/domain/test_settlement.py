"""Settling a customer's entries: receipts, returns, credit notes, small rests, lines of the memo."""

from collections.abc import Sequence

import pytest

from families.ledger.domain.practice import CITED, OLDEST
from families.ledger.domain.settlement import CREDIT, INVOICE, RECEIPT, RETURN, Event, settle


def events(*lines: tuple[int, int, int]) -> list[Event]:
    """Return entries from (kind, amount, ref); keys and days are their numbers."""
    return [Event(n, n, kind, n, amount, ref) for n, (kind, amount, ref) in enumerate(lines)]


TWO_BILLS = ((INVOICE, 1_000, -1), (INVOICE, 2_000, -1))


@pytest.mark.parametrize(
    ("base", "receipt", "owed", "unapplied"),
    [
        (OLDEST, (RECEIPT, 500, 1), {0: 500, 1: 2_000}, {}),
        (CITED, (RECEIPT, 500, 1), {0: 1_000, 1: 1_500}, {}),
        (CITED, (RECEIPT, 2_500, 1), {0: 500}, {}),
        (OLDEST, (RECEIPT, 3_400, -1), {}, {2: 400}),
    ],
)
def test_a_receipt_settles_in_its_order(
    base: str, receipt: tuple[int, int, int], owed: dict[int, int], unapplied: dict[int, int]
) -> None:
    """A receipt is put to the invoices in the order of its base; what is over is unapplied."""
    settled = settle(events(*TWO_BILLS, receipt), lambda event: base, {})
    assert (settled.owed, settled.unapplied) == (owed, unapplied)


def owed_after(lines: Sequence[tuple[int, int, int]], bound: int = 0) -> dict[int, int]:
    return settle(events(*TWO_BILLS, *lines), lambda event: OLDEST, {}, bound).owed


def test_a_payment_that_came_back_opens_what_it_had_settled() -> None:
    """The invoices are open again, as old as they were, and what others paid stays."""
    settled = settle(
        events(*TWO_BILLS, (RECEIPT, 1_400, -1), (RECEIPT, 100, -1), (RETURN, 1_400, 2)),
        lambda event: OLDEST, {},
    )  # fmt: skip
    assert list(settled.owed.items()) == [(0, 1_000), (1, 1_900)]
    assert settled.applied == {3: {1: 100}}
    assert settled.made[2] == {0: 1_000, 1: 400}


def test_a_credit_note_lessens_only_its_invoice() -> None:
    """A credit note lessens the invoice it is for, as far as that is open, and no other."""
    assert owed_after([(CREDIT, 700, 1)]) == {0: 1_000, 1: 1_300}
    assert owed_after([(RECEIPT, 1_000, -1), (CREDIT, 700, 0)]) == {1: 2_000}
    assert owed_after([(CREDIT, 2_500, 1)]) == {0: 1_000}


@pytest.mark.parametrize(("paid", "owed"), [(970, {1: 2_000}), (969, {0: 31, 1: 2_000})])
def test_a_small_rest_is_written_off(paid: int, owed: dict[int, int]) -> None:
    """A rest under the bound goes when a receipt leaves it; a larger one stays."""
    assert owed_after([(RECEIPT, paid, -1)], bound=31) == owed


def test_a_rest_that_a_credit_note_leaves_stays() -> None:
    """Only receipts have rests written off."""
    assert owed_after([(CREDIT, 990, 0)], bound=31) == {0: 10, 1: 2_000}


def test_a_line_of_the_memo_is_followed() -> None:
    """A worked receipt goes where its line says, as far as the invoices are there and open."""
    lines = events(*TWO_BILLS, (RECEIPT, 900, -1), (RECEIPT, 700, -1))
    settled = settle(lines, lambda event: OLDEST, {2: {1: 600, 7: 300}, 3: {1: 2_000}})
    assert settled.owed == {0: 1_000}
    assert settled.made == {2: {1: 600}, 3: {1: 1_400}}


def test_carried_cash_settles_later_invoices() -> None:
    """Who carries unapplied cash forward settles a later invoice from it; nobody careful does."""
    lines = events((INVOICE, 100, -1), (RECEIPT, 160, -1), (INVOICE, 50, -1), (INVOICE, 50, -1))
    assert settle(lines, lambda event: OLDEST, {}).owed == {2: 50, 3: 50}
    assert settle(lines, lambda event: OLDEST, {}, carried=True).owed == {3: 40}
