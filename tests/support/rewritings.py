"""Twelve ways to say the same edits, for any edits family."""

import json
from collections.abc import Callable
from typing import Any

from trapcli.answers.edits.family import EditsFamily
from trapcli.core.contract import Case

Edits = list[dict[str, Any]]


def _cells(family: EditsFamily, edits: Edits, change: Callable[[str, Any], Any]) -> Edits:
    """The edits with change(kind, value) put for each value of a numeric column."""

    def part(file: str, values: dict[str, Any]) -> dict[str, Any]:
        kinds = family.schema[file].columns
        return {
            column: change(kinds[column], value)
            if kinds.get(column) in ("money", "number", "integer") and value
            else value
            for column, value in values.items()
        }

    return [
        {
            name: part(edit["file"], value) if isinstance(value, dict) else value
            for name, value in edit.items()
        }
        for edit in edits
    ]


def as_numbers(family: EditsFamily, case: Case, edits: Edits) -> str:
    return json.dumps(_cells(family, edits, lambda kind, value: float(value)))


def with_dollars(family: EditsFamily, case: Case, edits: Edits) -> str:
    def grouped(kind: str, value: Any) -> str:
        whole, dot, rest = str(value).partition(".")
        return f"${int(whole):,}{dot}{rest}" if kind == "money" else str(value)

    return json.dumps(_cells(family, edits, grouped))


def with_zeros(family: EditsFamily, case: Case, edits: Edits) -> str:
    def longer(kind: str, value: Any) -> str:
        return f"{value}00" if "." in str(value) else f"{value}.000"

    return json.dumps(_cells(family, edits, longer))


def reversed_order(family: EditsFamily, case: Case, edits: Edits) -> str:
    return json.dumps(edits[::-1])


def other_match(family: EditsFamily, case: Case, edits: Edits) -> str:
    """Rows matched by all their other columns where those name just one row."""
    tables = family.read_tables(case.files)
    out = []
    for edit in edits:
        if edit["op"] == "update":
            rows = tables[edit["file"]]
            (hit,) = [row for row in rows if all(row[c] == v for c, v in edit["match"].items())]
            others = {column: value for column, value in hit.items() if column not in edit["match"]}
            if sum(all(row[c] == v for c, v in others.items()) for row in rows) == 1:
                edit = {**edit, "match": others}
        out.append(edit)
    return json.dumps(out)


def with_a_no_op(family: EditsFamily, case: Case, edits: Edits) -> str:
    """An update in front that sets a cell to what it holds."""
    name, rows = next((name, rows) for name, rows in family.read_tables(case.files).items() if rows)
    key = family.schema[name].match(rows[0])
    idle = {"file": name, "op": "update", "match": key, "set": key}
    return json.dumps([idle, *edits])


def with_noise(family: EditsFamily, case: Case, edits: Edits) -> str:
    """An edit more, of a table that no report reads."""
    prepared = family.prepared(case)
    read = set().union(*prepared.reads.values())
    name = next(name for name, rows in prepared.tables.items() if name not in read and rows)
    table = family.schema[name]
    column = next(column for column in table.columns if column not in table.keys)
    match = table.match(prepared.tables[name][0])
    return json.dumps([*edits, {"file": name, "op": "update", "match": match, "set": {column: "changed"}}])


def fenced(family: EditsFamily, case: Case, edits: Edits) -> str:
    return f"```json\n{json.dumps(edits, indent=2)}\n```\n"


def wrapped(family: EditsFamily, case: Case, edits: Edits) -> str:
    return json.dumps({"summary": "done", "edits": edits})


def after_prose(family: EditsFamily, case: Case, edits: Edits) -> str:
    return f"I looked at [1] and {{both}} tables first.\n\n{json.dumps(edits)}\n\nThat is all."


def other_columns_order(family: EditsFamily, case: Case, edits: Edits) -> str:
    def turned(value: Any) -> Any:
        return dict(reversed(value.items())) if isinstance(value, dict) else value

    return json.dumps([{name: turned(value) for name, value in reversed(edit.items())} for edit in edits])


def fresh_ids(family: EditsFamily, case: Case, edits: Edits) -> str:
    """Another key for each inserted row, wherever it occurs; a key of several columns has no id to choose."""
    text = json.dumps(edits)
    for i, edit in enumerate(edits):
        if edit["op"] == "insert" and len(family.schema[edit["file"]].keys) == 1:
            key = family.schema[edit["file"]].key_of(edit["row"])
            text = text.replace(json.dumps(key), json.dumps(f"NEW-{i}"))
    return text


REWRITINGS: list[Callable[[EditsFamily, Case, Edits], str]] = [
    as_numbers,
    with_dollars,
    with_zeros,
    reversed_order,
    other_match,
    with_a_no_op,
    with_noise,
    fenced,
    wrapped,
    after_prose,
    other_columns_order,
    fresh_ids,
]
