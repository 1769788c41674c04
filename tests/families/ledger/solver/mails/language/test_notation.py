"""Patterns of alternatives and slots become regular expressions."""

import re

import pytest

from families.ledger.solver.mails.language.notation import shape


@pytest.mark.parametrize(
    ("pattern", "text", "fits"),
    [
        ("pay {x} [now|then].", "pay 12 now.", True),
        ("pay {x} [now|then].", "pay 12 later.", False),
        ("pay {x} [now|then].", "pay 12 now!", False),
        ("a[ b|] c", "a c", True),
        ("a[ b|] c", "a b c", True),
        ("a[ b|] c", "a  c", False),
        ("[x|y[1|2]]z", "y2z", True),
        ("[x|y[1|2]]z", "x2z", False),
    ],
)
def test_what_a_pattern_matches(pattern: str, text: str, fits: bool) -> None:
    """A text fits if it takes one of each alternatives, nothing less and nothing more."""
    source = shape(pattern, lambda slot: r"\d+").source
    assert bool(re.fullmatch(source, text)) == fits


def test_a_pattern_from_any_side() -> None:
    """A clause about "our" account is the same clause about "your" or "their" account."""
    source = shape("we pay our invoices", lambda slot: "", any_side=True).source
    assert re.fullmatch(source, "they pay their invoices")
    assert not re.fullmatch(source, "they pay others invoices")


def test_what_all_texts_of_a_pattern_have() -> None:
    """The literal is the longest text outside of alternatives and slots, and sentence ends are counted."""
    found = shape("[Why? Because|For] {x} is Due. [A. b|c] d", lambda slot: ".+")
    assert found.literal == " is due. "
    assert (found.fewest, found.most) == (1, 3)


def test_brackets_must_close() -> None:
    """A slot that stays open is an error."""
    with pytest.raises(ValueError, match="no pattern"):
        shape("pay {x", lambda slot: "")
