"""Collateral: what an answer changes although the right edits do not, or change otherwise.

A report may not show such a change, so an answer can pass with it. It is noted and counted.
"""

from collections.abc import Mapping, Set

from trapcli.answers.edits.judging.applied_edits import AppliedEdits, Cell
from trapcli.answers.edits.tables import Table, Tables, same
from trapcli.core.shorten import listed


def find_collateral(
    schema: Mapping[str, Table], before: Tables, gold: AppliedEdits, yours: AppliedEdits, passed: bool
) -> frozenset[Cell]:
    """Return the cells that an answer changed and the right edits did not.

    before: the tables before any edit.
    gold, yours: the right edits and the answer's, each put on these tables.
    passed: whether all reports print the same; then a cell that the right edits change to another
        value counts too, because no report shows it. In a wrong answer that is the mistake itself.

    A new row stands for one cell, that of its first column, if there are more new rows in its table
    than the right edits add: which of them are too many is not decided. The key of a new row is free:
    a cell that names one in the right edits must name one that the answer added to the same table.
    """
    collateral = set()
    added = _added_keys(schema, before, gold.tables, yours.tables)
    for cell in yours.cells if passed else yours.cells - gold.cells:
        file, row, column = cell
        if row >= len(before[file]):
            if row >= len(gold.tables[file]) and column == schema[file].keys[0]:
                collateral.add(cell)
            continue
        column_type = schema[file].columns[column]
        right, your = gold.tables[file][row][column], yours.tables[file][row][column]
        named = [own for theirs, own in added if right in theirs]
        if not (any(your in own for own in named) if named else same(column_type, right, your)):
            collateral.add(cell)
    return frozenset(collateral)


def _added_keys(
    schema: Mapping[str, Table], before: Tables, gold: Tables, yours: Tables
) -> list[tuple[set[str], set[str]]]:
    """Return the keys of the rows that both add, for each table to which the right edits add any.

    A table whose key has several columns is left out: no single cell names a row of it.
    """
    tables = [(schema[file], len(rows)) for file, rows in before.items() if len(gold[file]) > len(rows)]
    return [
        (
            {row[table.keys[0]] for row in gold[table.name][old:]},
            {row[table.keys[0]] for row in yours[table.name][old:]},
        )
        for table, old in tables
        if len(table.keys) == 1
    ]


def collateral_notes(
    schema: Mapping[str, Table], seen: Set[tuple[str, str]], yours: AppliedEdits, collateral: Set[Cell]
) -> tuple[str, ...]:
    """Return a note for each edit that made collateral changes, or only changes that no report shows.

    seen: the (file, column) pairs that a report reads.
    """
    notes = []
    for position, cells in yours.touched:
        extra = sorted(cells & collateral)
        if not any((cell.file, cell.column) in seen for cell in cells):
            columns = ", ".join(sorted({cell.column for cell in cells}))
            file = next(iter(cells)).file
            notes.append(f"edit {position}: unseen, no report shows {file} '{columns}'")
        elif extra:
            table = schema[extra[0].file]
            places = (
                f"{' '.join(table.match(yours.tables[table.name][cell.row]).values())} {cell.column}"
                for cell in extra
            )
            notes.append(
                f"edit {position}: not as in the right edits, {table.name}: {listed(places, len(extra), 3)}"
            )
    return tuple(notes)
