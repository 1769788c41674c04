"""What a ticket says: names that decide, and names that are only mentioned."""

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
    ("text", "type_", "found"),
    [
        ("Maple Syrup Reserve is new.", "product", ["P-2"]),
        ("Maple Syrups, Maple Syrup's price", "product", ["P-1"]),
        ("XMaple Syrup, maple syrup, Maple  Syrup", "product", []),
        ("Kiln Pantry's and Kiln's", "vendor", ["V-2", "V-3"]),
        ("As of 3 March 2025, not 2025-04", "date", ["2025-03-03"]),
        ("As of 3 March 2025, not 2025-04", "month", ["2025-04"]),
    ],
)
def test_the_longest_name_counts(text: str, type_: str, found: list[str]) -> None:
    """A name is found if it is whole and not part of a longer one; a date is not a month."""
    assert sorted(ticket(text).all(type_)) == found


def test_names_near_other_facts_rank_first() -> None:
    """A name near other facts ranks before a name on its own, wherever they are."""
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
    """A name in a sentence that says to leave it alone ranks last and decides nothing."""
    body = "Alder Foods gets $4.00 for Maple Syrup."
    for text in (f"{aside} {body}", f"{body}\n\n{aside}"):
        read = ticket(text)
        assert [read.one(type_) for type_ in ("product", "vendor", "amount")] == ["P-1", "V-1", "4.00"]
    assert not ticket(aside).has("product")


def test_a_type_that_is_not_named_is_unclear() -> None:
    """Asking for a type of fact that the ticket does not name is an error that says which."""
    with pytest.raises(Unclear, match="names no date"):
        ticket("Maple Syrup of Alder Foods").one("date")


def test_facts_decide_the_task() -> None:
    """The first task with all its facts in the ticket is chosen; if none fits, the ticket is unclear."""
    tasks: dict[tuple[str, ...], str] = {("product", "amount"): "price", ("product", "vendor"): "vendor"}
    assert task_of(ticket("Maple Syrup of Alder Foods is $4.00."), tasks) == "price"
    assert task_of(ticket("Maple Syrup is of Alder Foods."), tasks) == "vendor"
    with pytest.raises(Unclear, match="does not ask for a known change"):
        task_of(ticket("Maple Syrup!\n\nAlder Foods!"), tasks)


def test_text_is_split_into_sentences() -> None:
    """A full stop in a number ends no sentence, paragraphs are counted, and mentions are blanked out."""
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
