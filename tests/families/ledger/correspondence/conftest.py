"""Correspondents of several seeds and questions, planned once, and a frame to plan more."""

from collections.abc import Callable, Mapping, Sequence
from datetime import date

import pytest

from families.ledger.correspondence.correspondence import Correspondence
from families.ledger.correspondence.frame import Counts, Frame, Invoice, Settled
from families.ledger.correspondence.plan import plan_correspondents
from families.ledger.correspondence.render import render
from trapcli.core.draw import Draw

BRANCHES = ("Derby", "Hull", "Leeds", "York")


def day(month: int, number: int) -> int:
    """Return the ordinal of a day of 2026."""
    return date(2026, month, number).toordinal()


def cited_then_oldest(when: int, owed: Mapping[int, int], cents: int, cited: int) -> Sequence[int]:
    """Settle the cited invoice first, if it is open, then the oldest."""
    return sorted(owed, key=lambda i: (i != cited, i))


def old_ones(invoices: Sequence[Invoice], settled: Settled) -> int:
    """Count what is open on invoices dated before August."""
    return sum(cents for i, cents in settled.owed.items() if invoices[i].day < day(8, 1))


def partly_paid(invoices: Sequence[Invoice], settled: Settled) -> int:
    """Count what is open on invoices that are paid in part."""
    return sum(cents for i, cents in settled.owed.items() if cents < invoices[i].amount)


def two_branches(invoices: Sequence[Invoice], settled: Settled) -> int:
    """Count what is open for two of the branches."""
    return sum(cents for i, cents in settled.owed.items() if invoices[i].branch in ("Hull", "York"))


def frame_of(counts: Counts, first: int = day(1, 12)) -> Frame:
    """Return the frame of a year with this question, mails from `first` on."""
    return Frame(day(1, 1), first, day(12, 31), BRANCHES, cited_then_oldest, counts)


def voucher_of(customer: int, invoice: int) -> str:
    """Return a voucher that no other invoice has."""
    return f"RC{customer + 1:02d}-{invoice + 1:03d}"


def houses(count: int) -> list[str]:
    """Return names of customers."""
    return [f"House {number} & Sons" for number in range(1, count + 1)]


@pytest.fixture(scope="session")
def planned() -> list[Correspondence]:
    """Some two hundred customers in all, of three questions."""
    return [
        plan_correspondents(Draw(f"planned {number}"), frame_of(counts), houses(36), 1000, 330)
        for number, counts in enumerate(
            (old_ones, partly_paid, two_branches, old_ones, two_branches, partly_paid)
        )
    ]


@pytest.fixture(scope="session")
def big() -> Correspondence:
    """A case of 1,200 mails and 370 instructions."""
    return plan_correspondents(Draw("big"), frame_of(old_ones), houses(40), 1200, 370)


@pytest.fixture(scope="session")
def mails(big: Correspondence) -> dict[str, str]:
    """The mails of the big case, rendered."""
    return render(Draw("big mails"), big, voucher_of)


@pytest.fixture
def plan() -> Callable[..., Correspondence]:
    """plan(seed, customers, mails, instructions): a small case."""

    def make(seed: str, customers: int, mails: int, instructions: int) -> Correspondence:
        return plan_correspondents(Draw(seed), frame_of(old_ones), houses(customers), mails, instructions)

    return make
