"""What a solution's command has to reach: its program, interpreters, its own directory and script."""

import os
import sys
from pathlib import Path

import pytest

from trapcli.calibration.isolation.visible_paths import is_wide, of_directory, own_places, programs
from trapcli.calibration.records import Solution


@pytest.fixture
def at_home(tmp_path, monkeypatch):
    """The user's home, elsewhere than everything else."""
    (tmp_path / "me").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "me"))
    return tmp_path / "me"


def program(path, text="#!/bin/sh\n"):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return path


def solution(cwd, *argv):
    return Solution("given", tuple(map(str, argv)), Path(cwd))


def test_wide_places(at_home):
    """A home, what is around it, and the system's common directories are wide; what is in them is not."""
    for path in ("/", "/usr", "/tmp", "/var", at_home, at_home.parent):
        assert is_wide(Path(path))
    for path in (at_home / "agent", Path("/usr/local"), Path("/tmp/agent"), Path("/srv/agent")):
        assert not is_wide(path)


def test_directories_of_programs(at_home, tmp_path):
    """A directory of programs stands for its prefix if it is an interpreter's, and else for itself."""
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
    for place, reached in wanted.items():
        assert {*of_directory(tmp_path / place)} == {tmp_path / path for path in reached}


def test_environment_in_a_home(at_home):
    """Of an environment made in the home directory itself, only what belongs to it is reached."""
    (at_home / "bin").mkdir()
    (at_home / "lib").mkdir()
    (at_home / "secrets").mkdir()
    (at_home / "pyvenv.cfg").touch()
    assert {*of_directory(at_home / "bin")} == {at_home / name for name in ("bin", "lib", "pyvenv.cfg")}


def test_environment_that_we_stand_in(at_home, tmp_path, monkeypatch):
    """Nor is more reached of one that was made in the project that we stand in."""
    project = tmp_path / "project"
    (project / "bin").mkdir(parents=True)
    (project / "traps").mkdir()
    (project / "pyvenv.cfg").touch()
    monkeypatch.chdir(project)
    assert {*of_directory(project / "bin")} == {project / "bin", project / "pyvenv.cfg"}


def test_chain_from_the_program_to_what_runs_it(at_home, tmp_path):
    """Links and first lines are followed, through `env` as well, to the last interpreter; a loop ends."""
    python = program(tmp_path / "versions/3/bin/python3", "\x7fELF")
    (tmp_path / "versions/3/lib").mkdir()
    program(tmp_path / "apps/agent", "#!/usr/bin/env -S python3 -u\n")
    (tmp_path / "links").mkdir()
    (tmp_path / "links/agent").symlink_to("../apps/agent")
    environ = {"PATH": f"{tmp_path}/links:{python.parent}:/usr/bin:/bin"}
    reached = {*programs(solution(tmp_path, "agent"), environ)}
    assert {
        tmp_path / "links",
        tmp_path / "apps/agent",
        tmp_path / "versions/3",
        Path("/usr/bin/env"),
    } <= reached
    assert {Path(sys.prefix), Path(sys.base_prefix)} <= reached
    assert tmp_path not in reached and tmp_path / "apps" not in reached
    program(tmp_path / "links/loop", f"#!{tmp_path}/links/loop\n")
    assert tmp_path / "links/loop" in {*programs(solution(tmp_path, "loop"), environ)}


def test_certificates_and_name_servers(at_home, tmp_path):
    """Files that variables name as certificates are reached, and where the name servers stand."""
    environ = {"PATH": "/usr/bin:/bin", "SSL_CERT_FILE": f"{tmp_path}/ca.pem", "SSL_CERT_DIR": "relative"}
    reached = {*programs(solution(tmp_path, "sh"), environ)}
    assert tmp_path / "ca.pem" in reached and tmp_path / "relative" not in reached
    assert Path(os.path.realpath("/etc/resolv.conf")) in reached


def test_own_places(at_home, tmp_path):
    """The directory it runs in, that of its script, and other files alone; not those of programs or words."""
    agents, data = tmp_path / "agents", tmp_path / "data"
    for path in (agents / "agent.py", data / "conf.json", at_home / "notes", tmp_path / "cwd/here.py"):
        path.parent.mkdir(exist_ok=True)
        path.touch()
    cwd = tmp_path / "cwd"
    tool = program(tmp_path / "tool/run")
    for argv, wanted in [
        (["python", "here.py"], [cwd]),
        (["python", agents / "agent.py", "--config", "../data/conf.json"], [cwd, agents, data / "conf.json"]),
        (["sh", at_home / "notes", data / "conf.json"], [cwd, at_home / "notes", data / "conf.json"]),
        ([sys.executable, "here.py"], [cwd]),
        ([tool, data / "conf.json"], [cwd, tmp_path / "tool", data / "conf.json"]),
        (["sh", "-c", "cat /etc/passwd", "no/such"], [cwd]),
    ]:
        assert [*own_places(solution(cwd, *argv))] == wanted
