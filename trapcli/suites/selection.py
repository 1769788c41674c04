"""Which suite a command means: the one given, else what fits the family, the place we stand in, the case."""

import os
import shlex
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from trapcli.core.errors import TrapError
from trapcli.suites.reader import RECORD, PublicSuite, Suite, is_suite, open_public, open_suite, suites_under

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

HOME = "traps"  # where `trapcli build` puts suites unless told
KEPT = ".trapcli"  # where `trapcli calibrate` keeps runs


def select_suite(
    *, suite: Path | None, family: str | None, case: str | None, expected: Path | None, cwd: Path
) -> Suite:
    """The suite that is meant, opened.

    In this order: the directory `suite`; the one of the family (the suite that `cwd` is in, or
    one under traps/); the one that `cwd` is in; the only one under traps/ that has the case.
    expected: its private half, or a directory that has it under the family's name.
    Raises TrapError if none fits, if several do (then it lists a command for each), or if the
    suite is not of the family.
    """
    found = locate(suite=suite, family=family, case=case, cwd=cwd)
    if expected is not None and not os.path.lexists(expected / RECORD):
        below = expected / open_public(found).family
        if (below / RECORD).is_file():
            expected = below
    opened = open_suite(found, expected)
    if family is not None and opened.family != family:
        raise TrapError(f"{found} is a suite of {opened.family}, not of {family}. Leave one of the two out.")
    return opened


def locate(*, suite: Path | None, family: str | None, case: str | None, cwd: Path) -> Path:
    """The directory of the suite that is meant, in the order of `select_suite`; not opened yet."""
    if suite is not None:
        return suite
    around = suite_around(cwd)
    if family is None and around is not None:
        return around
    fitting = known = _known(cwd, family)
    if family is not None:
        near = [open_public(around)] if around is not None else []
        fitting = [one for one in near + known if one.family == family]
    elif case is not None:
        fitting = [one for one in known if case in one.cases]
        if known and not fitting:
            raise TrapError(f"no suite in {cwd / HOME} has a case {case!r}: {_cases(known)}.")
    if not fitting:
        raise TrapError(
            f"there is no suite{f' of {family}' if family else ''} in {cwd / HOME}: build one with "
            f"`trapcli build {family or 'FAMILY'}`, or say where it is with --suite DIR."
        )
    if len(fitting) > 1:
        lines = [f"  {command_for(one.directory, case, cwd)}" for one in fitting]
        raise TrapError("several suites fit; say which one you mean:\n" + "\n".join(lines))
    return fitting[0].directory


def suite_around(cwd: Path) -> Path | None:
    """The suite that `cwd` is, or is inside of; the innermost one."""
    for directory in (cwd, *cwd.parents):
        if is_suite(directory):
            return directory
    return None


def runs_directory(cwd: Path) -> Path:
    """Where runs are kept: in .trapcli of `cwd`, or of where the suite stands that `cwd` is in.

    Never in a suite, which is what its digest says, and is replaced whole when it is built anew.
    """
    place = cwd
    while (around := suite_around(place)) is not None:
        place = around.parent.parent if around.parent.name == HOME else around.parent
    return Path(KEPT) if place == cwd else place / KEPT


def command_for(suite: Path, case: str | None, cwd: Path) -> str:
    """The command that was typed, for this suite; a plain one if it cannot be told what was typed."""
    context = click.get_current_context(silent=True)
    name = context.info_name if context is not None and context.info_name else "judge"
    words = sys.argv[1:]
    if words[:1] != [name]:
        words = [name, *(["--case", case] if case else [])]
    shown = suite.relative_to(cwd) if suite.is_relative_to(cwd) else suite
    return shlex.join(["trapcli", name, "--suite", str(shown), *words[1:]])


def complete_families(ctx: click.Context, param: click.Parameter, incomplete: str) -> "list[CompletionItem]":
    """Names of installed families that begin with what was typed."""
    from trapcli.core import registry

    return _items(registry.names, incomplete)


def complete_cases(ctx: click.Context, param: click.Parameter, incomplete: str) -> "list[CompletionItem]":
    """Ids of the cases of the suite that the options `suite` and `family` typed so far mean."""

    def ids() -> Sequence[str]:
        given = ctx.params.get("suite")
        chosen = Path(given) if given else None
        found = locate(suite=chosen, family=ctx.params.get("family"), case=None, cwd=Path.cwd())
        return open_public(found).cases

    return _items(ids, incomplete)


def _items(names: Callable[[], Sequence[Any]], incomplete: str) -> "list[CompletionItem]":
    from click.shell_completion import CompletionItem

    try:
        return [CompletionItem(name) for name in names() if name.startswith(incomplete)]
    except (TrapError, OSError):
        return []


def _known(cwd: Path, family: str | None) -> list[PublicSuite]:
    """The suites under traps/. A damaged one fits nothing, unless it stands where the family's would."""
    found = []
    for directory in suites_under(cwd / HOME):
        try:
            found.append(open_public(directory))
        except TrapError:
            if directory.name == family:
                raise
    return found


def _cases(known: Sequence[PublicSuite]) -> str:
    spans = [(one.directory.name, one.cases[0], one.cases[-1]) for one in known if one.cases]
    return "; ".join(f"{name} has {first} to {last}" for name, first, last in spans)
