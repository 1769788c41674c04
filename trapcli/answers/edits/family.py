"""A family whose answers are edits of tables, made from declarations.

Such a family states its tables, its reports, its trap kinds and a solver; this module
gives everything else that the contract asks for.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from trapcli.answers.edits.authoring.table_diff import diff
from trapcli.answers.edits.judging.applied_edits import Applied, Index, apply_edits, index_of, quoted
from trapcli.answers.edits.judging.report_comparison import (
    Printed,
    differing,
    mended_and_spoiled,
    name_of,
    reader,
    run,
    to_mend,
    watched,
)
from trapcli.answers.edits.parsing.reader import read_edits
from trapcli.answers.edits.tables import Table, Tables, read_table, schema, write_table
from trapcli.core.contract import Answer, Case, Files, Problem, Section, Verdict
from trapcli.core.draw import Draw
from trapcli.core.errors import TrapError

MOST_GOLD = 28  # of the 30 edits that count
CELLS_SHOWN = 40
PLANS_TRIED = 100


class Unlucky(Exception):
    """A plan that cannot be completed with what was drawn; another is drawn."""


@dataclass(frozen=True, slots=True)
class Plan:
    """A case as planned: the tables as the agent finds them, as they should be, and the ticket.

    facts: JSON data for `inspect`, such as which rows mislead.
    """

    before: Tables
    after: Tables
    ticket: str
    facts: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Kind:
    """A trap kind: its name, what it is about, how a case is planned, the slips it can suffer.

    plan(draw, knobs) -> Plan, or "module:name" of such a function; it may raise Unlucky.
    """

    name: str
    about: str
    plan: "Callable[[Draw, Any], Plan] | str"
    slips: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Prepared:
    """What judging a case needs and every answer shares."""

    tables: Tables
    index: Index
    gold: Applied
    before: Mapping[str, Printed]
    right: Mapping[str, Printed]
    reads: Mapping[str, frozenset[str]]
    seen: frozenset[tuple[str, str]]
    result: str
    to_mend: int


def effect(printed: Mapping[str, Printed]) -> str:
    """The reports' output in canonical form: equal effects, equal reports."""
    return sha256("".join(p.digest for p in printed.values()).encode()).hexdigest()


@dataclass(frozen=True, eq=False)
class EditsFamily:
    """A family (see `trapcli.core.contract.Family`) of tickets, tables and reports.

    reports: modules with `report(read) -> rows`, header first, where `read(file)`
    gives a table's rows as dicts; each is also a script that an agent runs in the case
    directory. solver(files, mistake): what an agent prints that makes this mistake,
    or none. readme: the case README but for the part on what to print, as text or as
    "package:file". computed: the (file, column)s whose right values an agent works out,
    so that none may stand in the inputs. audit(before, after): problems of a case that
    only the family can see, such as sums that do not add up. Functions may be given as
    "module:name", to be imported when first used: judging needs none of them.
    """

    name: str
    title: str
    version: str
    tables: tuple[Table, ...]
    reports: tuple[ModuleType, ...]
    trap_kinds: tuple[Kind, ...]
    mechanisms: Mapping[str, str]
    knobs: type
    ladder: Sequence[Mapping[str, Any]]
    cases: int
    readme: str
    solver: Callable[[Files, str | None], str] | str
    computed: frozenset[tuple[str, str]] = frozenset()
    audit: Callable[[Tables, Tables], Iterable[Problem]] | str | None = None
    noop: str = "[]"

    def __post_init__(self) -> None:
        object.__setattr__(self, "kinds", {kind.name: kind.about for kind in self.trap_kinds})
        object.__setattr__(self, "schema", schema(*self.tables))
        object.__setattr__(self, "prepared", lru_cache(maxsize=32)(self._prepare))

    kinds: Mapping[str, str] = field(init=False)
    schema: Mapping[str, Table] = field(init=False)
    prepared: Callable[[Case], Prepared] = field(init=False)

    def generate(self, seed: str, knobs: Any, k: int) -> Case:
        """Case `k` of the seed; TrapError if no plan can be completed."""
        kind = self.trap_kinds[k % len(self.trap_kinds)]
        draw = Draw(f"{self.name}/{self.version}/{seed}/{k}")
        for attempt in range(PLANS_TRIED):
            try:
                plan = loaded(kind.plan)(draw.stream(f"plan-{attempt}"), knobs)
            except Unlucky as why:
                reason = str(why)
                continue
            return self._case(kind, plan)
        raise TrapError(f"{self.name}: no {kind.name} can be planned with these knobs: {reason}.")

    def _case(self, kind: Kind, plan: Plan) -> Case:
        files = {"README.md": self.case_readme(), "ticket.md": plan.ticket}
        files |= {table.name: write_table(table, plan.before[table.name]) for table in self.tables}
        files |= {f"{name_of(report)}.py": source(report) for report in self.reports}
        gold = diff(self.schema, plan.before, plan.after)
        return Case(self.name, kind.name, files, gold, kind.slips, plan.facts)

    def case_readme(self) -> str:
        """The README of every case: the family's part, then what to print."""
        form = Path(__file__).with_name("instructions.md").read_text(encoding="utf-8")
        text = self.readme
        if "\n" not in text:
            package, _, file = text.partition(":")
            text = Path(str(import_module(package).__file__)).with_name(file).read_text(encoding="utf-8")
        return f"{text.strip()}\n\n{form}"

    def extract(self, text: str) -> Answer | Problem:
        """The edits in a cleaned output, or why it cannot be read."""
        return read_edits(text)

    def solve(self, files: Files) -> str:
        return str(loaded(self.solver)(files, None))

    def slip(self, files: Files, mechanism: str) -> str:
        return str(loaded(self.solver)(files, mechanism))

    def read_tables(self, files: Files) -> dict[str, list[dict[str, str]]]:
        """The case's tables by file name; TrapError if one is damaged."""
        try:
            return {table.name: read_table(table, files[table.name]) for table in self.tables}
        except (KeyError, ValueError) as error:
            raise TrapError(f"{self.name}: the case's tables are damaged: {error}.") from error

    def _prepare(self, case: Case) -> Prepared:
        tables = self.read_tables(case.files)
        before, reads, columns = {}, {}, set()
        for report in self.reports:
            read, files, seen = watched(tables)
            before[name_of(report)] = run(report, read)
            reads[name_of(report)] = frozenset(files)
            columns |= seen
        index = index_of(self.schema, tables)
        gold = apply_edits(self.schema, tables, case.gold, index)
        right = self._run(gold, before, reads)
        for name, printed in right.items():
            if printed.error:
                raise TrapError(
                    f"case {case.id or '?'} of {self.name} is broken: with the gold edits {name}.py "
                    f"fails: {printed.error}. No answer to it can be judged; build the suite again."
                )
        count = sum(to_mend(before[name], right[name]) for name in right)
        return Prepared(tables, index, gold, before, right, reads, frozenset(columns), effect(right), count)

    def _run(
        self, applied: Applied, before: Mapping[str, Printed], reads: Mapping[str, frozenset[str]]
    ) -> dict[str, Printed]:
        """Every report's output; one that reads no changed table prints what it printed before."""
        changed, read = applied.changed, reader(applied.tables, applied.broken)
        return {
            name: before[name] if reads[name].isdisjoint(changed) else run(report, read)
            for report in self.reports
            for name in [name_of(report)]
        }

    def judge(self, case: Case, answer: Answer) -> Verdict:
        """Apply the edits, run the reports, compare with what the gold edits give."""
        prepared = self.prepared(case)
        applied = apply_edits(self.schema, prepared.tables, answer.value, prepared.index)
        yours = self._run(applied, prepared.before, prepared.reads)
        wrong = [name for name in yours if yours[name].digest != prepared.right[name].digest]
        notes = (*applied.notes, *unseen(applied, prepared))
        reports = {name: yours[name].error or ("differs" if name in wrong else "matches") for name in yours}
        if not wrong:
            details = {"reports": reports, "cells_differ": 0, "cells": []}
            return Verdict("passed", "all reports match", prepared.result, 1.0, notes, details)
        cells = [
            {"report": name, "row": row, "column": column, "yours": have, "right": want}
            for name in wrong
            for row, column, have, want in differing(yours[name], prepared.right[name])
        ]
        mended = spoiled = 0
        for name in yours:
            more, less = mended_and_spoiled(prepared.before[name], yours[name], prepared.right[name])
            mended, spoiled = mended + more, spoiled + less
        partial = round(max(0, mended - spoiled) / max(1, prepared.to_mend), 4)
        details = {"reports": reports, "cells_differ": len(cells), "cells": cells[:CELLS_SHOWN]}
        reason = why_failed(len(answer.value), wrong, yours, cells)
        return Verdict("failed", reason, effect(yours), partial, notes, details)

    def passes(self, case: Case, edits: Sequence[Any]) -> bool:
        """Whether the edits would pass; cheaper than `judge`, since one wrong report is enough."""
        prepared = self.prepared(case)
        applied = apply_edits(self.schema, prepared.tables, edits, prepared.index)
        changed, read = applied.changed, reader(applied.tables, applied.broken)
        for report in self.reports:
            name = name_of(report)
            unchanged = prepared.reads[name].isdisjoint(changed)
            printed = prepared.before[name] if unchanged else run(report, read)
            if printed.digest != prepared.right[name].digest:
                return False
        return True

    def check(self, case: Case) -> Iterable[Problem]:
        """Gold that is too long, not needed edit by edit, or seen in the inputs; the family's audit."""
        from trapcli.answers.edits.authoring.case_checks import check

        return check(self, case)

    def explain(self, case: Case, public: bool) -> Sequence[Section]:
        """The ticket and tables; unless `public` also the trap, the gold edits, the reports' change."""
        from trapcli.answers.edits.judging.explanation import explain

        return explain(self, case, public)

    def view(self, verdict: Verdict) -> Sequence[Section]:
        """Which reports match, and the cells that differ."""
        from trapcli.answers.edits.judging.explanation import view

        return view(verdict)


def loaded(function: Callable[..., Any] | str) -> Callable[..., Any]:
    """The function itself, or the one that "module:name" names."""
    if not isinstance(function, str):
        return function
    module, _, name = function.partition(":")
    found: Callable[..., Any] = getattr(import_module(module), name)
    return found


def source(report: ModuleType) -> str:
    """The text of the report's script."""
    assert report.__file__
    return Path(report.__file__).read_text(encoding="utf-8")


def unseen(applied: Applied, prepared: Prepared) -> list[str]:
    """A note for each edit that changed only cells that no report looks at."""
    return [
        f"edit {position}: unseen, no report shows {', '.join(sorted({file for file, _ in cells}))} "
        f"{quoted(', '.join(sorted({column for _, column in cells})))}"
        for position, cells in applied.touched
        if cells.isdisjoint(prepared.seen)
    ]


def why_failed(
    edits: int, wrong: Sequence[str], yours: Mapping[str, Printed], cells: Sequence[Mapping[str, Any]]
) -> str:
    """One line: how many reports are wrong, and the first thing wrong in them."""
    if not edits:
        return "no edits were made"
    start = f"{len(wrong)} of {len(yours)} reports differ"
    for name in wrong:
        if yours[name].error:
            return f"{start}; {name} fails: {yours[name].error}"
    first = cells[0]
    yours_text, right = (
        "nothing" if v is None else json.dumps(v, ensure_ascii=False)
        for v in (first["yours"], first["right"])
    )
    return f"{start}; first {first['report']} {first['row']} {first['column']}: {yours_text}, not {right}"
