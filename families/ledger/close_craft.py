"""How the cases of `ledger-close` are made and solved, see `case_maker.Craft`."""

from typing import Any

from families.ledger.filing.close_files import close_files
from families.ledger.filing.facts import close_facts
from families.ledger.filing.sheets import file_year
from families.ledger.knobs import CloseKnobs
from families.ledger.planning.close_plan import PlannedClose, complete, draw_outline, plan_case
from families.ledger.solver import close_answer as answer
from families.ledger.solver import solve_close as solve
from trapcli.core.draw import Draw
from trapcli.core.errors import TrapError

LEAST_MAILS, MONTHS_FOR_MAILS = 20, 10

__all__ = ["answer", "complete", "draw_outline", "plan_case", "require", "solve", "write"]


def require(knobs: CloseKnobs) -> None:
    """Raise TrapError if knobs cannot go together: mails need time, and room in the questions."""
    if 0 < knobs.mails < LEAST_MAILS:
        raise TrapError(f"knob mails: {knobs.mails} is too few; it is 0, or at least {LEAST_MAILS}.")
    if knobs.mails and not knobs.drawn_orders:
        raise TrapError("knob mails: mails go with drawn orders only (drawn_orders=1).")
    if knobs.mails and knobs.months < MONTHS_FOR_MAILS:
        raise TrapError(
            f"knob mails: with mails a year needs at least {MONTHS_FOR_MAILS} months, not {knobs.months}."
        )


def write(draw: Draw, planned: PlannedClose) -> tuple[dict[str, str], dict[str, Any]]:
    filed = file_year(draw.stream("sheets"), planned)
    return close_files(draw.stream("texts"), filed, planned), close_facts(filed, planned)
