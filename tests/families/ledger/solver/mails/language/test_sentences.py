"""What single sentences say, and what their near misses do not say."""

from datetime import date

import pytest

from families.ledger.solver.mails.language import statements as said
from families.ledger.solver.mails.language.books import sections
from families.ledger.solver.mails.language.clauses import ORDERS
from families.ledger.solver.mails.language.sentences import ASIDES, READERS, TALK, readings

MAY_4 = date(2026, 5, 4).toordinal()


def read(text: str) -> said.Statement:
    """Return the one thing that a sentence of a mail of 4 May 2026 says."""
    (one,) = readings(text, 1, MAY_4)
    return one


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("Please settle the newest of our open invoices first.", 0, 0),
        ("Please settle the newest of our open invoices first from today.", 0, 0),
        ("From 6 May on, could you please settle the newest of our open invoices first?", 2, 0),
        ("After 6 May, kindly settle the newest of our open invoices first.", 3, 0),
        ("Once 6 May is over the newest of our invoices is paid first until 9 May.", 3, 5),
        ("We want it so that from 6 May the newest of our invoices is to be paid first.", 2, 0),
        (
            "The youngest invoice has the first place in our account from 6 May to 9 May, "
            "both days included.",
            2,
            5,
        ),
        ("The latest-dated invoice takes the first place in our account until further notice.", 0, 0),
        (
            "Please note that our account is worked through newest first, since our credit "
            "insurer asks for it.",
            0,
            0,
        ),
    ],
)
def test_orders(text: str, first: int, last: int) -> None:
    """A request has one order in it, with the days that it names, counted here from that of the mail."""
    clause = read(text).clause
    assert (clause.order, clause.sequence) == ("sequence", "newest")
    assert (clause.first - MAY_4 if clause.first else 0, clause.last - MAY_4 if clause.last else 0) == (
        first,
        last,
    )


@pytest.mark.parametrize(
    "text",
    [
        "Our auditor wondered whether the newest of our invoices is paid first; no change is meant.",
        "Possibly we shall ask you one day to settle the newest of our open invoices "
        "first; this mail does not do it, and that was all.",
        "With our printer we have agreed that the newest of our invoices is paid first; "
        "you are not part of it.",
        "My colleague Ada Finch nearly began to settle the newest of your open invoices "
        "first; I stopped it, as no mail of yours asks for it.",
        "The largest of your vans will do for our order no 123.",
        "Our answer to your mail of 3 May is no.",
    ],
)
def test_talk(text: str) -> None:
    """Talk of orders, chat and refusals instruct nothing."""
    assert read(text) == said.Talk()


@pytest.mark.parametrize(
    "text",
    [
        "Please settle the newest of our open invoices.",
        "Please settle the newest of our open invoices first from tomorrow.",
        "Our auditor wondered whether the newest of our invoices is late; no change is meant.",
        "We pay AB2601-001 with joy.",
    ],
)
def test_what_no_pattern_has(text: str) -> None:
    """A sentence that is nearly one of the list says nothing that is known."""
    assert readings(text, 1, MAY_4) == set()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Mails of Eve Mill's do not count from 6 May.", said.Distrusted("Eve Mill", MAY_4 + 2)),
        ("As to your mail of 2 May: the second, from today.", said.Agreed(MAY_4 - 2, 2)),
        ("My mail of 2 May is to be disregarded.", said.Disregarded(MAY_4 - 2)),
        (
            "The arrangement on the limit of Eve Mill's mail of 2 May is over from 6 May.",
            said.Until(said.Named(MAY_4 - 2, "large"), MAY_4 + 1),
        ),
        (
            "A correction to my mail of 2 May concerning the last day: 9 May takes the place of 8 May.",
            said.Corrected(said.Named(MAY_4 - 2, "last day"), "8 May", "9 May"),
        ),
        (
            "400.00 is our limit from 6 May; until then it is the 300.00 of my mail of 2 May.",
            said.NewLimit(MAY_4 - 2, 300_00, 400_00, MAY_4 + 2),
        ),
        (
            "As to the general sequence of invoices, Fay Reed of Nest Ltd decides for both "
            "houses from 6 May; "
            "letters that Fay Reed wrote before do not count for us.",
            said.Delegated("Fay Reed", "Nest Ltd", "sequence", MAY_4 + 2),
        ),
    ],
)
def test_what_is_said_of_other_mails(text: str, expected: said.Statement) -> None:
    """A sentence about another mail or a person names its day, its order and what changes."""
    assert read(text) == expected


def test_two_persons_in_one_sentence() -> None:
    """A sentence that must name one person twice does not fit if it names two."""
    text = "Eve Mill no longer speaks for us from 6 May, and mails from {} do not count."
    assert readings(text.format("Eve Mill"), 1, MAY_4)
    assert not readings(text.format("Eve Hill"), 1, MAY_4)


def test_every_section_of_the_books_is_known() -> None:
    """No section of the phrase books is overlooked: each is read, talked past, or part of another."""
    clauses = {f"{order} {form}" for order in ORDERS for form in ("do", "that")}
    parts = (
        "adjective ",
        "from ",
        "until ",
        "what ",
        "matter ",
        "greeting ",
        "farewell ",
        "opening ",
        "ask ",
    )
    single = {
        "money", "open end", "dispute end", "reason", "dispute reason", "why clause", "paper", "firm", ""
        "asker",
        "shrug", "elsewhere", "apart", "chat lead", "subject", "first names", "last names",
    }  # fmt: skip
    known = {*clauses, *single, *ASIDES, *READERS, *TALK}
    assert {name for name in sections() if not name.startswith(parts)} == known
