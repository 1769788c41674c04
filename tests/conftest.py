"""What every test can use: `run` (the program in this process) and `installed` (a real installation).

Also what holds for the whole test run: clean signals and environment, and the marker `fast`.
"""

import io
import os
import signal
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import hypothesis
import pytest
from installation import build_wheel, install

from trapcli.cli import main
from trapcli.system.locks import locked_directory

hypothesis.settings.register_profile("suite", derandomize=True, deadline=None, database=None)
hypothesis.settings.load_profile("suite")

# Variables that change what the program does or how it looks, if the shell that runs the tests has them.
FOREIGN_PREFIXES = ("TRAPCLI_", "_TRAPCLI_", "TRAPTASK_", "TRAP_", "TOY_")
FOREIGN = ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "LINES", "TTY_COMPATIBLE", "TTY_INTERACTIVE")


def pytest_sessionstart() -> None:
    """Give every process of the tests the same signals and environment, however pytest was started."""
    _reset_signals()
    for name in list(os.environ):
        if name.startswith(FOREIGN_PREFIXES) or name in FOREIGN:
            del os.environ[name]


def _reset_signals() -> None:
    """Undo `nohup`, `trap '' INT` and the like, whose ignored signals every child process inherits.

    A Python handler is not inherited: a child that is executed gets the default. SIGHUP gets one
    that does nothing, so that tests under nohup outlive their terminal.
    """
    resets: dict[signal.Signals, Any] = {
        signal.SIGINT: signal.default_int_handler,
        signal.SIGTERM: signal.SIG_DFL,
        signal.SIGHUP: lambda number, frame: None,
    }
    for number, handler in resets.items():
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, handler)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, resets)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark tests of the installed program `slow`, and every test `fast` that is not marked `slow`."""
    for item in items:
        if {"wheel", "installed"} & {*getattr(item, "fixturenames", ())}:
            item.add_marker("slow")
        if item.get_closest_marker("slow") is None:
            item.add_marker("fast")


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
    """Run the program in this process, in the working directory `tmp_path`.

    run(*args, input="text or bytes on standard input", env={"more": "variables"}) -> Result
    """
    monkeypatch.chdir(tmp_path)

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
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory that all workers of pytest-xdist share in this test run."""
    base = tmp_path_factory.getbasetemp()
    return base.parent if "PYTEST_XDIST_WORKER" in os.environ else base


@pytest.fixture(scope="session")
def wheel(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel of the checkout, built by the first worker that needs it."""
    done = shared / "wheel"
    with locked_directory(shared):
        if not done.exists():
            out = tmp_path_factory.mktemp("dist")
            build_wheel(tmp_path_factory.mktemp("source"), out)
            out.rename(done)
    return next(done.glob("*.whl"))


@pytest.fixture(scope="session")
def installed(wheel: Path, shared: Path) -> Path:
    """The program `trapcli` as pip installs it, where the checkout cannot be imported; shared, too."""
    home = shared / "installed"
    done = shared / "installed.done"
    with locked_directory(shared):
        if not done.exists():
            install(wheel, home)
            done.touch()
    return home / "bin" / "trapcli"


@pytest.fixture
def unmeasured(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let child processes run without coverage, which loads modules and writes files of its own."""
    monkeypatch.delenv("COVERAGE_PROCESS_CONFIG", raising=False)
