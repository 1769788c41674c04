"""The solutions that come with the program, to be run as any other: as a process of their own.

    builtin:solve             the family's reference solver
    builtin:slip:NAME         the same solver making this one mistake in every case that has it
    builtin:flaky:P           each mistake of a case happens with chance P, independently
    builtin:flaky:P:SEED      the same, with the same mistakes in every run

The process does nothing but solve or slip; which of them, chance included, is settled when its
command is made. It imports what its family needs to solve, and nothing else.
"""

import json
import os
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from trapcli.core import registry
from trapcli.core.draw import Draw
from trapcli.core.errors import UNUSABLE, TrapError

if TYPE_CHECKING:
    from trapcli.calibration.records import RunSuite

PREFIX = "builtin:"
VARIABLE = "TRAP_MANIFEST"
FORMS = (
    "builtin:solve, builtin:slip:MECHANISM, builtin:flaky:P or builtin:flaky:P:SEED, where P is a chance "
    "from 0 to 1"
)
CHANCE = r"[0-9]*\.?[0-9]+"
SEED = r"[A-Za-z0-9._-]{1,64}"  # not compiled here: the process needs neither


@dataclass(frozen=True, slots=True)
class Builtin:
    """A builtin solution. slip: the mistake it makes; "" makes none. chance, seed: of a flaky one."""

    slip: str = ""
    chance: float | None = None
    seed: str = ""


def read_builtin(text: str) -> Builtin:
    """The builtin solution that stands behind "builtin:"; TrapError, listing the forms, if there is none."""
    kind, *words = text.split(":")
    if kind == "solve" and not words:
        return Builtin()
    if kind == "slip" and len(words) == 1 and words[0]:
        return Builtin(slip=words[0])
    if kind == "flaky" and len(words) in (1, 2) and re.fullmatch(CHANCE, words[0]) and float(words[0]) <= 1:
        if len(words) == 1:
            return Builtin(chance=float(words[0]))
        if re.fullmatch(SEED, words[1]):
            return Builtin(chance=float(words[0]), seed=words[1])
        raise TrapError(
            f"--solution {PREFIX}{text}: the seed {words[1]!r} is not up to 64 letters, digits or any of ._-"
        )
    raise TrapError(f"--solution {PREFIX}{text}: there is no such solution. There are {FORMS}.")


def refuse_unknown_slip(builtin: Builtin, families: Iterable[str]) -> None:
    """TrapError, listing the mechanisms, if the slip's mechanism is one of none of the families."""
    if not builtin.slip:
        return
    known = {name: tuple(registry.family(name).mechanisms) for name in dict.fromkeys(families)}
    if not any(builtin.slip in names for names in known.values()):
        listed = "; ".join(f"{name} has {', '.join(names) or 'none'}" for name, names in known.items())
        raise TrapError(
            f"--solution {PREFIX}slip:{builtin.slip}: no family of this run has a mechanism of that name: "
            f"{listed}."
        )


def mistake(builtin: Builtin, mechanisms: Sequence[str], stream: str) -> str:
    """The mistake that is made on a case with these mechanisms in the trial that `stream` names; "" for none.

    A slip that the case does not have is not made: whoever holds that one wrong belief gets such
    a case right. Of several that happen to a flaky solution, one is chosen.
    """
    if builtin.chance is None:
        return builtin.slip if builtin.slip in mechanisms else ""
    draw = Draw(stream)
    happened = [name for name in mechanisms if draw.chance(builtin.chance)]
    return draw.choice(happened) if happened else ""


def true_rate(builtin: Builtin, mechanisms: Sequence[str]) -> float:
    """The chance that a trial on a case with these mechanisms passes; (1 - P) ** m if it is flaky."""
    if builtin.chance is None:
        return 0.0 if builtin.slip in mechanisms else 1.0
    return (1.0 - builtin.chance) ** len(mechanisms)


def stream_name(builtin: Builtin, run: str, suite: "RunSuite", case: str, number: int) -> str:
    """The stream that decides a trial. `run`: the run's token; it plays no part if there is a seed.

    What tells the suite is what it was built from, not where it stands.
    """
    source = f"seed {builtin.seed}" if builtin.seed else f"run {run}"
    knobs = json.dumps(dict(suite.knobs), sort_keys=True)
    return f"flaky/{source}/{suite.family}/{suite.version}/{suite.seed}/{knobs}/{case}/{number}"


def command_for(builtin: Builtin, family: str, mechanisms: Sequence[str], stream: str) -> tuple[str, ...]:
    """The command of one trial on a case of the family that has these mechanisms.

    It works from whatever directory it is started in, and finds the modules that this process does.
    """
    from trapcli.calibration.execution.child_process import python  # the process itself has no need of it

    made = mistake(builtin, mechanisms, stream)
    return python(__name__, family, *([made] if made else []))


def main(words: Sequence[str]) -> None:
    """The process: solve the case that the manifest names, or make the mistake; FAMILY [MECHANISM]."""
    try:
        family = registry.family(words[0])
        files = dict(_files(json.loads(os.environ[VARIABLE])["inputs_dir"]))
        printed = family.slip(files, words[1]) if words[1:] else family.solve(files)
    except TrapError as error:
        print(f"{PREFIX[:-1]}: {error}", file=sys.stderr)
        sys.exit(UNUSABLE)
    sys.stdout.buffer.write(printed.encode("utf-8"))


def _files(home: str) -> Iterator[tuple[str, str]]:
    """The files of a case as a family takes them, in the order of their paths; hidden ones are none."""
    found = []
    for folder, folders, names in os.walk(home):
        folders[:] = [name for name in folders if not name.startswith(".") and name != "__pycache__"]
        found += [os.path.join(folder, name) for name in names if not name.startswith(".")]
    named = sorted((os.path.relpath(path, home).replace(os.sep, "/"), path) for path in found)
    for name, path in named:
        with open(path, encoding="utf-8", newline="") as file:
            yield name, file.read()
