"""The edits that lead from one state of the tables to another."""

from collections.abc import Mapping
from typing import Any

from trapcli.answers.edits.tables import Table, Tables


def diff(schema: Mapping[str, Table], before: Tables, after: Tables) -> list[dict[str, Any]]:
    """One edit a row: an update for each row that changed, an insert for each new one.

    Rows are told apart by their table's key. Edits come in the order of the schema,
    inserts of a table before its updates. ValueError if a row vanished.
    """
    edits: list[dict[str, Any]] = []
    for name, table in schema.items():
        old = {table.key_of(row): row for row in before[name]}
        new = {table.key_of(row): row for row in after[name]}
        if old.keys() - new.keys():
            raise ValueError(f"{name}: no edit deletes rows {sorted(old.keys() - new.keys())}")
        edits += [
            {"file": name, "op": "insert", "row": dict(row)} for key, row in new.items() if key not in old
        ]
        for key, row in old.items():
            changes = {
                column: new[key][column] for column in table.columns if new[key][column] != row[column]
            }
            if changes:
                edits.append({"file": name, "op": "update", "match": table.match(row), "set": changes})
    return edits
