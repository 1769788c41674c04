"""The craft of `ledger-audit`, see `craft.CaseCraft`."""

from families.ledger.checks.audit_checks import audit_problems as file_problems
from families.ledger.checks.truth import Truth
from families.ledger.files.case_files import CaseFiles
from families.ledger.files.reader import read_audit as read_files
from families.ledger.files.writer import AUDIT, QUESTION, write_audit
from families.ledger.planning.audit_plan import draw_outline, plan_case
from families.ledger.planning.planned_case import PlannedCase
from families.ledger.solver import solve_audit as solve

__all__ = [
    "draw_outline", "file_problems", "plan_case", "read_files", "required_files", "solve", "write_files",
]  # fmt: skip


def write_files(planned: PlannedCase) -> dict[str, str]:
    (rule,) = planned.texts
    return write_audit(planned.case_files, rule)


def required_files(case_files: CaseFiles, truth: Truth) -> tuple[str, str]:
    return QUESTION, AUDIT
