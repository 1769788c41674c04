"""Places that cannot be written or soon are full, made by bubblewrap for one program, without privileges."""

import shutil
import subprocess
from pathlib import Path

import pytest

EVERYTHING = ("bwrap", "--die-with-parent", "--dev-bind", "/", "/")


def read_only(*places: Path) -> tuple[str, ...]:
    """Return the words before a program for which these places are on a read-only file system."""
    return (*EVERYTHING, *(word for place in places for word in ("--ro-bind", str(place), str(place))))


def small_disk(place: Path, size: int) -> tuple[str, ...]:
    """Return the words before a program that finds an empty disk of so many bytes in a directory."""
    return (*EVERYTHING, "--size", str(size), "--tmpfs", str(place))


def _unusable() -> str:
    if not shutil.which("bwrap"):
        return "bubblewrap is not installed"
    tried = subprocess.run([*small_disk(Path("/mnt"), 4096), "true"], capture_output=True, text=True)
    return tried.stderr.strip()


needs_walls = pytest.mark.skipif(bool(_unusable()), reason=_unusable())
