"""What must be hidden from a solution is found, and nothing else."""

import sys
from pathlib import Path
from typing import Any

import pytest
import toy_family
from checkout import ROOT

from trapcli.calibration.isolation import hidden_paths
from trapcli.calibration.isolation.hidden_paths import (
    checkout,
    find_hidden,
    installed_in,
    installed_in_prefix,
    this_program,
)
from trapcli.core.errors import TrapError


@pytest.fixture
def make(tmp_path: Path) -> Any:
    """Creates empty files, or directories for paths that end with a slash; returns the root of them all."""

    def touch(*paths: Any) -> Any:
        for path in paths:
            place = tmp_path / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.mkdir(exist_ok=True) if path.endswith("/") else place.touch()
        return tmp_path

    return touch


def below(root: Any, paths: Any) -> Any:
    return sorted(path.relative_to(root).as_posix() for path in paths)


def test_halves_of_suites(make: Any) -> None:
    """Public halves, private halves and stored runs are found at any depth; near misses are not."""
    root = make(
        "agent.py",
        "one/expected.sha256", "one/inputs/case_01/",
        "deep/er/private/suite.json", "deep/er/private/case_01/answer.json",
        ".trapcli/runs.db", "deep/.trapcli/runs.db",
        "inputs/", "expected/answer.json", "case_01/", "suite.json/case_01/",
        "only/expected.sha256", "traps/notes.txt",
    )  # fmt: skip
    assert below(root, find_hidden(root)) == [".trapcli", "deep/.trapcli", "deep/er/private", "one"]


def test_traps_as_a_whole(make: Any) -> None:
    """A directory `traps` with a suite in it is found as a whole, unless the solution runs there."""
    root = make("traps/a/expected.sha256", "traps/a/inputs/", "traps/b/suite.json", "traps/b/case_01/")
    assert below(root, find_hidden(root)) == ["traps"]
    assert below(root, find_hidden(root / "traps")) == ["traps/a", "traps/b"]


def test_a_suite_itself(make: Any) -> None:
    """A directory that is itself a suite is found."""
    root = make("expected.sha256", "inputs/")
    assert find_hidden(root) == [root]


def test_repositories_around_suites(make: Any) -> None:
    """A .git directory is found if a suite is in its checkout; another one is the solution's own."""
    suite = ("data/traps/a/expected.sha256", "data/traps/a/inputs/")
    root = make(*suite, ".git/objects/", "data/.git", "other/.git/", "data/traps/a/.git/")
    assert below(root, find_hidden(root)) == [".git", "data/.git", "data/traps"]
    assert below(root, find_hidden(root / "other")) == []


def test_copies_of_this_program(make: Any) -> None:
    """Checkouts, environments and archives of this program are found; similar names are not."""
    packages = ".venv/lib/python3.12/site-packages"
    root = make(
        "clone/trapcli/suite.py", "clone/families/", "clone/README.md", "clone/.git/",
        "dist/trapsuite-0.1.0-py3-none-any.whl", "dist/trapcli-0.1.0.tar.gz", "dist/other-1.whl",
        f"{packages}/trapcli/", f"{packages}/families/", f"{packages}/trapsuite-1.dist-info/",
        f"{packages}/yaml/",
        f"{packages}/__editable__.trapcli-0.1.0.pth", f"{packages}/trapcli_like/",
        f"{packages}/__pycache__/__editable___trapsuite_0_1_0_finder.cpython-312.pyc",
        f"{packages}/__pycache__/six.cpython-312.pyc",
        "families/", "mine/trapcli/",
    )  # fmt: skip
    assert below(root, find_hidden(root)) == sorted([
        "clone/.git", "clone/families", "clone/trapcli",
        "dist/trapsuite-0.1.0-py3-none-any.whl", "dist/trapcli-0.1.0.tar.gz",
        f"{packages}/trapcli", f"{packages}/families", f"{packages}/trapsuite-1.dist-info",
        f"{packages}/__editable__.trapcli-0.1.0.pth",
        f"{packages}/__pycache__/__editable___trapsuite_0_1_0_finder.cpython-312.pyc",
    ])  # fmt: skip


def test_links_are_not_followed(make: Any) -> None:
    """What a symbolic link points to is not searched: it is not visible through the link either."""
    root = make("here/", "there/one/expected.sha256", "there/one/inputs/")
    (root / "here/link").symlink_to(root / "there")
    assert find_hidden(root / "here") == []


def test_too_much_to_search(make: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A directory that is too large to search is refused, not searched in part."""
    monkeypatch.setattr(hidden_paths, "MOST_FOLDERS", 3)
    assert find_hidden(make("a/", "b/")) == []
    with pytest.raises(TrapError, match="more than 3 directories below it"):
        find_hidden(make("c/"))


def test_prefixes(make: Any) -> None:
    """Installations in a venv, under pyenv and on Debian are found, with the programs that start them."""
    root = make(
        "venv/lib/python3.12/site-packages/trapcli/",
        "pyenv/versions/3.13.0/lib/python3.13/site-packages/trapsuite-1.egg-info/",
        "usr/local/lib/python3.11/dist-packages/trapcli/",
        "usr/lib/python3/dist-packages/yaml/",
        "venv/bin/",
        "bin/",
    )
    (root / "venv/bin/trapcli").write_text("#!/venv/bin/python\nfrom trapcli.cli import main\n")
    (root / "venv/bin/trap").write_text("#!/bin/sh\necho another program\n")
    (root / "bin/trap").write_text("#!/venv/bin/python\nfrom trapcli.cli import main\n")
    found = {
        name: below(root, {*installed_in_prefix(root / name)}) for name in ("venv", "pyenv", "usr", "bin")
    }
    assert found == {
        "venv": ["venv/bin/trapcli", "venv/lib/python3.12/site-packages/trapcli"],
        "pyenv": ["pyenv/versions/3.13.0/lib/python3.13/site-packages/trapsuite-1.egg-info"],
        "usr": ["usr/local/lib/python3.11/dist-packages/trapcli"],
        "bin": ["bin/trap"],
    }
    assert installed_in(root / "gone") == []


def test_this_program_and_its_families(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The running program is found, and so are all families, also a module of another distribution."""
    assert {ROOT / "trapcli", ROOT / "families"} <= {*this_program()}
    assert checkout() == ROOT
    monkeypatch.syspath_prepend(str(toy_family.declare(tmp_path)))
    found = this_program()
    assert Path(toy_family.__file__) in found
    assert Path(sys.prefix) not in found
