"""The files that a solution is made of: those that its command names, and those of its own directory."""

import os
from pathlib import Path
from typing import Any

import pytest
from factories import command_of, solution_of

from trapcli.calibration.solutions import solution_files
from trapcli.calibration.solutions.solution import Solution, read_solution
from trapcli.calibration.solutions.solution_files import IGNORED, files_of


def digests(solution: Solution) -> dict[str, str]:
    return files_of(solution).digests


def test_the_files_that_a_command_names_are_digested(tmp_path: Path) -> None:
    """Scripts and data on the command line count, and so does a program in the solution's directory."""
    for name in ("agent.py", "run.sh", "config.json"):
        (tmp_path / name).write_text(name)
    assert [*digests(command_of("./run.sh", "--config", "config.json", cwd=tmp_path))] == [
        "./run.sh",
        "config.json",
    ]
    found = digests(command_of("python", "-u", "agent.py", cwd=tmp_path))
    (tmp_path / "agent.py").write_text("changed")
    assert [*found] == ["agent.py"]
    assert digests(command_of("python", "-u", "agent.py", cwd=tmp_path)) != found


def test_words_that_do_not_name_a_file_of_the_solution_are_ignored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Programs from PATH, directories, pipes, endless words, huge and missing files are ignored."""
    (tmp_path / "python").write_text("a file that happens to have the program's name")
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "huge").write_bytes(b"x" * 101)
    monkeypatch.setattr(solution_files, "LARGEST", 100)
    words = ("folder", "pipe", "huge", "missing", "", ".", "x" * 5000, "a\nb", "/dev/zero")
    assert digests(command_of("python", *words, cwd=tmp_path)) == {}
    assert digests(solution_of("builtin:solve")) == {}


def test_a_file_that_cannot_be_read_is_ignored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A word that happens to name somebody else's file does not stop a run."""
    (tmp_path / "secret").write_text("x")

    def deny(path: Any) -> Any:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "read_bytes", deny)
    assert digests(command_of("python", "secret", cwd=tmp_path)) == {}


@pytest.fixture
def agent(tmp_path: Path) -> Solution:
    """A solution in a directory of its own: a trap.yaml, a program, and a prompt in a folder."""
    home = tmp_path / "mine"
    (home / "prompts").mkdir(parents=True)
    (home / "trap.yaml").write_text("cmd: python agent.py\n")
    (home / "agent.py").write_text("1")
    (home / "prompts" / "system.txt").write_text("You are")
    return read_solution("mine", tmp_path)


def test_all_files_of_a_solutions_directory_are_digested(agent: Solution) -> None:
    """A prompt that no command names decides what an agent does; what trap.yaml says is compared by value."""
    before = files_of(agent)
    assert [*before.digests] == ["agent.py", "prompts/system.txt"] and not before.left_out
    (agent.cwd / "prompts" / "system.txt").write_text("You are not")
    after = files_of(agent)
    assert [name for name in before.digests if before.digests[name] != after.digests[name]] == [
        "prompts/system.txt"
    ]


@pytest.mark.parametrize("name", sorted(IGNORED))
def test_caches_and_histories_are_no_part_of_a_solution(agent: Solution, name: str) -> None:
    """What tools leave in a directory, and our own runs and suites, are left alone."""
    before = files_of(agent)
    (agent.cwd / name).mkdir()
    (agent.cwd / name / "file").write_text("x")
    assert files_of(agent) == before


def test_a_virtual_environment_of_any_name_is_ignored(agent: Solution) -> None:
    """A folder with a pyvenv.cfg has installed packages; one without it is the solution's own."""
    before = files_of(agent)
    (agent.cwd / "env39").mkdir()
    (agent.cwd / "env39" / "pyvenv.cfg").touch()
    assert files_of(agent) == before
    (agent.cwd / "env39" / "pyvenv.cfg").rename(agent.cwd / "env39" / "other.cfg")
    assert digests(agent).keys() - before.digests.keys() == {"env39/other.cfg"}


def test_a_directory_without_a_trap_yaml_is_not_searched(tmp_path: Path, agent: Solution) -> None:
    """A command runs in whatever directory the user is in, which may have anything."""
    assert [*files_of(read_solution("python agent.py", agent.cwd)).digests] == ["agent.py"]


@pytest.mark.parametrize(("limit", "value"), [("MOST_FILES", 2), ("MOST_BYTES", 3), ("LARGEST", 6)])
def test_too_many_or_too_large_files_are_counted(
    agent: Solution, monkeypatch: pytest.MonkeyPatch, limit: str, value: int
) -> None:
    """Of a large directory only the first files are digested, and how many are left out is known."""
    (agent.cwd / "a").write_text("22")
    monkeypatch.setattr(solution_files, limit, value)
    assert ([*digests(agent)], files_of(agent).left_out) == (["agent.py", "a"], 1)


def test_links_and_special_files(agent: Solution, tmp_path: Path) -> None:
    """A link to a file counts with its content; links to directories and pipes are passed over."""
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "file").write_text("x")
    (agent.cwd / "folder").symlink_to(tmp_path / "elsewhere")
    (agent.cwd / "link").symlink_to(tmp_path / "elsewhere" / "file")
    os.mkfifo(agent.cwd / "pipe")
    assert [*digests(agent)] == ["agent.py", "link", "prompts/system.txt"]
