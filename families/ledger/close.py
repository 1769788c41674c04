"""Family `ledger-close`: a year of receivables in many files, and one number."""

from pathlib import Path
from typing import TYPE_CHECKING

from families.ledger.domain.mistakes import CLOSE_MISTAKES
from families.ledger.domain.questions import TRAPS
from families.ledger.family import LedgerFamily
from families.ledger.knobs import CLOSE_LEVELS, CloseKnobs

if TYPE_CHECKING:
    from families.ledger.case_maker import Craft


def load_craft() -> "Craft":
    from families.ledger import close_craft

    return close_craft


FAMILY = LedgerFamily(
    name="ledger-close",
    title="A year of receivables, one number",
    version="2",
    traps=TRAPS,
    load_craft=load_craft,
    mistakes=CLOSE_MISTAKES,
    knobs=CloseKnobs,
    levels=CLOSE_LEVELS,
    readme=Path(__file__).with_name("close_case_readme.md").read_text(encoding="utf-8"),
)
