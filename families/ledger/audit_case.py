"""The craft of `ledger-audit`, see `making.Craft`."""

from families.ledger.checks.audit_checks import audit_problems as problems
from families.ledger.checks.invariants import Truth
from families.ledger.files.case_files import Binder
from families.ledger.files.reader import read_audit as read
from families.ledger.files.writer import AUDIT, QUESTION, audit_files
from families.ledger.planning.audit_plan import outline, plan
from families.ledger.planning.planned_case import Planned
from trapcli.core.contract import Files

__all__ = ["needed", "outline", "plan", "problems", "read", "render", "solve"]


def render(planned: Planned) -> dict[str, str]:
    (rule,) = planned.words
    return audit_files(planned.binder, rule)


def needed(binder: Binder, true: Truth) -> tuple[str, str]:
    return QUESTION, AUDIT


def solve(files: Files, mistake: str | None) -> str:
    from families.ledger.solver import solve_audit

    return solve_audit(files, mistake)
