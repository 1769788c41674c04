"""Family `ledger-audit`: the same settlement on one sheet that is seen whole."""

from pathlib import Path

from families.ledger.domain.names import AUDIT
from families.ledger.family import LedgerFamily
from families.ledger.knobs import AUDIT_LADDER, AuditKnobs

FAMILY = LedgerFamily(
    name="ledger-audit",
    title="One sheet of receivables, one number",
    version="1",
    module="families.ledger.audit_case",
    mistakes=AUDIT,
    knobs=AuditKnobs,
    ladder=AUDIT_LADDER,
    readme=Path(__file__).with_name("audit.md").read_text(encoding="utf-8"),
)
