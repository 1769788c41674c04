"""Collateral: what an answer changes although the right edits leave it as it is.

A report may not show such a change, so an answer can pass with it. It is noted and counted.
"""

from collections.abc import Mapping, Set

from trapcli.answers.edits.judging.applied_edits import AppliedEdits, Cell
from trapcli.answers.edits.tables import Table, Tables, same
from trapcli.core.shorten import listed


def find_collateral(
    schema: Mapping[str, Table],
    before: Tables,
    gold: AppliedEdits,
    meant: frozenset[Cell],
    yours: AppliedEdits,
) -> frozenset[Cell]:
    """Return the cells that an answer changed and the right edits did not.

    before: the tables before any edit.
    gold, yours: the right edits and the answer's, each put on these tables.
    meant: the cells that the right edits changed.

    A new row stands for one cell, that of its first column, if there are more new rows in its table
    than the right edits add: which of them are too many is not decided.
    """
    collateral = set()
    for cell in yours.cells - meant:
        file, row, column = cell
        if row >= len(before[file]):
            if row >= len(gold.tables[file]) and column == schema[file].keys[0]:
                collateral.add(cell)
        elif not same(
            schema[file].columns[column], before[file][row][column], yours.tables[file][row][column]
        ):
            collateral.add(cell)
    return frozenset(collateral)


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
                f"edit {position}: the right edits leave {table.name} alone here: "
                f"{listed(places, len(extra), 3)}"
            )
    return tuple(notes)
