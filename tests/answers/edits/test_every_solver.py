"""What must hold for the reference solver of every edits family, and for the toolkit they share."""

import ast
import json
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from itertools import product
from pathlib import Path

import pytest
from checkout import ROOT

from trapcli.answers.edits import EditsFamily
from trapcli.core import registry
from trapcli.core.contract import Answer, Case, Verdict

TOOLKIT = "trapcli.answers.edits.solving"


def edits_families() -> dict[str, EditsFamily]:
    found = ((name, registry.family(name)) for name in registry.names())
    return {name: family for name, family in found if isinstance(family, EditsFamily)}


FAMILIES = edits_families()
EACH_TRAP = [
    pytest.param(name, k, id=f"{name}-{trap}")
    for name, family in FAMILIES.items()
    for k, trap in enumerate(family.traps)
]


def judge(family: EditsFamily, case: Case, text: str) -> Verdict:
    return family.answers.judge(case, Answer(tuple(json.loads(text))[:30]))


@pytest.mark.slow
@pytest.mark.parametrize("seed", ["3", "141", "2718"])
@pytest.mark.parametrize(("name", "k"), EACH_TRAP)
def test_mistakes_have_effects_of_their_own(name: str, k: int, seed: str) -> None:
    """The solver passes, and every mistake of a trap fails, no two with the same result."""
    family = FAMILIES[name]
    case = family.generate(seed, family.knobs(), k)
    verdict = judge(family, case, family.solve(case.files))
    assert verdict.score == 1.0, verdict.reason
    results = [verdict.result]
    for mistake in case.mistakes:
        verdict = judge(family, case, family.solve(case.files, mistake))
        assert verdict.score == 0.0, mistake
        assert verdict.result not in results, mistake
        results.append(verdict.result)


@pytest.mark.parametrize(("name", "k"), EACH_TRAP)
def test_one_edit_a_row(name: str, k: int) -> None:
    """No row is edited twice, and every edit changes each cell that it sets."""
    family = FAMILIES[name]
    case = family.generate("7", family.knobs(), k)
    tables = family.answers.read_tables(case)
    for text in (family.solve(case.files), *(family.solve(case.files, m) for m in case.mistakes)):
        hit = []
        for edit in json.loads(text):
            key = (
                edit["match"]
                if edit["op"] == "update"
                else family.answers.schema[edit["file"]].match(edit["row"])
            )
            hit.append((edit["file"], *key.values()))
            if edit["op"] == "update":
                (row,) = (row for row in tables[edit["file"]] if row.items() >= edit["match"].items())
                assert edit["set"]
                assert all(row[column] != cell for column, cell in edit["set"].items())
        assert len(set(hit)) == len(hit)


@pytest.mark.parametrize("name", FAMILIES)
def test_without_a_request_the_answer_is_unclear(name: str) -> None:
    """If the ticket does not say what to do, the solver says so instead of guessing."""
    family = FAMILIES[name]
    files = family.generate("7", family.knobs(), 0).files
    for text in ("", "# Books\n\nHi,\n\nplease put them in order.\n"):
        assert family.solve({**files, "ticket.md": text}).startswith("It is unclear what to do: ")


def modules(package: str) -> Iterator[tuple[Path, list[str]]]:
    """Yield the modules of a package, each with the full names of what it imports."""
    spec = find_spec(package)
    assert spec is not None and spec.submodule_search_locations
    for path in Path(spec.submodule_search_locations[0]).rglob("*.py"):
        yield path, list(imports(path))


def imports(path: Path) -> Iterator[str]:
    """Yield the full names of what a module imports."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        if isinstance(node, ast.ImportFrom):
            assert not node.level
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def within(name: str, *packages: str) -> bool:
    """Whether a name is one of these packages, or in one."""
    return any(f"{name}.".startswith(f"{package}.") for package in packages)


@pytest.mark.parametrize(
    "package", [TOOLKIT, *(str(family.solver).partition(":")[0] for family in FAMILIES.values())]
)
def test_solvers_import_nothing_else(package: str) -> None:
    """A solver imports its own package, the solvers' toolkit and the standard library only."""
    for path, names in modules(package):
        for name in names:
            assert within(name, package, TOOLKIT) or name.split(".")[0] in sys.stdlib_module_names, path


@pytest.mark.slow
@pytest.mark.parametrize("top", ["trapcli", "families"])
def test_only_solvers_use_their_toolkit(top: str) -> None:
    """Code that generates or judges cases is not shared with the solvers that check it."""
    for path in (ROOT / top).rglob("*.py"):
        if not {"solver", "solving"} & set(path.relative_to(ROOT).parts):
            assert not any(within(name, TOOLKIT) for name in imports(path)), path


@pytest.mark.parametrize(("name", "k"), [*product(FAMILIES, range(2))])
def test_equal_files_give_equal_answers(name: str, k: int) -> None:
    """The answer depends on the given files only, not on files that were solved before."""
    family = FAMILIES[name]
    one, other = (family.generate(seed, family.knobs(), k).files for seed in ("11", "12"))
    first = family.solve(one)
    assert family.solve(other) != first
    assert family.solve(dict(one)) == first
