"""What --solution may name, whether it can be started, its setup, and the variables that it gets."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trapcli.calibration.records import Solution
from trapcli.calibration.solutions.command import (
    first_line_of,
    program_of,
    read_solution,
    refuse_missing,
    refuse_unset,
    run_setup,
    solution_env,
)
from trapcli.core.errors import TrapError


@pytest.fixture
def agent(tmp_path):
    """A directory with a trap.yaml in it."""
    home = tmp_path / "agent"
    home.mkdir()
    (home / "trap.yaml").write_text("cmd: ./run.sh\ntimeout: 5\n")
    return home


def command(argv, cwd, **more):
    return Solution(" ".join(argv), tuple(argv), Path(cwd), **more)


def script(path, text, mode=0o755):
    path.write_text(text)
    path.chmod(mode)
    return path


def test_builtin(tmp_path):
    """A builtin has no command of its own; what stands behind the colon is kept."""
    found = read_solution("builtin:slip:void_counted", tmp_path)
    assert (found.argv, found.builtin, found.cwd) == ((), "slip:void_counted", tmp_path)
    with pytest.raises(TrapError, match="builtin:flaky:P:SEED"):
        read_solution("builtin:flaky:2", tmp_path)


def test_directory_and_file(agent, tmp_path, monkeypatch):
    """A directory and its trap.yaml name the same solution, from wherever one stands."""
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
        assert (found.argv, found.timeout, found.cwd) == (("./run.sh",), 5.0, agent.resolve())


def test_directory_comes_before_a_program_of_its_name(tmp_path):
    """A directory called like a program is the directory."""
    (tmp_path / "ls").mkdir()
    with pytest.raises(TrapError, match=r"ls/trap.yaml is missing.*python agent.py"):
        read_solution("ls", tmp_path)
    (tmp_path / "my agent").mkdir()
    (tmp_path / "my agent/trap.yaml").write_text("cmd: run\n")
    assert read_solution("my agent", tmp_path).argv == ("run",)


def test_command(tmp_path):
    """Anything else is a command, split as a shell would, that runs where we stand."""
    found = read_solution("python 'my agent.py' --config ./conf.yaml", tmp_path)
    assert found.argv == ("python", "my agent.py", "--config", "./conf.yaml")
    assert (found.cwd, found.timeout, found.stdin, found.builtin) == (tmp_path, 600.0, None, "")
    assert read_solution("agent " + "x" * 5000, tmp_path).argv[1] == "x" * 5000


@pytest.mark.parametrize(
    ("given", "said"),
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
def test_what_names_nothing(tmp_path, given, said):
    """What is no command, or reads as a path to nothing, is refused with what to give instead."""
    with pytest.raises(TrapError, match=said):
        read_solution(given, tmp_path)


@given(st.text())
def test_any_text_is_read_or_refused(given):
    """Whatever is given, nothing but TrapError is raised."""
    try:
        found = read_solution(given, Path("/nowhere"))
    except TrapError:
        return
    assert found.argv or found.builtin


def test_programs_that_can_be_started(tmp_path):
    """A name is looked up on PATH, a path from the solution's directory, as the process does."""
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
        refuse_missing(command(argv, tmp_path), environ)
        assert wanted in (None, program_of(command(argv, tmp_path), environ))
        subprocess.run(argv, cwd=tmp_path, env=environ, stdin=subprocess.DEVNULL, capture_output=True)
    refuse_missing(Solution("builtin:solve", (), tmp_path, builtin="solve"), {})


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (["no-such-agent"], r"no program 'no-such-agent' on PATH \(2 directories\).*sh -c"),
        (["agent.py"], "for the file in .* write ./agent.py"),
        (["./agent.py"], "agent.py is not executable.*python ./agent.py"),
        (["./nothing"], "there is no program .*/nothing"),
        (["./folder"], "is a directory.*trap.yaml"),
        (["MODEL=x", "python"], "begin with `env MODEL=x`"),
        (["./lost"], "first line of .*/lost names '/no/such/python'"),
        (["./windows"], r"names '/bin/sh\\r', with the line ending of Windows"),
    ],
)
def test_programs_that_cannot(tmp_path, argv, said):
    """What is not there, no program, or runs by something that is not there, is refused with a way out."""
    script(tmp_path / "agent.py", "print()", 0o644)
    script(tmp_path / "lost", "#!/no/such/python -u\n")
    script(tmp_path / "windows", "#!/bin/sh\r\n")
    (tmp_path / "folder").mkdir()
    with pytest.raises(TrapError, match=said):
        refuse_missing(command(argv, tmp_path), {"PATH": "/usr/bin:/bin"})


def test_directory_that_is_gone(tmp_path):
    """A solution whose directory is not there is refused."""
    with pytest.raises(TrapError, match="where it runs, is no directory"):
        refuse_missing(command(["sh"], tmp_path / "gone"))


def test_first_lines(tmp_path):
    """The interpreter of a script is told with its arguments; what is no script has none."""
    assert first_line_of(script(tmp_path / "a", "#! /usr/bin/env\tpython3 -u\nx")) == (
        "/usr/bin/env", "python3", "-u")  # fmt: skip
    assert first_line_of(script(tmp_path / "b", "print()")) == ()
    assert first_line_of(script(tmp_path / "c", "#!")) == ()
    assert first_line_of(tmp_path / "gone") == ()


def test_setup(agent):
    """It runs once, by the shell, where trap.yaml is, with our variables removed and no terminal's input."""
    line = "cat > made; echo $TRAPCLI_X-$PLAIN >> made; pwd >> made; echo noise; echo noise >&2"
    environ = {**os.environ, "TRAPCLI_X": "ours", "PLAIN": "theirs"}
    run_setup(command(["x"], agent, setup_cmd=line), environ)
    assert (agent / "made").read_text() == f"-theirs\n{agent}\n"
    run_setup(command(["x"], agent))


def test_failing_setup(agent):
    """A failure is told with its exit code, the command, and the last lines that it printed."""
    line = (
        "for i in 1 2 3 4 5 6 7 8 9; do echo line $i; done; printf '\\377' >&2; echo no network >&2; exit 3"
    )
    with pytest.raises(TrapError, match="exit code 3") as caught:
        run_setup(command(["x"], agent, setup_cmd=line))
    text = str(caught.value)
    assert "no network" in text and "line 9" in text and "line 1\n" not in text
    with pytest.raises(TrapError, match=r"exit code 127(.|\n)*not found"):
        run_setup(command(["x"], agent, setup_cmd="no-such-program"))
    with pytest.raises(TrapError, match=r"signal 9: kill -9 \$\$\n  \(it printed nothing\)"):
        run_setup(command(["x"], agent, setup_cmd="kill -9 $$"))


def test_setup_that_leaves_a_server_behind(agent):
    """What it leaves running in the background, holding its output, is not waited for."""
    began = time.monotonic()
    run_setup(command(["x"], agent, setup_cmd="sleep 5 & exit 0"))
    assert time.monotonic() - began < 3


OUTER = json.dumps({"inputs_dir": "/suite/inputs/case_07", "outputs_dir": "/o"})
AROUND = {
    "PATH": "/usr/bin",
    "HOME": "/home/me",
    "LANG": "C.UTF-8",
    "LC_ALL": "C",
    "TZ": "UTC",
    "TERM": "dumb",
    "SSL_CERT_FILE": "/etc/ssl/cert.pem",
    "XDG_CONFIG_HOME": "/home/me/.config",
    "API_KEY": "secret",
    "OTHER": '{"inputs_dir": broken',
    "PWD": "/suite/expected",
    "OLDPWD": "/suite",
    "_": "/usr/bin/trapcli",
    "TRAPTASK_MANIFEST": "{}",
    "_TRAPCLI_COMPLETE": "bash_source",
    "TRAPCLI_SEED": "5",
    "TRAP_MANIFEST": OUTER,
    "AN_OUTER_ONE": OUTER,
}


def variables(cwd, **more):
    solution = command(
        ["x"], cwd, **({"manifest_envvar": more.pop("variable")} if "variable" in more else {})
    )
    return solution_env(solution, inputs=Path("/t/in"), outputs=Path("/t/out"), environ=AROUND, **more)


MANIFEST = {"inputs_dir": "/t/in", "outputs_dir": "/t/out"}


def test_variables_of_a_trial(tmp_path):
    """All that is around is there, but nothing of ours, of an outer run, or of where we stand."""
    env = variables(tmp_path)
    assert json.loads(env.pop("TRAP_MANIFEST")) == MANIFEST
    gone = {
        "OLDPWD",
        "_",
        "TRAPTASK_MANIFEST",
        "_TRAPCLI_COMPLETE",
        "TRAPCLI_SEED",
        "TRAP_MANIFEST",
        "AN_OUTER_ONE",
    }
    assert env == {**{name: AROUND[name] for name in AROUND.keys() - gone}, "PWD": str(tmp_path)}


def test_manifest_under_another_name(tmp_path):
    """A solution with a variable of its own gets the manifest there and not in the usual one."""
    env = variables(tmp_path, variable="AGENT_MANIFEST")
    assert json.loads(env["AGENT_MANIFEST"]) == MANIFEST and "TRAP_MANIFEST" not in env


def test_fresh_home(tmp_path):
    """HOME is the trial's, and no XDG variable leads around it."""
    env = variables(tmp_path, home=Path("/t/home"))
    assert env["HOME"] == "/t/home" and env["API_KEY"] == "secret"
    assert not [name for name in env if name.startswith("XDG_")]


def test_isolated_variables(tmp_path):
    """Under isolation only what is harmless passes, and what was asked for."""
    env = variables(tmp_path, home=Path("/t/home"), isolate=True)
    wanted = {
        "PATH",
        "LANG",
        "LC_ALL",
        "TZ",
        "TERM",
        "SSL_CERT_FILE",
        "HOME",
        "TMPDIR",
        "PWD",
        "TRAP_MANIFEST",
    }
    assert set(env) == wanted
    assert (env["HOME"], env["TMPDIR"]) == ("/t/home", "/tmp")
    more = variables(tmp_path, home=Path("/t/home"), isolate=True, names=("API_KEY", "XDG_CONFIG_HOME"))
    assert set(more) == wanted | {"API_KEY", "XDG_CONFIG_HOME"}


@pytest.mark.parametrize(
    "name", ["UNSET", "API_KEY=x", "", "A B", "HOME", "TMPDIR", "TRAPCLI_SEED", "TRAPTASK_MANIFEST"]
)
def test_env_that_cannot_be_let_through(name):
    """A name that is not set, is none, or is set for each trial is refused up front."""
    with pytest.raises(TrapError, match=f"--env {name}: "):
        refuse_unset(["API_KEY", name], AROUND)
    refuse_unset(["API_KEY"], AROUND)
