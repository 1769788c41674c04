"""Edits of tables, and the answer made from them."""

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from trapcli.answers.edits.solving.tables import Row, Unclear

Edit = dict[str, Any]


def updates(
    file: str,
    rows: Iterable[Row],
    cells: Callable[[Row], Mapping[str, str]],
    key: tuple[str, ...] = (),
) -> list[Edit]:
    """Return an update for each row in which the new cells differ from the old ones.

    cells: returns the new cells of a row.
    key: the columns that identify a row; by default the first column.
    """
    edits = []
    for row in rows:
        changed = {column: cell for column, cell in cells(row).items() if cell != row[column]}
        if changed:
            match = {column: row[column] for column in key or (next(iter(row)),)}
            edits.append({"file": file, "op": "update", "match": match, "set": changed})
    return edits


def insert(file: str, row: Row) -> Edit:
    """Return an insert of the row."""
    return {"file": file, "op": "insert", "row": dict(row)}


def answer_text(make_edits: Callable[[], list[Edit]]) -> str:
    """Return the edits as a JSON array; if they are unclear, a sentence that says why."""
    try:
        return json.dumps(make_edits())
    except Unclear as reason:
        return f"It is unclear what to do: {reason}."


def coverage(column: str, first: str, mistake: str | None = None, before: str = "") -> Callable[[Row], bool]:
    """Return a function that says whether a row is covered by a change that counts from `first` on.

    column: holds the row's day or month, in the same form as `first`.
    mistake: None; or "all" to cover earlier rows too, "late" to leave out `first` itself, "early" to
        cover `before` too.
    before: the day or month before `first`.
    """
    if mistake == "all":
        return lambda row: True
    if mistake == "late":
        return lambda row: row[column] > first
    start = before if mistake == "early" else first
    return lambda row: row[column] >= start
