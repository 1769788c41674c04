"""Reading an agent's output directory: everything ordinary, nothing else, within its limits."""

import os
import socket
from pathlib import Path
from typing import Any

import pytest

from trapcli.system import output_files
from trapcli.system.output_files import LIMITS, MOST_BYTES, MOST_FILES, read_files, read_output_files
from trapcli.system.removal import identity


def test_reads_ordinary_files_by_path(tmp_path: Path) -> None:
    """Files are returned with their bytes, in subdirectories too, sorted by path."""
    (tmp_path / "a" / "deep").mkdir(parents=True)
    (tmp_path / "a" / "deep" / "x.bin").write_bytes(b"\x00\xff")
    (tmp_path / "a" / "y.txt").write_text("y")
    (tmp_path / "a-b.txt").write_text("first: a minus sorts before a slash")
    (tmp_path / "a0").write_text("")
    (tmp_path / ".hidden").write_text("h")
    found = read_files(tmp_path)
    assert found["a/deep/x.bin"] == b"\x00\xff"
    assert list(found) == [".hidden", "a-b.txt", "a/deep/x.bin", "a/y.txt", "a0"] == sorted(found)


@pytest.mark.parametrize("make", [lambda path: None, Path.touch, lambda path: path.symlink_to("/etc")])
def test_without_a_directory_there_are_no_files(tmp_path: Path, make: Any) -> None:
    """A directory that was removed, or replaced by a file or a link, yields no files."""
    make(tmp_path / "outputs")
    assert read_files(tmp_path / "outputs") == {}


def test_follows_no_links(tmp_path: Path) -> None:
    """A link to a secret file or to a directory is left out."""
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "gold.json").write_text("secret")
    outputs = tmp_path / "outputs"
    outputs.mkdir()
    (outputs / "gold.json").symlink_to(tmp_path / "secret" / "gold.json")
    (outputs / "inner").symlink_to(tmp_path / "secret")
    (outputs / "loop").symlink_to(outputs)
    (outputs / "own.txt").write_text("own")
    assert read_files(outputs) == {"own.txt": b"own"}


def test_a_link_that_takes_a_files_place_is_not_followed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file or directory that becomes a link between listing and opening is left out."""
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "x").write_text("secret")
    outputs = tmp_path / "outputs"
    outputs.mkdir()
    (outputs / "file").symlink_to(tmp_path / "secret" / "x")
    (outputs / "directory").symlink_to(tmp_path / "secret")
    names = iter([["directory/", "file"], ["x"]])
    monkeypatch.setattr(output_files._Reader, "_names", lambda self, *_: next(names))
    assert read_files(outputs) == {}


def test_special_files_neither_block_nor_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A FIFO or a socket is left out, even if it takes a file's place after the listing."""
    os.mkfifo(tmp_path / "fifo")
    monkeypatch.chdir(tmp_path)  # a socket's path must be short
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("socket")
        assert read_files(tmp_path) == {}
        monkeypatch.setattr(output_files._Reader, "_names", lambda self, *_: ["fifo", "socket"])
        assert read_files(tmp_path) == {}


def test_unreadable_names_and_files_are_left_out(tmp_path: Path) -> None:
    """A name that is not UTF-8, a file and a directory without permissions are left out."""
    with open(os.fsencode(tmp_path) + b"/\xff.txt", "w") as file:
        file.write("not UTF-8")
    (tmp_path / "locked.txt").write_text("locked")
    (tmp_path / "closed").mkdir()
    (tmp_path / "closed" / "x").write_text("x")
    (tmp_path / "locked.txt").chmod(0)
    (tmp_path / "closed").chmod(0)
    (tmp_path / "open.txt").write_text("open")
    try:
        found = read_files(tmp_path)
    finally:
        (tmp_path / "closed").chmod(0o755)
    assert found["open.txt"] == b"open"
    assert not any("\udcff" in name for name in found)
    if os.geteuid():
        assert list(found) == ["open.txt"]


def test_at_most_a_thousand_files_are_read(tmp_path: Path) -> None:
    """The first files by path are read, up to the limit."""
    for number in range(MOST_FILES + 5):
        (tmp_path / f"{number:05}").touch()
    assert list(read_files(tmp_path)) == [f"{number:05}" for number in range(MOST_FILES)]


def test_a_file_that_does_not_fit_is_left_out_whole(tmp_path: Path) -> None:
    """A huge (even sparse) file is skipped, never cut, and the small files after it are still read."""
    (tmp_path / "a.log").touch()
    os.truncate(tmp_path / "a.log", 10**12)
    (tmp_path / "b.bin").write_bytes(b"b" * (MOST_BYTES - 3))
    (tmp_path / "c.txt").write_text("four")
    (tmp_path / "d.txt").write_text("end")
    found = read_files(tmp_path)
    assert list(found) == ["b.bin", "d.txt"]
    assert sum(map(len, found.values())) == MOST_BYTES


def test_a_file_that_grows_while_it_is_read_is_bounded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file that is larger than its reported size is left out once it exceeds the limit."""
    monkeypatch.setattr(output_files, "MOST_BYTES", 10)
    (tmp_path / "a.txt").write_text("eleven bytes")
    (tmp_path / "b.txt").write_text("small")
    small = (tmp_path / "b.txt").stat()
    monkeypatch.setattr(os, "fstat", lambda descriptor: small)
    assert read_files(tmp_path) == {"b.txt": b"small"}


def test_too_many_entries_leave_the_directory_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A directory with more entries than the limit is left out, its neighbours are not."""
    monkeypatch.setattr(output_files, "MOST_ENTRIES", 10)
    (tmp_path / "a").mkdir()
    for number in range(9):
        (tmp_path / "a" / str(number)).touch()
    (tmp_path / "b.txt").touch()
    assert list(read_files(tmp_path)) == ["b.txt"]


def test_deep_directories_are_left_out(tmp_path: Path) -> None:
    """Directories nested deeper than the limit are left out, and every descriptor is closed."""
    place = tmp_path
    for _ in range(40):
        (place / "file").touch()
        place /= "d"
        place.mkdir()
    before = len(os.listdir("/proc/self/fd"))
    assert len(read_files(tmp_path)) == output_files.DEEPEST
    assert len(os.listdir("/proc/self/fd")) == before


def test_what_is_left_out_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files over a limit are named with their sizes, links and special files with what they are."""
    monkeypatch.setattr(output_files, "MOST_BYTES", 10)
    monkeypatch.setattr(output_files, "MOST_FILES", 2)
    for name, size in (("a", 6), ("b", 5), ("c", 4), ("d", 0)):
        (tmp_path / name).write_bytes(b"x" * size)
    (tmp_path / "link").symlink_to("a")
    os.mkfifo(tmp_path / "pipe")
    found = read_output_files(tmp_path)
    assert list(found.files) == ["a", "c"]
    assert {(one.path, one.size, one.why) for one in found.left_out} == {
        ("link", 0, "a link"),
        ("pipe", 0, "a special file"),
        ("b", 5, f"over the limit of {LIMITS}"),
        ("d", 0, f"over the limit of {LIMITS}"),
    }
    assert found.over_limit == 2


def test_deep_and_crowded_directories_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A directory that is too deep or has too many entries counts as one thing over the limit."""
    monkeypatch.setattr(output_files, "DEEPEST", 2)
    monkeypatch.setattr(output_files, "MOST_ENTRIES", 5)
    (tmp_path / "deep/er/est").mkdir(parents=True)
    (tmp_path / "many").mkdir()
    for number in range(5):
        (tmp_path / "many" / str(number)).touch()
    found = read_output_files(tmp_path)
    assert {one.path for one in found.left_out} == {"deep/er/", "many/"}
    assert found.over_limit == 2 and not found.files


def test_only_the_directory_that_we_made_is_read(tmp_path: Path) -> None:
    """A directory in the place of ours is not read."""
    outputs = tmp_path / "outputs"
    outputs.mkdir()
    (outputs / "file").write_text("x")
    made = identity(outputs)
    assert read_output_files(outputs, made).files == {"file": b"x"}
    outputs.rename(tmp_path / "moved")
    outputs.mkdir()
    (outputs / "file").write_text("y")
    assert read_output_files(outputs, made).files == {}
