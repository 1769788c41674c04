"""Directories for trials: removed whatever is in them, and swept when their run is dead."""

import fcntl
import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from trial_place import Place

from trapcli.calibration.execution import workdirs
from trapcli.calibration.execution.workdirs import (
    PREFIX,
    clear_scratch,
    fits_in_memory,
    locked_scratch,
    memory_scratch,
    new_scratch,
    remove,
    sweep_dead_runs,
)
from trapcli.suites.reader import read_case

NOBODY = 65534


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    return Place(tmp_path).activate(monkeypatch)


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
        remove(place / "scratch")
        assert os.listdir(place) == []


@pytest.mark.slow
def test_a_tree_of_any_depth_is_removed(tmp_path: Path) -> None:
    """Directories nested too deeply for a path or for a recursion are removed."""
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    here = os.open(scratch, os.O_RDONLY)
    for _ in range(1500):
        os.mkdir("deep", dir_fd=here)
        below = os.open("deep", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    os.close(here)
    remove(scratch)
    assert os.listdir(tmp_path) == []


def test_links_are_removed_but_not_followed(tmp_path: Path) -> None:
    """The target of a link stays as it is, and keeps its permissions."""
    outside = tmp_path / "outside"
    outside.mkdir(mode=0o700)
    (outside / "file").write_text("x")
    os.chmod(outside, 0o500)
    scratch = tmp_path / "scratch"
    (scratch / "a").mkdir(parents=True)
    (scratch / "a" / "link").symlink_to(outside)
    (scratch / "b").symlink_to(outside / "file")
    (scratch / "gone").symlink_to(tmp_path / "gone")
    os.mkfifo(scratch / "pipe")
    os.chmod(scratch / "a", 0)
    workdirs._remove_piecemeal(scratch)
    assert os.listdir(tmp_path) == ["outside"]
    assert stat.S_IMODE(outside.stat().st_mode) == 0o500 and (outside / "file").read_text() == "x"


def test_a_missing_directory_is_ignored(tmp_path: Path) -> None:
    """An agent may have removed the directory already; a file in its place is left alone."""
    remove(tmp_path / "gone")
    (tmp_path / "file").write_text("x")
    remove(tmp_path / "file")


def test_only_the_directory_of_a_run_is_cleared(place: Place) -> None:
    """A path from the database is left alone if it is not one that we made."""
    precious = place.root / "precious"
    precious.mkdir()
    inside = place.temp / "other"
    inside.mkdir()
    near = place.temp / "trapcli-0123"
    near.mkdir()
    for path in (precious, inside, near, place.temp, near / ".." / "other", Path("trapcli-0123456789abcdef")):
        assert clear_scratch(str(path)) == []
    assert precious.exists() and inside.exists() and near.exists()


def test_only_the_directories_of_dead_runs_are_swept(
    place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An unlocked directory is removed, on disk and in memory; one that is locked or has no lock stays."""
    memory = tmp_path / "memory"
    memory.mkdir()
    monkeypatch.setattr(workdirs, "MEMORY", str(memory))
    found = [home / f"trapcli-{digit * 16}" for home in (place.temp, memory) for digit in "abc"]
    for path in found:
        (path / "deep").mkdir(parents=True)
    locks = [path / ".lock" for path in found if path.name[-1] != "c"]
    for lock in locks:
        lock.touch()
    with ExitStack() as locked:
        for lock in locks:
            if lock.parent.name[-1] == "b":
                fcntl.flock(locked.enter_context(open(lock)), fcntl.LOCK_EX)
        sweep_dead_runs()
        assert [path.name[-1] for path in found if path.exists()] == ["b", "c", "b", "c"]
    sweep_dead_runs()
    assert {path.name[-1] for path in found if path.exists()} == {"c"}


def test_a_directory_is_locked_while_its_run_lives(place: Place) -> None:
    """A sweep leaves the directory alone inside the block; after the block it is gone."""
    scratch = Path(new_scratch())
    with locked_scratch(str(scratch)):
        sweep_dead_runs()
        assert scratch.exists() and stat.S_IMODE(scratch.stat().st_mode) == 0o700
        assert scratch.parent == place.temp
    assert not scratch.exists()


def test_copies_are_made_in_memory_only_if_there_is_room(
    place: Place, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Without a file system in memory, or with a full one, copies are made on disk."""
    case = read_case(place.suite, "case_01")
    monkeypatch.setattr(workdirs, "MEMORY", str(tmp_path))
    assert fits_in_memory([case], 2)
    assert not fits_in_memory([case], 10**9)
    monkeypatch.setattr(workdirs, "MEMORY", str(tmp_path / "gone"))
    assert not fits_in_memory([case], 2)
    assert memory_scratch("/tmp/trapcli-x") == str(tmp_path / "gone" / "trapcli-x")


def test_names_of_scratch_directories_are_unique() -> None:
    """A new name was never given before, and there is no such directory yet."""
    names = {new_scratch() for _ in range(100)}
    assert len(names) == 100 and not any(map(os.path.exists, names))
    assert all(PREFIX in os.path.basename(name) for name in names)
