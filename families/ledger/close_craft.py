"""How the cases of `ledger-close` are made and solved, see `case_maker.Craft`."""

from typing import Any

from families.ledger.filing.close_files import close_files
from families.ledger.filing.facts import close_facts
from families.ledger.filing.sheets import file_year
from families.ledger.planning.close_plan import PlannedClose, complete, draw_outline, plan_case
from families.ledger.solver import close_answer as answer
from families.ledger.solver import solve_close as solve
from trapcli.core.draw import Draw

__all__ = ["answer", "complete", "draw_outline", "plan_case", "solve", "write"]


def write(draw: Draw, planned: PlannedClose) -> tuple[dict[str, str], dict[str, Any]]:
    filed = file_year(draw.stream("sheets"), planned)
    return close_files(draw.stream("texts"), filed, planned), close_facts(filed, planned)
