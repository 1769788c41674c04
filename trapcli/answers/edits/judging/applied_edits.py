"""Put edits on tables: lenient about their form, with a note for every part that is ignored."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from trapcli.answers.edits.tables import Row, Table, Tables, Unusable, cell, same
from trapcli.core.shorten import one_line, quoted

KeyIndex = dict[str, dict[Any, int]]  # file -> key -> position of the row with that key
FIELDS = {"update": ("file", "op", "match", "set"), "insert": ("file", "op", "row")}


class Cell(NamedTuple):
    """A cell: its table's file, its row's position in the table (new rows come last), its column."""

    file: str
    row: int
    column: str


Touched = tuple[int, frozenset[Cell]]  # an edit's position from 1, and the cells that it changed


@dataclass(frozen=True, slots=True)
class AppliedEdits:
    """The tables after edits, and what the edits did.

    tables: every table and row that no edit touched is the same object as before; no row moves.
    touched: each edit that had an effect; an inserted row counts all its cells.
    broken: file -> why reports that read it must fail.
    notes: what was ignored, and why.
    """

    tables: Mapping[str, Sequence[Row]]
    touched: tuple[Touched, ...]
    broken: Mapping[str, str]
    notes: tuple[str, ...]

    @property
    def cells(self) -> frozenset[Cell]:
        """The cells that any of the edits changed."""
        return frozenset().union(*(cells for _, cells in self.touched))

    @property
    def changed(self) -> frozenset[str]:
        """The files that differ from what they were, or are broken."""
        return frozenset(cell.file for cell in self.cells) | frozenset(self.broken)


@dataclass(slots=True)
class _Work:
    """Tables while edits are put on them; see `AppliedEdits`."""

    schema: Mapping[str, Table]
    tables: dict[str, Sequence[Row]]
    index: KeyIndex
    copied: set[str] = field(default_factory=set)
    touched: list[Touched] = field(default_factory=list)
    broken: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def writable(self, file: str) -> list[Row]:
        """Return the rows of a table in a list of our own."""
        if file not in self.copied:
            self.tables[file] = list(self.tables[file])
            self.copied.add(file)
        return self.tables[file]  # type: ignore[return-value]


def key_index(schema: Mapping[str, Table], tables: Tables) -> KeyIndex:
    """Return the position of each key, which makes `apply_edits` fast on large tables.

    A table in which two rows have the same key is left out.
    """
    keys = {name: map(schema[name].key_of, rows) for name, rows in tables.items()}
    index = {name: {key: i for i, key in enumerate(keys[name])} for name in tables}
    return {name: keys for name, keys in index.items() if len(keys) == len(tables[name])}


def apply_edits(
    schema: Mapping[str, Table], tables: Tables, edits: Iterable[Any], index: KeyIndex | None = None
) -> AppliedEdits:
    """Put edits (JSON values) on tables, in order, and return the new tables; `tables` does not change.

    index: `key_index` of the tables, for when many answers are applied to them.
    """
    work = _Work(schema, dict(tables), dict(index or {}))
    for position, edit in enumerate(edits, 1):
        note = _apply(work, position, edit)
        if note:
            work.notes.append(f"edit {position}: {note}")
    return AppliedEdits(work.tables, tuple(work.touched), work.broken, tuple(work.notes))


def _apply(work: _Work, position: int, edit: Any) -> str | None:
    """Apply one edit; return why, if all of it is ignored."""
    if not isinstance(edit, dict):
        return f"ignored, {quoted(edit)} is not an object"
    file, op = edit.get("file"), edit.get("op")
    table = _table(work.schema, file) if isinstance(file, str) else None
    if table is None:
        return f"ignored, there is no table {quoted(file)}"
    op = op.strip().lower() if isinstance(op, str) else op
    if not isinstance(op, str) or op not in FIELDS:
        return f"ignored, op {quoted(op)} is neither update nor insert"
    for name in edit:
        if name not in FIELDS[op]:
            work.notes.append(f"edit {position}: {quoted(name)} ignored, it is not a part of an {op}")
    return (_update if op == "update" else _insert)(work, position, table, edit)


def _table(schema: Mapping[str, Table], file: str) -> Table | None:
    """Return the table that a file's name or path means, with or without its suffix."""
    if file in schema:
        return schema[file]
    name = PurePosixPath(file.strip()).name
    return schema.get(name) or schema.get(f"{name}.csv")


def _cells(work: _Work, position: int, table: Table, values: Mapping[str, Any]) -> Row:
    """Return the usable cells of a `set` or a `row`; note the others."""
    cells = {}
    for column, value in values.items():
        name = column.strip()
        try:
            if name not in table.columns:
                raise Unusable(f"{table.name} does not have it")
            cells[name] = cell(table.columns[name], value)
        except Unusable as error:
            work.notes.append(f"edit {position}: column {quoted(column)} ignored, {error}")
    return cells


def _update(work: _Work, position: int, table: Table, edit: Mapping[str, Any]) -> str | None:
    match, changes = edit.get("match"), edit.get("set")
    if not isinstance(match, dict) or not match:
        return "ignored, its match is empty or not an object, so it hits no row"
    if not isinstance(changes, dict):
        return "ignored, its set is not an object"
    wanted = {}
    for column, value in match.items():
        name = column.strip()
        try:
            wanted[name] = (table.columns[name], cell(table.columns[name], value))
        except (KeyError, Unusable):
            return f"ignored, its match on {quoted(column)} cannot hit a row of {table.name}"
    hits = _hits(work, table, wanted)
    if not hits:
        cells_wanted = ", ".join(f"{column}={text}" for column, (_, text) in wanted.items())
        return f"ignored, no row of {table.name} matches {one_line(cells_wanted, 60)}"
    cells = _cells(work, position, table, changes)
    if not cells:
        return "ignored, it sets nothing"
    touched: set[Cell] = set()
    rows = work.tables[table.name]
    for i in hits:
        differing = [c for c, text in cells.items() if not same(table.columns[c], rows[i][c], text)]
        touched.update(Cell(table.name, i, column) for column in differing)
        if differing:
            rows = work.writable(table.name)
            rows[i] = {**rows[i], **cells}
    if touched:
        work.touched.append((position, frozenset(touched)))
    if any(cell.column in table.keys for cell in touched):
        _check_keys(work, table)
    return None


def _hits(work: _Work, table: Table, wanted: Mapping[str, tuple[str, str]]) -> list[int]:
    """Return the positions of the rows with these values.

    wanted: column -> (column type, value).
    """
    rows: Sequence[Row] = work.tables[table.name]
    places: Iterable[int] = range(len(rows))
    keys = work.index.get(table.name)
    if keys is not None and all(column in wanted for column in table.keys):
        at = keys.get(table.key_of({column: text for column, (_, text) in wanted.items()}))
        places = [] if at is None else [at]
    return [
        i
        for i in places
        if all(same(column_type, rows[i][c], text) for c, (column_type, text) in wanted.items())
    ]


def _insert(work: _Work, position: int, table: Table, edit: Mapping[str, Any]) -> str | None:
    values = edit.get("row")
    if not isinstance(values, dict):
        return "ignored, its row is not an object"
    row = dict.fromkeys(table.columns, "") | _cells(work, position, table, values)
    for column in table.keys:
        if not row[column]:
            return f"ignored, the row has no {column}"
    key_of = table.key_of
    twins = [old for old in work.tables[table.name] if key_of(old) == key_of(row)]
    if any(all(same(t, old[c], row[c]) for c, t in table.columns.items()) for old in twins):
        return f"ignored, {table.name} already has this very row"
    rows = work.writable(table.name)
    work.touched.append((position, frozenset(Cell(table.name, len(rows), c) for c in table.columns)))
    rows.append(row)
    _check_keys(work, table)
    return None


def _check_keys(work: _Work, table: Table) -> None:
    """Mark a table as broken if two of its rows have the same key, and as whole if not."""
    work.index.pop(table.name, None)
    work.broken.pop(table.name, None)
    seen: set[Any] = set()
    key_of = table.key_of
    for row in work.tables[table.name]:
        if key_of(row) in seen:
            key = ", ".join(f"{column} {cell}" for column, cell in table.match(row).items())
            work.broken[table.name] = f"{table.name} has two rows with {key}"
            return
        seen.add(key_of(row))
