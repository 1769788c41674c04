"""A small account, mails written in tests, and correspondences drawn once."""

from collections.abc import Callable, Mapping
from datetime import date
from typing import Any, NamedTuple

import pytest

from families.ledger.correspondence.correspondence import Correspondence
from families.ledger.correspondence.frame import Frame
from families.ledger.correspondence.plan import plan_correspondents
from families.ledger.correspondence.render import mail_paths, render
from families.ledger.solver.mails import Account, Invoice, Receipt, Settled, settle_correspondents
from trapcli.core.draw import Draw

Text = tuple[str, str]  # day, what the mail says


class Drawn(NamedTuple):
    """A correspondence with its mails, and what a solver is given beside them."""

    plan: Correspondence
    mails: dict[str, str]
    paths: dict[tuple[int, int], str]
    accounts: dict[str, Account]
    practice: Callable[[int, dict[str, int], int, str], list[str]]


def day(text: str) -> int:
    """Return the ordinal of a day as 2026-03-31."""
    return date.fromisoformat(text).toordinal()


@pytest.fixture
def account() -> Account:
    """Four invoices of two towns, and three receipts."""
    return Account(
        (
            Invoice("AB2601-001", day("2026-01-05"), 1000_00, "Hull"),
            Invoice("AB2601-002", day("2026-01-20"), 400_00, "York"),
            Invoice("AB2602-001", day("2026-02-10"), 700_00, "Hull"),
            Invoice("AB2603-001", day("2026-03-02"), 300_00, "York"),
        ),
        (
            Receipt("R1", day("2026-03-10"), 500_00, "AB2602-001"),
            Receipt("R2", day("2026-04-10"), 600_00),
            Receipt("R3", day("2026-05-08"), 250_00),
        ),
    )


@pytest.fixture
def mail() -> Callable[..., Text]:
    """mail(day, text, writer, house, ours): path and text of a mail."""

    def write(
        when: str, text: str, writer: str = "Ada Finch", house: str = "Quill Ltd", ours: bool = False
    ) -> Text:
        on = date.fromisoformat(when)
        theirs, us = f"{writer}, {house} <a@quill.example>", "Receivables <r@accounts.example>"
        sender, receiver = (us, theirs) if ours else (theirs, us)
        head = f"Date: {on:%A}, {on.day} {on:%B} {on.year}\nFrom: {sender}\nTo: {receiver}\nSubject: X\n\n"
        greeting = f"Dear {writer}," if ours else "Hello,"
        name = "Ben Ray" if ours else writer
        return f"correspondence/{when}-{house[0]}.txt", f"{head}{greeting}\n\n{text}\n\nRegards,\n{name}\n"

    return write


@pytest.fixture
def settled(account: Account) -> Callable[..., Settled]:
    """settled(mails, missed): how the small account settles; its practice is the oldest first."""

    def settle(*mails: Text, missed: tuple[str, ...] = ()) -> Settled:
        accounts = {"Quill Ltd": account}
        return settle_correspondents(dict(mails), accounts, lambda day, owed, *_: list(owed), missed)[
            "Quill Ltd"
        ]

    return settle


def cited(when: int, owed: Mapping[Any, int], cents: int, quoted: Any) -> list[Any]:
    """Settle the cited invoice first, then the oldest."""
    return sorted(owed, key=lambda invoice: invoice != quoted)


def most_left(when: int, owed: Mapping[Any, int], cents: int, quoted: Any) -> list[Any]:
    """Settle what has most left on it first."""
    return sorted(owed, key=lambda invoice: -owed[invoice])


def newest(when: int, owed: Mapping[Any, int], cents: int, quoted: Any) -> list[Any]:
    """Settle the newest first."""
    return list(owed)[::-1]


def after_march(*of: Any) -> int:
    """Count what is open on invoices dated after March."""
    invoices, end = of[0], of[-1]
    return sum(cents for i, cents in end.owed.items() if invoices[i].day > day("2026-03-31"))


def partly_paid(*of: Any) -> int:
    """Count what is open on invoices that are paid in part."""
    invoices, end = of[0], of[-1]
    return sum(cents for i, cents in end.owed.items() if cents < invoices[i].amount)


def draw_one(seed: str, number: int, customers: int, mails: int, instructions: int) -> Drawn:
    """Draw a correspondence; the number decides practice and question."""
    practice = (cited, most_left, newest)[number % 3]
    counts = (after_march, partly_paid)[number % 2]
    first, last = day("2026-01-01"), day("2026-12-31")
    frame = Frame(first, first + 11, last, ("Hull", "Leeds", "York"), practice, counts)
    names = [f"House {n} & Sons" for n in range(customers)]
    plan = plan_correspondents(Draw(f"{seed} {number}"), frame, names, mails, instructions)

    def voucher(who: int, n: int) -> str:
        return f"AB26{who:02d}-{n:03d}" if n >= 0 else ""

    accounts = {
        one.name: Account(
            tuple(Invoice(voucher(who, n), *invoice) for n, invoice in enumerate(one.invoices)),
            tuple(
                Receipt(f"R{who}-{n}", receipt.day, receipt.amount, voucher(who, receipt.cited))
                for n, receipt in enumerate(one.receipts)
            ),
        )
        for who, one in enumerate(plan.customers)
    }
    texts = render(Draw(f"{seed} {number} texts"), plan, voucher)
    return Drawn(plan, texts, mail_paths(plan), accounts, practice)


@pytest.fixture(scope="session")
def drawn() -> list[Drawn]:
    """Six correspondences of 150 mails."""
    return [draw_one("solver", number, 8, 150, 45) for number in range(6)]


@pytest.fixture(scope="session")
def long() -> Drawn:
    """A correspondence of 1,200 mails."""
    return draw_one("long", 1, 40, 1200, 330)
