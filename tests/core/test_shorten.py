"""Text for one line of a message: visible, short, and never more than asked for."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trapcli.core.shorten import listed, one_line, quoted, shorten


@pytest.mark.slow
@given(st.text(max_size=700), st.integers(10, 400))
def test_one_line_is_printable_and_within_its_limit(text: Any, limit: Any) -> None:
    """Whatever the text, one_line returns visible characters only, and no more than asked for."""
    shown = one_line(text, limit)
    assert shown.isprintable() and len(shown) <= limit
    assert shown == text if text.isprintable() and len(text) <= limit else True


def test_a_short_text_is_left_alone() -> None:
    """Only a text longer than the limit is cut, and then it ends with an ellipsis within the limit."""
    assert shorten("abcdef", 6) == "abcdef"
    assert shorten("abcdefg", 6) == "abc..."


@pytest.mark.parametrize(("value", "text"), [("a\nb", r"'a\nb'"), (12, "12"), (None, "None")])
def test_a_value_is_quoted_on_one_line(value: object, text: str) -> None:
    """Text is in quotes, anything else is not, and a number too long to print is called a number."""
    assert quoted(value) == text
    assert quoted(10**5000) == "a number"


def test_long_lists_say_how_many_more_there_are() -> None:
    """The first few names are listed, from a generator too, and the rest is counted."""
    assert listed(["a", "b"], 2) == "a, b"
    assert listed((f"n{n}" for n in range(2000)), 2000, 2) == "n0, n1 and 1,998 more"
    assert listed(["a", "b", "c"], 3, 1, "; ") == "a and 2 more"
