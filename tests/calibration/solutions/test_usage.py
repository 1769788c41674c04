"""What a solution reports about its tokens and costs: used if it makes sense, and never an error of ours."""

import json
import os
import socket
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trapcli.calibration.solutions.usage import COUNTS, LARGEST, read_usage


def usage_of(tmp_path: Path, data: Any) -> dict[str, Any] | None:
    text = data if isinstance(data, bytes) else json.dumps(data).encode()
    (tmp_path / "usage.json").write_bytes(text)
    return read_usage(tmp_path)


@pytest.mark.parametrize(
    ("data", "figures"),
    [
        ({"input_tokens": 7, "output_tokens": 0, "calls": 3, "cost_usd": 0.25},) * 2,
        ({"prompt_tokens": 7, "completion_tokens": 8}, {"input_tokens": 7, "output_tokens": 8}),
        ({"cost_usd": 2}, {"cost_usd": 2}),
        ({"calls": 1, "input_tokens": None, "model": "x", "deep": {"calls": "many"}}, {"calls": 1}),
        ('{"calls": 2}'.encode("utf-16"), {"calls": 2}),
    ],
)
def test_figures_are_read_by_either_name(tmp_path: Path, data: Any, figures: dict[str, Any]) -> None:
    """The known keys, ours or trap-cli's, get our names; all others are ignored."""
    assert usage_of(tmp_path, data) == figures


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"", "not JSON"),
        (b"{", "not JSON"),
        (b"\xff\x00\xff", "not JSON"),
        (b"[" * 100_000, "not JSON"),
        (b"9" * 5000, "not JSON"),
        ([1], "not a JSON object"),
        (None, "not a JSON object"),
        ({}, "has none of input_tokens, output_tokens, calls, cost_usd"),
        ({"tokens": 7, "calls": None}, "has none of input_tokens, output_tokens, calls, cost_usd"),
        ({"calls": 1.5}, "calls is not a whole number"),
        ({"calls": True}, "calls is not a whole number"),
        ({"prompt_tokens": "7"}, "input_tokens is not a whole number"),
        ({"cost_usd": [1]}, "cost_usd is not a number"),
        ({"cost_usd": -0.01}, "cost_usd is out of range"),
        ({"cost_usd": float("nan")}, "cost_usd is out of range"),
        ({"cost_usd": float("inf")}, "cost_usd is out of range"),
        ({"calls": 2**53}, "calls is out of range"),
        (b'{"calls": 1' + b"0" * 400 + b"}", "calls is out of range"),
        (b" " * (LARGEST + 1), "not an ordinary file of at most 1 MB"),
    ],
)
def test_unusable_figures_are_a_problem(tmp_path: Path, data: Any, problem: str) -> None:
    """A file that is not a JSON object, is too large, or has impossible figures is reported as a problem."""
    assert problem in (usage_of(tmp_path, data) or {})["problem"]


@pytest.mark.slow
@given(
    st.one_of(
        st.binary(max_size=60),
        st.recursive(
            st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9),
            lambda inner: st.dictionaries(st.sampled_from([*COUNTS, "cost_usd", "x"]), inner, max_size=4),
            max_leaves=6,
        ),
    )
)
def test_nothing_in_the_file_is_an_error(tmp_path_factory: pytest.TempPathFactory, data: Any) -> None:
    """Whatever the file contains gives figures in range or a problem, never an exception."""
    place = tmp_path_factory.getbasetemp()
    found = usage_of(place, data)
    assert found is not None
    assert "problem" in found or all(0 <= value < 2**53 for value in found.values())


def test_special_files_are_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A link, a directory, a pipe or a socket is neither followed nor waited for, and not an error."""
    assert read_usage(tmp_path) is None
    assert read_usage(tmp_path / "gone") is None
    place = tmp_path / "usage.json"
    (tmp_path / "other.json").write_text('{"calls": 1}')
    place.symlink_to("other.json")
    assert "cannot be read" in (read_usage(tmp_path) or {})["problem"]
    place.unlink()
    place.mkdir()
    assert "not an ordinary file" in (read_usage(tmp_path) or {})["problem"]
    place.rmdir()
    os.mkfifo(place)
    assert "not an ordinary file" in (read_usage(tmp_path) or {})["problem"]
    place.unlink()
    with socket.socket(socket.AF_UNIX) as server:
        monkeypatch.chdir(tmp_path)  # a socket's path must be short
        server.bind("usage.json")
        assert "cannot be read" in (read_usage(tmp_path) or {})["problem"]
    (tmp_path / "file").write_text("outputs/ that became a file")
    assert "cannot be read" in (read_usage(tmp_path / "file") or {})["problem"]
