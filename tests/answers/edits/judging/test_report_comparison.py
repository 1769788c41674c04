"""Reports run in this process: what counts as output, and how differences are counted."""

from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

from trapcli.answers.edits.judging.report_comparison import (
    ReportOutput,
    count_fixed_and_spoiled,
    differing_cells,
    run_report,
    table_reader,
    track_reads,
)

TABLES = {"a.csv": [{"k": "1", "v": "x"}, {"k": "2", "v": "y"}], "b.csv": [{"k": "9"}]}


def module(report: Callable[[Any], Any]) -> ModuleType:
    """Return a report made from a function."""
    made = ModuleType("pkg.reports.made")
    made.report = report  # type: ignore[attr-defined]
    return made


def output(*rows: list[str]) -> ReportOutput:
    return run_report(module(lambda read: [["k", "v"], *rows]), table_reader({}, {}))


@pytest.mark.parametrize("rows", [[], [["k", "v"]]])
def test_no_rows_is_an_error(rows: list[list[str]]) -> None:
    """A report that prints nothing, or only its header, has failed."""
    assert run_report(module(lambda read: rows), table_reader({}, {})).error == "it printed no rows"


def test_an_exception_in_a_report_is_an_error() -> None:
    """An exception in a report becomes one line that names it."""
    assert run_report(module(lambda read: read("a.csv")[5]), table_reader(TABLES, {})).error.startswith(
        "IndexError: "
    )


def test_a_broken_table_makes_its_readers_fail() -> None:
    """A report that reads a broken table fails with the reason; other reports do not fail."""
    read = table_reader(TABLES, {"a.csv": "two rows with k 1"})
    assert run_report(module(lambda r: r("a.csv")), read).error == "ValueError: two rows with k 1"
    assert not run_report(module(lambda r: [["k"], [r("b.csv")[0]["k"]]]), read).error


def test_reads_of_a_report_are_tracked() -> None:
    """Every way of reading a row notes the file and the columns that were read."""
    read, files, seen = track_reads(TABLES)
    assert read("a.csv")[0]["k"] == "1"
    assert seen == {("a.csv", "k")}
    assert dict(read("b.csv")[0].items()) == {"k": "9"}
    assert files == {"a.csv", "b.csv"}
    assert ("b.csv", "k") in seen


def test_differing_cells_are_found_by_row_and_column() -> None:
    """Rows are compared by key, whatever their order; every cell of a missing or extra row differs."""
    yours, right = output(["1", "x"], ["3", "z"]), output(["1", "q"], ["2", "y"])
    assert list(differing_cells(yours, right)) == [
        ("1", "v", "x", "q"),
        ("2", "k", None, "2"),
        ("2", "v", None, "y"),
        ("3", "k", "3", None),
        ("3", "v", "z", None),
    ]
    assert list(differing_cells(output(["1", "x"], ["2", "y"]), output(["2", "y"], ["1", "x"]))) == []


def test_rows_with_the_same_key_are_distinguished() -> None:
    """A second row with a key is a row of its own."""
    assert list(differing_cells(output(["1", "x"], ["1", "y"]), output(["1", "x"]))) == [
        ("1 (2)", "k", "1", None),
        ("1 (2)", "v", "y", None),
    ]


def test_fixed_and_spoiled_cells_are_counted() -> None:
    """A cell that was wrong and is right is fixed; a cell that was right and is wrong is spoiled."""
    before, right = output(["1", "x"], ["2", "y"], ["3", "z"]), output(["1", "q"], ["2", "r"], ["3", "z"])
    assert count_fixed_and_spoiled(before, right, right) == (2, 0)
    assert count_fixed_and_spoiled(before, before, right) == (0, 0)
    assert count_fixed_and_spoiled(before, output(["1", "q"], ["2", "y"], ["3", "!"]), right) == (1, 1)
    failed = run_report(module(lambda read: 1 / 0), table_reader({}, {}))
    assert count_fixed_and_spoiled(before, failed, right) == (0, 4)


def test_output_is_equal_only_if_every_cell_is() -> None:
    """Equal digests mean equal rows in equal order."""
    assert output(["1", "x"]).digest == output(["1", "x"]).digest
    assert output(["1", "x"], ["2", "y"]).digest != output(["2", "y"], ["1", "x"]).digest
    assert output(["1,x", ""]).digest != output(["1", "x,"]).digest
