"""Files as bytes: written alike, read with errors that name them."""

import os
from pathlib import Path

import pytest

from trapcli.core.errors import TrapError
from trapcli.system.files import TIME, as_object, digest_of, json_text, listing, read_file, seal, write_file


def test_a_written_file_is_new_and_like_all_others(tmp_path: Path) -> None:
    """A file is written once, as UTF-8 without any change of its line ends, with a fixed mode and time."""
    path = tmp_path / "file"
    before = os.umask(0o077)
    try:
        digest = write_file(path, "ü\r\nx\n", durable=True)
    finally:
        os.umask(before)
    assert path.read_bytes() == "ü\r\nx\n".encode()
    assert digest == digest_of(path.read_bytes())
    assert (path.stat().st_mode & 0o7777, path.stat().st_mtime) == (0o644, TIME)
    with pytest.raises(FileExistsError):
        write_file(path, "again")


def test_a_sealed_directory_is_like_all_others(tmp_path: Path) -> None:
    """A directory gets a fixed mode and time, whatever it was made with."""
    path = tmp_path / "directory"
    path.mkdir(mode=0o700)
    seal(path)
    assert (path.stat().st_mode & 0o7777, path.stat().st_mtime) == (0o755, TIME)


def test_a_listing_is_what_sha256sum_prints() -> None:
    """Each line is a digest, two spaces and a path; lines are sorted by path."""
    digests = {"b/x": digest_of(b"1"), "a": digest_of(b"")}
    assert listing(digests) == (
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855  a\n"
        "6b86b273ff34fce19d6b804eff5a3f5747ada4eaa22f1d49c01e52ddb7875b4b  b/x\n"
    )


def test_json_is_written_for_readers() -> None:
    """JSON is indented, keeps the order of keys and all characters, and refuses what is no JSON."""
    assert json_text({"b": "é", "a": [1]}) == '{\n  "b": "é",\n  "a": [\n    1\n  ]\n}\n'
    for value in (float("inf"), {1, 2}):
        with pytest.raises((TypeError, ValueError)):
            json_text(value)


@pytest.mark.parametrize("text", ["", "[]", "3", '{"a": }', "[" * 100_000, "\xff"], ids=lambda text: text[:9])
def test_what_is_no_object_is_named(text: str) -> None:
    """Bytes that hold no JSON object are an error that names the file they came from."""
    with pytest.raises(TrapError, match=r"^here/x\.json "):
        as_object(text.encode("latin-1"), Path("here/x.json"))


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The error says what the system said, or what is there instead of a file."""
    (tmp_path / "file").write_text("x")
    assert read_file(tmp_path / "file") == b"x"
    for path, what in ((tmp_path, "is a directory"), (tmp_path / "none", "is missing")):
        with pytest.raises(TrapError, match=f"{path} {what}"):
            read_file(path)

    def refuse(_: Path) -> bytes:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "read_bytes", refuse)
    with pytest.raises(TrapError, match="file cannot be read: Permission denied"):
        read_file(tmp_path / "file")
