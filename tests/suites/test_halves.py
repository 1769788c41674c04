"""Where the halves of a suite are, and one digest of both."""

import shutil
from pathlib import Path

import pytest
from toy_family import build_toy, installed

from trapcli.suites.halves import Halves


def test_the_private_half_is_inside_unless_it_is_named() -> None:
    """Without an expected directory the private half is expected/ of the suite."""
    assert Halves.of(Path("a")) == Halves(Path("a"), Path("a/expected"))
    assert Halves.of(Path("a")).nested
    assert Halves.of(Path("a"), Path("a/../a/expected")).nested
    assert not Halves.of(Path("a"), Path("b")).nested


def test_resolved_halves_follow_links(tmp_path: Path) -> None:
    """Resolved halves are real paths, and a nested private half stays nested."""
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    real = Halves.of(tmp_path / "link").resolved()
    assert real == Halves.of(tmp_path.resolve() / "real")
    apart = Halves.of(tmp_path / "real", tmp_path / "link").resolved()
    assert apart.private == tmp_path.resolve() / "real"


def test_the_digest_is_the_same_wherever_the_private_half_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Moved apart, a suite keeps its digest; any changed or added byte changes it."""
    installed(monkeypatch)
    inside = build_toy(tmp_path / "suite", count=2).halves
    digest = inside.digest()
    apart = Halves.of(tmp_path / "copy", tmp_path / "private")
    shutil.copytree(inside.public, apart.public)
    shutil.move(apart.public / "expected", apart.private)
    assert apart.digest() == digest
    (apart.private / "suite.json").open("a").write(" ")
    assert apart.digest() != digest
    (inside.public / "inputs" / "note").write_text("")
    assert inside.digest() != digest
