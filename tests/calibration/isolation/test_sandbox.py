"""What an isolated solution sees and what it does not; it really runs under bubblewrap here."""

import json
import os
import shlex
import shutil
import socket
import subprocess
import sys
import time
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import toy_family
from checkout import SUPPORT
from seeking_agent import walk
from toy_family import TOY, build_toy

from trapcli.calibration.isolation import sandbox
from trapcli.calibration.isolation.sandbox import isolated, refuse_missing_bwrap, refuse_unseen, setup_walls
from trapcli.calibration.plan import plan_suite
from trapcli.calibration.records import Plan
from trapcli.calibration.solutions.environment import TrialDirectories
from trapcli.calibration.solutions.solution import read_solution
from trapcli.core.errors import TrapError
from trapcli.suites.reader import Suite, open_suite, read_case

pytestmark = pytest.mark.slow

SEEKER = SUPPORT / "seeking_agent.py"
SEED = str(3**70)


def unusable() -> str:
    try:
        refuse_missing_bwrap()
    except TrapError as error:
        return str(error)
    return ""


needs_bwrap = pytest.mark.skipif(bool(unusable()), reason=unusable())


def directories_in(scratch: Path) -> TrialDirectories:
    return TrialDirectories(scratch / "inputs", scratch / "outputs", scratch / "home")


class Scene(NamedTuple):
    """A project with a solution, agent/, and a suite with its private half, in traps/toy."""

    home: Path
    suite: Suite

    def plan(self, given: str, cwd: Path | None = None, **more: Any) -> Plan:
        solution = read_solution(given, cwd or self.home)
        return Plan(solution, (plan_suite(self.suite),), 1, 60.0, isolate=True, **more)

    def run(
        self, given: str, cwd: Path | None = None, argv: Any = None, **more: Any
    ) -> "subprocess.CompletedProcess[str]":
        """Run the solution as a trial of case_01 does, in a directory that is removed afterwards."""
        plan = self.plan(given, cwd, **more)
        scratch = self.home.parent / "scratch"
        for name in ("outputs", "home"):
            (scratch / name).mkdir(parents=True)
        shutil.copytree(self.suite.directory / "inputs/case_01", scratch / "inputs")
        directories = directories_in(scratch)
        env = plan.solution.environment(directories, isolate=True, allowed=plan.env)
        case = read_case(self.suite, "case_01")
        if argv is None:
            argv = plan.solution.argv(case, 1, recipe=self.suite.recipe, token="x")
        command = isolated(argv, plan, directories)
        try:
            return subprocess.run(
                command,
                cwd=plan.solution.cwd,
                env=env,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
            )
        finally:
            shutil.rmtree(scratch)


@pytest.fixture
def scene(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    home = tmp_path / "project"
    (home / ".trapcli").mkdir(parents=True)
    (home / ".trapcli/runs.db").write_text(f"the seed is {SEED}")
    monkeypatch.syspath_prepend(str(toy_family.declare(tmp_path / "metadata")))
    toy_family.installed(monkeypatch)
    suite = build_toy(home / "traps/toy", seed=SEED, count=2)
    monkeypatch.chdir(home)
    sandbox._sandbox.cache_clear()
    return Scene(home, suite)


def seek(scene: Scene, cwd: Path, python: str = sys.executable, everywhere: bool = False) -> Any:
    """Return what the seeker, run in `cwd`, finds of the seed, of an answer and of the program.

    everywhere: whether it also reads the system and the interpreter that runs the tests.
    """
    shutil.copy(SEEKER, cwd / "seeking_agent.py")
    skip = ["all" if everywhere else "none", *sandbox.SYSTEM, sys.base_prefix, sys.prefix]
    mistake = read_case(scene.suite, "case_01").known_mistakes[0].result
    needles = [SEED, f'"result": "{mistake}"']
    words = [python, "seeking_agent.py", ":".join(skip), *(needle[::-1] for needle in needles)]
    done = scene.run(shlex.join(words), cwd)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@needs_bwrap
def test_a_solution_that_searches_everything_finds_nothing(scene: Any) -> None:
    """Around it are suites, a repository, stored runs and this program; it finds none of them."""
    old = shutil.copytree(scene.home / "traps/toy", scene.home / "data/old")
    shutil.copytree(old / "expected", scene.home / "data/private")
    (scene.home / ".git").mkdir()
    (scene.home / ".git/packed").write_text(SEED)
    (scene.home / "link").symlink_to(scene.home / "traps")
    (scene.home.parent / "seed.txt").write_text(SEED)
    found = seek(scene, scene.home, everywhere=True)
    assert (found["names"], found["hits"], found["imports"]) == ([], [], [])
    assert (found["escapes"], found["settings"]) == ([], [])
    assert found["processes"]["hits"] == [] and len(found["processes"]["pids"]) < 5
    assert not {"home", "root", "work"} & {*found["processes"]["roots"]} - {Path.home().parts[1]}
    assert found["cwd"][0] == str(scene.home)
    assert found["inputs"] == ["README.md", "data", "task.md"]
    assert [os.path.basename(place) for place in found["writable"]] == ["inputs", "outputs", "home", "tmp"]
    assert found["home"] == ["written"]
    assert found["net"] == os.readlink("/proc/self/ns/net")
    assert (scene.home / "traps/toy/expected/suite.json").is_file()


def test_the_seeker_finds_what_is_not_hidden(scene: Any) -> None:
    """Without isolation the same search finds the suite, the stored run and the seed in both."""
    names, hits = walk([], True, [SEED.encode()], top=str(scene.home))
    assert {"case_01", "answer.json", "suite.json", "expected.sha256", "runs.db"} == {
        *map(os.path.basename, names)
    }
    assert {"answer.json", "suite.json", "runs.db"} == {*map(os.path.basename, hits)}


@needs_bwrap
def test_variables_are_those_allowed(scene: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """No process inside has a variable that is neither harmless nor named with --env."""
    monkeypatch.setenv("API_KEY", "letmein")
    monkeypatch.setenv("OTHER_KEY", "keepout")
    monkeypatch.setenv("TRAPCLI_SEED", SEED)
    line = "cat /proc/*/environ | tr '\\0' '\\n' | sed 's/=.*//' | sort -u; echo $API_KEY"
    done = scene.run(shlex.join(["sh", "-c", line]), env=("API_KEY",))
    *names, value = done.stdout.split()
    allowed = {"HOME", "TMPDIR", "PWD", "TRAP_MANIFEST", "API_KEY", "PATH", "LANG", "LANGUAGE", "TERM",
               "TZ", "COLORTERM", "NO_COLOR", "SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE",
               "CURL_CA_BUNDLE", "NODE_EXTRA_CA_CERTS", "_", "SHLVL", "OLDPWD"}  # fmt: skip
    assert {name for name in names if not name.startswith("LC_")} <= allowed
    assert value == "letmein" and "API_KEY" in names


@needs_bwrap
@pytest.mark.parametrize("where", ["traps", "agent", "."])
def test_solution_beside_and_around_a_suite(scene: Any, where: str) -> None:
    """A suite above, beside or below the solution is not visible to it."""
    cwd = scene.home / where
    cwd.mkdir(exist_ok=True)
    found = seek(scene, cwd)
    assert (found["names"], found["hits"], found["imports"]) == ([], [], [])
    assert found["cwd"][0] == str(cwd) and "seeking_agent.py" in found["cwd"][1]


@needs_bwrap
def test_private_half_elsewhere(scene: Any) -> None:
    """A private half in another directory is hidden too, even below the solution's directory."""
    shutil.move(scene.home / "traps/toy/expected", scene.home / "kept-apart")
    suite = open_suite(scene.home / "traps/toy", scene.home / "kept-apart")
    found = seek(Scene(scene.home, suite), scene.home)
    assert (found["names"], found["hits"]) == ([], [])


@needs_bwrap
def test_installed_program_is_hidden(scene: Any, installed: Path) -> None:
    """In an environment that has this program installed, the solution sees everything else."""
    found = seek(scene, scene.home, str(installed.parent / "python"))
    assert (found["names"], found["hits"], found["imports"]) == ([], [], [])
    code = "import pathlib, yaml; print(yaml.__version__)"
    done = scene.run(shlex.join([str(installed.parent / "python"), "-c", code]))
    assert done.returncode == 0, done.stderr


@needs_bwrap
def test_pythons_and_shells(scene: Any) -> None:
    """Interpreters work as outside: by name, through a venv, an env line, a symbolic link, a shell."""
    venv = scene.home.parent / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", venv], check=True)
    (scene.home.parent / "tools").mkdir()
    (scene.home.parent / "tools/python-link").symlink_to(venv / "bin/python")
    code = "import sys, json, ssl; print(json.dumps([sys.prefix, sys.base_prefix]))"
    for python in (sys.executable, venv / "bin/python", scene.home.parent / "tools/python-link"):
        outside = subprocess.run([python, "-c", code], capture_output=True, text=True, check=True).stdout
        assert scene.run(shlex.join([str(python), "-c", code])).stdout == outside
    (scene.home / "run").write_text(f"#!{venv}/bin/python\nimport sys\nprint(sys.prefix)\n")
    (scene.home / "run").chmod(0o755)
    assert scene.run("./run").stdout == f"{venv}\n"
    (scene.home / "env").write_text("#!/usr/bin/env python3\nprint('through env')\n")
    (scene.home / "env").chmod(0o755)
    assert scene.run("./env 1 2").stdout == "through env\n"


@needs_bwrap
def test_shims(scene: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A shim, which looks for the real program beside it as pyenv's do, finds it."""
    root = scene.home.parent / "anyenv"
    for place, text in [
        ("shims/agent", f'#!/bin/sh\nexec {root}/libexec/find agent "$@"\n'),
        ("libexec/find", f'#!/bin/sh\nshift\nexec {root}/versions/1/bin/agent "$@"\n'),
        ("versions/1/bin/agent", '#!/bin/sh\necho "the real one: $1"\n'),
    ]:
        (root / place).parent.mkdir(parents=True)
        (root / place).write_text(text)
        (root / place).chmod(0o755)
    monkeypatch.setenv("PATH", f"{root}/shims{os.pathsep}{os.environ['PATH']}")
    assert scene.run("agent 5").stdout == "the real one: 5\n"
    assert scene.run("sh -c 'agent 6'").stdout == "the real one: 6\n"


@needs_bwrap
def test_lines_of_shell(scene: Any) -> None:
    """A shell gets its arguments unchanged, and finds interpreters by name."""
    assert scene.run("sh -c 'echo $0 $1; python3 -c \"print(6)\"' a b").stdout == "a b\n6\n"


@needs_bwrap
def test_script_in_another_directory(scene: Any) -> None:
    """A script in another directory is visible with what is beside it, except a suite."""
    other = scene.home.parent / "agents"
    other.mkdir()
    (other / "part.py").write_text("TEXT = 'imported'")
    (other / "agent.py").write_text(
        "import os, part; print(part.TEXT, sorted(os.listdir(os.path.dirname(__file__))))"
    )
    shutil.copytree(scene.home / "traps", other / "traps")
    (scene.home / "agent").mkdir()
    line = f"{sys.executable} {other}/agent.py"
    assert "imported" in scene.run(line, scene.home / "agent").stdout
    done = scene.run(f"ls {other}/agent.py {other}/traps", scene.home / "agent")
    assert done.stdout.split() == [f"{other}/agent.py", f"{other}/traps:"]


@needs_bwrap
def test_behind_symbolic_links(scene: Any) -> None:
    """A directory reached through a symbolic link has the same name inside."""
    real = scene.home.parent / "disk/agent"
    real.mkdir(parents=True)
    shutil.copytree(scene.home / "traps", real / "traps")
    (scene.home.parent / "way").symlink_to(scene.home.parent / "disk")
    cwd = scene.home.parent / "way/agent"
    done = scene.run("sh -c 'pwd; ls; ls traps'", cwd)
    assert done.stdout.split() == [str(cwd), "traps"], done.stderr


@needs_bwrap
def test_names_and_certificates(scene: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Name servers and certificates, which a client needs to call a model, are visible."""
    place = scene.home.parent / "corporate.pem"
    place.write_text("a certificate")
    monkeypatch.setenv("SSL_CERT_FILE", str(place))
    line = (
        "cat $SSL_CERT_FILE; cat /etc/resolv.conf > /dev/null && echo; ls -d /etc/ssl; getent hosts localhost"
    )
    done = scene.run(shlex.join(["sh", "-c", line]))
    assert done.stdout.startswith("a certificate\n/etc/ssl\n") and "localhost" in done.stdout, done.stderr


@needs_bwrap
def test_ends(scene: Any) -> None:
    """Exit codes are passed on, signal N as 128 + N, a missing program as 127; no process is left."""
    assert scene.run("sh -c 'exit 7'").returncode == 7
    assert scene.run("sh -c 'kill -9 $$'").returncode == 137
    assert scene.run("sh -c 'exit 0'", argv=["no-such-program"]).returncode == 127
    mark = f"{os.getpid()}.5"
    began = time.monotonic()
    done = scene.run(f"sh -c 'setsid sleep {mark} > /dev/null 2>&1 & echo started'")
    assert (done.returncode, done.stdout) == (0, "started\n") and time.monotonic() - began < 30
    assert not running(mark) and not running(str(scene.home))


def running(mark: str) -> list[str]:
    """Return the processes with the mark in their command."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            command = Path("/proc", pid, "cmdline").read_bytes()
        except OSError:
            continue
        if mark.encode() in command and int(pid) != os.getpid():
            found.append(pid)
    return found


@needs_bwrap
def test_killing_it_kills_all(scene: Any) -> None:
    """Killing bubblewrap kills what it runs at once, in whatever session that is."""
    scratch = scene.home.parent / "scratch"
    for name in ("inputs", "outputs", "home"):
        (scratch / name).mkdir(parents=True)
    mark = f"{os.getpid()}.25"
    plan = scene.plan(f"sh -c 'trap \"\" TERM; setsid sleep {mark} & echo up; sleep {mark}'")
    started = subprocess.Popen(
        isolated(plan.solution.command, plan, directories_in(scratch)), stdout=subprocess.PIPE
    )
    assert started.stdout.readline() == b"up\n"
    started.kill()
    assert started.stdout.read() == b""  # ends when nobody holds the pipe any more
    started.wait()
    started.stdout.close()
    assert not running(mark)


@needs_bwrap
def test_builtin_solutions_work(scene: Any) -> None:
    """A builtin is part of this program, so it sees the program, and it solves in any directory."""
    case = read_case(scene.suite, "case_01")
    for given, wanted in [
        ("builtin:solve", TOY.solve(case.files)),
        ("builtin:mistake:void_counted", TOY.solve(case.files, "void_counted")),
    ]:
        done = scene.run(given)
        assert (done.returncode, done.stderr, done.stdout) == (0, "", wanted)
    refuse_unseen(scene.plan("builtin:solve", Path.home()))


@needs_bwrap
def test_refused_places(scene: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A solution is refused if showing its directory would show what must be hidden, or everything."""
    monkeypatch.setenv("HOME", str(scene.home.parent / "me"))
    (scene.home.parent / "me").mkdir()
    for cwd, message in [
        (scene.home / "traps/toy", "must be hidden "),
        (scene.home / "traps/toy/expected/case_01", "must be hidden "),
        (scene.home / ".trapcli", "must be hidden "),
        (Path(sandbox.__file__).parent, "must be hidden "),
        (Path("/"), "could see everything there"),
        (Path("/tmp"), "could see everything there"),
        (scene.home.parent / "me", "could see everything there"),
        (scene.home.parent, "could see everything there"),
        (scene.home / "gone", "is not a directory"),
    ]:
        with pytest.raises(TrapError, match=message):
            refuse_unseen(scene.plan("sh -c true", cwd))


@needs_bwrap
def test_program_out_of_sight(scene: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program that is not visible inside is refused before any trial."""
    refuse_unseen(scene.plan("sh -c true"))
    hidden = scene.home / "traps/toy/agent"
    hidden.write_text("#!/bin/sh\n")
    hidden.chmod(0o755)
    with pytest.raises(TrapError, match="an isolated solution cannot find its program"):
        refuse_unseen(scene.plan("traps/toy/agent"))


def test_without_bwrap(monkeypatch: pytest.MonkeyPatch) -> None:
    """If bubblewrap is missing, there is one clear error, and nothing runs without it."""
    monkeypatch.setenv("PATH", "")
    with pytest.raises(TrapError, match="--isolate needs bubblewrap, but there is no program bwrap on PATH"):
        refuse_missing_bwrap()


def test_bwrap_that_does_not_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If it may not create namespaces, the error has what it says, and what to do."""
    (tmp_path / "bwrap").write_text(
        "#!/bin/sh\necho 'bwrap: No permissions to create new namespace.' >&2; exit 1\n"
    )
    (tmp_path / "bwrap").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(
        TrapError, match=r"does not work here: bwrap: No permissions to create new namespace\. It"
    ):
        refuse_missing_bwrap()


@needs_bwrap
def test_setup_runs_behind_the_same_walls(scene: Any) -> None:
    """It may write to the solution's directory and to nothing else that stays, and sees no suite."""
    agent = scene.home / "agent"
    agent.mkdir()
    shutil.copytree(scene.home / "traps", agent / "traps")
    line = (
        "echo made > made; echo x > $HOME/x; echo x > /tmp/x; cat traps/toy/expected/suite.json >> made; "
        f"cat {scene.home}/traps/toy/expected/suite.json >> made; echo x > {scene.home}/x; "
        "echo $TRAP_MANIFEST >> made; (setsid sleep 60 &); ls traps >> made; rm -rf traps"
    )
    plan = scene.plan("sh -c true", agent)
    solution = replace(plan.solution, setup_cmd=f"{line}; true")
    plan = replace(plan, solution=solution)
    began = time.monotonic()
    solution.prepare((), walls=partial(setup_walls, plan))
    assert (agent / "made").read_text() == "made\n\n" and time.monotonic() - began < 30
    assert not (scene.home / "x").exists() and (agent / "traps/toy/expected/suite.json").exists()
    done = scene.run("sh -c 'cat made; echo x > made'", agent)
    assert done.stdout == "made\n\n" and done.returncode != 0  # a trial only reads there


@needs_bwrap
def test_a_setup_that_fails_behind_walls_says_where_it_may_write(scene: Any) -> None:
    """The run stops before the first trial, with what the setup printed."""
    (scene.home / "agent").mkdir()
    plan = scene.plan("sh -c true", scene.home / "agent")
    solution = replace(plan.solution, setup_cmd="echo x > /usr/x")
    with pytest.raises(TrapError, match="can write only to the solution's directory"):
        solution.prepare((), walls=partial(setup_walls, replace(plan, solution=solution)))


@needs_bwrap
@pytest.mark.parametrize("no_network", [False, True])
def test_the_network_stays_unless_it_is_taken_away(scene: Any, no_network: bool) -> None:
    """Without it no server on this machine is reached, in a trial or in a setup; a loopback is left."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        code = (
            "import socket; own = socket.create_server(('127.0.0.1', 0)); "
            "print(socket.create_connection(own.getsockname()).getsockname()[0]); "
            f"socket.create_connection(('127.0.0.1', {port})); print('reached')"
        )
        line = shlex.join([sys.executable, "-c", code])
        done = scene.run(line, no_network=no_network)
        assert done.stdout.split() == ["127.0.0.1", *([] if no_network else ["reached"])], done.stderr
        plan = scene.plan("sh -c true", no_network=no_network)
        solution = replace(plan.solution, setup_cmd=f"{line} > reached 2>&1; true")
        solution.prepare((), walls=partial(setup_walls, replace(plan, solution=solution)))
        assert ("refused" in (scene.home / "reached").read_text()) == no_network
