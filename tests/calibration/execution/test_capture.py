"""What is kept of a stream: its last bytes, its first two bytes, and its size."""

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
from trapcli.calibration.execution.capture import TailBuffer, is_intact
from trapcli.calibration.stored_output import Stream
from trapcli.core import output
from trapcli.core.output import read_output, read_tail


def store_parts(parts: list[bytes], path: Path) -> Stream:
    tail = TailBuffer()
    for part in parts:
        tail.write(part)
    stream = tail.store(path)
    tail.close()
    return stream


def open_files() -> dict[int, int]:
    """Return the sizes of this process's open files, by descriptor."""
    found = {}
    for name in os.listdir("/proc/self/fd"):
        with suppress(OSError):  # the descriptor of the listing itself is closed by now
            found[int(name)] = os.fstat(int(name)).st_size
    return found


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("tail")


@pytest.mark.slow
@given(parts=st.lists(st.binary(max_size=90), max_size=12), limit=st.integers(1, 60))
def test_the_last_bytes_are_kept_however_they_are_cut_into_parts(
    place: Path, parts: list[bytes], limit: int
) -> None:
    """The file holds the last bytes up to the limit; size, first two bytes and digest are right."""
    path = place / "output"
    path.unlink(missing_ok=True)
    whole = b"".join(parts)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(capture, "LIMIT", limit)
        stream = store_parts(parts, path)
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
def test_the_kept_bytes_read_like_the_whole_stream(place: Path, written: bytes, limit: int) -> None:
    """The text read from the kept bytes is that of all bytes, also after a cut, also in UTF-16."""
    path = place / "output"
    path.unlink(missing_ok=True)
    with pytest.MonkeyPatch.context() as patch:
        for module in (capture, output):
            patch.setattr(module, "LIMIT", limit)
        stream = store_parts([written], path)
        stored = path.read_bytes() if stream.file else b""
        assert read_tail(io.BytesIO(stored), stream.size, stream.head) == read_output(io.BytesIO(written))


def test_a_long_stream_is_kept_in_two_unnamed_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A stream of many times the limit uses disk space for two limits, under no name, until it is closed."""
    monkeypatch.setattr(capture, "LIMIT", 1_000_000)
    monkeypatch.setattr(capture, "IN_MEMORY", 1000)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    tail = TailBuffer()
    whole = b"".join(b"%015d\n" % number for number in range(300_000))
    before = set(open_files())
    for start in range(0, len(whole), 70_001):
        tail.write(whole[start : start + 70_001])
    held = [size for fd, size in open_files().items() if fd not in before]
    assert len(held) == 2 and sum(held) <= 2_000_000
    assert os.listdir(tmp_path) == []
    stream = tail.store(tmp_path / "output")
    assert (tmp_path / "output").read_bytes() == whole[-1_000_000:]
    assert (stream.size, stream.kept, stream.head) == (len(whole), 1_000_000, b"00")
    tail.close()
    assert set(open_files()) == before


def test_an_empty_stream_has_no_file(tmp_path: Path) -> None:
    """If nothing was written there is no file, and the digest is that of no bytes."""
    assert store_parts([], tmp_path / "output") == Stream(digest=sha256(b"").hexdigest())
    assert store_parts([b"", b""], tmp_path / "output").file == ""
    assert os.listdir(tmp_path) == []


def test_an_existing_file_is_never_overwritten(tmp_path: Path) -> None:
    """If a file of that name exists, storing raises and the file stays as it is."""
    (tmp_path / "output").write_text("earlier")
    with pytest.raises(FileExistsError):
        store_parts([b"later"], tmp_path / "output")
    assert (tmp_path / "output").read_text() == "earlier"


def test_a_full_disk_is_an_error(tmp_path: Path) -> None:
    """If the kept bytes cannot all be written, storing raises: a part never passes for the whole."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, hard))
    try:
        with pytest.raises(OSError, match="File too large"):
            store_parts([b"x" * 20_000], tmp_path / "output")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_a_changed_output_is_not_intact(tmp_path: Path) -> None:
    """A changed, missing or added byte and a missing file are noticed; an unchanged file is intact."""
    tail = TailBuffer()
    tail.write(b"ANSWER: 1\n")
    path = tmp_path / "out"
    stream = tail.store(path)
    assert is_intact(path, stream)
    for changed in (b"ANSWER: 2\n", b"ANSWER: 1", b"ANSWER: 1\n\n"):
        path.write_bytes(changed)
        assert not is_intact(path, stream)
    path.unlink()
    assert not is_intact(path, stream)


def test_a_short_stream_is_returned_whole() -> None:
    """All that was written is returned up to the limit, and nothing if it is longer."""
    tail = TailBuffer()
    assert tail.whole(5) == b""
    tail.write(b"abc")
    tail.write(b"de")
    assert tail.whole(5) == b"abcde" and tail.whole(4) is None
    tail.write(b"f")
    assert tail.whole(5) is None and tail.whole(6) == b"abcdef"
