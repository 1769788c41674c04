"""Which suites `trapcli calibrate` runs on; those of families that have none yet are built."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from trapcli.commands.progress import bar
from trapcli.core import registry
from trapcli.core.errors import TrapError
from trapcli.suites.reader import open_public, suites_under
from trapcli.suites.selection import HOME, locate, select_suite, suite_around

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from trapcli.suites.reader import Suite


def suites_to_run(families: Sequence[str], given: Sequence[Path], expected: Path | None) -> "list[Suite]":
    """The suites that are meant, opened.

    In this order: those at the directories `given`, and of each family named besides the one that
    `trapcli.suites.selection` finds; the one that we stand in; all under traps/. Of a family that has
    none, or of every installed one if none is named, the practice suite is built. expected: their
    private half, or a directory with one for each family. Raises TrapError if one is not to be had.
    """
    names = list(dict.fromkeys(families))
    for name in names:
        registry.family(name)  # an error before anything is built
    suites = [_opened(place, None, expected) for place in given]
    for suite in suites:
        if names and suite.family not in names:
            raise TrapError(
                f"{suite.directory} is a suite of {suite.family}, which is not among the families named."
            )
    if suites and not names:
        return _each_once(suites)
    around = suite_around(Path.cwd())
    if around is not None and not names:
        return [_opened(around, None, expected)]
    left = [name for name in names if name not in {suite.family for suite in suites}]
    if left or not names:
        _build_missing(left, around, expected)
    if names:
        return _each_once([*suites, *(_opened(None, name, expected) for name in left)])
    suites = [_opened(place, None, expected) for place in suites_under(Path.cwd() / HOME)]
    if not suites:
        raise TrapError(f"there is nothing to run: no family is installed, and {HOME} holds no suite.")
    return suites


def complete_cases(ctx: click.Context, param: click.Parameter, incomplete: str) -> "list[CompletionItem]":
    """Ids of the cases of the suites that were typed so far, or of those that are meant without."""
    from click.shell_completion import CompletionItem

    places: list[Path] = [Path(given) for given in ctx.params.get("suites") or ()]
    try:
        for family in ctx.params.get("families") or ctx.args:  # of a line that ends in an option
            places.append(locate(suite=None, family=family, case=None, cwd=Path.cwd()))
        around = suite_around(Path.cwd())
        places = places or ([around] if around is not None else suites_under(Path.cwd() / HOME))
        cases = dict.fromkeys(case for place in places for case in open_public(place).cases)
    except (TrapError, OSError):
        return []
    return [CompletionItem(case) for case in cases if case.startswith(incomplete)]


def _each_once(suites: "Sequence[Suite]") -> "list[Suite]":
    return list({suite.directory.resolve(): suite for suite in suites}.values())


def _build_missing(names: Sequence[str], around: Path | None, expected: Path | None) -> None:
    """Build a suite of each of these families, or of all, that has none here.

    Raises TrapError for a damaged suite that is one of those that are meant.
    """
    found = set()
    for place in [*suites_under(Path.cwd() / HOME), *([around] if around is not None else [])]:
        try:
            found.add(open_public(place).family)
        except TrapError:
            if not names or place.name in names:
                raise
    missing = [name for name in names or registry.names() if name not in found]
    if missing and expected is not None:
        raise TrapError(
            f"there is no suite of {missing[0]} in {HOME}, whose private half --expected could be."
        )
    for name in missing:
        _build(name)


def _opened(place: Path | None, family: str | None, expected: Path | None) -> "Suite":
    return select_suite(suite=place, family=family, case=None, expected=expected, cwd=Path.cwd())


def _build(name: str) -> None:
    """Build the family's practice suite where `trapcli build` puts it."""
    from trapcli.building.builder import build_practice

    family = registry.family(name)
    target = Path(HOME) / name
    with bar(f"building {name}", family.cases) as advance:
        suite = build_practice(family, target, advance)
    click.echo(f"built {target}: {len(suite.cases)} cases, for practice", err=True)
