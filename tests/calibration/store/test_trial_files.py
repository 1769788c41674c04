"""The files that an agent left: stored in one archive, and read back only if nobody changed it."""

from pathlib import Path
from zipfile import ZipFile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trapcli.calibration.store.trial_files import read_stored_files, store_files
from trapcli.calibration.stored_output import Stream
from trapcli.core.errors import TrapError

names = st.text(
    st.characters(blacklist_categories=["Cs"], blacklist_characters="/\0"), min_size=1, max_size=9
)
paths = st.lists(names, min_size=1, max_size=3).map("/".join)
FILES = {"report.json": b"{}", "a/b/c.csv": b"x" * 5000, "../escape": b"out", "empty": b""}


@pytest.mark.slow
@given(st.dictionaries(paths, st.binary(max_size=50), min_size=1, max_size=5))
def test_files_are_read_back_as_they_were(files: dict[str, bytes]) -> None:
    """Whatever names an agent chose, its files come back with the same names and bytes."""
    from tempfile import TemporaryDirectory

    with TemporaryDirectory() as directory:
        path = Path(directory, "one.zip")
        assert read_stored_files(path, store_files(path, files)) == files


def test_the_archive_is_a_plain_zip_file(tmp_path: Path) -> None:
    """Anyone can open it; equal files give equal archives; no name becomes a path on the disk."""
    stored = store_files(tmp_path / "one.zip", FILES)
    again = store_files(tmp_path / "two.zip", dict(reversed(FILES.items())))
    assert (stored.file, again.file, stored.digest == again.digest) == ("one.zip", "two.zip", True)
    assert stored.size == stored.kept == (tmp_path / "one.zip").stat().st_size
    with ZipFile(tmp_path / "one.zip") as archive:
        assert archive.namelist() == sorted(FILES) and archive.testzip() is None
    assert sorted(path.name for path in tmp_path.iterdir()) == ["one.zip", "two.zip"]


def test_paths_longer_than_the_system_allows(tmp_path: Path) -> None:
    """An agent can nest directories until no path reaches its file; that does not stop the run."""
    files = {"/".join(["d" * 250] * 19 + ["file"]): b"deep"}
    path = tmp_path / "deep.zip"
    assert read_stored_files(path, store_files(path, files)) == files


def test_without_files_there_is_no_archive(tmp_path: Path) -> None:
    """Nothing is written for an agent that left nothing."""
    assert store_files(tmp_path / "none.zip", {}) == Stream()
    assert not list(tmp_path.iterdir())


def test_an_archive_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    """The error names the archive and says how to continue."""
    with pytest.raises(TrapError, match=r"cannot be stored: .*missing/one\.zip: .*calibrate --resume"):
        store_files(tmp_path / "missing" / "one.zip", FILES)


@pytest.mark.parametrize("change", ["bytes", "gone", "directory", "another"])
def test_a_changed_archive_is_refused(tmp_path: Path, change: str) -> None:
    """An archive that is not the one that was stored is named, and nothing of it is read."""
    path = tmp_path / "one.zip"
    stored = store_files(path, FILES)
    path.rename(tmp_path / "original.zip")
    if change == "bytes":
        path.write_bytes((tmp_path / "original.zip").read_bytes().replace(b"report", b"rapport"))
    elif change == "directory":
        path.mkdir()
    elif change == "another":
        store_files(path, {"report.json": b"{1}"})
    with pytest.raises(TrapError, match=r"one\.zip are not what the solution left"):
        read_stored_files(path, stored)
