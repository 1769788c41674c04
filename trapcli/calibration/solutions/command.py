"""A solution that is a command: an agent, a black box."""

import os
import shlex
import subprocess
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, ClassVar, TypeAlias

from trapcli.calibration.solutions.environment import (
    MANIFEST,
    TrialDirectories,
    trial_environment,
    without_ours,
)
from trapcli.calibration.solutions.programs import (
    find_program,
    refuse_missing_interpreter,
    refuse_missing_script,
)
from trapcli.core.contract import Case
from trapcli.core.errors import TrapError
from trapcli.core.recipe import Recipe
from trapcli.core.shorten import quoted

# Takes a command, and yields the one that runs it isolated, with all its variables.
Walls: TypeAlias = Callable[[Sequence[str]], AbstractContextManager[tuple[Sequence[str], dict[str, str]]]]

TIMEOUT = 600.0  # seconds of wall clock
TAIL_BYTES, TAIL_LINES = 4096, 8  # of the output of a failed setup_cmd, in the message


class Unusable(ValueError):
    """What is wrong with a value; whoever read it adds where it came from."""


@dataclass(frozen=True, slots=True)
class Command:
    """A solution that is a command, from --solution or from a trap.yaml. See `solution` for the interface.

    given: how the user named it.
    command: the program and its arguments.
    cwd: the directory it runs in.
    timeout: seconds of wall clock for a trial, unless --timeout says otherwise.
    stdin: one of the case's files, or None for an empty input.
    setup_cmd: a line of shell to run once before the trials.
    manifest_envvar: the variable that says where its directories are.
    name, profile: what trap.yaml says about the agent.
    has_directory: whether `cwd` is its own directory, with its trap.yaml.
    """

    given: str
    command: tuple[str, ...]
    cwd: Path
    timeout: float = TIMEOUT
    stdin: str | None = None
    setup_cmd: str | None = None
    manifest_envvar: str = MANIFEST
    name: str | None = None
    profile: Mapping[str, Any] = field(default_factory=dict)
    has_directory: bool = False

    measures_agent: ClassVar[bool] = True
    is_reference: ClassVar[bool] = False

    def argv(self, case: Case, number: int, *, recipe: Recipe, token: str) -> tuple[str, ...]:
        """Return the command of one trial, which is the same in all."""
        return self.command

    def environment(
        self,
        directories: TrialDirectories,
        *,
        isolate: bool = False,
        allowed: Sequence[str] = (),
        environ: Mapping[str, str] = os.environ,
    ) -> dict[str, str]:
        """Return the variables of a trial; see `trial_environment`."""
        return trial_environment(
            directories,
            cwd=self.cwd,
            manifest_envvar=self.manifest_envvar,
            isolate=isolate,
            allowed=allowed,
            environ=environ,
        )

    def true_rate(self, mistakes: Sequence[str]) -> float | None:
        """Return None: what an agent's pass rate is, is what we want to measure."""
        return None

    def prepare(
        self, families: Sequence[str], environ: Mapping[str, str] = os.environ, walls: Walls | None = None
    ) -> None:
        """Run setup_cmd, then raise TrapError if the program is missing or cannot be run.

        walls: isolates setup_cmd; None if the run is not isolated.
        """
        self._set_up(environ, walls)
        self._refuse_missing(environ)

    def program(self, environ: Mapping[str, str] = os.environ) -> Path:
        """Return where the program is; TrapError if it cannot be found."""
        try:
            return find_program(self.command[0], self.cwd, environ)
        except TrapError as error:
            raise TrapError(f"--solution {self.given}: {error}") from error

    def to_json(self) -> dict[str, Any]:
        """Return JSON data that `from_json` reads back."""
        values = {one.name: getattr(self, one.name) for one in fields(self)}
        return {
            "type": "command",
            **values,
            "command": list(self.command),
            "cwd": str(self.cwd),
            "profile": dict(self.profile),
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "Command":
        """Return the command that `to_json` turned into this data."""
        values = {name: value for name, value in data.items() if name != "type"}
        return cls(**{**values, "command": tuple(data["command"]), "cwd": Path(data["cwd"])})

    def _set_up(self, environ: Mapping[str, str], walls: Walls | None) -> None:
        """Run setup_cmd without a time limit; unless it is isolated, with all variables except ours."""
        if not self.setup_cmd:
            return
        line = ("/bin/sh", "-c", self.setup_cmd)
        shell = walls(line) if walls else nullcontext((line, without_ours(environ)))
        # A file, not a pipe: a server that it leaves in the background would hold a pipe open.
        with tempfile.TemporaryFile() as printed, shell as (argv, env):
            done = subprocess.run(
                argv,
                cwd=self.cwd,
                env=env,
                stdin=subprocess.DEVNULL,
                stdout=printed,
                stderr=subprocess.STDOUT,
            )
            if done.returncode == 0:
                return
            printed.seek(max(0, printed.seek(0, os.SEEK_END) - TAIL_BYTES))
            lines = printed.read().decode("utf-8", "replace").splitlines()
        end = f"exit code {done.returncode}" if done.returncode > 0 else f"signal {-done.returncode}"
        tail = [f"  {line}" for line in lines if line.strip()][-TAIL_LINES:] or ["  (it printed nothing)"]
        hint = ["  (isolated, it can write only to the solution's directory)"] if walls else []
        raise TrapError(
            "\n".join(
                [f"--solution {self.given}: its setup_cmd failed with {end}: {self.setup_cmd}", *tail, *hint]
            )
        )

    def _refuse_missing(self, environ: Mapping[str, str]) -> None:
        if not self.cwd.is_dir():
            raise TrapError(f"--solution {self.given}: {self.cwd}, where it runs, is not a directory.")
        refuse_missing_script(self.command, self.cwd, f"--solution {self.given}")
        script = self.program(environ)
        try:
            refuse_missing_interpreter(script, self.cwd)
        except TrapError as error:
            raise TrapError(f"--solution {self.given}: {error}") from error


def split_command(text: str) -> tuple[str, ...]:
    """Return the words of a command, split as a shell does; Unusable if it names no program."""
    try:
        words = tuple(shlex.split(text))
    except ValueError as error:
        raise Unusable(f"{quoted(text)} cannot be split into words: {str(error).lower()}") from error
    if not words or not words[0]:
        raise Unusable(f"{quoted(text)} names no program")
    if "\0" in text:
        raise Unusable(f"{quoted(text)} contains a NUL character, which a command cannot")
    return words
