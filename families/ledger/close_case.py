"""The craft of `ledger-close`, see `making.Craft`."""

from families.ledger.checks.close_checks import close_problems as problems
from families.ledger.checks.difficulty import must_be_read as needed
from families.ledger.files.reader import read_close as read
from families.ledger.files.writer import close_files
from families.ledger.planning.close_plan import outline, plan
from families.ledger.planning.planned_case import Planned
from trapcli.core.contract import Files

__all__ = ["needed", "outline", "plan", "problems", "read", "render", "solve"]


def render(planned: Planned) -> dict[str, str]:
    title, start, rule, end = planned.words
    return close_files(planned.binder, (title, start, rule, end))


def solve(files: Files, mistake: str | None) -> str:
    from families.ledger.solver import solve_close

    return solve_close(files, mistake)
