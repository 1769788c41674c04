"""The files that an agent left: stored in one archive, and read back only if nobody changed it."""

import os
from pathlib import Path
from zipfile import ZipFile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trapcli.calibration.store.trial_files import read_stored_files, store_files
from trapcli.calibration.stored_output import KeptFiles
from trapcli.core.errors import TrapError
from trapcli.system.output_files import LeftOut, OutputFiles

names = st.text(
    st.characters(blacklist_categories=["Cs"], blacklist_characters="/\0"), min_size=1, max_size=9
)
paths = st.lists(names, min_size=1, max_size=3).map("/".join)
LEFT_OUT = (LeftOut("big.bin", 20_000_000, "over the limit"), LeftOut("link", 0, "a link"))
FILES = {"report.json": b"{}", "a/b/c.csv": b"x" * 5000, "../escape": b"out", "empty": b""}


@pytest.mark.slow
@given(st.dictionaries(paths, st.binary(max_size=50), min_size=1, max_size=5))
def test_files_are_read_back_as_they_were(files: dict[str, bytes]) -> None:
    """Whatever names an agent chose, its files come back with the same names and bytes."""
    from tempfile import TemporaryDirectory

    with TemporaryDirectory() as directory:
        path = Path(directory, "one.zip")
        assert read_stored_files(path, store_files(path, OutputFiles(files), judged=True)).files == files


def test_the_archive_is_a_plain_zip_file(tmp_path: Path) -> None:
    """Anyone can open it; equal files give equal archives; no name becomes a path on the disk."""
    stored = store_files(tmp_path / "one.zip", OutputFiles(FILES), judged=True)
    again = store_files(tmp_path / "two.zip", OutputFiles(dict(reversed(FILES.items()))), judged=True)
    assert (stored.file, again.file, stored.digest == again.digest) == ("one.zip", "two.zip", True)
    assert stored.size == stored.kept == (tmp_path / "one.zip").stat().st_size
    with ZipFile(tmp_path / "one.zip") as archive:
        assert archive.namelist() == sorted(FILES) and archive.testzip() is None
    assert sorted(path.name for path in tmp_path.iterdir()) == ["one.zip", "two.zip"]


def test_what_was_left_out_is_recorded(tmp_path: Path) -> None:
    """The archive names what it does not hold, even if it holds nothing, as far as there is room."""
    path = tmp_path / "one.zip"
    stored = store_files(path, OutputFiles({"a": b"x"}, LEFT_OUT, 1), judged=False)
    assert (stored.over_limit, stored.judged) == (1, False)
    assert read_stored_files(path, stored) == OutputFiles({"a": b"x"}, LEFT_OUT, 1)
    many = tuple(LeftOut("d" * 200 + str(number), number, "a link") for number in range(1000))
    stored = store_files(tmp_path / "two.zip", OutputFiles({}, many, 0), judged=False)
    found = read_stored_files(tmp_path / "two.zip", stored).left_out
    assert 100 < len(found) < 1000 and found == many[: len(found)]


def test_paths_longer_than_the_system_allows(tmp_path: Path) -> None:
    """An agent can nest directories until no path reaches its file; that does not stop the run."""
    files = {"/".join(["d" * 250] * 19 + ["file"]): b"deep"}
    path = tmp_path / "deep.zip"
    assert read_stored_files(path, store_files(path, OutputFiles(files), judged=True)).files == files


def test_without_files_there_is_no_archive(tmp_path: Path) -> None:
    """Nothing is written for an agent that left nothing."""
    assert store_files(tmp_path / "none.zip", OutputFiles({}), judged=True) == KeptFiles()
    assert not list(tmp_path.iterdir())


def test_an_archive_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    """The error names the archive and says how to continue."""
    with pytest.raises(TrapError, match=r"cannot be stored: .*missing/one\.zip: .*calibrate --resume"):
        store_files(tmp_path / "missing" / "one.zip", OutputFiles(FILES), judged=True)


@pytest.mark.parametrize("change", ["bytes", "gone", "directory", "another", "link", "fifo"])
def test_a_changed_archive_is_refused(tmp_path: Path, change: str) -> None:
    """An archive that is not the one that was stored is named, and nothing of it is read."""
    path = tmp_path / "one.zip"
    stored = store_files(path, OutputFiles(FILES), judged=True)
    path.rename(tmp_path / "original.zip")
    if change == "bytes":
        path.write_bytes((tmp_path / "original.zip").read_bytes().replace(b"report", b"rapport"))
    elif change == "link":
        path.symlink_to(tmp_path / "original.zip")
    elif change == "fifo":
        os.mkfifo(path)
    elif change == "directory":
        path.mkdir()
    elif change == "another":
        store_files(path, OutputFiles({"report.json": b"{1}"}), judged=True)
    with pytest.raises(TrapError, match=r"one\.zip are not what the solution left"):
        read_stored_files(path, stored)
