"""Directories for trials: made for a run, removed whatever is in them, swept when their run is dead."""

import fcntl
import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from sandbox import Place

from trapcli.calibration.execution import workdirs as scratch_module
from trapcli.calibration.execution.workdirs import (
    SCRATCH,
    clear,
    in_memory,
    new_scratch,
    remove,
    roomy,
    sweep_dead,
)
from trapcli.suites.reader import read_case

NOBODY = 65534


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    return Place(tmp_path).here(monkeypatch)


@contextmanager
def as_nobody() -> Iterator[Path]:
    """A directory, and for the block the rights of a user that is not root."""
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


def test_directories_made_unreadable_are_removed() -> None:
    """Directories without any rights, in one another, are removed with what is in them, also without being
    root."""
    with as_nobody() as place:
        inner = place / "scratch" / "a" / "b" / "c"
        inner.mkdir(parents=True)
        (inner / "file").write_text("x")
        (place / "scratch" / "kept from writing").mkdir()
        (place / "scratch" / "kept from writing" / "file").write_text("x")
        os.chmod(place / "scratch" / "kept from writing", 0o500)
        for folder in (inner, inner.parent, inner.parent.parent, place / "scratch"):
            os.chmod(folder, 0)
        remove(place / "scratch")
        assert os.listdir(place) == []


def test_trees_of_any_depth_are_removed(tmp_path: Path) -> None:
    """Directories nested deeper than a path may be long, and than a recursion may go, are removed."""
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


def test_links_are_removed_and_not_followed(tmp_path: Path) -> None:
    """What a link in the directory points at stays as it is, its rights too."""
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
    scratch_module._remove_piecemeal(scratch)
    assert os.listdir(tmp_path) == ["outside"]
    assert stat.S_IMODE(outside.stat().st_mode) == 0o500 and (outside / "file").read_text() == "x"


def test_a_directory_that_is_gone_is_no_error(tmp_path: Path) -> None:
    """An agent may have removed it already; and what became a file is left alone."""
    remove(tmp_path / "gone")
    (tmp_path / "file").write_text("x")
    remove(tmp_path / "file")


def test_only_a_run_s_own_directory_is_cleared(place: Place) -> None:
    """A path from the database that is not one that we made, is not touched."""
    kept = place.root / "precious"
    kept.mkdir()
    inside = place.temp / "other"
    inside.mkdir()
    near = place.temp / "trapcli-0123"
    near.mkdir()
    for path in (kept, inside, near, place.temp, near / ".." / "other", Path("trapcli-0123456789abcdef")):
        assert clear(str(path)) == []
    assert kept.exists() and inside.exists() and near.exists()


def test_what_dead_runs_left_is_swept_and_nothing_of_the_living(
    place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A directory whose lock nobody holds is removed, on the disk and in memory; one that is held, or is
    not marked as a run's, stays."""
    memory = tmp_path / "memory"
    memory.mkdir()
    monkeypatch.setattr(scratch_module, "MEMORY", str(memory))
    found = [home / f"trapcli-{digit * 16}" for home in (place.temp, memory) for digit in "abc"]
    for path in found:
        (path / "deep").mkdir(parents=True)
    locks = [path / ".lock" for path in found if path.name[-1] != "c"]
    for lock in locks:
        lock.touch()
    with ExitStack() as life:
        for lock in locks:
            if lock.parent.name[-1] == "b":
                fcntl.flock(life.enter_context(open(lock)), fcntl.LOCK_EX)
        sweep_dead()
        assert [path.name[-1] for path in found if path.exists()] == ["b", "c", "b", "c"]
    sweep_dead()
    assert {path.name[-1] for path in found if path.exists()} == {"c"}


def test_copies_stand_in_memory_only_where_there_is_room(
    place: Place, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Without such a file system, or with a full one, copies are made on the disk."""
    case = read_case(place.suite, "case_01")
    monkeypatch.setattr(scratch_module, "MEMORY", str(tmp_path))
    assert roomy([case], 2)
    assert not roomy([case], 10**9)
    monkeypatch.setattr(scratch_module, "MEMORY", str(tmp_path / "gone"))
    assert not roomy([case], 2)
    assert in_memory("/tmp/trapcli-x") == str(tmp_path / "gone" / "trapcli-x")


def test_no_name_of_a_scratch_directory_comes_twice() -> None:
    """A directory for trials is not there before its run is stored, and nobody can guess its name."""
    names = {new_scratch() for _ in range(100)}
    assert len(names) == 100 and not any(map(os.path.exists, names))
    assert all(SCRATCH in os.path.basename(name) for name in names)
