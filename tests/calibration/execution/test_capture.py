"""What is kept of a stream: its last bytes, how it began, how long it was."""

import io
import os
import resource
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trapcli.calibration.execution import capture
from trapcli.calibration.execution.capture import Tail, is_whole
from trapcli.calibration.records import Stream
from trapcli.core import output
from trapcli.core.output import read_output, read_tail


def kept(parts: list[bytes], path: Path) -> Stream:
    written = Tail()
    for part in parts:
        written.write(part)
    stream = written.store(path)
    written.close()
    return stream


def open_files() -> dict[int, int]:
    """The sizes of the files that this process has open, by descriptor."""
    found = {}
    for name in os.listdir("/proc/self/fd"):
        with suppress(OSError):  # that of the listing itself is closed by now
            found[int(name)] = os.fstat(int(name)).st_size
    return found


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("tail")


@given(parts=st.lists(st.binary(max_size=90), max_size=12), limit=st.integers(1, 60))
def test_the_last_bytes_are_kept_in_whatever_pieces_they_come(
    place: Path, parts: list[bytes], limit: int
) -> None:
    """The file holds the last bytes, as many as the limit; size, first bytes and digest are right."""
    path = place / "output"
    path.unlink(missing_ok=True)
    whole = b"".join(parts)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(capture, "LIMIT", limit)
        stream = kept(parts, path)
    last = whole[-limit:]
    assert (path.read_bytes() if path.exists() else b"") == last
    assert stream == Stream(
        "output" if whole else "", len(whole), len(last), whole[:2], sha256(last).hexdigest()
    )
    assert stream.cut == (len(whole) > limit)


@given(
    written=st.one_of(
        st.binary(max_size=120), st.text(max_size=60).map(lambda words: words.encode("utf-16"))
    ),
    limit=st.integers(4, 70),
)
def test_what_is_kept_reads_as_the_whole_does(place: Path, written: bytes, limit: int) -> None:
    """Judging the kept bytes reads the same text as judging all of them, also after a cut, also of UTF-16."""
    path = place / "output"
    path.unlink(missing_ok=True)
    with pytest.MonkeyPatch.context() as patch:
        for module in (capture, output):
            patch.setattr(module, "LIMIT", limit)
        stream = kept([written], path)
        stored = path.read_bytes() if stream.file else b""
        assert read_tail(io.BytesIO(stored), stream.size, stream.head) == read_output(io.BytesIO(written))


def test_long_streams_are_kept_on_the_disk_and_given_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A stream of many times the limit leaves its last bytes, holds no more than two limits, and no name."""
    monkeypatch.setattr(capture, "LIMIT", 1_000_000)
    monkeypatch.setattr(capture, "IN_MEMORY", 1000)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    written = Tail()
    whole = b"".join(b"%015d\n" % number for number in range(300_000))
    before = set(open_files())
    for start in range(0, len(whole), 70_001):
        written.write(whole[start : start + 70_001])
    held = [size for fd, size in open_files().items() if fd not in before]
    assert len(held) == 2 and sum(held) <= 2_000_000
    assert os.listdir(tmp_path) == []
    stream = written.store(tmp_path / "output")
    assert (tmp_path / "output").read_bytes() == whole[-1_000_000:]
    assert (stream.size, stream.kept, stream.head) == (len(whole), 1_000_000, b"00")
    written.close()
    assert set(open_files()) == before


def test_nothing_written_is_no_file(tmp_path: Path) -> None:
    """A stream to which nothing was written has no file, and the digest of nothing."""
    assert kept([], tmp_path / "output") == Stream(digest=sha256(b"").hexdigest())
    assert kept([b"", b""], tmp_path / "output").file == ""
    assert os.listdir(tmp_path) == []


def test_what_is_there_is_never_overwritten(tmp_path: Path) -> None:
    """A file of that name that is there already stays as it is, and is an error."""
    (tmp_path / "output").write_text("earlier")
    with pytest.raises(FileExistsError):
        kept([b"later"], tmp_path / "output")
    assert (tmp_path / "output").read_text() == "earlier"


def test_a_disk_that_takes_no_more_is_an_error(tmp_path: Path) -> None:
    """If what is kept cannot be written whole, storing raises: a part never passes for the whole."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, hard))
    try:
        with pytest.raises(OSError, match="File too large"):
            kept([b"x" * 20_000], tmp_path / "output")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_a_stored_output_is_whole_or_not(tmp_path: Path) -> None:
    """A changed byte, a lost or an added one, and a file that is gone are noticed."""
    tail = Tail()
    tail.write(b"ANSWER: 1\n")
    path = tmp_path / "out"
    stream = tail.store(path)
    assert is_whole(path, stream)
    for changed in (b"ANSWER: 2\n", b"ANSWER: 1", b"ANSWER: 1\n\n"):
        path.write_bytes(changed)
        assert not is_whole(path, stream)
    path.unlink()
    assert not is_whole(path, stream)


def test_a_short_output_comes_back_whole() -> None:
    """Up to a length all that was written is given back, beyond it nothing."""
    tail = Tail()
    assert tail.whole(5) == b""
    tail.write(b"abc")
    tail.write(b"de")
    assert tail.whole(5) == b"abcde" and tail.whole(4) is None
    tail.write(b"f")
    assert tail.whole(5) is None and tail.whole(6) == b"abcdef"
