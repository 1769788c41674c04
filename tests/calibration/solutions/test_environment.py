"""Which variables a trial's process gets."""

import json
from pathlib import Path
from typing import Any

import pytest
from factories import command_of, solution_of

from trapcli.calibration.solutions.environment import TrialDirectories, refuse_unset
from trapcli.core.errors import TrapError

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
REMOVED = {
    "OLDPWD",
    "_",
    "TRAPTASK_MANIFEST",
    "_TRAPCLI_COMPLETE",
    "TRAPCLI_SEED",
    "TRAP_MANIFEST",
    "AN_OUTER_ONE",
}
MANIFEST = {"inputs_dir": "/t/in", "outputs_dir": "/t/out"}


def variables(solution: Any, home: Any = None, **options: Any) -> Any:
    directories = TrialDirectories(Path("/t/in"), Path("/t/out"), home)
    return solution.environment(directories, environ=AROUND, **options)


@pytest.mark.parametrize("given", ["python agent.py", "builtin:solve"])
def test_variables_of_a_trial(given: str) -> None:
    """All our variables are passed on, except our own, an outer trial's, and those that say where we are."""
    env = variables(solution_of(given))
    assert json.loads(env.pop("TRAP_MANIFEST")) == MANIFEST
    assert env == {**{name: AROUND[name] for name in AROUND.keys() - REMOVED}, "PWD": "/home/me"}


def test_manifest_in_another_variable() -> None:
    """A solution with a variable of its own gets the manifest there, and not in the usual one."""
    env = variables(command_of("run", manifest_envvar="AGENT_MANIFEST"))
    assert json.loads(env["AGENT_MANIFEST"]) == MANIFEST and "TRAP_MANIFEST" not in env


def test_fresh_home() -> None:
    """HOME is the trial's, and no XDG variable leads back to the user's."""
    env = variables(command_of("run"), home=Path("/t/home"))
    assert env["HOME"] == "/t/home" and env["API_KEY"] == "secret"
    assert not [name for name in env if name.startswith("XDG_")]


def test_isolated_variables() -> None:
    """An isolated solution gets only harmless variables and those that were asked for."""
    env = variables(command_of("run"), home=Path("/t/home"), isolate=True)
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
    names = ("API_KEY", "XDG_CONFIG_HOME")
    assert {*variables(command_of("run"), Path("/t/home"), isolate=True, allowed=names)} == {*wanted, *names}


@pytest.mark.parametrize(
    "name", ["UNSET", "API_KEY=x", "", "A B", "HOME", "TMPDIR", "TRAPCLI_SEED", "TRAPTASK_MANIFEST"]
)
def test_unusable_names_are_refused(name: str) -> None:
    """A name that is not set, is not a name, or has its own value in each trial is refused up front."""
    with pytest.raises(TrapError, match=f"--env {name}: "):
        refuse_unset(["API_KEY", name], AROUND)
    refuse_unset(["API_KEY"], AROUND)
