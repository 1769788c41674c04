"""Whether a memo leaves a doubt: which practices fit it, and whether all give the same answer."""

from collections.abc import Callable

import pytest

from families.ledger.checks import rivals
from families.ledger.checks.rivals import Search, TooManyRivals
from families.ledger.domain.practice import CITED, OLDEST, Practice, Rule
from families.ledger.planning.reading import Ledger

ONE = Practice((Rule(0, CITED),))
TWO = Practice((Rule(0, CITED), Rule(60, OLDEST)))
# Three invoices; the first receipt cites the second invoice and pays a part of it.
START = [("bill", 1, 0, 5_000, -1), ("bill", 2, 0, 7_000, -1), ("bill", 3, 0, 6_000, -1)]
Make = Callable[..., Ledger]


def found(year: Ledger) -> list[str]:
    return [rival.description for rival in Search(year).rivals()]


def test_a_memo_that_shows_one_order_only_has_no_rival(ledger: Make) -> None:
    """Receipts that cite each invoice but the oldest, with any amounts, leave only one order."""
    lines = [
        *START, ("bill", 4, 0, 9_000, -1),
        ("pay", 10, 0, 3_000, 1), ("pay", 11, 0, 6_500, 2), ("pay", 12, 0, 1_000, 1),
        ("pay", 13, 0, 9_000, 3), ("bill", 14, 0, 4_000, -1), ("bill", 15, 0, 8_000, -1),
        ("pay", 20, 0, 1_000, 9), ("pay", 30, 0, 2_000, 8),
    ]  # fmt: skip
    assert found(ledger(lines, ONE, [4, 5, 6, 7, 10])) == []


def test_an_order_that_fits_every_line_and_gives_another_answer_is_found(ledger: Make) -> None:
    """If the only worked receipt pays the newest invoice, which it cites, newest-first fits as well."""
    year = ledger([*START, ("pay", 10, 0, 3_000, 2), ("pay", 30, 0, 2_000, 0)], ONE, [3])
    assert any("newest" in text for text in found(year))


def test_a_rival_that_gives_the_same_answer_does_not_count(ledger: Make) -> None:
    """With one open invoice all orders are alike, so none is a rival."""
    year = ledger([START[0], ("pay", 10, 0, 300, 0), ("pay", 30, 0, 2_000, 0)], ONE, [1])
    assert found(year) == []


def test_the_day_of_a_changeover_must_not_matter(ledger: Make) -> None:
    """A receipt between the lines that show the old order and the new must not tell them apart."""
    late = [("pay", 70, 0, 900, 2), ("pay", 71, 0, 800, 1), ("pay", 72, 0, 700, 2), ("pay", 90, 0, 100, 2)]
    early = [("pay", 10, 0, 1_000, 1), ("pay", 11, 0, 1_100, 2), ("pay", 12, 0, 1_200, 1)]
    doubtful = [*START, *early, ("pay", 50, 0, 600, 2), *late]
    year = ledger(doubtful, TWO, [3, 4, 5, 7, 8, 9])
    assert found(year)
    other = [("bill", 40, 1, 5_000, -1), ("pay", 50, 1, 600, 6)]  # only one invoice is open: no doubt
    assert found(ledger([*START, *early, *other, *late[:3]], TWO, [3, 4, 5, 8, 9, 10])) == []


def test_a_practice_with_more_rules_than_the_real_one_does_not_count(ledger: Make) -> None:
    """The simplest practice is meant: one more changeover is no rival, whatever it would give."""
    lines = [
        *START, ("bill", 4, 0, 9_000, -1),
        ("pay", 10, 0, 3_000, 1), ("pay", 11, 0, 3_500, 2), ("pay", 12, 0, 1_000, 1),
        ("pay", 13, 0, 2_000, 3), ("pay", 20, 0, 1_000, 2), ("pay", 30, 0, 2_000, 3),
    ]  # fmt: skip
    search = Search(ledger(lines, ONE, [4, 5, 6, 8]))
    assert list(search.rivals()) == []
    search.most = 3
    assert next(search.rivals(), None) is not None


def test_too_many_states_are_an_error(ledger: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    """A memo that leaves more states open than are followed is refused, not passed."""
    monkeypatch.setattr(rivals, "MOST_STATES", 1)
    year = ledger([*START, ("pay", 10, 0, 3_000, 2), ("pay", 30, 0, 2_000, 0)], ONE, [3])
    with pytest.raises(TooManyRivals):
        list(Search(year).rivals())
