"""Case ids: opaque, padded, and recognised."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trapcli.core.case_ids import case_id, case_ids, is_case_id


@pytest.mark.parametrize(
    ("number", "count", "id"),
    [(1, 1, "case_01"), (7, 99, "case_07"), (7, 100, "case_007"), (100_000, 100_000, "case_100000")],
)
def test_ids_are_padded_to_the_digits_of_the_count(number: int, count: int, id: str) -> None:
    """At least two digits, more if the count has more."""
    assert case_id(number, count) == id


@pytest.mark.slow
@given(st.integers(1, 2000))
def test_the_ids_of_a_suite_sort_in_their_order(count: int) -> None:
    """Sorted as text, ids come in the order of the cases, and each one is recognised."""
    ids = case_ids(count)
    assert len(set(ids)) == count and sorted(ids) == ids and all(map(is_case_id, ids))


@pytest.mark.parametrize(
    "word", ["case_1", "case_", "CASE_01", "case_01 ", "case_01.json", "acase_01", "case_\u0661\u0661"]
)
def test_other_words_are_not_case_ids(word: str) -> None:
    """Near misses are not taken for an id."""
    assert not is_case_id(word)
