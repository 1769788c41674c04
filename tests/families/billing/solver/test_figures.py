"""From which month on a change covers invoices."""

import pytest

from families.billing.solver.figures import first_month


@pytest.mark.parametrize(
    ("since", "first"),
    [("2025-03-01", "2025-03"), ("2025-03-02", "2025-04"), ("2025-12-31", "2026-01"), ("2025-03", "2025-03")],
)
def test_the_first_month_covered(since: str, first: str) -> None:
    """Invoices are made out on the first of the month, so a later day counts from the next month on."""
    assert first_month(since) == first
