"""What every test can use: `run` (the program in this process) and `installed` (a real installation)."""

import io
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

import hypothesis
import pytest
from installation import build_wheel, install

from trapcli.cli import main

hypothesis.settings.register_profile("suite", derandomize=True, deadline=None, database=None)
hypothesis.settings.load_profile("suite")


class Result(NamedTuple):
    """How a run of the program ended, and what it wrote where."""

    code: int
    out: str
    err: str


def written(stream: io.TextIOWrapper) -> str:
    stream.flush()
    stream.seek(0)
    return stream.read()


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    """Runs the program in this process, standing in `tmp_path`.

    run(*args, input="text or bytes on standard input", env={"more": "variables"}) -> Result
    """
    monkeypatch.chdir(tmp_path)
    for name in ("TRAPTASK_MANIFEST", "_TRAPCLI_COMPLETE"):
        monkeypatch.delenv(name, raising=False)

    def program(*args: object, input: str | bytes = b"", env: Mapping[str, str] | None = None) -> Result:
        given = input.encode() if isinstance(input, str) else input
        streams = [io.TextIOWrapper(io.BytesIO(part), encoding="utf-8") for part in (given, b"", b"")]
        with monkeypatch.context() as patch:
            for name, value in (env or {}).items():
                patch.setenv(name, value)
            patch.setattr(sys, "argv", ["trapcli", *map(str, args)])
            for name, stream in zip(("stdin", "stdout", "stderr"), streams, strict=True):
                patch.setattr(sys, name, stream)
            try:
                code = main()
            except SystemExit as stop:
                code = stop.code if isinstance(stop.code, int) else int(stop.code is not None)
        return Result(code, *(written(stream) for stream in streams[1:]))

    return program


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel of the checkout."""
    return build_wheel(tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="session")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program `trapcli` as pip installs it, where nothing of the checkout is to be seen."""
    return install(wheel, tmp_path_factory.mktemp("installed"))
