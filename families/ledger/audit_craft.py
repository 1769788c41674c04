"""How the cases of `ledger-audit` are made and solved, see `case_maker.Craft`."""

from typing import Any

from families.ledger.filing.audit_files import file_audit
from families.ledger.filing.facts import audit_facts
from families.ledger.knobs import AuditKnobs
from families.ledger.planning.audit_plan import PlannedAudit, complete, draw_outline, plan_case
from families.ledger.solver import audit_answer as answer
from families.ledger.solver import solve_audit as solve
from trapcli.core.draw import Draw

__all__ = ["answer", "complete", "draw_outline", "plan_case", "require", "solve", "write"]


def require(knobs: AuditKnobs) -> None:
    """Accept all knobs: any of an audit go together."""


def write(draw: Draw, planned: PlannedAudit) -> tuple[dict[str, str], dict[str, Any]]:
    filed = file_audit(draw, planned)
    return filed.files, audit_facts(filed, planned)
