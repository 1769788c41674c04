"""What must hold for a case with edits, beyond the invariants that the core checks for every case."""

from collections.abc import Collection, Iterator

from trapcli.answers.edits.answers import EditsAnswers
from trapcli.answers.edits.authoring.plan import MOST_GOLD_EDITS
from trapcli.answers.edits.tables import NUMERIC, value_of
from trapcli.core.contract import Case, Problem


def case_problems(
    answers: EditsAnswers, case: Case, computed: Collection[tuple[str, str]]
) -> Iterator[Problem]:
    """Yield the problems of a case, each with the name of the invariant that it breaks.

    computed: the (file, column) pairs that an agent must work out.
    """
    prepared = answers.prepared(case)
    if not 0 < len(case.gold) <= MOST_GOLD_EDITS:
        yield Problem(f"{len(case.gold)} gold edits, not 1 to {MOST_GOLD_EDITS}", "solvable")
    if prepared.gold.notes:
        yield Problem(prepared.gold.notes[0], "gold edits are ignored")
    for name, output in prepared.before.items():
        if output.error:
            yield Problem(f"{name} fails on the inputs: {output.error}", "solvable")
    for i in range(len(case.gold)):
        if answers.passes(case, case.gold[:i] + case.gold[i + 1 :]):
            yield Problem(f"gold edit {i + 1} can be left out", "needed")
    yield from _leaks(answers, case, computed)


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
