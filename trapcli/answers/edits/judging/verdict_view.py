"""What `judge` shows of the verdict on an answer of edits."""

from collections.abc import Sequence
from typing import Any

from trapcli.core.contract import Section, Verdict


def cell_text(value: Any) -> str:
    """Return a cell for a person: its text, or words if it is empty or does not exist."""
    return "(no such cell)" if value is None else "(empty)" if value == "" else str(value)


def verdict_sections(verdict: Verdict) -> Sequence[Section]:
    """Return which reports match, and the cells that differ."""
    if "reports" not in verdict.details:
        return []
    sections = [Section("Reports", ("report", "result"), tuple(verdict.details["reports"].items()))]
    cells = tuple(
        (c["report"], c["row"], c["column"], cell_text(c["yours"]), cell_text(c["right"]))
        for c in verdict.details["cells"]
    )
    if cells:
        count = verdict.details["cells_differ"]
        title = "Differing cells" + (f", the first {len(cells)} of {count}" if count > len(cells) else "")
        sections.append(Section(title, ("report", "row", "column", "yours", "right"), cells))
    return sections
