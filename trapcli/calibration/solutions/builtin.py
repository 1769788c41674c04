"""The solutions that come with the program.

    builtin:solve             the family's reference solver
    builtin:mistake:NAME      the same solver, making this one mistake in every case that has it
    builtin:flaky:P           makes each mistake of a case with probability P, independently
    builtin:flaky:P:SEED      the same, with the same mistakes in every run

They run as any other solution, in a process of their own (`builtin_process`). Which mistake a
trial makes is decided here, when its command is made.
"""

import json
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from trapcli.calibration.execution.helper_process import python
from trapcli.calibration.solutions.command import TIMEOUT, Walls
from trapcli.calibration.solutions.environment import TrialDirectories, trial_environment
from trapcli.core import registry
from trapcli.core.contract import Case
from trapcli.core.draw import Draw
from trapcli.core.errors import TrapError
from trapcli.core.recipe import Recipe

PREFIX = "builtin:"
PROCESS = "trapcli.calibration.solutions.builtin_process"
FORMS = (
    "builtin:solve, builtin:mistake:NAME, builtin:flaky:P or builtin:flaky:P:SEED, where P is the "
    "probability (from 0 to 1) of making each known mistake"
)
CHANCE = re.compile(r"[0-9]*\.?[0-9]+")
SEED = re.compile(r"[A-Za-z0-9._-]{1,64}")


@dataclass(frozen=True, slots=True)
class Builtin:
    """A solution that comes with the program. See `solution` for the interface.

    given: how the user named it.
    cwd: the directory it runs in.
    mistake: the mistake that it always makes, or "".
    chance: the probability of each of a case's mistakes, or None if it is not flaky.
    seed: decides, instead of the run's token, which mistakes a flaky one makes, or "".
    """

    given: str
    cwd: Path
    mistake: str = ""
    chance: float | None = None
    seed: str = ""

    command: ClassVar[tuple[str, ...]] = ()
    timeout: ClassVar[float] = TIMEOUT
    stdin: ClassVar[str | None] = None
    name: ClassVar[str | None] = None
    setup_cmd: ClassVar[str | None] = None
    has_directory: ClassVar[bool] = False
    measures_agent: ClassVar[bool] = False

    @property
    def is_reference(self) -> bool:
        """Whether this is the reference solver, without mistakes."""
        return not self.mistake and self.chance is None

    def argv(self, case: Case, number: int, *, recipe: Recipe, token: str) -> tuple[str, ...]:
        """Return the command of one trial, which can be started in any directory."""
        mistake = self.choose_mistake(case.mistakes, self._stream(case.id, number, recipe, token))
        return python(PROCESS, case.family, *([mistake] if mistake else []))

    def environment(
        self,
        directories: TrialDirectories,
        *,
        isolate: bool = False,
        allowed: Sequence[str] = (),
        environ: Mapping[str, str] = os.environ,
    ) -> dict[str, str]:
        """Return the variables of a trial; see `trial_environment`."""
        return trial_environment(directories, cwd=self.cwd, isolate=isolate, allowed=allowed, environ=environ)

    def true_rate(self, mistakes: Sequence[str]) -> float | None:
        """Return the pass rate of a flaky solution on a case with these mistakes, else None."""
        return None if self.chance is None else (1.0 - self.chance) ** len(mistakes)

    def prepare(
        self, families: Sequence[str], environ: Mapping[str, str] = os.environ, walls: Walls | None = None
    ) -> None:
        """Raise TrapError, listing the mistakes, if none of the families has this solution's mistake."""
        if not self.mistake:
            return
        known = {name: tuple(registry.family(name).mistakes) for name in dict.fromkeys(families)}
        if not any(self.mistake in names for names in known.values()):
            has = "; ".join(f"{name} has {', '.join(names) or 'none'}" for name, names in known.items())
            raise TrapError(
                f"--solution {self.given}: no family of this run has a mistake of that name: {has}."
            )

    def choose_mistake(self, mistakes: Sequence[str], stream: str) -> str:
        """Return the mistake to make on a case with these mistakes, or "".

        stream: names the trial's random numbers.

        A mistake that the case does not have is not made, because it would lead to gold there. If
        several of a flaky solution's mistakes happen, one of them is chosen.
        """
        if self.chance is None:
            return self.mistake if self.mistake in mistakes else ""
        draw = Draw(stream)
        happened = [name for name in mistakes if draw.chance(self.chance)]
        return draw.choice(happened) if happened else ""

    def _stream(self, case_id: str, number: int, recipe: Recipe, token: str) -> str:
        """Return the name of a trial's random numbers: by what the suite was built from, not where it is."""
        source = f"seed {self.seed}" if self.seed else f"run {token}"
        knobs = json.dumps(dict(recipe.knobs), sort_keys=True)
        return f"flaky/{source}/{recipe.family}/{recipe.version}/{recipe.seed}/{knobs}/{case_id}/{number}"

    def to_json(self) -> dict[str, Any]:
        """Return JSON data that `from_json` reads back."""
        return {
            "type": "builtin",
            "given": self.given,
            "cwd": str(self.cwd),
            "mistake": self.mistake,
            "chance": self.chance,
            "seed": self.seed,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "Builtin":
        """Return the solution that `to_json` turned into this data."""
        values = {name: value for name, value in data.items() if name != "type"}
        return cls(**{**values, "cwd": Path(data["cwd"])})


def read_builtin(given: str, cwd: Path) -> Builtin:
    """Return the solution that "builtin:..." names; TrapError, listing the forms, if there is none."""
    form, *words = given.removeprefix(PREFIX).split(":")
    if form == "solve" and not words:
        return Builtin(given, cwd)
    if form == "mistake" and len(words) == 1 and words[0]:
        return Builtin(given, cwd, mistake=words[0])
    if form == "flaky" and len(words) in (1, 2) and CHANCE.fullmatch(words[0]) and float(words[0]) <= 1:
        seed = words[1] if words[1:] else ""
        if words[1:] and not SEED.fullmatch(seed):
            raise TrapError(
                f"--solution {given}: the seed {seed!r} is not 1 to 64 letters, digits or any of ._-"
            )
        return Builtin(given, cwd, chance=float(words[0]), seed=seed)
    raise TrapError(f"--solution {given}: there is no such solution. There are {FORMS}.")
