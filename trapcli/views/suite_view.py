"""How `inspect` shows suites: one with its cases, or a table of those that were found."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from trapcli.core.contract import Section
from trapcli.suites.reader import PublicSuite, Suite, read_case
from trapcli.views.view import View, pairs

NO_SUITES = "None here; `trapcli build` puts them in traps/."


@dataclass(frozen=True, slots=True)
class FoundSuite:
    """A suite that was found on disk.

    path: where it is.
    public: its public half; None if that could not be read.
    suite: the whole of it; None if that could not be read, or was not to be.
    problem: why not, or "".
    """

    path: str
    public: PublicSuite | None = None
    suite: Suite | None = None
    problem: str = ""


def about_suite(suite: Suite | PublicSuite) -> View:
    """Return the view of a suite and its cases; of a whole one also with traps, seed and knobs."""
    cases = case_list(suite)
    document: dict[str, Any] = {**suite_json(suite), "cases": cases}
    rows = [("family", f"{suite.family} {_version(suite)}")]
    if isinstance(suite, Suite):
        document["redraws"] = suite.redraws
        rows += [*origin(suite), ("rejected draws", str(suite.redraws))]
    schema = "suite/1" if isinstance(suite, Suite) else "public-suite/1"
    return View(schema, document, (Section(str(suite.directory), (), tuple(rows)), *case_table(cases)))


def suite_json(suite: Suite | PublicSuite) -> dict[str, Any]:
    """Return what is known of a suite, without its cases, as JSON data."""
    known: dict[str, Any] = {
        "path": str(suite.directory),
        "family": suite.family,
        "version": _version(suite),
    }
    if isinstance(suite, Suite):
        recipe = suite.recipe
        known |= {"practice": recipe.practice, "seed": recipe.seed, "knobs": dict(recipe.knobs)}
    return known


def found_json(found: FoundSuite) -> dict[str, Any]:
    """Return what is known of a suite that was found, as JSON data."""
    suite = found.suite or found.public
    known: dict[str, Any] = {**suite_json(suite), "cases": len(suite.cases)} if suite else {}
    return {**known, "path": found.path, **({"problem": found.problem} if found.problem else {})}


def suite_tables(suites: Sequence[FoundSuite], problems: Sequence[tuple[str, str]] = ()) -> list[Section]:
    """Return a table of suites, and, if there are any problems (where, what), a table of them."""
    rows = []
    for found in suites:
        suite = found.suite or found.public
        practice = ("yes" if found.suite.practice else "no") if found.suite else "unknown"
        known = (
            (suite.family, _version(suite), str(len(suite.cases)), practice)
            if suite
            else ("?", "?", "?", "?")
        )
        rows.append((*known, found.path))
    columns = ("family", "version", "cases", "practice", "path")
    table = Section("Suites", columns, tuple(rows)) if rows else Section("Suites", text=NO_SUITES)
    wrong = (*problems, *((found.path, found.problem) for found in suites if found.problem))
    return [table, Section("Problems", ("where", "what"), wrong)] if wrong else [table]


def case_list(suite: Suite | PublicSuite | None) -> list[dict[str, Any]]:
    """Return the cases of a suite as JSON data; of a whole suite with their traps and mistakes."""
    if isinstance(suite, Suite):
        cases = [read_case(suite, case_id) for case_id in suite.cases]
        return [{"id": case.id, "trap": case.trap, "mistakes": list(case.mistakes)} for case in cases]
    return [{"id": case_id} for case_id in suite.cases] if suite else []


def case_table(cases: Sequence[Mapping[str, Any]]) -> list[Section]:
    """Return a table of the cases that `case_list` returns."""
    if cases and "trap" not in cases[0]:
        return [Section("Cases", (), tuple((case["id"],) for case in cases))]
    rows = tuple((case["id"], case["trap"], ", ".join(case["mistakes"])) for case in cases)
    return [Section("Cases", ("case", "trap", "mistakes"), rows)]


def origin(suite: Suite, knobs: Mapping[str, Any] | None = None) -> list[tuple[str, str]]:
    """Return what a suite was built from, as names and values; knobs: those of one of its cases."""
    recipe = suite.recipe
    use = "for practice: anyone can rebuild its answers" if recipe.practice else "keep it secret"
    return [
        ("seed", f"{recipe.seed} ({use})"),
        ("knobs", pairs(recipe.knobs if knobs is None else knobs) or "none"),
    ]


def _version(suite: Suite | PublicSuite) -> str:
    return suite.recipe.version if isinstance(suite, Suite) else suite.version
