"""What the two ledger families differ in, and what making a case needs of a family.

`case_maker` and `explanation` know a family only by these protocols, so they never import one.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Protocol

from families.ledger.checks.truth import Truth
from families.ledger.files.case_files import CaseFiles
from families.ledger.planning.planned_case import PlannedCase
from families.ledger.planning.year_outline import CaseOutline
from trapcli.core.contract import AnswerKind, Files, Problem
from trapcli.core.draw import Draw


class CaseCraft(Protocol):
    """How the cases of one family are planned, written and read: a module with these functions."""

    def draw_outline(self, draw: Draw, knobs: Any) -> CaseOutline:
        """Draw what is kept when a plan fails."""

    def plan_case(self, draw: Draw, knobs: Any, trap: str, outline: CaseOutline) -> PlannedCase:
        """Plan a case; PlanFailed if the choices drawn cannot be completed."""

    def write_files(self, planned: PlannedCase) -> dict[str, str]:
        """Return all files of a case except its README."""

    def read_files(self, files: Files) -> CaseFiles:
        """Read back what `write_files` wrote; ValueError, KeyError or IndexError if it is damaged."""

    def file_problems(self, case_files: CaseFiles, truth: Truth) -> Iterator[Problem]:
        """Yield what is wrong with the files, besides their book."""

    def required_files(self, case_files: CaseFiles, truth: Truth) -> Iterable[str]:
        """Return the files without which the answer cannot be found."""

    def solve(self, files: Files, mistake: str | None) -> str:
        """Return what an agent prints that makes this mistake, or none."""


class CraftedFamily(Protocol):
    """What making, checking and explaining a case needs of its family.

    readme: the case README, except the part on how to answer.
    """

    def __hash__(self) -> int: ...

    @property
    def name(self) -> str: ...

    @property
    def version(self) -> str: ...

    @property
    def readme(self) -> str: ...

    @property
    def mistakes(self) -> Mapping[str, str]: ...

    @property
    def answers(self) -> AnswerKind: ...

    @property
    def craft(self) -> CaseCraft: ...
