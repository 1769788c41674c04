"""What must hold for the reference solver of every edits family, and for the toolkit that they share."""

import ast
import json
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from itertools import product
from pathlib import Path

import pytest
from checkout import ROOT

from trapcli.answers.edits.family import EditsFamily
from trapcli.core import registry
from trapcli.core.contract import Answer, Case, Verdict

TOOLKIT = "trapcli.answers.edits.solving"


def edits_families() -> dict[str, EditsFamily]:
    found = ((name, registry.family(name)) for name in registry.names())
    return {name: family for name, family in found if isinstance(family, EditsFamily)}


FAMILIES = edits_families()
EACH_KIND = [
    pytest.param(name, k, id=f"{name}-{kind}")
    for name, family in FAMILIES.items()
    for k, kind in enumerate(family.kinds)
]


def judged(family: EditsFamily, case: Case, text: str) -> Verdict:
    return family.judge(case, Answer(tuple(json.loads(text))[:30]))


@pytest.mark.parametrize("seed", ["3", "141", "2718"])
@pytest.mark.parametrize(("name", "k"), EACH_KIND)
def test_generated_cases(name: str, k: int, seed: str) -> None:
    """The solver gives what the gold gives; every mistake of the kind fails, no two in the same way."""
    family = FAMILIES[name]
    case = family.generate(seed, family.knobs(), k)
    verdict = judged(family, case, family.solve(case.files))
    assert verdict.score == 1.0, verdict.reason
    results = [verdict.result]
    for mistake in case.mechanisms:
        verdict = judged(family, case, family.slip(case.files, mistake))
        assert verdict.score == 0.0, mistake
        assert verdict.result not in results, mistake
        results.append(verdict.result)


@pytest.mark.parametrize(("name", "k"), EACH_KIND)
def test_one_edit_a_row(name: str, k: int) -> None:
    """No row is edited twice, and no edit sets a cell to what it holds or changes nothing."""
    family = FAMILIES[name]
    case = family.generate("7", family.knobs(), k)
    tables = family.read_tables(case.files)
    for text in (family.solve(case.files), *(family.slip(case.files, m) for m in case.mechanisms)):
        hit = []
        for edit in json.loads(text):
            key = edit["match"] if edit["op"] == "update" else family.schema[edit["file"]].match(edit["row"])
            hit.append((edit["file"], *key.values()))
            if edit["op"] == "update":
                (row,) = (row for row in tables[edit["file"]] if row.items() >= edit["match"].items())
                assert edit["set"]
                assert all(row[column] != cell for column, cell in edit["set"].items())
        assert len(set(hit)) == len(hit)


@pytest.mark.parametrize("name", FAMILIES)
def test_tables_without_a_ticket_decide_nothing(name: str) -> None:
    """Where the files do not say what to do, the solver says so instead of guessing."""
    family = FAMILIES[name]
    files = family.generate("7", family.knobs(), 0).files
    for text in ("", "# Books\n\nHi,\n\nplease put them in order.\n"):
        assert family.solve({**files, "ticket.md": text}).startswith("I cannot tell what to do: ")


def modules(package: str) -> Iterator[tuple[Path, list[str]]]:
    """The modules of a package, and what each imports, in full."""
    spec = find_spec(package)
    assert spec is not None and spec.submodule_search_locations
    for path in Path(spec.submodule_search_locations[0]).rglob("*.py"):
        yield path, list(imported(path))


def imported(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        if isinstance(node, ast.ImportFrom):
            assert not node.level
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def within(name: str, *packages: str) -> bool:
    return any(f"{name}.".startswith(f"{package}.") for package in packages)


@pytest.mark.parametrize(
    "package", [TOOLKIT, *(str(family.solver).partition(":")[0] for family in FAMILIES.values())]
)
def test_solvers_read_nothing_else(package: str) -> None:
    """A solver imports itself, the solvers' toolkit and the standard library: no tables, no reports."""
    for path, names in modules(package):
        for name in names:
            assert within(name, package, TOOLKIT) or name.split(".")[0] in sys.stdlib_module_names, path


@pytest.mark.parametrize("top", ["trapcli", "families"])
def test_only_solvers_use_their_toolkit(top: str) -> None:
    """Nothing that generates or judges cases shares code with what checks them."""
    for path in (ROOT / top).rglob("*.py"):
        if not {"solver", "solving"} & set(path.relative_to(ROOT).parts):
            assert not any(within(name, TOOLKIT) for name in imported(path)), path


@pytest.mark.parametrize(("name", "k"), [*product(FAMILIES, range(2))])
def test_the_files_given_count(name: str, k: int) -> None:
    """Files that differ are never answered from those seen before."""
    family = FAMILIES[name]
    one, other = (family.generate(seed, family.knobs(), k).files for seed in ("11", "12"))
    first = family.solve(one)
    assert family.solve(other) != first
    assert family.solve(dict(one)) == first
