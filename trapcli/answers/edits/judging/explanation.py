"""What `inspect` and `judge` show of an edits family's cases and verdicts."""

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from trapcli.answers.edits.judging.report_comparison import differing
from trapcli.core.contract import Case, Section, Verdict

if TYPE_CHECKING:
    from trapcli.answers.edits.family import EditsFamily


def _shown(value: Any) -> str:
    """A cell for a reader: its text, or words where there is none."""
    return "(no such cell)" if value is None else "(empty)" if value == "" else str(value)


def _pairs(values: dict[str, str]) -> str:
    return ", ".join(f"{column}={_shown(text)}" for column, text in values.items())


def explain(family: "EditsFamily", case: Case, public: bool) -> Sequence[Section]:
    """The ticket and the tables' sizes; unless `public` the trap, the gold edits and their effect."""
    tables = family.read_tables(case.files)
    sizes = tuple(
        (name, str(len(rows)), ", ".join(family.schema[name].columns)) for name, rows in tables.items()
    )
    shown = [
        Section("Ticket", text=case.files["ticket.md"].strip()),
        Section("Tables", ("file", "rows", "columns"), sizes),
    ]
    if public:
        return shown
    prepared = family.prepared(case)
    facts = tuple(
        (name, value if isinstance(value, str) else json.dumps(value)) for name, value in case.facts.items()
    )
    gold = tuple(
        (
            str(i),
            edit["file"],
            edit["op"],
            _pairs(edit.get("match", {})),
            _pairs(edit.get("set") or edit["row"]),
        )
        for i, edit in enumerate(case.gold, 1)
    )
    change = tuple(
        (name, row, column, _shown(old), _shown(new))
        for name, right in prepared.right.items()
        for row, column, old, new in differing(prepared.before[name], right)
    )
    return [
        *shown,
        Section("What the trap stands on", ("fact", "value"), facts),
        Section("Gold edits", ("#", "file", "op", "match", "set or row"), gold),
        Section("What the reports show", ("report", "row", "column", "before", "after"), change),
    ]


def view(verdict: Verdict) -> Sequence[Section]:
    """Which reports match, and the cells that differ."""
    if "reports" not in verdict.details:
        return []
    sections = [Section("Reports", ("report", "result"), tuple(verdict.details["reports"].items()))]
    cells = tuple(
        (c["report"], c["row"], c["column"], _shown(c["yours"]), _shown(c["right"]))
        for c in verdict.details["cells"]
    )
    if cells:
        count = verdict.details["cells_differ"]
        title = "Differing cells" + (f", the first {len(cells)} of {count}" if count > len(cells) else "")
        sections.append(Section(title, ("report", "row", "column", "yours", "right"), cells))
    return sections
