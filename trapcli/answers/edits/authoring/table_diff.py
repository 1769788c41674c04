"""The edits that lead from one state of the tables to another."""

from collections.abc import Mapping
from typing import Any

from trapcli.answers.edits.tables import Table, Tables


def diff(schema: Mapping[str, Table], before: Tables, after: Tables) -> list[dict[str, Any]]:
    """Return one edit for each row that differs: an update if it changed, an insert if it is new.

    Rows are identified by their table's key. Edits are in the order of the schema, the inserts of
    a table before its updates. Raises ValueError if a row is missing in `after`.
    """
    edits: list[dict[str, Any]] = []
    for name, table in schema.items():
        old = {table.key_of(row): row for row in before[name]}
        new = {table.key_of(row): row for row in after[name]}
        if missing := old.keys() - new.keys():
            raise ValueError(f"{name}: an edit cannot delete a row, but these are gone: {sorted(missing)}")
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
