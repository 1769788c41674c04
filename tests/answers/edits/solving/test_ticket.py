"""What is read out of a ticket: what decides, and what is only mentioned."""

import pytest

from trapcli.answers.edits.solving import values
from trapcli.answers.edits.solving.tables import Unclear
from trapcli.answers.edits.solving.ticket import Name, Ticket, read_ticket, task_of

NAMES = (
    Name("Maple Syrup", "product", "P-1"),
    Name("Maple Syrup Reserve", "product", "P-2"),
    Name("Alder Foods", "vendor", "V-1"),
    Name("Kiln Pantry", "vendor", "V-2"),
    Name("Kiln", "vendor", "V-3"),
)
FINDERS = (("date", values.find_dates), ("month", values.find_months), ("amount", values.find_amounts))


def ticket(text: str) -> Ticket:
    return read_ticket(text, NAMES, FINDERS)


@pytest.mark.parametrize(
    ("text", "kind", "found"),
    [
        ("Maple Syrup Reserve is new.", "product", ["P-2"]),
        ("Maple Syrups, Maple Syrup's price", "product", ["P-1"]),
        ("XMaple Syrup, maple syrup, Maple  Syrup", "product", []),
        ("Kiln Pantry's and Kiln's", "vendor", ["V-2", "V-3"]),
        ("As of 3 March 2025, not 2025-04", "date", ["2025-03-03"]),
        ("As of 3 March 2025, not 2025-04", "month", ["2025-04"]),
    ],
)
def test_the_longest_name_is_meant(text: str, kind: str, found: list[str]) -> None:
    """A name is found where it stands whole and is not part of a longer one; a date is no month."""
    assert sorted(ticket(text).all(kind)) == found


def test_what_stands_together_decides() -> None:
    """A name beside other facts ranks before one on its own, wherever they stand."""
    read = ticket("Kiln Pantry called.\n\nMaple Syrup of Alder Foods is $4.00 a unit.\n\nBye, Kiln Pantry.")
    assert read.one("vendor") == "V-1"
    assert read.all("vendor") == ("V-1", "V-2")
    assert read.has("product", "vendor", "amount")
    assert not read.has("date")


@pytest.mark.parametrize(
    "aside",
    [
        "Do not mix it up with Maple Syrup Reserve from Kiln Pantry, at $9.00.",
        "Maple Syrup Reserve from Kiln Pantry has nothing to do with this.",
        "Maple Syrup Reserve from Kiln Pantry sounds alike; leave that one alone.",
        "Kiln Pantry's Maple Syrup Reserve, at $9.00, stays as it is.",
    ],
)
def test_a_remark_decides_nothing(aside: str) -> None:
    """What a sentence says to leave alone ranks last and counts for nothing."""
    body = "Alder Foods gets $4.00 for Maple Syrup."
    for text in (f"{aside} {body}", f"{body}\n\n{aside}"):
        read = ticket(text)
        assert [read.one(kind) for kind in ("product", "vendor", "amount")] == ["P-1", "V-1", "4.00"]
    assert not ticket(aside).has("product")


def test_what_is_not_named_is_unclear() -> None:
    """Asking for a kind that the ticket does not name is an error that says which."""
    with pytest.raises(Unclear, match="names no date"):
        ticket("Maple Syrup of Alder Foods").one("date")


def test_what_is_to_be_done() -> None:
    """The first task whose facts all stand together is meant; a ticket that fits none is unclear."""
    tasks = {("product", "amount"): "price", ("product", "vendor"): "vendor"}
    assert task_of(ticket("Maple Syrup of Alder Foods is $4.00."), tasks) == "price"
    assert task_of(ticket("Maple Syrup is of Alder Foods."), tasks) == "vendor"
    with pytest.raises(Unclear, match="nothing that is known"):
        task_of(ticket("Maple Syrup!\n\nAlder Foods!"), tasks)


def test_sentences_know_their_place() -> None:
    """A sentence ends at its full stop, not in a number; paragraphs are counted; the rest is blotted out."""
    read = ticket("# Kiln\n\nIt is 1.5 times as dear. Since 2025-03-03\nthat is.\n\nThanks!")
    spans = [(read.text[s.start : s.end], s.paragraph) for s in read.sentences]
    assert spans == [
        ("# Kiln", 0),
        ("It is 1.5 times as dear.", 1),
        ("Since 2025-03-03\nthat is.", 1),
        ("Thanks!", 2),
    ]
    assert len(read.rest) == len(read.text)
    assert "Kiln" not in read.rest and "2025" not in read.rest
