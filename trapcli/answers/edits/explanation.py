"""What `inspect` shows of a case with edits."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

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
    facts = tuple((name, _text(value)) for name, value in case.facts.items() if not _is_table(value))
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
        *([Section("Facts of the trap", ("fact", "value"), facts)] if facts else []),
        *(_table(name, value) for name, value in case.facts.items() if _is_table(value)),
        Section("Gold edits", ("#", "file", "op", "match", "set or row"), gold),
        Section("Change in the reports", ("report", "row", "column", "before", "after"), changes),
        *_next_month(answers, case),
    ]


def _is_table(value: Any) -> bool:
    """Whether a fact is a list of records."""
    return isinstance(value, list) and bool(value) and all(isinstance(one, dict) for one in value)


def _table(name: str, records: Sequence[Mapping[str, Any]]) -> Section:
    """Return a fact that is a list of records as a table; digests say nothing to a person."""
    columns = tuple(column for column in records[0] if column != "result")
    rows = tuple(tuple(_text(record[column]) for column in columns) for record in records)
    return Section(f"{name[0].upper()}{name[1:]}", columns, rows)


def _text(value: Any) -> str:
    """Return a fact for a person."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(map(_text, value))
    if isinstance(value, dict):
        return ", ".join(f"{key} {_text(one)}" for key, one in value.items())
    return value if isinstance(value, str) else json.dumps(value)


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
