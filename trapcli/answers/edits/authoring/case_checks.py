"""What must hold for a case with edits, beyond the invariants that the core checks for every case."""

from collections.abc import Collection, Iterator
from dataclasses import replace

from trapcli.answers.edits.answers import MISSED, EditsAnswers, PreparedCase
from trapcli.answers.edits.authoring.plan import MOST_GOLD_EDITS
from trapcli.answers.edits.judging.applied_edits import AppliedEdits
from trapcli.answers.edits.limits import EDITS_READ, edits_read
from trapcli.answers.edits.tables import NUMERIC, value_of
from trapcli.core.contract import Case, Problem


def case_problems(
    answers: EditsAnswers, case: Case, computed: Collection[tuple[str, str]]
) -> Iterator[Problem]:
    """Yield the problems of a case, each with the name of the invariant that it breaks.

    computed: the (file, column) pairs that an agent must work out.
    """
    prepared = answers.prepared(case)
    compound = MISSED in case.facts
    most = edits_read(case.facts) * MOST_GOLD_EDITS // EDITS_READ
    if not 0 < len(case.gold) <= most:
        yield Problem(f"{len(case.gold)} gold edits, not 1 to {most}", "solvable")
    right = prepared.result
    for one in case.facts.get(MISSED, ()):
        if one["result"] == right:
            yield Problem(f"{one['name']} can be missed", "bites")
    if prepared.gold.notes:
        yield Problem(prepared.gold.notes[0], "gold edits are ignored")
    for name, output in prepared.before.items():
        if output.error:
            yield Problem(f"{name} fails on the inputs: {output.error}", "solvable")
    for position in _needless(answers, case, prepared):
        yield Problem(f"gold edit {position} can be left out", "needed")
    if not compound:  # of many figures, some are those of another month or customer
        yield from _leaks(answers, case, computed)


def _needless(answers: EditsAnswers, case: Case, prepared: PreparedCase) -> Iterator[int]:
    """Yield the position of each gold edit without which all reports print the same."""
    rows = [{(cell.file, cell.row) for cell in cells} for _, cells in prepared.gold.touched]
    if len(rows) == len(case.gold) and len(set().union(*rows)) == sum(map(len, rows)):
        for position, places in enumerate(rows, 1):
            if answers.matches(prepared, _without(prepared, places)):
                yield position
        return
    for i in range(len(case.gold)):  # slower: edits that share a row, or do nothing
        if answers.passes(case, case.gold[:i] + case.gold[i + 1 :]):
            yield i + 1


def _without(prepared: PreparedCase, places: Collection[tuple[str, int]]) -> AppliedEdits:
    """Return the gold edits as if these rows (file, position) had not been edited."""
    tables = dict(prepared.gold.tables)
    for file, place in sorted(places, reverse=True):
        rows, old = list(tables[file]), prepared.tables[file]
        if place < len(old):
            rows[place] = old[place]
        else:
            del rows[place]
        tables[file] = rows
    return replace(prepared.gold, tables=tables)


def _leaks(answers: EditsAnswers, case: Case, computed: Collection[tuple[str, str]]) -> Iterator[Problem]:
    """Yield the computed values that are already in their column, or in the ticket."""
    tables = answers.prepared(case).tables
    for edit in case.gold:
        for column, text in (edit.get("set") or edit.get("row")).items():
            file = edit["file"]
            if (file, column) not in computed or not text:
                continue
            column_type = answers.schema[file].columns[column]
            value = value_of(column_type, text)
            if any(value_of(column_type, row[column]) == value for row in tables[file]):
                yield Problem(f"{text} is already in {file} {column}", "leak")
            if column_type in NUMERIC and text in case.files["ticket.md"]:
                yield Problem(f"{text} is in the ticket", "leak")
