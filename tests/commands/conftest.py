"""What tests of commands share: the toy family, a suite of it, `calibrate` with an agent that is right."""

import pytest
from agents import SECRET, agent, toy_only
from toy_family import declare

from trapcli.suites.reader import open_suite


@pytest.fixture
def declared(tmp_path_factory):
    """A directory that declares the toy family to whoever has it on its path."""
    return declare(tmp_path_factory.mktemp("declared"))


@pytest.fixture
def toy(run, tmp_path, tmp_path_factory, monkeypatch):
    """A suite of the toy family in traps/toy that is not for practice, and an agent that is right."""
    toy_only(monkeypatch, tmp_path_factory.mktemp("declared"))
    assert run("build", "toy", "--seed", SECRET).code == 0
    agent(tmp_path)
    return open_suite(tmp_path / "traps" / "toy")


@pytest.fixture
def calibrate(run):
    """Runs the agent in agent.sh with these words: calibrate(*words)."""
    return lambda *words, **options: run("calibrate", "--solution", "sh agent.sh", *words, **options)
