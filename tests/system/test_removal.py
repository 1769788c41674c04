"""A directory that we made is removed whatever is in it; nothing else is ever touched."""

import os
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from checkout import ROOT

from trapcli.system.removal import identity, own_directory, remove

NOBODY = 65534


@contextmanager
def as_nobody() -> Iterator[Path]:
    """Yield a directory, and have the rights of a user other than root while the block runs."""
    with tempfile.TemporaryDirectory(dir="/tmp") as name:
        os.chmod(name, 0o777)
        root = os.geteuid() == 0
        try:
            if root:
                os.seteuid(NOBODY)
            yield Path(name)
        finally:
            if root:
                os.seteuid(0)


@pytest.fixture
def precious(tmp_path: Path) -> Path:
    """A directory that is not ours to touch, with a file and without permission to write."""
    directory = tmp_path / "precious"
    directory.mkdir()
    (directory / "file").write_text("x")
    (directory / ".lock").touch()
    directory.chmod(0o500)
    return directory


def is_whole(precious: Path) -> bool:
    names = sorted(path.name for path in precious.iterdir())
    return names == [".lock", "file"] and stat.S_IMODE(precious.stat().st_mode) == 0o500


def scratch_in(place: Path) -> Path:
    scratch = place / "scratch"
    (scratch / "a" / "b").mkdir(parents=True)
    (scratch / "a" / "b" / "file").write_text("x")
    return scratch


def test_directories_without_permissions_are_removed() -> None:
    """Nested directories without permissions are removed with their files, even if we are not root."""
    with as_nobody() as place:
        inner = place / "scratch" / "a" / "b" / "c"
        inner.mkdir(parents=True)
        (inner / "file").write_text("x")
        (place / "scratch" / "read-only").mkdir()
        (place / "scratch" / "read-only" / "file").write_text("x")
        os.chmod(place / "scratch" / "read-only", 0o500)
        for folder in (inner, inner.parent, inner.parent.parent, place / "scratch"):
            os.chmod(folder, 0)
        assert remove(place / "scratch", identity(place / "scratch"))
        assert os.listdir(place) == []


@pytest.mark.slow
def test_a_tree_of_any_depth_is_removed(tmp_path: Path) -> None:
    """Directories nested too deeply for a path, a recursion or our open files are removed."""
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    here = os.open(scratch, os.O_RDONLY)
    for _ in range(3000):
        os.mkdir("deep", dir_fd=here)
        below = os.open("deep", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    os.close(here)
    assert remove(scratch, identity(scratch)) and os.listdir(tmp_path) == []


def test_links_are_removed_but_not_followed(tmp_path: Path, precious: Path) -> None:
    """The target of a link stays as it is, and keeps its permissions; so does a file with a second name."""
    scratch = scratch_in(tmp_path)
    (scratch / "a" / "link").symlink_to(precious)
    (scratch / "b").symlink_to(precious / "file")
    (scratch / "gone").symlink_to(tmp_path / "gone")
    os.link(precious / "file", scratch / "second name")
    os.mkfifo(scratch / "pipe")
    os.chmod(scratch / "a", 0)
    assert remove(scratch, identity(scratch))
    assert os.listdir(tmp_path) == ["precious"] and is_whole(precious)


@pytest.mark.parametrize("how", ["link", "directory", "around"])
def test_what_took_the_place_of_a_directory_is_left(tmp_path: Path, precious: Path, how: str) -> None:
    """If a link or another directory is where we made ours, or on the way there, it is left as it is."""
    home = tmp_path / "home"
    scratch = scratch_in(home)
    made = identity(scratch)
    if how == "around":
        home.rename(tmp_path / "moved")
        precious.chmod(0o700)
        precious.rename(tmp_path / "scratch")
        home.symlink_to(tmp_path)
        precious = tmp_path / "scratch"
        precious.chmod(0o500)
    else:
        scratch.rename(tmp_path / "moved")
        if how == "link":
            scratch.symlink_to(precious)
        else:
            precious.rename(scratch)
            precious = scratch
    assert not remove(scratch, made)
    assert is_whole(precious) and os.path.lexists(scratch)


def test_a_missing_directory_is_ignored(tmp_path: Path) -> None:
    """An agent may have removed the directory already; a file in its place is left alone."""
    scratch = scratch_in(tmp_path)
    made = identity(scratch)
    scratch.rename(tmp_path / "moved")
    assert remove(scratch, made) and remove(scratch, None)
    scratch.write_text("x")
    assert not remove(scratch, made) and scratch.read_text() == "x"


def test_a_mount_is_not_entered(tmp_path: Path, precious: Path) -> None:
    """What is mounted somewhere in it stays whole, though it is of the same file system; the rest goes."""
    scratch = scratch_in(tmp_path)
    mounted = scratch / "a" / "b"
    script = (
        "import os, sys; from pathlib import Path; from trapcli.system.removal import identity, remove; "
        f"s = Path({str(scratch)!r}); print(remove(s, identity(s)))"
    )
    line = f'mount --bind {precious} {mounted} && PYTHONPATH={ROOT} exec {sys.executable} -c "{script}"'
    done = subprocess.run(["unshare", "-rm", "sh", "-c", line], capture_output=True, text=True)
    if "mount" in done.stderr or "unshare" in done.stderr:
        pytest.skip(f"nothing can be mounted here: {done.stderr.strip()}")
    assert done.stdout == "False\n" and is_whole(precious)
    assert len([path for path in scratch.rglob("*") if path.is_file()]) == 1  # covered by the mount


def test_an_own_directory_is_new_and_removed(tmp_path: Path, precious: Path) -> None:
    """Inside the block there is an empty directory; afterwards it is gone, unless it was replaced."""
    with own_directory(tmp_path) as place:
        assert place.parent == tmp_path and not list(place.iterdir())
        (place / "file").touch()
    assert not place.exists()
    with own_directory(tmp_path) as place:
        place.rmdir()
        place.symlink_to(precious)
    assert place.is_symlink() and is_whole(precious)
