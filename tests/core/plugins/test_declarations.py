"""Who declares a family: two packages of one name, one package found twice, names that are not allowed."""

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from checkout import MODULES

from trapcli.core import registry
from trapcli.core.errors import FamilyFault, TrapError
from trapcli.core.plugins.declarations import Declaration, declarations, name_problem

Install = Callable[..., Path]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Install:
    """Return a function that declares families as a package, in a directory of its own on sys.path."""

    def install(folder: str, *entries: str, directory: str = "") -> Path:
        site = tmp_path / (directory or folder)
        (site / folder).mkdir(parents=True)
        (site / folder / "entry_points.txt").write_text("[trapcli.families]\n" + "\n".join(entries) + "\n")
        if str(site) not in sys.path:
            monkeypatch.syspath_prepend(str(site))
        return site

    return install


def test_two_packages_that_declare_a_name_are_an_error_for_that_name_alone(install: Install) -> None:
    """The error names both packages and what to do; every other family is as usable as before."""
    install("one_toys-1.0.dist-info", "toy = toy_family:TOY")
    install("two_toys-2.1.dist-info", "toy = other:TOY")
    with pytest.raises(
        FamilyFault, match=r"packages two-toys 2\.1 and one-toys 1\.0 both .* 'toy'.*Uninstall one"
    ):
        registry.family("toy")
    assert registry.family("billing").name == "billing"
    families, problems = registry.usable()
    assert "billing" in [family.name for family in families]
    assert [problem.where for problem in problems] == ["toy"]


def test_our_families_cannot_be_replaced(install: Install) -> None:
    """A package that declares one of our names, first on the path, is ignored, and named as a problem."""
    install("evil-6.dist-info", "billing = toy_family:TOY", "toy = toy_family:TOY")
    assert type(registry.family("billing")).__module__.startswith("trapcli.")
    (problem,) = registry.refused()
    assert problem.where == "billing of evil"
    assert re.match(r"the packages trapsuite.* and evil 6 both declare a family 'billing'", problem.message)
    assert registry.family("toy").name == "toy"


@pytest.mark.parametrize(
    "again",
    [
        "Toy.Family-1.dist-info",
        "toy_family.egg-info",
        "toy_family-0.9.dist-info",
        "toy_family-1-py3.11.egg-info",
    ],
)
@pytest.mark.parametrize("entry", ["toy = toy_family:TOY", "toy = toy_family:OLD"])
def test_one_package_found_twice_is_not_a_conflict(install: Install, again: str, entry: str) -> None:
    """An editable installation beside its checkout, or an older copy further on, counts once: the first."""
    install(again, entry)
    install("toy_family-1.dist-info", "toy = toy_family:TOY")
    assert registry.family("toy").name == "toy"
    assert registry.refused() == []


def test_a_directory_that_is_twice_on_the_path_counts_once(
    install: Install, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same directory, named twice, declares its families once."""
    site = install("toy_family-1.dist-info", "toy = toy_family:TOY")
    monkeypatch.setattr(sys, "path", [*sys.path, str(site)])
    assert registry.family("toy").name == "toy"


def test_one_package_cannot_declare_a_name_twice(install: Install) -> None:
    """Two lines of one name in a package leave open which one is meant."""
    install("toys-1.dist-info", "toy = toy_family:TOY", "toy = toy_family:OTHER")
    with pytest.raises(FamilyFault, match=r"toys 1 and toys 1 both declare"):
        registry.family("toy")


@pytest.mark.parametrize("name", ["toy", "toy-2", "toy_two", "x", "2048", "a" * 40, "run-away", "case_1"])
def test_names_that_are_allowed(name: str) -> None:
    """Lower-case letters and digits, joined by single hyphens or underscores, are a name."""
    assert name_problem(name) == ""


@pytest.mark.parametrize(
    "name",
    ["", "../evil", "a/b", ".", "..", "Toy", "my toy", "toy\x1b[31m", "-toy", "toy-", "a--b", "tö", "a" * 41,
     "run", "case_01", "toy.x", "~", "$HOME", "a\u200bb"],
)  # fmt: skip
def test_names_that_are_not_allowed_are_named_with_their_package(name: str, install: Install) -> None:
    """Such a name is not a family, whoever asks for it is told which package declares it."""
    assert name_problem(name)
    install("odd-1.dist-info", f"{name} = toy_family:TOY", "toy = toy_family:TOY")
    assert name not in registry.names() and "toy" in registry.names()
    (problem,) = registry.refused()
    assert "the package odd 1 declares a family" in problem.message and problem.message.isprintable()
    with pytest.raises(TrapError):
        registry.family(name)


def test_what_a_package_declares_has_its_name_and_version(install: Install) -> None:
    """The metadata's folder tells the distribution's name, in the index's normal form, and its version."""
    site = install("My.Odd__Pack-2.0rc1.dist-info", "toy = toy_family:TOY [extra]")
    assert declarations([str(site)]) == [Declaration("toy", "toy_family:TOY", "my-odd-pack", "2.0rc1")]
    assert str(declarations([str(site)])[0]) == "my-odd-pack 2.0rc1"


@pytest.mark.slow
def test_what_is_refused_is_shown(install: Install, tmp_path: Path) -> None:
    """`inspect` lists it, `build --all` builds the rest and exits 1, `build billing` warns."""
    site = install("evil-6.dist-info", "billing = toy_family:TOY", "../evil = toy_family:TOY")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, (site, *MODULES)))}

    def run(*words: str) -> Any:
        command = [sys.executable, "-m", "trapcli", *words]
        return subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)

    shown = run("inspect")
    assert shown.returncode == 0 and "evil 6 both declare" in shown.stdout and "../evil" in shown.stdout
    built = run("build", "billing", "--cases", "1")
    assert built.returncode == 0 and built.stderr.startswith("Warning: the packages trapsuite")
    built = run("build", "--all", "--cases", "1", "--out", "all")
    assert built.returncode == 1
    assert "left out: billing of evil, ../evil;" in built.stderr
    assert sorted(path.name for path in (tmp_path / "all").iterdir()) == registry.names()
