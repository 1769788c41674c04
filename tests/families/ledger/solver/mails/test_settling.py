"""Where receipts go by the rules of the README, on an account small enough to work out by hand."""

from collections.abc import Callable

PRACTICE = {"R1": {"AB2601-001": 500_00}, "R2": {"AB2601-001": 500_00, "AB2601-002": 100_00}}
FEBRUARY = "2026-02-20"


def test_without_mails_the_practice_holds(settled: Callable) -> None:
    """Receipts go to the oldest invoices, and what is left of each invoice stays open."""
    end = settled()
    assert {**end.applied, "R3": {}} == {**PRACTICE, "R3": {}}
    assert end.applied["R3"] == {"AB2601-002": 250_00}
    assert end.owed == {"AB2601-002": 50_00, "AB2602-001": 700_00, "AB2603-001": 300_00}


def test_a_sequence_replaces_the_practice(settled: Callable, mail: Callable) -> None:
    """From its first day on a general sequence decides."""
    end = settled(mail(FEBRUARY, "Please settle the newest of our open invoices first from 1 April."))
    assert end.applied["R1"] == PRACTICE["R1"]
    assert end.applied["R2"] == {"AB2603-001": 300_00, "AB2602-001": 300_00}


def test_the_order_before_holds_again(settled: Callable, mail: Callable) -> None:
    """After the last day of an order the one that it had replaced holds again."""
    end = settled(
        mail("2026-02-20", "Please settle the smallest of our open invoices first."),
        mail("2026-04-01", "Please settle the largest of our open invoices first until 30 April."),
    )
    assert end.applied["R1"] == {"AB2603-001": 300_00, "AB2601-002": 200_00}
    assert end.applied["R2"] == {"AB2601-001": 600_00}
    assert end.applied["R3"] == {"AB2601-002": 200_00, "AB2601-001": 50_00}


def test_a_branch_goes_before_the_sequence(settled: Callable, mail: Callable) -> None:
    """The invoices of the branch come first, each group in the sequence that holds."""
    end = settled(
        mail(
            FEBRUARY,
            "York comes first among our branches. Please settle the newest of our open invoices first.",
        )
    )
    assert end.applied["R1"] == {"AB2603-001": 300_00, "AB2601-002": 200_00}
    assert end.applied["R2"] == {"AB2601-002": 200_00, "AB2602-001": 400_00}


def test_a_limit_must_be_exceeded(settled: Callable, mail: Callable) -> None:
    """The special sequence takes receipts of more than the limit, and not one of just as much."""
    end = settled(mail(FEBRUARY, "Any transfer of more than 500.00 goes to the newest invoice first."))
    assert end.applied["R1"] == PRACTICE["R1"]
    assert end.applied["R2"] == {"AB2603-001": 300_00, "AB2602-001": 300_00}


def test_a_disputed_invoice_gets_nothing(settled: Callable, mail: Callable) -> None:
    """A disputed invoice is left out, even of a one-off that names it, until it is released."""
    end = settled(
        mail("2026-02-20", "We dispute AB2601-001."),
        mail("2026-02-23", "Please use our next transfer for AB2601-001, then AB2603-001."),
        mail("2026-04-20", "The dispute about the invoice for 1,000.00 is over."),
    )
    assert end.applied["R1"] == {"AB2603-001": 300_00, "AB2601-002": 200_00}
    assert end.applied["R3"] == {"AB2601-001": 250_00}


def test_a_part_goes_before_the_rest(settled: Callable, mail: Callable) -> None:
    """A part amount goes to its invoice, and the rest as usual."""
    end = settled(mail(FEBRUARY, "Please put 120.00 of our next transfer to AB2603-001."))
    assert end.applied["R1"] == {"AB2603-001": 120_00, "AB2601-001": 380_00}


def test_the_rest_can_have_a_sequence(settled: Callable, mail: Callable) -> None:
    """A sequence that the one-off names for its rest goes before the branch that comes first."""
    end = settled(
        mail("2026-02-20", "York comes first among our branches."),
        mail(
            "2026-02-23",
            "Please put 120.00 of our next transfer to AB2603-001. "
            "What is left goes largest first, whatever holds otherwise.",
        ),
    )
    assert end.applied["R1"] == {"AB2603-001": 120_00, "AB2601-001": 380_00}


def test_halves(settled: Callable, mail: Callable) -> None:
    """Each of two branches gets half of the receipt, its oldest invoice first."""
    end = settled(mail(FEBRUARY, "Please split our next transfer half and half between York and Hull."))
    assert end.applied["R1"] == {"AB2601-002": 250_00, "AB2601-001": 250_00}


def test_a_branch_kept_out(settled: Callable, mail: Callable) -> None:
    """The receipt goes by the order that holds, to other branches only."""
    end = settled(mail(FEBRUARY, "Please put nothing of our next transfer to Hull invoices."))
    assert end.applied["R1"] == {"AB2601-002": 400_00, "AB2603-001": 100_00}


def test_a_group(settled: Callable, mail: Callable) -> None:
    """The open invoices of a branch and a month are paid first, then others as usual."""
    end = settled(
        mail(FEBRUARY, "Please use the transfer after our next one for the York invoices dated January.")
    )
    assert end.applied["R2"] == {"AB2601-002": 400_00, "AB2601-001": 200_00}


def test_a_late_one_off_counts_as_if_in_time(settled: Callable, mail: Callable) -> None:
    """A one-off for a receipt that has arrived moves that receipt and those after it."""
    end = settled(mail("2026-04-20", "Please use the transfer of 500.00 for AB2602-001."))
    assert end.applied["R1"] == {"AB2602-001": 500_00}
    assert end.applied["R2"] == {"AB2601-001": 600_00}
