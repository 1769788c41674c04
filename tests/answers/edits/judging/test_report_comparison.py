"""Reports run in process: what counts as output, and how differences are counted."""

from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

from trapcli.answers.edits.judging.report_comparison import (
    Printed,
    differing,
    mended_and_spoiled,
    reader,
    run,
    watched,
)

TABLES = {"a.csv": [{"k": "1", "v": "x"}, {"k": "2", "v": "y"}], "b.csv": [{"k": "9"}]}


def module(report: Callable[[Any], Any]) -> ModuleType:
    made = ModuleType("pkg.reports.made")
    made.report = report  # type: ignore[attr-defined]
    return made


def printed(*rows: list[str]) -> Printed:
    return run(module(lambda read: [["k", "v"], *rows]), reader({}, {}))


@pytest.mark.parametrize("rows", [[], [["k", "v"]]])
def test_no_rows_is_an_error(rows: list[list[str]]) -> None:
    """A report that prints nothing, or only its header, has failed."""
    assert run(module(lambda read: rows), reader({}, {})).error == "it printed no rows"


def test_what_a_report_raises_is_a_value() -> None:
    """An exception in a report becomes one line that names it."""
    assert run(module(lambda read: read("a.csv")[5]), reader(TABLES, {})).error.startswith("IndexError: ")


def test_a_broken_table_makes_its_readers_fail() -> None:
    """A report that reads a broken table fails with the reason; one that does not is none the worse."""
    read = reader(TABLES, {"a.csv": "two rows with k 1"})
    assert run(module(lambda r: r("a.csv")), read).error == "ValueError: two rows with k 1"
    assert not run(module(lambda r: [["k"], [r("b.csv")[0]["k"]]]), read).error


def test_what_a_report_looks_at_is_seen() -> None:
    """Watched rows tell which files were read and which columns were looked at, by any way of looking."""
    read, files, seen = watched(TABLES)
    assert read("a.csv")[0]["k"] == "1"
    assert seen == {("a.csv", "k")}
    assert dict(read("b.csv")[0].items()) == {"k": "9"}
    assert files == {"a.csv", "b.csv"}
    assert ("b.csv", "k") in seen


def test_differing_cells_are_found_by_row_and_column() -> None:
    """Cells are compared by their row's key, whatever the order; a missing or a surplus row counts whole."""
    yours, right = printed(["1", "x"], ["3", "z"]), printed(["1", "q"], ["2", "y"])
    assert list(differing(yours, right)) == [
        ("1", "v", "x", "q"),
        ("2", "k", None, "2"),
        ("2", "v", None, "y"),
        ("3", "k", "3", None),
        ("3", "v", "z", None),
    ]
    assert list(differing(printed(["1", "x"], ["2", "y"]), printed(["2", "y"], ["1", "x"]))) == []


def test_rows_of_one_key_are_told_apart() -> None:
    """A second row of the same key is a row of its own."""
    assert list(differing(printed(["1", "x"], ["1", "y"]), printed(["1", "x"]))) == [
        ("1 (2)", "k", "1", None),
        ("1 (2)", "v", "y", None),
    ]


def test_mended_and_spoiled_cells_are_counted_apart() -> None:
    """A cell that had to change and is right is mended; one that was right and is not is spoiled."""
    before, right = printed(["1", "x"], ["2", "y"], ["3", "z"]), printed(["1", "q"], ["2", "r"], ["3", "z"])
    assert mended_and_spoiled(before, right, right) == (2, 0)
    assert mended_and_spoiled(before, before, right) == (0, 0)
    assert mended_and_spoiled(before, printed(["1", "q"], ["2", "y"], ["3", "!"]), right) == (1, 1)
    failed = run(module(lambda read: 1 / 0), reader({}, {}))
    assert mended_and_spoiled(before, failed, right) == (0, 4)


def test_output_is_equal_only_if_every_cell_is() -> None:
    """Equal digests mean equal rows in equal order; a failure equals no output."""
    assert printed(["1", "x"]).digest == printed(["1", "x"]).digest
    assert printed(["1", "x"], ["2", "y"]).digest != printed(["2", "y"], ["1", "x"]).digest
    assert printed(["1,x", ""]).digest != printed(["1", "x,"]).digest
