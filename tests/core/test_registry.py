"""Families are found by name through their entry points, wherever these are installed."""

import sys
from importlib.metadata import entry_points
from pathlib import Path

import pytest
from toy_family import declare

from trapcli.core import registry
from trapcli.core.errors import TrapError


def standard() -> dict[str, str]:
    """What the standard library finds."""
    return {point.name: point.value for point in entry_points(group=registry.GROUP)}


def test_the_standard_library_finds_the_same() -> None:
    """Names and places of all installed families agree with importlib.metadata."""
    assert registry._declared() == standard()
    assert "billing" in registry.names()


@pytest.mark.parametrize(
    "text",
    [
        "[trapcli.families]\nfar = far.away:FAMILY\n",
        "[trapcli.families]\nfar=far.away:FAMILY [extra]\n",
        "[other]\nx = y:z\n\n[trapcli.families]\n# a comment\n  far = far.away:FAMILY\n[last]\nfar = no:NO\n",
    ],
)
def test_any_layout_of_the_metadata_is_read(
    text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Spaces, comments, extras and other groups in entry_points.txt are read as the standard has them."""
    info = tmp_path / "far-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: far\nVersion: 1\n")
    (info / "entry_points.txt").write_text(text)
    monkeypatch.syspath_prepend(str(tmp_path))
    assert registry._declared()["far"] == "far.away:FAMILY"
    assert standard()["far"].startswith("far.away:FAMILY")


def test_what_cannot_be_read_is_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A path that is not there, a file that is no text and a directory in its place hide no family."""
    (tmp_path / "a-1.dist-info").mkdir()
    (tmp_path / "a-1.dist-info" / "entry_points.txt").write_bytes(b"[trapcli.families]\n\xff = x:y\n")
    (tmp_path / "b-1.dist-info" / "entry_points.txt").mkdir(parents=True)
    monkeypatch.setattr(sys, "path", [str(tmp_path / "none"), str(tmp_path), *sys.path])
    assert "billing" in registry.names()


def test_a_family_comes_by_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A declared family is imported and handed out; an unknown name is an error that lists the known ones."""
    declare(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    assert registry.family("toy").name == "toy"
    with pytest.raises(TrapError, match=r"no family 'toys'; installed: .*billing.*toy"):
        registry.family("toys")


@pytest.mark.parametrize(
    ("entry", "reason"),
    [
        ("bad = no_such_module:FAMILY", "does not load: ModuleNotFoundError"),
        ("bad = toy_family:NOTHING", "does not load: AttributeError"),
        ("bad = toy_family:TOY", "calls itself 'toy', not 'bad'"),
        ("bad = toy", "does not load"),
    ],
)
def test_a_plugin_that_does_not_load_is_named(
    entry: str, reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An entry point that leads nowhere, or to another family, is an error that says so."""
    declare(tmp_path, entry)
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(TrapError, match=reason):
        registry.family("bad")
