"""What is measured: a user's command, a solution that comes with the program, or a Python function.

All have the same interface, so that nothing else needs to know which of them it has:

    given, name             how the user named it, and the name it gives itself
    cwd, timeout, stdin     where it runs, its default limit in seconds, the case's file that it reads
    command                 the words of the user's command; empty if each trial has another one
    has_directory           whether all files of `cwd` are its own
    measures_agent          False if its rates say nothing about an agent, because it is one of ours
    is_reference            whether it is the reference solver, which must pass every trial
    argv(...)               the command of one trial
    environment(...)        the variables of one trial
    true_rate(mistakes)     its pass rate on a case with these mistakes, if known by construction
    prepare(families)       what must be done and checked once, before the first trial
    to_json()               JSON data for the store; `solution_from_json` reads it back

Commands and builtin solutions run as processes, which `trapcli.calibration.execution.trial` starts.
A function runs in this process, and has no command.
"""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from trapcli.calibration.solutions.builtin import FORMS, PREFIX, Builtin, read_builtin
from trapcli.calibration.solutions.command import Command, Unusable, split_command
from trapcli.calibration.solutions.function import PREFIX as FUNCTION_PREFIX
from trapcli.calibration.solutions.function import Function
from trapcli.calibration.solutions.trap_yaml import FILE, read_trap_yaml
from trapcli.core.errors import TrapError

YAML = (".yaml", ".yml")

Solution: TypeAlias = Command | Builtin | Function


def read_solution(given: str, cwd: Path) -> Solution:
    """Return the solution that `--solution given` names, seen from the directory `cwd`.

    In this order: a builtin; a directory with a trap.yaml; a YAML file that exists; a command,
    which runs in `cwd`. Raises TrapError if it is none of these.
    """
    cwd = Path(os.path.abspath(cwd))
    if given.startswith(PREFIX):
        return read_builtin(given, cwd)
    if given.startswith(FUNCTION_PREFIX):
        raise TrapError(
            f"--solution {given}: this is a function of a Python program, which called `trapcli.calibrate`. "
            "Call that again, or give a command."
        )
    path = cwd / given
    if given.strip() and os.path.isdir(path):  # unlike Path.is_dir, isdir accepts a name that is too long
        return read_trap_yaml(path / FILE, given)
    if given.endswith(YAML) and os.path.exists(path):
        return read_trap_yaml(path, given)
    try:
        command = split_command(given)
    except Unusable as error:
        raise TrapError(
            f"--solution: {error}. Give a command ('python agent.py'), a directory with a {FILE}, or {FORMS}."
        ) from error
    _refuse_missing_path(command, path)
    return Command(given, command, cwd)


def solution_from_json(data: Mapping[str, Any]) -> Solution:
    """Return the solution that `to_json` turned into this data."""
    types = {"builtin": Builtin, "function": Function}
    solution: Solution = types.get(data["type"], Command).from_json(data)  # type: ignore[attr-defined]
    return solution


def _refuse_missing_path(command: Sequence[str], path: Path) -> None:
    """Raise TrapError for a single word that looks like the path of a solution but leads nowhere."""
    word = command[0]
    if len(command) > 1:
        return
    if word.startswith(("git+", "http://", "https://")):
        raise TrapError(f"--solution {word}: clone it, and give the directory that has its {FILE}.")
    if word.endswith(("/", *YAML)):
        what = "directory" if word.endswith("/") else "file"
        raise TrapError(f"--solution {word}: there is no such {what}: {path} is missing.")
