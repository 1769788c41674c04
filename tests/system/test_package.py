"""Where our processes look for modules: nowhere that a solution could leave one before the real ones."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from checkout import MODULES, ROOT

from trapcli.system.package import module_path


def test_the_current_directory_comes_last(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A family there is still found, but nothing there hides another module; the order stays."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", ["", "/b", str(ROOT), "/a", "."])
    assert module_path() == ["/b", str(ROOT), "/a", str(tmp_path)]
    monkeypatch.setattr(sys, "path", ["/b"])
    assert module_path() == ["/b", str(ROOT)]


def test_in_a_checkout_it_keeps_its_place(monkeypatch: pytest.MonkeyPatch) -> None:
    """There it is the directory of our own package."""
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr(sys, "path", ["", "/b"])
    assert module_path() == [str(ROOT), "/b"]


@pytest.mark.slow
def test_the_program_imports_nothing_from_the_current_directory(tmp_path: Path) -> None:
    """`python -m trapcli` gets by without the modules there, even those that it imports late."""
    for name in ("base64", "click", "zipfile"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('it was imported')\n")
    path = os.pathsep.join(map(str, MODULES))
    done = subprocess.run(
        [sys.executable, "-m", "trapcli", "inspect"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stderr) == (0, "")
