"""Family `ledger-audit`: the same settlement on one sheet, seen whole."""

from pathlib import Path
from typing import TYPE_CHECKING

from families.ledger.domain.mistakes import AUDIT_MISTAKES
from families.ledger.domain.questions import CASH_TO_EARLIER, TRAPS
from families.ledger.family import LedgerFamily
from families.ledger.knobs import AUDIT_LEVELS, AuditKnobs

if TYPE_CHECKING:
    from families.ledger.case_maker import Craft


def load_craft() -> "Craft":
    from families.ledger import audit_craft

    return audit_craft


FAMILY = LedgerFamily(
    name="ledger-audit",
    title="One sheet of receivables, one number",
    version="2",
    traps={name: line for name, line in TRAPS.items() if name != CASH_TO_EARLIER},
    load_craft=load_craft,
    mistakes=AUDIT_MISTAKES,
    knobs=AuditKnobs,
    levels=AUDIT_LEVELS,
    readme=Path(__file__).with_name("audit_case_readme.md").read_text(encoding="utf-8"),
)
