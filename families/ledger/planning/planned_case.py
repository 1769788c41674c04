"""What a planner returns."""

from typing import NamedTuple

from families.ledger.files.case_files import CaseFiles


class PlannedCase(NamedTuple):
    """A case before its files are rendered.

    changeover: the first day from which citations are ignored.
    texts: the sentences of the memo, or of an audit's sheet.
    """

    case_files: CaseFiles
    changeover: int
    texts: tuple[str, ...]


class PlanFailed(Exception):
    """The choices drawn so far cannot be completed; others must be drawn."""
