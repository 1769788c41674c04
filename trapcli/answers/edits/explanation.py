"""What `inspect` shows of a case with edits."""

import json
from collections.abc import Iterator, Mapping, Sequence

from trapcli.answers.edits.answers import EditsAnswers
from trapcli.answers.edits.judging.report_comparison import differing_cells
from trapcli.answers.edits.judging.verdict_view import cell_text
from trapcli.core.contract import Case, Section

ROWS_SHOWN = 20  # of a file's new rows next month


def case_sections(answers: EditsAnswers, case: Case, public: bool) -> Sequence[Section]:
    """Return the ticket and the size of each table; unless `public` also the gold edits and their effect."""
    sizes = tuple(
        (name, str(len(rows)), ", ".join(answers.schema[name].columns))
        for name, rows in answers.read_tables(case).items()
    )
    sections = [
        Section("Ticket", text=case.files["ticket.md"].strip()),
        Section("Tables", ("file", "rows", "columns"), sizes),
    ]
    return sections if public else [*sections, *_private_sections(answers, case)]


def _private_sections(answers: EditsAnswers, case: Case) -> Sequence[Section]:
    prepared = answers.prepared(case)
    facts = tuple(
        (name, value if isinstance(value, str) else json.dumps(value)) for name, value in case.facts.items()
    )
    gold = tuple(
        (
            str(number),
            edit["file"],
            edit["op"],
            _cells_text(edit.get("match", {})),
            _cells_text(edit.get("set") or edit["row"]),
        )
        for number, edit in enumerate(case.gold, 1)
    )
    changes = tuple(
        (name, row, column, cell_text(old), cell_text(new))
        for name, right in prepared.right.items()
        for row, column, old, new in differing_cells(prepared.before[name], right)
    )
    return [
        Section("Facts of the trap", ("fact", "value"), facts),
        Section("Gold edits", ("#", "file", "op", "match", "set or row"), gold),
        Section("Change in the reports", ("report", "row", "column", "before", "after"), changes),
        *_next_month(answers, case),
    ]


def _next_month(answers: EditsAnswers, case: Case) -> Iterator[Section]:
    """Yield the records that the reports see next month, after the gold edits, a section a file."""
    gold = answers.prepared(case).gold.tables
    for file, rows in answers.next_rows(case, case.gold).items():
        table = answers.schema[file]
        known = set(map(table.key_of, gold[file]))
        new = [row for row in rows if table.key_of(row) not in known]
        cells = tuple(tuple(row[column] for column in table.columns) for row in new[:ROWS_SHOWN])
        text = f"the first {ROWS_SHOWN} of {len(new)} rows" if len(new) > ROWS_SHOWN else f"{len(new)} rows"
        yield Section(f"New next month in {file}", tuple(table.columns), cells, text)


def _cells_text(cells: Mapping[str, str]) -> str:
    return ", ".join(f"{column}={cell_text(text)}" for column, text in cells.items())
