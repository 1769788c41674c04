"""What mails come to that speak of other mails, of papers, of persons and of other houses."""

from collections.abc import Callable
from datetime import date

import pytest

from families.ledger.solver.mails import (
    Account,
    Standing,
    UnclearMails,
    instructions,
    read_mails,
    settle_correspondents,
)

NEWEST = "Please settle the newest of our open invoices first."
LARGE = "Any transfer of more than 400.00 goes to the newest invoice first."
IF_IT_COMES = (
    "Unless the insurance paper no. 1234 has come by 3 March, York "
    "comes first among our branches from 4 March."
)


@pytest.fixture
def orders(account: Account, mail: Callable) -> Callable[..., list[tuple]]:
    """orders((day, text, ...), ...): (matter, value, limit or invoice, first day, last day) of each order."""

    def found(*texts: tuple) -> list[tuple]:
        mails = read_mails(dict(mail(*text) for text in texts))
        return [
            (one.matter, one.value, one.limit or one.invoice, one.first, one.last)
            for one in instructions(mails, {"Quill Ltd": account, "Nest Ltd": account})
            if isinstance(one, Standing)
        ]

    return found


def days(first: str, last: str = "") -> tuple[int, int]:
    """Return ordinals of a first and a last day."""
    return date.fromisoformat(first).toordinal(), date.fromisoformat(last).toordinal() if last else 10**9


@pytest.mark.parametrize(
    ("text", "last"),
    [
        ("From today our mail of 2 February no longer counts.", None),
        ("From today what you were told in my mail of 2 February no longer holds.", "2026-03-01"),
        (
            "The order about the limit that my mail of 2 February gave holds until 9 March and no longer.",
            "2026-03-09",
        ),
        ("After 9 March the instruction in our mail of 2 February no longer holds.", "2026-03-09"),
        (
            "The instruction about our general sequence in my mail of 2 February ends with 9 "
            "March as its last day.",
            "",
        ),
        ("After 9 March the instruction in our mail of 3 February no longer holds.", ""),
    ],
)
def test_endings(orders: Callable, text: str, last: str | None) -> None:
    """An order ends if the mail and the matter are its own; what is no known sentence cannot be read."""
    mails = ("2026-02-02", LARGE), ("2026-03-02", text)
    if last is None:
        with pytest.raises(UnclearMails, match="cannot be read"):
            orders(*mails)
    else:
        assert orders(*mails) == [("large", "newest", 400_00, *days("2026-02-02", last))]


def test_a_correction_counts_from_the_start(orders: Callable) -> None:
    """The corrected order has its own first day, and the right value."""
    told = (
        "In my mail of 2 February on the general sequence there is a mistake: "
        '"newest first" should read "oldest first".'
    )
    assert orders(("2026-02-02", NEWEST), ("2026-03-02", told)) == [
        ("sequence", "oldest", "", *days("2026-02-02"))
    ]


def test_a_correction_of_something_else_changes_nothing(orders: Callable) -> None:
    """What a mail did not say cannot be corrected in it."""
    told = (
        "In my mail of 2 February on the general sequence there is a mistake: "
        '"largest first" should read "oldest first".'
    )
    assert orders(("2026-02-02", NEWEST), ("2026-03-02", told)) == [
        ("sequence", "newest", "", *days("2026-02-02"))
    ]


def test_a_new_limit_keeps_its_sequence(orders: Callable) -> None:
    """A new limit holds beside the old one, with the same sequence, from its day on."""
    told = "The limit of 400.00 in our mail of 2 February changes to 550.00 from 9 March."
    assert orders(("2026-02-02", LARGE), ("2026-03-02", told)) == [
        ("large", "newest", 400_00, *days("2026-02-02")),
        ("large", "newest", 550_00, *days("2026-03-09")),
    ]
    assert orders(("2026-03-02", told)) == []


@pytest.mark.parametrize(
    ("report", "counts"),
    [
        ("The insurance paper no. 1234 came on 3 March.", False),
        ("The insurance paper no. 1234 came only on 4 March.", True),
        ("The insurance paper no. 1234 is not here to this day.", True),
        ("The insurance paper no. 1235 is not here to this day.", False),
    ],
)
def test_conditions(orders: Callable, report: str, counts: bool) -> None:
    """An order counts from its own day if the condition is reported as met for its own paper."""
    found = orders(("2026-02-02", IF_IT_COMES), ("2026-03-20", report))
    assert found == [("branch", "York", "", *days("2026-03-04"))] * counts


def test_a_condition_that_nobody_reports_on(orders: Callable) -> None:
    """Without a report an order that depends on a paper does not count."""
    assert orders(("2026-02-02", IF_IT_COMES)) == []


def test_a_condition_at_the_end_of_the_year(orders: Callable) -> None:
    """A day without a year that is to come is one after the mail."""
    told = (
        "Unless the insurance paper no. 1234 has come by 2 January, York comes "
        "first among our branches from 3 January."
    )
    report = "The insurance paper no. 1234 is not here to this day."
    assert orders(("2026-12-21", told), ("2026-12-30", report)) == [
        ("branch", "York", "", *days("2027-01-03"))
    ]


def test_proposals(orders: Callable) -> None:
    """What our clerk proposes counts from the customer's answer, and only what it picks."""
    asked = (
        "Did you mean (1) that your invoices are settled oldest first or (2) "
        "that York comes first among your branches? Your answer decides, and till then nothing changes."
    )
    proposal = ("2026-02-02", asked, "Ada Finch", "Quill Ltd", True)
    assert orders(proposal) == []
    answer = (
        "2026-02-05",
        "It is the second of the two possibilities you wrote of on 2 February. Begin today.",
    )
    assert orders(proposal, answer) == [("branch", "York", "", *days("2026-02-05"))]
    assert orders(answer) == []


def test_announcements(orders: Callable) -> None:
    """What is announced counts from the mail that confirms it."""
    plan = (
        "2026-02-02",
        "It is planned that York comes first among our branches. Wait for our confirmation.",
    )
    yes = ("2026-02-09", "The plan in my mail of 2 February is approved; I confirm it from today.")
    assert orders(plan) == orders(yes) == []
    assert orders(plan, yes) == [("branch", "York", "", *days("2026-02-09"))]


def test_disregarded_mails(orders: Callable) -> None:
    """A disregarded mail counts as never sent, also one that disregards another."""
    order, first = ("2026-02-02", NEWEST), ("2026-02-03", "Please disregard my mail of 2 February.")
    second = ("2026-02-04", "Please disregard my mail of 3 February.")
    assert orders(order, first) == []
    assert orders(order, first, second) == orders(order)


def test_distrusted_persons(orders: Callable) -> None:
    """What a person wrote before the day stays, and what they write from that day on does not count."""
    told = ("2026-02-03", "The word of Eve Mill counts for nothing from 6 February.", "Ada Finch")
    before = ("2026-02-05", "York comes first among our branches.", "Eve Mill")
    after = ("2026-02-06", NEWEST, "Eve Mill")
    assert orders(told, before, after) == [("branch", "York", "", *days("2026-02-05"))]


def test_what_is_left_to_another_house(orders: Callable) -> None:
    """Orders of the named person on the named matter in mails from the day on hold for both houses."""
    lead = "Fay Reed of Nest Ltd"
    told = (
        f"From 10 February we leave the general sequence of invoices to {lead}: "
        f"what {lead} writes on this from then on counts for us too."
    )
    there = [
        ("2026-02-09", "Please settle the oldest of our open invoices first.", "Fay Reed", "Nest Ltd"),
        ("2026-02-10", NEWEST + " York comes first among our branches.", "Fay Reed", "Nest Ltd"),
        ("2026-02-11", "Please settle the largest of our open invoices first.", "Gus Hill", "Nest Ltd"),
    ]
    own = len(orders(*there))
    shared = orders(("2026-02-03", told), *there)
    assert len(shared) == own + 1
    assert shared.count(("sequence", "newest", "", *days("2026-02-10"))) == 2


def test_an_unknown_house_cannot_be_followed(orders: Callable) -> None:
    """A matter left to a person of a house without an account is an error."""
    told = (
        "From 10 February please follow for our account too what Fay Reed of Web "
        "Ltd writes about the general sequence of invoices."
    )
    with pytest.raises(UnclearMails, match="Web Ltd"):
        orders(("2026-02-03", told))


def test_a_missed_mail_leaves_references_to_nothing(account: Account, mail: Callable) -> None:
    """If the mail that gave an order is missed, the one that changes its limit changes nothing."""
    mails = dict(
        [
            mail("2026-02-02", LARGE),
            mail("2026-03-02", "The limit of 400.00 in our mail of 2 February changes to 550.00 from today."),
        ]
    )

    def applied(*missed: str) -> dict:
        accounts = {"Quill Ltd": account}
        return settle_correspondents(mails, accounts, lambda day, owed, *_: list(owed), missed)[
            "Quill Ltd"
        ].applied

    given = next(iter(mails))
    assert applied(given) == applied("mails_unread") != applied()
