"""Where a command's program is looked for, and what the first line of a script names."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from factories import command_of

from trapcli.calibration.solutions.programs import find_program, read_shebang, refuse_missing_script
from trapcli.core.errors import TrapError


def script(path: Any, text: Any, mode: Any = 0o755) -> Any:
    path.write_text(text)
    path.chmod(mode)
    return path


def test_programs_that_can_be_started(tmp_path: Path) -> None:
    """A name is looked up on PATH, a path from the solution's directory, as when the process starts."""
    script(tmp_path / "run.sh", "#!/bin/sh\n")
    (tmp_path / "bin").mkdir()
    script(tmp_path / "bin/mine", "#!/usr/bin/env -S sh -e\n")
    environ = {"PATH": "/nowhere:bin:/usr/bin:/bin"}
    for argv, wanted in [
        (["sh", "x"], None),
        (["./run.sh"], tmp_path / "run.sh"),
        ([str(tmp_path / "run.sh")], tmp_path / "run.sh"),
        (["mine"], tmp_path / "bin/mine"),
        ([sys.executable], Path(sys.executable)),
    ]:
        command_of(*argv, cwd=tmp_path).prepare((), environ)
        assert wanted in (None, find_program(argv[0], tmp_path, environ))
        subprocess.run(argv, cwd=tmp_path, env=environ, stdin=subprocess.DEVNULL, capture_output=True)


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["no-such-agent"], r"no program 'no-such-agent' on PATH \(2 directories\).*sh -c"),
        (["agent.py"], "for the file in .* write ./agent.py"),
        (["./agent.py"], "agent.py is not executable.*python ./agent.py"),
        (["./nothing"], "there is no program .*/nothing"),
        (["./folder"], "is a directory.*trap.yaml"),
        (["MODEL=x", "python"], "begin with `env MODEL=x`"),
        (["./lost"], "first line of .*/lost names '/no/such/python'"),
        (["./windows"], r"names '/bin/sh\\r', which does not exist \(the line ends as on Windows\)"),
    ],
)
def test_programs_that_cannot_be_started(tmp_path: Path, argv: Any, message: str) -> None:
    """A program or interpreter that is missing or not executable is refused with a way out."""
    script(tmp_path / "agent.py", "print()", 0o644)
    script(tmp_path / "lost", "#!/no/such/python -u\n")
    script(tmp_path / "windows", "#!/bin/sh\r\n")
    (tmp_path / "folder").mkdir()
    with pytest.raises(TrapError, match=f"--solution {argv[0]}.*{message}"):
        command_of(*argv, cwd=tmp_path).prepare((), {"PATH": "/usr/bin:/bin"})


def test_first_lines(tmp_path: Path) -> None:
    """A script's interpreter comes with its arguments; a file that is not a script has none."""
    env = script(tmp_path / "a", "#! /usr/bin/env\tpython3 -u\nx")
    assert read_shebang(env) == ("/usr/bin/env", "python3", "-u")
    assert read_shebang(script(tmp_path / "b", "print()")) == ()
    assert read_shebang(script(tmp_path / "c", "#!")) == ()
    assert read_shebang(tmp_path / "gone") == ()


@pytest.mark.parametrize(
    "words",
    [
        ["python3", "nosuch.py"],
        ["/usr/bin/python3.11", "agents/nosuch.py"],
        ["bash", "nosuch.sh"],
        ["node", "nosuch.mjs"],
        ["env", "MODEL=big", "python", "nosuch.py"],
    ],
)
def test_a_script_that_an_interpreter_does_not_find(words: list[str], tmp_path: Path) -> None:
    """The error names the file from the directory that the command runs in."""
    with pytest.raises(TrapError, match=rf"mine: there is no file {tmp_path}/.*nosuch"):
        refuse_missing_script(words, tmp_path, "mine")
    place = tmp_path / words[-1]
    place.parent.mkdir(exist_ok=True)
    place.touch()
    refuse_missing_script(words, tmp_path, "mine")


@pytest.mark.parametrize(
    "words",
    [
        ["python3"],
        ["python3", "-m", "agent.py"],
        ["python3", "-c", "import agent"],
        ["docker", "run", "image", "python3", "agent.py"],
        ["my_agent", "nosuch.py"],
        ["python3", "agent"],
        ["sh", "-c", "python nosuch.py"],
    ],
)
def test_other_commands_may_name_files_that_do_not_exist(words: list[str], tmp_path: Path) -> None:
    """A script in a container, a module and another program's argument are not looked for."""
    refuse_missing_script(words, tmp_path, "mine")
