"""The tree keeps its shape: no import circle, imports point down, small parts.

Each limit is also tried on a small tree that breaks it, so that the check itself cannot rot.
"""

from pathlib import Path
from textwrap import dedent, indent

import pytest
from benchmarks.structure import MOST_LINES, MOST_MODULES, folders, long_functions
from checkout import ROOT
from import_graph import circles, imports, sources, upward_imports

MODULES = sources(ROOT)
WITH_TESTS = sources(ROOT, ("trapcli", "families", "tests"))
GRAPH = imports(MODULES)


def plant(root: Path, files: dict[str, str]) -> Path:
    """Write a tree of modules, each in packages of its own, and return its root."""
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(dedent(text))
        for folder in path.relative_to(root).parents[:-1]:
            (root / folder / "__init__.py").touch()
    return root


def test_no_import_circle() -> None:
    """No module imports itself through others: not in a function, for type checkers or by a string path."""
    assert circles(GRAPH) == []


@pytest.mark.parametrize(
    "way_back",
    [
        "import trapcli.core.one",
        "from trapcli.core.one import NAME",
        "from trapcli.core import one",
        "from . import one",
        "from .one import NAME",
        "def f():\n    from trapcli.core.one import NAME",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from trapcli.core import one",
        "PLACE = 'trapcli.core.one:NAME'",
        "PLACE = 'trapcli.core.one'",
    ],
)
def test_a_circle_is_found(way_back: str, tmp_path: Path) -> None:
    """A circle of three modules is found, however its last import is written."""
    root = plant(
        tmp_path,
        {
            "trapcli/core/one.py": "from trapcli.core.two import NAME",
            "trapcli/core/two.py": "from trapcli.core import three\nNAME = three",
            "trapcli/core/three.py": way_back,
        },
    )
    names = [f"trapcli.core.{name}" for name in ("one", "three", "two")]
    assert circles(imports(sources(root))) == [names]


@pytest.mark.parametrize(
    "line", ["NAME = 'see trapcli.core.one'", "GROUP = 'trapcli.families'", "import json"]
)
def test_other_text_is_not_an_import(line: str, tmp_path: Path) -> None:
    """A name in a sentence, a group of entry points and another package lead to no module."""
    root = plant(tmp_path, {"trapcli/core/one.py": "import trapcli.core.two", "trapcli/core/two.py": line})
    assert circles(imports(sources(root))) == []


def test_imports_point_down() -> None:
    """A part of trapcli imports from parts below it, and a family only from the contract and the toolkits."""
    assert upward_imports(GRAPH) == []


@pytest.mark.parametrize(
    ("module", "imported"),
    [
        ("trapcli.core.one", "trapcli.system.two"),
        ("trapcli.system.one", "trapcli.answers.two"),
        ("trapcli.answers.one", "trapcli.suites.two"),
        ("trapcli.suites.one", "trapcli.judging.two"),
        ("trapcli.judging.one", "trapcli.building.two"),
        ("trapcli.building.one", "trapcli.views.two"),
        ("trapcli.views.one", "trapcli.calibration.two"),
        ("trapcli.calibration.one", "trapcli.commands.two"),
        ("trapcli.commands.one", "trapcli.cli"),
        ("trapcli.calibration.one", "trapcli"),
        ("trapcli.newcomer.one", "trapcli.core.two"),
        ("trapcli.cli", "families.billing"),
        ("families.billing", "trapcli.suites.two"),
        ("families.billing", "trapcli.api"),
        ("families.billing", "trapcli"),
    ],
)
def test_an_import_that_points_up_is_found(module: str, imported: str, tmp_path: Path) -> None:
    """Each step up is found, and a part that LAYERS does not list, and a family that reaches too far."""
    files = {f"{module.replace('.', '/')}.py": f"import {imported}", f"{imported.replace('.', '/')}.py": ""}
    if imported == "trapcli":
        files = {**files, "trapcli/__init__.py": ""}
        del files["trapcli.py"]
    assert upward_imports(imports(sources(plant(tmp_path, files)))) == [(module, imported)]


def test_imports_that_point_down_are_left_alone(tmp_path: Path) -> None:
    """Imports of one's own part, of the parts below, and of other families' modules are not reported."""
    files = {
        "trapcli/core/one.py": "import trapcli.core.two",
        "trapcli/core/two.py": "",
        "trapcli/commands/build.py": "import trapcli.core.one, trapcli.views.three",
        "trapcli/views/three.py": "import json",
        "families/ledger.py": "import families.tables, trapcli.core.one",
        "families/tables.py": "",
    }
    assert upward_imports(imports(sources(plant(tmp_path, files)))) == []


def test_no_folder_is_crowded() -> None:
    """No folder of the packages or the tests has more modules than a reader takes in at a glance."""
    crowded = {name: count for name, count in folders(WITH_TESTS, ROOT).items() if count > MOST_MODULES}
    assert crowded == {}


def test_a_crowded_folder_is_found(tmp_path: Path) -> None:
    """The modules of a folder are counted without its __init__.py and without those of folders in it."""
    files = {f"trapcli/core/m{number}.py": "" for number in range(MOST_MODULES + 1)}
    root = plant(tmp_path, {**files, "trapcli/core/deep/one.py": ""})
    assert folders(sources(root), root) == {"trapcli/core": MOST_MODULES + 1, "trapcli/core/deep": 1}


@pytest.mark.slow
def test_no_function_is_long() -> None:
    """No function of the packages or the tests is longer than a screen."""
    assert long_functions(WITH_TESTS) == []


def test_a_long_function_is_found(tmp_path: Path) -> None:
    """A function or method one line over the limit is found, one at the limit is left alone."""
    body = "    x = 1\n" * (MOST_LINES - 1)
    source = f"def full():\n{body}async def over():\n{body}    x = 1\n"
    source += "class A:\n" + indent(f"def method(self):\n{body}    x = 1\n", "    ")
    root = plant(tmp_path, {"trapcli/core/one.py": source})
    assert long_functions(sources(root)) == [
        (MOST_LINES + 1, "trapcli.core.one:over"),
        (MOST_LINES + 1, "trapcli.core.one:method"),
    ]
