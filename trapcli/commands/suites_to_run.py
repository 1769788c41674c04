"""The suites that `trapcli calibrate` runs on; a family without a suite gets one."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from trapcli.commands.options import chosen_suite
from trapcli.core import registry
from trapcli.core.errors import FamilyFault, TrapError
from trapcli.suites.discovery import suites_under
from trapcli.suites.layout import HOME
from trapcli.suites.reader import open_public
from trapcli.suites.selection import Target, find_suite, suite_around
from trapcli.views.progress import bar, note

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from trapcli.suites.reader import Suite

LEFT_OUT = "trapcli.families_left_out"  # in the context's meta if a family could not be used


def suites_to_run(families: Sequence[str], given: Sequence[Path], expected: Path | None) -> "list[Suite]":
    """Return the suites to run on, opened.

    families: names on the command line.
    given: directories of suites on the command line.
    expected: the private half of the suites, or a directory with one for each family.

    These are the suites in `given`, and for each other family the one that `trapcli.suites.selection`
    finds. If nothing is named: the suite that the current directory is in, else all in traps/. A family
    that is named and has no suite gets its practice suite built; if nothing is named, every family.
    A family that fails is reported and left out, unless it is named.
    Raises TrapError if a suite is missing or damaged.
    """
    names = list(dict.fromkeys(families))
    for name in names:
        registry.family(name)  # raises an error before anything is built
    suites = [_open(place, None, expected) for place in given]
    for suite in suites:
        if names and suite.family not in names:
            raise TrapError(
                f"{suite.directory} is a suite of {suite.family}, which is not one of the families named."
            )
    if suites and not names:
        return _each_once(suites)
    around = suite_around(Path.cwd())
    if around is not None and not names:
        return [_open(around, None, expected)]
    left = [name for name in names if name not in {suite.family for suite in suites}]
    if left or not names:
        _build_missing(left, around, expected)
    if names:
        return _each_once([*suites, *(_open(None, name, expected) for name in left)])
    suites = [*_usable(suites_under(Path.cwd() / HOME), expected)]
    if not suites:
        raise TrapError(f"there is nothing to run: no family is installed, and {HOME} has no suite.")
    return suites


def complete_cases(ctx: click.Context, param: click.Parameter, incomplete: str) -> "list[CompletionItem]":
    """Offer the cases of the suites on the line, or of those that are used if none is named."""
    from click.shell_completion import CompletionItem

    places: list[Path] = [Path(given) for given in ctx.params.get("suites") or ()]
    try:
        for family in ctx.params.get("families") or ctx.args:  # `args` if the line ends in an option
            places.append(find_suite(Target(family=family), Path.cwd()))
        around = suite_around(Path.cwd())
        places = places or ([around] if around is not None else suites_under(Path.cwd() / HOME))
        cases = dict.fromkeys(case for place in places for case in open_public(place).cases)
    except (TrapError, OSError):
        return []
    return [CompletionItem(case) for case in cases if case.startswith(incomplete)]


def _each_once(suites: "Sequence[Suite]") -> "list[Suite]":
    return list({suite.directory.resolve(): suite for suite in suites}.values())


def _build_missing(names: Sequence[str], around: Path | None, expected: Path | None) -> None:
    """Build a practice suite for each of these families, or of all, that has no suite here.

    around: the suite that the current directory is in, which also counts.

    Raises TrapError if a suite that would be used is damaged.
    """
    found = set()
    for place in [*suites_under(Path.cwd() / HOME), *([around] if around is not None else [])]:
        try:
            found.add(open_public(place).family)
        except TrapError:
            if not names or place.name in names:
                raise
    wanted = names or _loading()
    missing = [name for name in wanted if name not in found]
    if missing and expected is not None:
        raise TrapError(
            f"there is no suite of {missing[0]} in {HOME}, and --expected names the private half of one. "
            f"Build it first: `trapcli build {missing[0]} --expected DIR`."
        )
    for name in missing:
        try:
            _build(name)
        except FamilyFault as error:
            if names:
                raise
            _leave_out(str(error))


def _loading() -> list[str]:
    """Return the families that load; report the others."""
    families, problems = registry.usable()
    for problem in problems:
        _leave_out(problem.message)
    return [family.name for family in families]


def _usable(places: Sequence[Path], expected: Path | None) -> "Iterator[Suite]":
    """Yield the suites there, opened, but for those of families that fail, which were reported."""
    for place in places:
        try:
            yield _open(place, None, expected)
        except FamilyFault as error:
            _leave_out(f"{place}: {error}")


def _leave_out(why: str) -> None:
    click.get_current_context().meta[LEFT_OUT] = True
    click.echo(f"Error: {why} It is left out.", err=True)


def _open(place: Path | None, family: str | None, expected: Path | None) -> "Suite":
    return chosen_suite(Target(place, family, expected=expected))


def _build(name: str) -> None:
    """Build the family's practice suite where `trapcli build` puts it."""
    from trapcli.building.builder import build_practice

    family = registry.family(name)
    target = Path(HOME) / name
    with bar(f"building {name}", family.cases) as advance:
        suite = build_practice(family, target, advance)
    note(f"built {target}: {len(suite.cases)} cases, for practice")
