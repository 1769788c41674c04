"""What must hold for a case of any edits family beyond the core's own invariants."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from trapcli.answers.edits.tables import NUMERIC, value_of
from trapcli.core.contract import Case, Problem

if TYPE_CHECKING:
    from trapcli.answers.edits.family import EditsFamily


def check(family: "EditsFamily", case: Case) -> Iterator[Problem]:
    """Problems of the case, each naming the invariant it breaks."""
    from trapcli.answers.edits.family import MOST_GOLD, loaded

    prepared = family.prepared(case)
    if not 0 < len(case.gold) <= MOST_GOLD:
        yield Problem(f"{len(case.gold)} gold edits, not 1 to {MOST_GOLD}", "solvable")
    if prepared.gold.notes:
        yield Problem(prepared.gold.notes[0], "gold edits are ignored")
    for name, printed in prepared.before.items():
        if printed.error:
            yield Problem(f"{name} fails on the inputs: {printed.error}", "solvable")
    for i in range(len(case.gold)):
        if family.passes(case, case.gold[:i] + case.gold[i + 1 :]):
            yield Problem(f"gold edit {i + 1} can be left out", "needed")
    yield from _leaks(family, case)
    if family.audit:
        yield from loaded(family.audit)(prepared.tables, prepared.gold.tables)


def _leaks(family: "EditsFamily", case: Case) -> Iterator[Problem]:
    """Values to be computed that stand in the same column of some row, or in the ticket."""
    tables = family.prepared(case).tables
    for edit in case.gold:
        for column, text in (edit.get("set") or edit.get("row")).items():
            file = edit["file"]
            if (file, column) not in family.computed or not text:
                continue
            kind = family.schema[file].columns[column]
            value = value_of(kind, text)
            if any(value_of(kind, row[column]) == value for row in tables[file]):
                yield Problem(f"{text} stands in {file} {column} already", "leak")
            if kind in NUMERIC and text in case.files["ticket.md"]:
                yield Problem(f"{text} stands in the ticket", "leak")
