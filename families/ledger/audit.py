"""Family `ledger-audit`: the same settlement on one sheet, seen whole."""

from pathlib import Path
from typing import TYPE_CHECKING

from families.ledger.domain.traps_and_mistakes import AUDIT_MISTAKES
from families.ledger.family import LedgerFamily
from families.ledger.knobs import AUDIT_LEVELS, AuditKnobs

if TYPE_CHECKING:
    from families.ledger.case_craft import CaseCraft


def load_craft() -> "CaseCraft":
    from families.ledger import audit_craft

    return audit_craft


FAMILY = LedgerFamily(
    name="ledger-audit",
    title="One sheet of receivables, one number",
    version="1",
    load_craft=load_craft,
    mistakes=AUDIT_MISTAKES,
    knobs=AuditKnobs,
    levels=AUDIT_LEVELS,
    readme=Path(__file__).with_name("audit_case_readme.md").read_text(encoding="utf-8"),
)
