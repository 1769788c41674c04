"""The craft of `ledger-close`, see `craft.CaseCraft`."""

from families.ledger.checks.close_checks import close_problems as file_problems
from families.ledger.checks.difficulty import required_files
from families.ledger.files.reader import read_close as read_files
from families.ledger.files.writer import write_close
from families.ledger.planning.close_plan import draw_outline, plan_case
from families.ledger.planning.planned_case import PlannedCase
from families.ledger.solver import solve_close as solve

__all__ = [
    "draw_outline", "file_problems", "plan_case", "read_files", "required_files", "solve", "write_files",
]  # fmt: skip


def write_files(planned: PlannedCase) -> dict[str, str]:
    title, start, rule, end = planned.texts
    return write_close(planned.case_files, (title, start, rule, end))
