"""Family `ledger-close`: a year of receivables in many files, and one number."""

from pathlib import Path

from families.ledger.domain.names import CLOSE
from families.ledger.family import LedgerFamily
from families.ledger.knobs import CLOSE_LADDER, CloseKnobs

FAMILY = LedgerFamily(
    name="ledger-close",
    title="A year of receivables, one number",
    version="1",
    module="families.ledger.close_case",
    mistakes=CLOSE,
    knobs=CloseKnobs,
    ladder=CLOSE_LADDER,
    readme=Path(__file__).with_name("close.md").read_text(encoding="utf-8"),
)
