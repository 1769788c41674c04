"""Edits of tables, and what is printed in the end."""

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
    """An edit for each row in which `cells` change something; the row is told by `key`, or its first cell."""
    edits = []
    for row in rows:
        changed = {column: cell for column, cell in cells(row).items() if cell != row[column]}
        if changed:
            match = {column: row[column] for column in key or (next(iter(row)),)}
            edits.append({"file": file, "op": "update", "match": match, "set": changed})
    return edits


def insert(file: str, row: Row) -> Edit:
    return {"file": file, "op": "insert", "row": dict(row)}


def printed(worked_out: Callable[[], list[Edit]]) -> str:
    """The edits as a JSON array; a sentence that says why if they are unclear."""
    try:
        return json.dumps(worked_out())
    except Unclear as why:
        return f"I cannot tell what to do: {why}."


def counting_from(
    column: str, first: str, slip: str | None = None, before: str = ""
) -> Callable[[Row], bool]:
    """Whether a row falls under a change that counts from `first` on, a day or month in `column`.

    Wrong as `slip` says: "all" takes earlier ones too, "late" leaves out `first` itself,
    "early" takes the day or month `before` it too.
    """
    if slip == "all":
        return lambda row: True
    if slip == "late":
        return lambda row: row[column] > first
    start = before if slip == "early" else first
    return lambda row: row[column] >= start
