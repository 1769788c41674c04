"""When a change counts for invoices."""

import pytest

from families.billing.solver.restating import first_month


@pytest.mark.parametrize(
    ("since", "first"),
    [("2025-03-01", "2025-03"), ("2025-03-02", "2025-04"), ("2025-12-31", "2026-01"), ("2025-03", "2025-03")],
)
def test_the_first_month_covered(since: str, first: str) -> None:
    """An invoice is made out on the first day of its month, so a later day counts from the next one on."""
    assert first_month(since) == first
