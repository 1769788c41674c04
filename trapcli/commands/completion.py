"""What the shell offers for a word that is being typed: families, cases, knobs, and what `inspect` shows.

Completion reads public halves only, and offers nothing where an error would be raised.
"""

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from trapcli.core.errors import TrapError

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from trapcli.core.contract import Family
    from trapcli.suites.selection import Target

RUN = "run"  # the first word of `trapcli inspect run`

# Engines are imported where they are used, because a shell waits for each completion.


def complete_families(ctx: click.Context, param: click.Parameter, incomplete: str) -> "list[CompletionItem]":
    """Offer the installed families."""
    from trapcli.core import registry

    return _items(registry.names(), incomplete)


def complete_cases(ctx: click.Context, param: click.Parameter, incomplete: str) -> "list[CompletionItem]":
    """Offer the cases of the suite that the options `suite` and `family` on the line choose."""
    from trapcli.suites.selection import Target

    suite = ctx.params.get("suite")
    try:
        return _items(_cases(Target(Path(suite) if suite else None, ctx.params.get("family"))), incomplete)
    except (TrapError, OSError):
        return []


def complete_knobs(ctx: click.Context, param: click.Parameter, incomplete: str) -> "list[CompletionItem]":
    """Offer the knobs of the family on the line, or of all families."""
    from trapcli.core import registry

    name = ctx.params.get("family")
    found: dict[str, str] = {}
    for family in loadable_families([name] if name else registry.names()):
        found |= {f"{knob}=": help for knob, help in knob_helps(family).items()}
    return _items(sorted(found), incomplete, found)


def complete_targets(ctx: click.Context, param: click.Parameter, incomplete: str) -> "list[CompletionItem]":
    """Offer what `inspect` shows: families, cases, runs; after a slash or a dot, directories."""
    from click.shell_completion import CompletionItem

    from trapcli.core import registry

    if "/" in incomplete or incomplete.startswith("."):
        return [CompletionItem(incomplete, type="dir")]
    words = ctx.params.get("targets") or ()
    suite = ctx.params.get("suite")
    try:
        if words[:1] == (RUN,):
            return _items(_words_after_run(words[1:]), incomplete)
        found = _words_after_target(words, Path(suite) if suite else None)
    except (TrapError, OSError):
        found = registry.names() if not words else []
    return _items(found if words else [*found, RUN], incomplete)


def knob_helps(family: "Family") -> dict[str, str]:
    """Return a line of help for each knob: what it sets, its range and its default."""
    from dataclasses import fields

    return {
        knob.name: f"{knob.metadata['help']}; {knob.metadata['low']} to {knob.metadata['high']}, "
        f"default {knob.default}"
        for knob in fields(family.knobs)
    }


def loadable_families(names: Iterable[str]) -> "list[Family]":
    """Return the families that load: help and completion do without a broken plugin."""
    from trapcli.core import registry

    found = []
    for name in names:
        try:
            found.append(registry.family(name))
        except TrapError:
            continue
    return found


def _words_after_target(words: Sequence[str], suite: Path | None) -> list[str]:
    """Return what may follow these words of `inspect`, which name a family, a suite or a case."""
    from trapcli.core import registry
    from trapcli.suites.selection import read_target

    target = read_target(words, suite)
    if target.case:
        return []
    families = [] if target.family or target.suite else registry.names()
    return [*families, *_cases(target)]


def _words_after_run(words: Sequence[str]) -> list[str]:
    """Return what may follow these words of `inspect run`: a run's number, then its families and cases."""
    from trapcli.suites.selection import runs_directory

    place = runs_directory(Path.cwd())
    if not os.path.lexists(place):
        return []
    from trapcli.calibration.store.store import open_store

    with open_store(place, create=False) as store:
        if not words:
            return [str(run.number) for run in store.runs()]
        if not (words[0].isdecimal() and len(words[0]) < 10):
            return []
        suites = store.run(int(words[0])).plan.suites
    if len(words) == 1:
        cases = [case for suite in suites for case in suite.cases]
        return list(dict.fromkeys([*(suite.family for suite in suites), *cases]))
    return [case for suite in suites if suite.family == words[1] for case in suite.cases]


def _cases(target: "Target") -> Sequence[str]:
    from trapcli.suites.selection import select_public

    return select_public(target, Path.cwd()).cases


def _items(
    words: Iterable[str], incomplete: str, helps: Mapping[str, str] | None = None
) -> "list[CompletionItem[Any]]":
    """Return the words that begin with what was typed, as the shell's completion takes them."""
    from click.shell_completion import CompletionItem

    helps = helps or {}
    return [CompletionItem(word, help=helps.get(word)) for word in words if word.startswith(incomplete)]
