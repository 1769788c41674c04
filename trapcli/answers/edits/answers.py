"""The answer kind "edits of tables": how such answers are written, read and judged.

An answer is judged by its effect. Its edits and the gold edits are each put on the tables of the
case, and the answer passes if every report prints the same on both, now and next month.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from types import ModuleType
from typing import Any

from trapcli.answers.edits.judging.applied_edits import AppliedEdits, KeyIndex, apply_edits, key_index
from trapcli.answers.edits.judging.collateral import collateral_notes, find_collateral
from trapcli.answers.edits.judging.next_month import NEXT_MONTH, NextMonth, next_tables
from trapcli.answers.edits.judging.report_comparison import (
    ReportOutput,
    count_fixed_and_spoiled,
    count_wrong,
    differing_cells,
    failed_output,
    report_name,
    run_report,
    table_reader,
    track_reads,
)
from trapcli.answers.edits.judging.verdict_view import verdict_sections
from trapcli.answers.edits.limits import edits_read
from trapcli.answers.edits.parsing.reader import read_edits
from trapcli.answers.edits.tables import Row, Table, Tables, read_table, schema
from trapcli.core.contract import Answer, Case, Problem, Section, Verdict
from trapcli.core.errors import TrapError
from trapcli.core.output import Output

CELLS_SHOWN = 40
MISSED = "missed"  # in the facts of a case: a list of what can be missed, each with `name` and `result`
CASES_KEPT = 32  # how many prepared cases are kept in memory

Outputs = Mapping[str, ReportOutput]  # by the report's name
Reads = Mapping[str, frozenset[str]]  # the files that each report reads


@dataclass(frozen=True, slots=True)
class PreparedCase:
    """What judging a case needs and all its answers share.

    tables: the tables as the agent finds them; index: the row of each key in them.
    gold: the gold edits put on these tables.
    before, right: what each report prints before any edit, and with the gold edits; now, and with next
        month's records under a name of its own.
    reads: the files that each report reads; columns: the (file, column) pairs that any of them reads.
    result: `Verdict.result` of the gold edits.
    wrong_cells: how many cells of `before` are wrong.
    """

    tables: Tables
    index: KeyIndex
    gold: AppliedEdits
    before: Outputs
    right: Outputs
    reads: Reads
    columns: frozenset[tuple[str, str]]
    result: str
    wrong_cells: int


@dataclass(frozen=True, eq=False)
class EditsAnswers:
    """An answer kind (see `trapcli.core.contract.AnswerKind`): a JSON array of edits of a case's tables.

    tables: the tables of every case.
    reports: modules with `report(read) -> rows`, header first, where `read(file)` returns the rows
        of a table as dicts. Each module is also a script that an agent runs in the case directory.
    next_month: returns next month's records, see `judging.next_month`; None if reports see all that counts.
    """

    tables: tuple[Table, ...]
    reports: tuple[ModuleType, ...]
    next_month: NextMonth | None = None
    noop: str = "[]"
    reads_files: bool = False
    schema: Mapping[str, Table] = field(init=False, repr=False)
    prepared: Callable[[Case], PreparedCase] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "schema", schema(*self.tables))
        object.__setattr__(self, "prepared", lru_cache(maxsize=CASES_KEPT)(self._prepare))

    def instructions(self) -> str:
        """Return how to answer, in Markdown for a case README."""
        return Path(__file__).with_name("instructions.md").read_text(encoding="utf-8")

    def rules(self) -> str:
        """Return every form of an answer that is read, in Markdown for a suite's README."""
        return Path(__file__).with_name("rules.md").read_text(encoding="utf-8")

    def extract(self, output: Output) -> Answer | Problem:
        """Return the edits in an output, or why it cannot be read."""
        return read_edits(output)

    def judge(self, case: Case, answer: Answer) -> Verdict:
        """Return the verdict: whether all reports print what they print with the gold edits."""
        prepared, edits = self.prepared(case), answer.value[: edits_read(case.facts)]
        applied = apply_edits(self.schema, prepared.tables, edits, prepared.index)
        yours = dict(self._run_reports(prepared.tables, applied, prepared.before, prepared.reads))
        wrong = [name for name in yours if yours[name].digest != prepared.right[name].digest]
        collateral = find_collateral(self.schema, prepared.tables, prepared.gold, applied, not wrong)
        notes = (
            *_dropped(answer.value, edits),
            *applied.notes,
            *collateral_notes(self.schema, prepared.columns, applied, collateral),
        )
        reports = {name: yours[name].error or ("differs" if name in wrong else "matches") for name in yours}
        if not wrong:
            details = {"reports": reports, "cells_differ": 0, "cells": [], "collateral": len(collateral)}
            return Verdict("passed", "all reports match", prepared.result, 1.0, notes, details)
        cells = list(_wrong_cells(wrong, yours, prepared.right))
        details = {
            "reports": reports,
            "cells_differ": len(cells),
            "cells": cells[:CELLS_SHOWN],
            "collateral": len(collateral),
        }
        reason, result = _failure_reason(len(edits), wrong, yours, cells), _result(yours)
        missed = next((one["name"] for one in case.facts.get(MISSED, ()) if one["result"] == result), "")
        credit = _partial_credit(prepared, yours)
        return Verdict(
            "failed", reason, result, credit, notes, details, f"missed: {missed}" if missed else ""
        )

    def view(self, verdict: Verdict) -> Sequence[Section]:
        """Return which reports match, and the cells that differ."""
        return verdict_sections(verdict)

    def passes(self, case: Case, edits: Sequence[Any]) -> bool:
        """Whether these edits pass; faster than `judge`, because the first wrong report decides."""
        prepared = self.prepared(case)
        return self.matches(prepared, apply_edits(self.schema, prepared.tables, edits, prepared.index))

    def matches(self, prepared: PreparedCase, applied: AppliedEdits) -> bool:
        """Whether all reports print what they should on tables with edits; the first wrong one decides."""
        outputs = self._run_reports(prepared.tables, applied, prepared.before, prepared.reads)
        return all(output.digest == prepared.right[name].digest for name, output in outputs)

    def outcome(self, case: Case, edits: Sequence[Any]) -> tuple[str, list[dict[str, Any]]]:
        """Return the `Verdict.result` of these edits, and the report cells that they leave wrong."""
        prepared = self.prepared(case)
        applied = apply_edits(self.schema, prepared.tables, edits, prepared.index)
        yours = dict(self._run_reports(prepared.tables, applied, prepared.before, prepared.reads))
        wrong = [name for name in yours if yours[name].digest != prepared.right[name].digest]
        return _result(yours), list(_wrong_cells(wrong, yours, prepared.right))

    def read_tables(self, case: Case) -> dict[str, list[dict[str, str]]]:
        """Return the rows of the case's tables by file name; TrapError if a table is damaged."""
        try:
            return {table.name: read_table(table, case.files[table.name]) for table in self.tables}
        except (KeyError, ValueError) as error:
            raise _broken(case, f"its tables are damaged: {error}") from error

    def next_rows(self, case: Case, edits: Sequence[Any]) -> Mapping[str, Sequence[Row]]:
        """Return next month's records with these edits made, by file; nothing if there are none."""
        prepared = self.prepared(case)
        applied = apply_edits(self.schema, prepared.tables, edits, prepared.index)
        return self.next_month(prepared.tables, applied.tables) if self.next_month else {}

    def _prepare(self, case: Case) -> PreparedCase:
        tables = self.read_tables(case)
        before, reads, columns = {}, {}, set()
        for name, report, rows in self._runs(tables):
            read, files, seen = track_reads(rows)
            before[name] = run_report(report, read)
            reads[name] = frozenset(files)
            columns |= seen
        index = key_index(self.schema, tables)
        gold = apply_edits(self.schema, tables, case.gold, index)
        right = dict(self._run_reports(tables, gold, before, reads))
        for name, output in right.items():
            if output.error:
                raise _broken(case, f"with the gold edits {name} fails: {output.error}")
        count = sum(count_wrong(before[name], right[name]) for name in right)
        return PreparedCase(
            tables, index, gold, before, right, reads, frozenset(columns), _result(right), count
        )

    def _runs(self, tables: Tables) -> Iterator[tuple[str, ModuleType, Tables]]:
        """Yield name, report and tables of each run on tables that no answer has touched."""
        for report in self.reports:
            yield report_name(report), report, tables
        if self.next_month:
            later = next_tables(tables, self.next_month(tables, tables))
            for report in self.reports:
                yield report_name(report) + NEXT_MONTH, report, later

    def _run_reports(
        self, tables: Tables, applied: AppliedEdits, before: Outputs, reads: Reads
    ) -> Iterator[tuple[str, ReportOutput]]:
        """Yield each report's name and output; one that reads no changed table prints what it did before.

        tables: those before any edit; before: what the reports print on them.
        """
        changed, read = applied.changed, table_reader(applied.tables, applied.broken)
        for report in self.reports:
            name = report_name(report)
            yield name, before[name] if reads[name].isdisjoint(changed) else run_report(report, read)
        if not self.next_month:
            return
        names = [report_name(report) + NEXT_MONTH for report in self.reports]
        if not changed:
            yield from ((name, before[name]) for name in names)
            return
        try:
            later = next_tables(applied.tables, self.next_month(tables, applied.tables))
        except Exception as error:  # whatever an answer did to the tables
            yield from ((name, failed_output(error)) for name in names)
            return
        read = table_reader(later, applied.broken)
        for name, report in zip(names, self.reports, strict=True):
            yield name, run_report(report, read)


def _dropped(edits: Sequence[Any], read: Sequence[Any]) -> tuple[str, ...]:
    """Return a note on the edits beyond those that are read."""
    first, last = len(read) + 1, len(edits)
    which = f"edits {first} to {last} were" if last > first else f"edit {last} was"
    return (f"{which} dropped: only the first {len(read)} count",) if last >= first else ()


def _broken(case: Case, why: str) -> TrapError:
    name = f"case {case.id or '?'} of {case.family}"
    return TrapError(f"{name} is broken: {why}. No answer to it can be judged; build the suite again.")


def _result(outputs: Outputs) -> str:
    """Return what the reports print in canonical form: equal only if all outputs are equal."""
    return sha256("".join(output.digest for output in outputs.values()).encode()).hexdigest()


def _wrong_cells(wrong: Sequence[str], yours: Outputs, right: Outputs) -> Iterator[dict[str, Any]]:
    """Yield the cells that differ; of next month only those that do not differ in the same way now."""
    shown = set()
    for name in wrong:
        now = name.removesuffix(NEXT_MONTH)
        for row, column, have, want in differing_cells(yours[name], right[name]):
            if name != now and (now, row, column, have, want) in shown:
                continue
            shown.add((name, row, column, have, want))
            yield {"report": name, "row": row, "column": column, "yours": have, "right": want}


def _partial_credit(prepared: PreparedCase, yours: Outputs) -> float:
    """Return the share of the wrong cells that were fixed, less one for each right cell that was spoiled."""
    fixed = spoiled = 0
    for name in yours:
        more, less = count_fixed_and_spoiled(prepared.before[name], yours[name], prepared.right[name])
        fixed, spoiled = fixed + more, spoiled + less
    return round(max(0, fixed - spoiled) / max(1, prepared.wrong_cells), 4)


def _failure_reason(
    edits: int, wrong: Sequence[str], yours: Outputs, cells: Sequence[Mapping[str, Any]]
) -> str:
    """Return one line: how many reports are wrong, and the first thing that is wrong in them."""
    if not edits:
        return "no edits were made"
    named, every = ({name.removesuffix(NEXT_MONTH) for name in names} for names in (wrong, yours))
    start = f"{len(named)} of {len(every)} reports differ"
    for name in wrong:
        if yours[name].error:
            return f"{start}; {name} fails: {yours[name].error}"
    first = cells[0]
    have, right = (
        "nothing" if value is None else json.dumps(value, ensure_ascii=False)
        for value in (first["yours"], first["right"])
    )
    return f"{start}; first {first['report']} {first['row']} {first['column']}: {have}, not {right}"
