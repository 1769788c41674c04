"""Knobs: whole numbers, and ranges that are drawn from for each case."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from toy_family import TOY

from trapcli.building.case_builder import build_case
from trapcli.core.draw import Draw
from trapcli.core.errors import TrapError
from trapcli.core.knobs import drawn_knobs, knob_values, parse_knobs


@pytest.mark.parametrize(
    ("value", "kept"),
    [(7, 7), ("7", 7), (" 7 ", 7), ("007", 7), ("6-7", "6-7"), (" 6-7 ", "6-7"), ("06-7", "6-7"), ("7-7", 7)],
)
def test_a_number_or_a_range_is_read(value: object, kept: object) -> None:
    """A number stays a number, a range stays text, and a range of one number is that number."""
    assert parse_knobs(TOY, {"lines": value}).lines == kept


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        ("6-", "is not a whole number from 4 to 10000, or a range in it"),
        ("-7", "is outside its range, 4 to 10000"),
        ("6--7", "is not a whole number"),
        ("6-7-8", "is not a whole number"),
        ("6 - 7", "is not a whole number"),
        ("6..7", "is not a whole number"),
        ("\u096c-\u096d", "is not a whole number"),
        ("6-" + "9" * 5000, "is not a whole number"),
        ("7-6", "runs backwards"),
        ("3-6", "is outside its range, 4 to 10000"),
        ("6-10001", "is outside its range, 4 to 10000"),
        (True, "is not a whole number"),
        (None, "is not a whole number"),
    ],
)
def test_anything_else_is_refused(value: object, problem: str) -> None:
    """What is no number and no range, runs backwards or leaves the bounds is an error that names the knob."""
    with pytest.raises(TrapError, match=f"^knob lines: .*{problem}"):
        parse_knobs(TOY, {"lines": value})


@given(low=st.integers(4, 60), width=st.integers(1, 9), seed=st.text(max_size=8))
def test_what_is_drawn_lies_in_the_range(low: int, width: int, seed: str) -> None:
    """Each case's value is a number from the range, and the same for the same stream."""
    knobs = parse_knobs(TOY, {"lines": f"{low}-{low + width}"})
    drawn = drawn_knobs(knobs, Draw(seed))
    assert low <= drawn.lines <= low + width
    assert drawn == drawn_knobs(knobs, Draw(seed))
    assert drawn.largest == knobs.largest


def test_all_numbers_of_a_range_occur() -> None:
    """Both ends of a range are drawn, and every number between them."""
    knobs = parse_knobs(TOY, {"lines": "6-8"})
    assert {drawn_knobs(knobs, Draw(str(n))).lines for n in range(60)} == {6, 7, 8}


def test_one_knob_does_not_move_another() -> None:
    """Setting a second range leaves what is drawn for the first as it is."""
    one = parse_knobs(TOY, {"lines": "6-90"})
    both = parse_knobs(TOY, {"lines": "6-90", "largest": "20-90"})
    for name in map(str, range(20)):
        assert drawn_knobs(one, Draw(name)).lines == drawn_knobs(both, Draw(name)).lines


def test_a_case_is_built_with_a_number_of_its_own() -> None:
    """A suite's cases differ in a knob that is a range, and each says what it was generated with."""
    knobs = parse_knobs(TOY, {"lines": "6-30"})
    built = [build_case(TOY, "5", knobs, k) for k in range(6)]
    assert len({one.knobs.lines for one in built}) > 2
    for one in built:
        assert knob_values(one.knobs) | {"lines": 0} == knob_values(TOY.knobs()) | {"lines": 0}
    again = [build_case(TOY, "5", knobs, k) for k in range(6)]
    assert [one.knobs for one in again] == [one.knobs for one in built]


@pytest.mark.parametrize("value", ["9" * 5000, f"6-{'9' * 5000}", 10**5000, "6\n-7"], ids=range(4))
def test_a_refused_value_is_quoted_on_one_short_line(value: object) -> None:
    """However long a value is, the message that refuses it is one line of bounded length."""
    with pytest.raises(TrapError, match="is not a whole number") as caught:
        parse_knobs(TOY, {"lines": value})
    assert len(str(caught.value)) < 200 and str(caught.value).isprintable()
