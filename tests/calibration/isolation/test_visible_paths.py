"""What a solution's command needs to see: its program, interpreters, its own directory and script."""

import os
import sys
from pathlib import Path
from typing import Any

import pytest

from trapcli.calibration.isolation.visible_paths import (
    is_wide,
    own_places,
    program_directory,
    program_places,
)


@pytest.fixture
def at_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The user's home, away from everything else."""
    (tmp_path / "me").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "me"))
    return tmp_path / "me"


def program(path: Any, text: Any = "#!/bin/sh\n") -> Any:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return path


def test_wide_places(at_home: Any) -> None:
    """A home, what contains it, and the system's shared directories are wide; what is in them is not."""
    for path in ("/", "/usr", "/tmp", "/var", at_home, at_home.parent):
        assert is_wide(Path(path))
    for path in (at_home / "agent", Path("/usr/local"), Path("/tmp/agent"), Path("/srv/agent")):
        assert not is_wide(path)


def test_directories_of_programs(at_home: Any, tmp_path: Path) -> None:
    """An interpreter's directory of programs is visible with its prefix, any other one alone."""
    (tmp_path / "node/lib/node_modules").mkdir(parents=True)
    (tmp_path / "env/shims").mkdir(parents=True)
    (tmp_path / "venv/bin").mkdir(parents=True)
    (tmp_path / "venv/pyvenv.cfg").touch()
    (tmp_path / "venv/bin/python").symlink_to(program(tmp_path / "base/bin/python3.12"))
    for place in ("node/bin", "plain/bin", "tools"):
        (tmp_path / place).mkdir(parents=True)
    (at_home / ".local/lib").mkdir(parents=True)
    (at_home / ".local/bin").mkdir()
    wanted = {
        "node/bin": {"node"},
        "env/shims": {"env"},
        "venv/bin": {"venv", "base"},
        "plain/bin": {"plain/bin"},
        "tools": {"tools"},
        "me/.local/bin": {"me/.local/bin"},
        "me": set(),
    }
    for place, visible in wanted.items():
        assert {*program_directory(tmp_path / place)} == {tmp_path / path for path in visible}


def test_environment_in_a_home(at_home: Any) -> None:
    """Of an environment made in the home directory itself, only what belongs to it is visible."""
    (at_home / "bin").mkdir()
    (at_home / "lib").mkdir()
    (at_home / "secrets").mkdir()
    (at_home / "pyvenv.cfg").touch()
    assert {*program_directory(at_home / "bin")} == {at_home / name for name in ("bin", "lib", "pyvenv.cfg")}


def test_environment_in_the_current_directory(
    at_home: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of an environment made in the project itself, only what belongs to it is visible."""
    project = tmp_path / "project"
    (project / "bin").mkdir(parents=True)
    (project / "traps").mkdir()
    (project / "pyvenv.cfg").touch()
    monkeypatch.chdir(project)
    assert {*program_directory(project / "bin")} == {project / "bin", project / "pyvenv.cfg"}


def test_chain_from_the_program_to_what_runs_it(at_home: Any, tmp_path: Path) -> None:
    """Links and first lines are followed to the last interpreter, also through `env`; a loop ends."""
    python = program(tmp_path / "versions/3/bin/python3", "\x7fELF")
    (tmp_path / "versions/3/lib").mkdir()
    program(tmp_path / "apps/agent", "#!/usr/bin/env -S python3 -u\n")
    (tmp_path / "links").mkdir()
    (tmp_path / "links/agent").symlink_to("../apps/agent")
    environ = {"PATH": f"{tmp_path}/links:{python.parent}:/usr/bin:/bin"}
    visible = {*program_places(["agent"], tmp_path, environ)}
    assert {
        tmp_path / "links",
        tmp_path / "apps/agent",
        tmp_path / "versions/3",
        Path("/usr/bin/env"),
    } <= visible
    base = Path(sys.base_prefix)  # a wide one, such as /usr, is visible in parts
    assert Path(sys.prefix) in visible and {base, base / "bin"} & visible
    assert tmp_path not in visible and tmp_path / "apps" not in visible
    program(tmp_path / "links/loop", f"#!{tmp_path}/links/loop\n")
    assert tmp_path / "links/loop" in {*program_places(["loop"], tmp_path, environ)}


def test_certificates_and_name_servers(at_home: Any, tmp_path: Path) -> None:
    """Certificates that variables name are visible, and so is the file with the name servers."""
    environ = {"PATH": "/usr/bin:/bin", "SSL_CERT_FILE": f"{tmp_path}/ca.pem", "SSL_CERT_DIR": "relative"}
    visible = {*program_places(["sh"], tmp_path, environ)}
    assert tmp_path / "ca.pem" in visible and tmp_path / "relative" not in visible
    assert Path(os.path.realpath("/etc/resolv.conf")) in visible


def test_own_places(at_home: Any, tmp_path: Path) -> None:
    """It sees the directory it runs in, that of its script, and other files that it names, alone."""
    agents, data = tmp_path / "agents", tmp_path / "data"
    for path in (agents / "agent.py", data / "conf.json", at_home / "notes", tmp_path / "cwd/here.py"):
        path.parent.mkdir(exist_ok=True)
        path.touch()
    cwd = tmp_path / "cwd"
    tool = program(tmp_path / "tool/run")
    commands: list[tuple[list[Any], list[Path]]] = [
        (["python", "here.py"], [cwd]),
        (["python", agents / "agent.py", "--config", "../data/conf.json"], [cwd, agents, data / "conf.json"]),
        (["sh", at_home / "notes", data / "conf.json"], [cwd, at_home / "notes", data / "conf.json"]),
        ([sys.executable, "here.py"], [cwd]),
        ([tool, data / "conf.json"], [cwd, tmp_path / "tool", data / "conf.json"]),
        (["sh", "-c", "cat /etc/passwd", "no/such"], [cwd]),
    ]
    for argv, wanted in commands:
        assert [*own_places([*map(str, argv)], cwd)] == wanted
