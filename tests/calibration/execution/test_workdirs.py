"""Directories for trials: removed whatever is in them, and swept when their run is dead."""

import fcntl
import os
import shutil
import stat
from collections.abc import Callable
from contextlib import ExitStack
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
    sweep_dead_runs,
)
from trapcli.suites.reader import read_case


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    return Place(tmp_path).activate(monkeypatch)


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


def dead_run(home: Path, digit: str) -> Path:
    """Return a directory as a killed run leaves it."""
    with ExitStack() as killed:
        directory = home / f"trapcli-{digit * 16}"
        killed.enter_context(locked_scratch(str(directory)))
        (directory / "deep").mkdir()
        kept = directory.with_name("kept")
        directory.rename(kept)  # so that the end of the block removes nothing
    kept.rename(directory)
    return directory


def test_only_the_directories_of_dead_runs_are_swept(
    place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An unlocked directory is removed, on disk and in memory; one that is locked or has no lock stays."""
    memory = tmp_path / "memory"
    memory.mkdir()
    monkeypatch.setattr(workdirs, "MEMORY", str(memory))
    found = [dead_run(home, digit) for home in (place.temp, memory) for digit in "abc"]
    with ExitStack() as locked:
        for path in found:
            if path.name[-1] == "b":
                fcntl.flock(locked.enter_context(open(path / ".lock")), fcntl.LOCK_EX)
            if path.name[-1] == "c":
                (path / ".lock").unlink()
        sweep_dead_runs()
        assert [path.name[-1] for path in found if path.exists()] == ["b", "c", "b", "c"]
    sweep_dead_runs()
    assert {path.name[-1] for path in found if path.exists()} == {"c"}


def link(directory: Path, precious: Path) -> None:
    directory.rename(directory.with_name("moved"))
    directory.symlink_to(precious)


def copy_of_the_lock(directory: Path, precious: Path) -> None:
    shutil.copy(directory / ".lock", precious / ".lock")
    directory.rename(directory.with_name("moved"))
    precious.rename(directory)


def lock_of_another(directory: Path, precious: Path) -> None:
    (directory / ".lock").write_text("")


def linked_lock(directory: Path, precious: Path) -> None:
    (directory / ".lock").rename(precious / ".lock")
    (directory / ".lock").symlink_to(precious / ".lock")


def blocking_lock(directory: Path, precious: Path) -> None:
    (directory / ".lock").unlink()
    os.mkfifo(directory / ".lock")


def another_user(directory: Path, precious: Path) -> None:
    if os.geteuid():
        pytest.skip("only root can give a directory to another user")
    os.chown(directory, 65534, -1)


@pytest.mark.parametrize(
    "change", [link, copy_of_the_lock, lock_of_another, linked_lock, blocking_lock, another_user]
)
@pytest.mark.parametrize("how", ["sweep", "clear"])
def test_what_only_looks_like_ours_is_left(
    place: Place, change: Callable[[Path, Path], None], how: str
) -> None:
    """A link, another directory, a lock file that another program wrote, another user's: all are left."""
    directory, precious = dead_run(place.temp, "d"), place.root / "precious"
    precious.mkdir()
    (precious / "file").touch()
    change(directory, precious)
    before = sorted(place.root.rglob("*"))
    if how == "sweep":
        sweep_dead_runs()
    else:
        clear_scratch(str(directory))
    assert sorted(place.root.rglob("*")) == before


def test_a_run_that_was_killed_while_it_made_its_directory_is_cleared(place: Place) -> None:
    """Without a lock file, or with one that does not have its name yet, the run's own resume clears it."""
    empty = place.temp / "trapcli-eeeeeeeeeeeeeeee"
    empty.mkdir()
    half = dead_run(place.temp, "f")
    (half / ".lock").rename(half / ".lock-new")
    for path in (empty, half):
        sweep_dead_runs()
        assert path.exists()
        clear_scratch(str(path))
        assert not path.exists()


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
