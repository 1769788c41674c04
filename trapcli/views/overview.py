"""How `inspect` without words shows all there is: families, suites and runs."""

from collections.abc import Sequence
from typing import Any

from trapcli.core import registry
from trapcli.core.contract import Section
from trapcli.core.errors import TrapError
from trapcli.suites.layout import RUNS
from trapcli.views.suite_view import FoundSuite, found_json, suite_tables
from trapcli.views.view import View

NO_FAMILIES = "None is installed: a package declares them as entry points of trapcli.families."


def overview(suites: Sequence[FoundSuite], runs: View | None = None, problem: str = "") -> View:
    """Return the view of the installed families, also those that do not load, the suites and the runs.

    runs: the view of the runs, if there are any.
    problem: why there are runs that cannot be read, or "".
    """
    families: list[dict[str, Any]] = []
    rows: list[tuple[str, ...]] = []
    problems: list[tuple[str, str]] = []
    for name in registry.names():
        try:
            family = registry.family(name)
        except TrapError as error:
            families.append({"name": name, "problem": str(error)})
            rows.append((name, "(cannot be used)"))
            problems.append((name, str(error)))
            continue
        families.append(
            {"name": name, "title": family.title, "cases": family.cases, "traps": dict(family.traps)}
        )
        rows.append((name, family.title, str(family.cases), ", ".join(family.traps)))
    elsewhere = [(problem.where, problem.message) for problem in registry.refused()]
    text = "" if rows else NO_FAMILIES
    family_table = Section("Families", ("family", "title", "cases", "traps"), tuple(rows), text)
    document = {"families": families, "suites": [found_json(found) for found in suites]}
    if problem:
        elsewhere.append((RUNS, problem))
    if elsewhere:
        document["problems"] = [{"where": where, "what": what} for where, what in elsewhere]
        problems += elsewhere
    if runs is not None:
        document |= runs.document
    suite_table, *problem_table = suite_tables(suites, problems)
    run_tables = runs.sections if runs else ()
    return View("overview/1", document, (family_table, suite_table, *run_tables, *problem_table))
