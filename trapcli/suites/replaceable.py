"""Which directories a build may replace."""

import os
import shlex
from collections.abc import Callable, Sequence
from pathlib import Path

from trapcli.core.errors import TrapError
from trapcli.suites.discovery import is_suite
from trapcli.suites.halves import EXPECTED, Halves
from trapcli.suites.layout import ANSWER, COMMITMENT, PUBLIC, RECORD
from trapcli.system.files import digest_of, read_file


def replaced_directories(halves: Halves) -> list[Path]:
    """Return the real paths of the directories that a build of these halves replaces.

    That is the public half, and the private one unless it is inside it. Raises TrapError if one
    half is in the other, if one is inside a suite, or if the current directory is in one of them.
    """
    real = halves.resolved()
    targets = [real.public]
    if not real.nested:
        if real.private.is_relative_to(real.public) or real.public.is_relative_to(real.private):
            raise TrapError(
                f"--expected {halves.private}: the private half must not be inside the suite "
                f"{halves.public}, nor around it. Give a directory elsewhere that no agent can read."
            )
        targets.append(real.private)
    for target in targets:
        if around := next((path for path in target.parents if is_suite(path)), None):
            raise TrapError(
                f"{target} is inside the suite {around}, whose cases agents see. Name another place."
            )
    _refuse_current_directory(targets)
    return targets


def _refuse_current_directory(targets: Sequence[Path]) -> None:
    try:
        here = Path(os.path.realpath(os.getcwd()))
    except OSError:  # the current directory was removed
        return
    for target in targets:
        if here.is_relative_to(target):
            raise TrapError(
                f"this build replaces {target}, which is your current directory or contains it: first "
                f"`cd {shlex.quote(str(target.parent))}`."
            )


def require_replaceable(targets: Sequence[Path], force: bool) -> None:
    """Raise TrapError unless each target is absent, empty, or with `force` a half of one of our suites.

    targets: as `replaced_directories` returns them.
    """
    for target, (what, ours, belongs) in zip(targets, HALVES, strict=False):
        lowest = next(path for path in (target, *target.parents) if os.path.lexists(path))
        if not lowest.is_dir():
            raise TrapError(
                f"cannot build {target}: {lowest} is a file, not a directory. Name another place."
            )
        if lowest != target:
            continue
        names = sorted(os.listdir(target))
        if not names:
            continue
        if not ours(target):
            raise TrapError(f"{target} exists and is not {what}; it was left as it is. Name another place.")
        if foreign := [name for name in names if not belongs(target, name)]:
            raise TrapError(
                f"{target} is {what}, but also contains {', '.join(foreign[:3])}, which a build would "
                "remove. Move that away first."
            )
        if not force:
            raise TrapError(f"{target} is {what} already; --force (in Python: force=True) replaces it.")
    if len(targets) > 1 and _is_private(targets[1]) and not _belong_together(*targets):
        raise TrapError(
            f"{targets[1]} is the private half of another suite than {targets[0]}; that suite could not be "
            "judged without it. Name another place, or delete it if you need neither."
        )


def _belong_together(public: Path, private: Path) -> bool:
    """Whether the public half commits to this private one."""
    try:
        committed = read_file(public / COMMITMENT)
    except TrapError:
        return False
    return f"{digest_of(read_file(private / RECORD))}  {EXPECTED}/{RECORD}\n".encode() in committed


def _is_public_part(suite: Path, name: str) -> bool:
    return name in PUBLIC


def _is_private(directory: Path) -> bool:
    return (directory / RECORD).is_file()


def _is_private_part(private: Path, name: str) -> bool:
    return name == RECORD or (private / name / ANSWER).is_file()


# Of the public and the private half: its name, how it is recognised, what may be in it.
HALVES: tuple[tuple[str, Callable[[Path], bool], Callable[[Path, str], bool]], ...] = (
    ("a suite", is_suite, _is_public_part),
    ("the private half of a suite", _is_private, _is_private_part),
)
