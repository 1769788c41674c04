"""Fixtures for the tests of commands: the toy family, a suite of it, and runs of an agent that is right."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from agents import SECRET, agent, toy_only
from toy_family import declare

from trapcli.suites.reader import open_suite


@pytest.fixture
def declared(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A directory that declares the toy family to whoever has it on its path."""
    return declare(tmp_path_factory.mktemp("declared"))


@pytest.fixture
def bare_toy(
    run: Callable[..., Any],
    tmp_path: Path,
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The toy family without a suite, and an agent that is right."""
    toy_only(monkeypatch, tmp_path_factory.mktemp("declared"))
    agent(tmp_path)


@pytest.fixture
def toy(run: Callable[..., Any], bare_toy: Any, tmp_path: Path) -> Any:
    """A suite of the toy family in traps/toy that is not for practice, and an agent that is right."""
    assert run("build", "toy", "--seed", SECRET).code == 0
    return open_suite(tmp_path / "traps" / "toy")


@pytest.fixture
def calibrate(run: Callable[..., Any]) -> Any:
    """Run the agent in agent.sh with these words: calibrate(*words)."""
    return lambda *words, **options: run("calibrate", "--solution", "sh agent.sh", *words, **options)


@pytest.fixture
def measure(calibrate: Callable[..., Any]) -> Any:
    """Run the agent in agent.sh, two trials of each case unless the words say otherwise; return the JSON."""

    def measure(*words: Any) -> Any:
        done = calibrate("--trials", 2, "--json", *words)
        assert done.code == 0, done.err
        return json.loads(done.out)

    return measure
