"""Twelve ways to write the same edits, for any edits family."""

import json
from collections.abc import Callable
from typing import Any

from trapcli.answers.edits import EditsAnswers
from trapcli.core.contract import Case

Edits = list[dict[str, Any]]


def rewrite_numbers(answers: EditsAnswers, edits: Edits, change: Callable[[str, Any], Any]) -> Edits:
    """Return the edits with change(column type, value) in place of each value of a numeric column."""

    def rewrite(file: str, values: dict[str, Any]) -> dict[str, Any]:
        types = answers.schema[file].columns
        return {
            column: change(types[column], value)
            if types.get(column) in ("money", "number", "integer") and value
            else value
            for column, value in values.items()
        }

    return [
        {
            name: rewrite(edit["file"], value) if isinstance(value, dict) else value
            for name, value in edit.items()
        }
        for edit in edits
    ]


def as_numbers(answers: EditsAnswers, case: Case, edits: Edits) -> str:
    """Numbers instead of strings."""
    return json.dumps(rewrite_numbers(answers, edits, lambda column_type, value: float(value)))


def with_dollars(answers: EditsAnswers, case: Case, edits: Edits) -> str:
    """Money with a dollar sign and groups of thousands."""

    def group(column_type: str, value: Any) -> str:
        whole, dot, rest = str(value).partition(".")
        return f"${int(whole):,}{dot}{rest}" if column_type == "money" else str(value)

    return json.dumps(rewrite_numbers(answers, edits, group))


def with_zeros(answers: EditsAnswers, case: Case, edits: Edits) -> str:
    """Numbers with more decimal places than they need."""

    def lengthen(column_type: str, value: Any) -> str:
        return f"{value}00" if "." in str(value) else f"{value}.000"

    return json.dumps(rewrite_numbers(answers, edits, lengthen))


def reversed_order(answers: EditsAnswers, case: Case, edits: Edits) -> str:
    """The last edit first."""
    return json.dumps(edits[::-1])


def other_match(answers: EditsAnswers, case: Case, edits: Edits) -> str:
    """Rows matched by all their columns except the key, if those identify just one row."""
    tables = answers.read_tables(case)
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


def with_a_no_op(answers: EditsAnswers, case: Case, edits: Edits) -> str:
    """An update in front that sets a cell to its old value."""
    name, rows = next((name, rows) for name, rows in answers.read_tables(case).items() if rows)
    key = answers.schema[name].match(rows[0])
    idle = {"file": name, "op": "update", "match": key, "set": key}
    return json.dumps([idle, *edits])


def with_noise(answers: EditsAnswers, case: Case, edits: Edits) -> str:
    """One more edit, of a table that no report reads."""
    prepared = answers.prepared(case)
    read = set().union(*prepared.reads.values())
    name = next(name for name, rows in prepared.tables.items() if name not in read and rows)
    table = answers.schema[name]
    column = next(column for column in table.columns if column not in table.keys)
    match = table.match(prepared.tables[name][0])
    return json.dumps([*edits, {"file": name, "op": "update", "match": match, "set": {column: "changed"}}])


def fenced(answers: EditsAnswers, case: Case, edits: Edits) -> str:
    """In a code fence."""
    return f"```json\n{json.dumps(edits, indent=2)}\n```\n"


def wrapped(answers: EditsAnswers, case: Case, edits: Edits) -> str:
    """In an object."""
    return json.dumps({"summary": "done", "edits": edits})


def after_prose(answers: EditsAnswers, case: Case, edits: Edits) -> str:
    """Between two sentences."""
    return f"I looked at [1] and {{both}} tables first.\n\n{json.dumps(edits)}\n\nThat is all."


def other_column_order(answers: EditsAnswers, case: Case, edits: Edits) -> str:
    """Keys of all objects in reverse order."""

    def reverse(value: Any) -> Any:
        return dict(reversed(value.items())) if isinstance(value, dict) else value

    return json.dumps([{name: reverse(value) for name, value in reversed(edit.items())} for edit in edits])


def fresh_ids(answers: EditsAnswers, case: Case, edits: Edits) -> str:
    """Another key for each inserted row, wherever it occurs; a key of several columns stays as it is."""
    text = json.dumps(edits)
    for i, edit in enumerate(edits):
        if edit["op"] == "insert" and len(answers.schema[edit["file"]].keys) == 1:
            key = answers.schema[edit["file"]].key_of(edit["row"])
            text = text.replace(json.dumps(key), json.dumps(f"NEW-{i}"))
    return text


Rewriting = Callable[[EditsAnswers, Case, Edits], str]
REWRITINGS: list[Rewriting] = [
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
    other_column_order,
    fresh_ids,
]
