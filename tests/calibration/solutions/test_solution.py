"""What --solution may name, and that it is stored and read back."""

from pathlib import Path
from typing import Any

import pytest
from factories import command_of, solution_of
from hypothesis import given
from hypothesis import strategies as st

from trapcli.calibration.solutions.builtin import Builtin
from trapcli.calibration.solutions.command import Command
from trapcli.calibration.solutions.solution import read_solution, solution_from_json
from trapcli.core.errors import TrapError


@pytest.fixture
def agent(tmp_path: Path) -> Any:
    """A directory with a trap.yaml in it."""
    home = tmp_path / "agent"
    home.mkdir()
    (home / "trap.yaml").write_text("cmd: ./run.sh\ntimeout: 5\n")
    return home


def test_builtin_solution(tmp_path: Path) -> None:
    """A builtin is recognised by its prefix and has no command of its own."""
    found = read_solution("builtin:mistake:void_counted", tmp_path)
    assert found == Builtin("builtin:mistake:void_counted", tmp_path, mistake="void_counted")
    assert found.command == ()
    with pytest.raises(TrapError, match="builtin:flaky:P:SEED"):
        read_solution("builtin:flaky:2", tmp_path)


def test_directory_and_file(agent: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A directory and its trap.yaml name the same solution, whatever the current directory is."""
    (agent / "other.yml").write_text("cmd: ./run.sh\ntimeout: 5\n")
    monkeypatch.chdir(agent)
    ways = [
        read_solution("agent", tmp_path),
        read_solution("agent/", tmp_path),
        read_solution(str(agent), Path("/")),
        read_solution("agent/trap.yaml", tmp_path),
        read_solution("agent/other.yml", tmp_path),
        read_solution(".", Path(".")),
    ]
    for found in ways:
        assert (found.command, found.timeout, found.cwd) == (("./run.sh",), 5.0, agent.resolve())


def test_directory_comes_before_a_program_of_its_name(tmp_path: Path) -> None:
    """A directory that is called like a program is the directory."""
    (tmp_path / "ls").mkdir()
    with pytest.raises(TrapError, match=r"ls/trap.yaml is missing.*python agent.py"):
        read_solution("ls", tmp_path)
    (tmp_path / "my agent").mkdir()
    (tmp_path / "my agent/trap.yaml").write_text("cmd: run\n")
    assert read_solution("my agent", tmp_path).command == ("run",)


def test_command(tmp_path: Path) -> None:
    """Anything else is a command, split as by a shell, that runs in the current directory."""
    found = read_solution("python 'my agent.py' --config ./conf.yaml", tmp_path)
    words = ("python", "my agent.py", "--config", "./conf.yaml")
    assert found == Command("python 'my agent.py' --config ./conf.yaml", words, tmp_path)
    assert (found.timeout, found.stdin) == (600.0, None)
    assert read_solution("agent " + "x" * 5000, tmp_path).command[1] == "x" * 5000


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "names no program.*builtin:solve"),
        ("  \t", "names no program"),
        ("''", "names no program"),
        ("python 'agent.py", "no closing quotation"),
        ("python agent.py \\", "no escaped character"),
        ("a\0b", "NUL"),
        ("agents/", "no such directory: .*agents is missing"),
        ("agent.yaml", "no such file: .*agent.yaml is missing"),
        ("./conf/trap.yml", "no such file"),
        ("git+https://example.org/agent.git", "clone it"),
    ],
)
def test_what_names_nothing(tmp_path: Path, text: str, message: str) -> None:
    """A text that is not a command, or a path that leads nowhere, is refused with an alternative."""
    with pytest.raises(TrapError, match=message):
        read_solution(text, tmp_path)


@given(st.text())
def test_any_text_is_read_or_refused(text: Any) -> None:
    """Whatever the text, nothing but TrapError is raised."""
    try:
        found = read_solution(text, Path("/nowhere"))
    except TrapError:
        return
    assert found.given == text and (found.command or not found.measures_agent)


@pytest.mark.parametrize(
    ("solution", "measures_agent", "is_reference"),
    [
        (command_of("python agent.py"), True, False),
        (solution_of("builtin:solve"), False, True),
        (solution_of("builtin:mistake:void_counted"), False, False),
        (solution_of("builtin:flaky:0"), False, False),
    ],
)
def test_what_is_measured_is_known(solution: Any, measures_agent: bool, is_reference: bool) -> None:
    """Only a command measures an agent, and only the plain solver is the reference."""
    assert (solution.measures_agent, solution.is_reference) == (measures_agent, is_reference)


@pytest.mark.parametrize(
    "solution",
    [
        command_of("run", stdin="task.md", setup_cmd="make", name="mine", profile={"model": ["m"]}),
        solution_of("builtin:solve"),
        solution_of("builtin:flaky:0.5:seed"),
    ],
)
def test_a_solution_is_read_back_from_json(solution: Any) -> None:
    """Each type of solution has JSON data that gives it back."""
    assert solution_from_json(solution.to_json()) == solution
