"""A family with answers of edits, made from declarations: tables, reports, traps and a solver."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from trapcli.answers.edits.answers import MISSED, EditsAnswers
from trapcli.answers.edits.authoring.case_checks import case_problems
from trapcli.answers.edits.authoring.plan import Plan, PlanFailed, Trap
from trapcli.answers.edits.authoring.table_diff import diff
from trapcli.answers.edits.explanation import case_sections
from trapcli.answers.edits.judging.report_comparison import report_name
from trapcli.answers.edits.limits import EDITS_READ, READ
from trapcli.answers.edits.tables import Tables, write_table
from trapcli.core.contract import Case, Files, Problem, Section
from trapcli.core.draw import Draw
from trapcli.core.errors import TrapError

PLANS_TRIED = 100
# A text that explains what can be found out, and the text that stands there if it is to be found out.
GUIDANCE = re.compile(
    r"^<!-- guidance -->\n(.*?)^<!-- else -->\n(.*?)^<!-- end -->\n", re.MULTILINE | re.DOTALL
)


@dataclass(frozen=True, eq=False)
class EditsFamily:
    """A family (see `trapcli.core.contract.Family`) with cases made of a ticket, tables and reports.

    answers: the tables and reports of every case.
    trap_types: the traps; case k sets trap k modulo their number.
    mistakes, knobs, levels, cases: as in the contract.
    readme: the README of every case without the part on what to print; a text, or "package:file".
    solver: returns what an agent prints, as solver(files, mistake) -> text; without a mistake if it
        is None.
    computed: the (file, column) pairs that an agent must work out; their right values must not be in
        the inputs.
    checks: returns the problems that only the family can see, such as sums that do not add up, as
        checks(tables before, tables after).

    A function may be given as "module:name": it is imported when it is first used. Judging needs
    none of them.
    """

    name: str
    title: str
    version: str
    answers: EditsAnswers
    trap_types: tuple[Trap, ...]
    mistakes: Mapping[str, str]
    knobs: type
    levels: Sequence[Mapping[str, Any]]
    cases: int
    readme: str
    solver: Callable[[Files, str | None], str] | str
    computed: frozenset[tuple[str, str]] = frozenset()
    checks: Callable[[Tables, Tables], Iterable[Problem]] | str | None = None
    traps: Mapping[str, str] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "traps", {trap.name: trap.about for trap in self.trap_types})

    def generate(self, seed: str, knobs: Any, k: int) -> Case:
        """Return case `k` of the seed; TrapError if none can be planned with these knobs."""
        trap = self.trap_types[k % len(self.trap_types)]
        draw = Draw("/".join([self.name, self.version, seed, str(k), *_others(knobs)]))
        for attempt in range(PLANS_TRIED):
            try:
                plan = load_function(trap.plan)(draw.stream(f"plan-{attempt}"), knobs)
            except PlanFailed as failure:
                reason = str(failure)
                continue
            return self._case(trap, plan)
        raise TrapError(
            f"{self.name}: no case of trap {trap.name} can be planned with these knobs: {reason}. "
            "Try other knobs or another seed."
        )

    def solve(self, files: Files, mistake: str | None = None) -> str:
        """Return what the reference solver prints, with this mistake if one is named."""
        return str(load_function(self.solver)(files, mistake))

    def check(self, case: Case) -> Iterable[Problem]:
        """Yield what is wrong with a case: its gold edits, leaks, and what the family's `checks` find."""
        yield from case_problems(self.answers, case, self.computed)
        if self.checks:
            prepared = self.answers.prepared(case)
            yield from load_function(self.checks)(prepared.tables, prepared.gold.tables)

    def explain(self, case: Case, public: bool) -> Sequence[Section]:
        """Return the ticket and tables; unless `public` also the facts, the gold edits and their effect."""
        return case_sections(self.answers, case, public)

    def case_readme(self, guided: bool = True) -> str:
        """Return the README of every case: the family's part, then what to print.

        guided: which of two texts is used where the family's part has `GUIDANCE`.
        """
        text = self.readme
        if "\n" not in text:
            package, _, file = text.partition(":")
            text = Path(str(import_module(package).__file__)).with_name(file).read_text(encoding="utf-8")
        text = GUIDANCE.sub(lambda match: match[1 if guided else 2], text)
        return f"{text.strip()}\n\n{self.answers.instructions()}"

    def _case(self, trap: Trap, plan: Plan) -> Case:
        gold = diff(self.answers.schema, plan.before, plan.after)
        readme = self.case_readme(plan.guided)
        if plan.readme:
            text, instructions = readme.removesuffix(self.answers.instructions()), self.answers.instructions()
            readme = f"{text}{plan.readme.strip()}\n\n{instructions}"
        files = {"README.md": readme, "ticket.md": plan.ticket}
        files |= {table.name: write_table(table, plan.before[table.name]) for table in self.answers.tables}
        files |= {f"{report_name(report)}.py": _source(report) for report in self.answers.reports}
        mistakes = trap.mistakes if plan.mistakes is None else plan.mistakes
        facts = {**plan.facts, **({READ: plan.edits_read} if plan.edits_read != EDITS_READ else {})}
        case = Case(self.name, trap.name, files, gold, mistakes, facts)
        if not plan.missed:
            return case
        missed = []
        for one in plan.missed:
            result, cells = self.answers.outcome(case, one.edits)
            record = {"name": one.name, "request": one.request, "wrong cells": len(cells), "result": result}
            first = cells[0] if cells else {}
            missed.append({**record, "first": " ".join(str(cell) for cell in first.values())})
        return replace(case, facts={**facts, MISSED: missed})


def _others(knobs: Any) -> Iterator[str]:
    """Yield the knobs that differ from their defaults, so that a seed has other cases at another level."""
    for knob in fields(knobs) if is_dataclass(knobs) else ():
        if getattr(knobs, knob.name) != knob.default:
            yield f"{knob.name}={getattr(knobs, knob.name)}"


def load_function(function: Callable[..., Any] | str) -> Callable[..., Any]:
    """Return the function itself, or the one that "module:name" names."""
    if not isinstance(function, str):
        return function
    module, _, name = function.partition(":")
    found: Callable[..., Any] = getattr(import_module(module), name)
    return found


def _source(report: ModuleType) -> str:
    assert report.__file__
    return Path(report.__file__).read_text(encoding="utf-8")
