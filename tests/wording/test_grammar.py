"""Patterns: alternatives, slots, how many texts they have, and the page that lists them."""

import pytest
from checkout import ROOT

from families.ledger.correspondence.language import catalogue
from families.ledger.correspondence.language.phrasebook import sections
from families.ledger.correspondence.language.swapped import from_our_side, from_third_side
from trapcli.core.draw import Draw
from trapcli.wording.grammar import expand, parse, skeletons, slots_of


def test_a_pattern_expands_to_one_of_its_texts() -> None:
    """Every draw gives a text of the pattern, and all of them come up."""
    texts = {expand(Draw(f"{n}"), "[pay|settle [all|none] of] {it}", {"it": "it"}) for n in range(60)}
    assert texts == {"pay it", "settle all of it", "settle none of it"}


@pytest.mark.parametrize(
    ("pattern", "count"),
    [("plain {slot}", 1), ("[a|b]", 2), ("[a|b] [c|d|]", 6), ("[a|b [c|d]]", 3), ("[a|b [c|d|e]] [f|g]", 8)],
)
def test_skeletons_are_counted(pattern: str, count: int) -> None:
    """The number of texts is the product over choices in a row, and the sum over nested ones."""
    assert skeletons(pattern) == count


@pytest.mark.parametrize("pattern", ["[a|b", "a]", "a|b", "[a|[b]"])
def test_brackets_must_match(pattern: str) -> None:
    """A bracket or bar that belongs to nothing is an error."""
    with pytest.raises(ValueError, match="bracket"):
        parse(pattern)


def test_every_section_can_be_filled() -> None:
    """Every pattern of the phrase books parses, and no section lacks patterns or a meaning."""
    for section in sections().values():
        assert section.patterns, section.name
        assert section.meaning, section.name
        for pattern in section.patterns:
            assert all(name.replace("3", "").isalpha() for name in slots_of(pattern)), pattern


def test_the_page_lists_the_phrase_books() -> None:
    """docs/ledger-instructions.md is what the catalogue writes."""
    assert (ROOT / "docs" / "ledger-instructions.md").read_text(encoding="utf-8") == catalogue.page()


def test_no_phrase_says_forget() -> None:
    """No phrase asks to forget something, which can be read in two ways."""
    for section in sections().values():
        assert not any("forget" in pattern.replace("before I forget", "") for pattern in section.patterns)


@pytest.mark.parametrize(
    ("text", "ours", "theirs"),
    [
        ("our money goes to Hull first", "your money goes to Hull first", "their money goes to Hull first"),
        (
            "begin when you book what we pay",
            "begin when we book what you pay",
            "begin when they book what they pay",
        ),
        ("use everything we send you", "use everything you send us", "use everything they send them"),
        ("what comes in from us", "what comes in from you", "what comes in from them"),
        ("no sequence of ours holds", "no sequence of yours holds", "no sequence of theirs holds"),
    ],
)
def test_sides_are_swapped(text: str, ours: str, theirs: str) -> None:
    """What a customer says of itself turns into what we say to it, and into what is said of a third house."""
    assert from_our_side(text) == ours
    assert from_third_side(text) == theirs
