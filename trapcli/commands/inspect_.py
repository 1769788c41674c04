"""`trapcli inspect`: families, suites and cases, and runs, on the terminal or as JSON."""

import json
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from trapcli.cli import COMMANDS
from trapcli.commands import inspect_run
from trapcli.commands.options import expected_option, suite_option
from trapcli.core.errors import TrapError

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from trapcli.suites.reader import PublicSuite, Suite
    from trapcli.views.inspection import Found, View

# Engines are imported where they are used: `--help` and completion need none of them.

CASE = re.compile("case_[0-9]+")


@dataclass(frozen=True, slots=True)
class Meant:
    """What the words and options on the command line name."""

    family: str | None
    case: str | None
    suite: Path | None
    expected: Path | None


def complete_targets(ctx: click.Context, param: click.Parameter, incomplete: str) -> "list[CompletionItem]":
    """Family names, case ids or a run's number, as typed so far; directories after a slash or dot."""
    from click.shell_completion import CompletionItem

    if "/" in incomplete or incomplete.startswith("."):
        return [CompletionItem(incomplete, type="dir")]
    from trapcli.core import registry
    from trapcli.suites.reader import open_public
    from trapcli.suites.selection import locate

    given = ctx.params.get("suite")
    words = ctx.params.get("targets") or ()
    try:
        if words[:1] == (inspect_run.WORD,):
            names = inspect_run.complete(words[1:])
            return [CompletionItem(name) for name in names if name.startswith(incomplete)]
        meant = _meant(words, Path(given) if given else None, None)
        names = [] if meant.family or meant.suite or meant.case else registry.names()
        if not meant.case:
            found = locate(suite=meant.suite, family=meant.family, case=None, cwd=Path.cwd())
            names = [*names, *open_public(found).cases]
    except (TrapError, OSError, click.UsageError):
        names = registry.names() if not words else []
    names = names if words else [*names, inspect_run.WORD]
    return [CompletionItem(name) for name in names if name.startswith(incomplete)]


@click.command(
    "inspect",
    short_help=COMMANDS["inspect"][1],
    epilog="""\b
Examples:
  trapcli inspect                            # families, and suites here and in traps/
  trapcli inspect billing                    # its trap kinds, mistakes, knobs, ladder, cases
  trapcli inspect billing case_03            # ticket, trap, gold, slips and what each gets
  trapcli inspect traps/billing              # one suite
  trapcli inspect case_03 --public           # the case without anything private
  trapcli inspect case_03 --prompt | my-agent
  trapcli inspect run                        # the runs of calibrate
  trapcli inspect run 3                      # its rates, cases, mistakes, warnings
  trapcli inspect run 3 case_03 --trial 2    # one trial: verdict, process, outputs
  trapcli inspect billing case_03 --json | jq .gold
""",
)
@click.argument(
    "targets", nargs=-1, metavar="[run N] [FAMILY|SUITE_DIR] [CASE]", shell_complete=complete_targets
)
@suite_option
@expected_option
@click.option("--public", is_flag=True, help="Show and read nothing private; the public half is enough.")
@click.option("--prompt", is_flag=True, help="Print a case as one text, to paste to an agent without tools.")
@click.option("--trial", metavar="K", type=click.IntRange(1, 10**9), help="Of a case of a run: this trial.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(
    targets: tuple[str, ...],
    suite: Path | None,
    expected: Path | None,
    public: bool,
    prompt: bool,
    trial: int | None,
    as_json: bool,
) -> None:
    """Show what is installed, built and run: families, a family, a suite, a case, a run.

    A case is shown whole: what the agent sees, which trap it is, the right answer, and
    each mistake that it tells apart with the verdict that mistake gets. With --public
    or --prompt only what an agent may see, from the public half alone.

    The word `run` comes first (a suite's directory called so is ./run). The runs are those
    in .trapcli/ of the directory we stand in. A family or a suite's directory is needed only
    if several suites of the run have the case.
    """
    if targets[:1] == (inspect_run.WORD,):
        if suite is not None or expected is not None or public or prompt:
            raise click.UsageError("`inspect run` takes --trial and --json, and none of the other options.")
        _show(inspect_run.view(targets[1:], trial), as_json)
        return
    if trial is not None:
        raise click.UsageError("--trial is of a run: `trapcli inspect run 3 case_01 --trial 2`.")
    meant = _meant(targets, suite, expected)
    public = public or prompt
    if public and expected is not None:
        raise click.UsageError("--public and --prompt read nothing private; leave --expected out.")
    if prompt:
        _print_prompt(meant, as_json)
        return
    _show(_view(meant, public), as_json)


def _show(view: "View", as_json: bool) -> None:
    if as_json:
        click.echo(json.dumps(view.document, indent=2))
    else:
        from trapcli.views.terminal import show_sections

        show_sections(view.sections)


def _meant(words: Sequence[str], suite: Path | None, expected: Path | None) -> Meant:
    """What the words name, each a family, a suite's directory or a case; an error if one is none of these."""
    from trapcli.core import registry

    names = registry.names()
    family = case = None
    for word in words:
        if CASE.fullmatch(word) and case is None:
            case = word
        elif word in names and family is None:
            family = word
        elif suite is None and word not in names and not CASE.fullmatch(word) and os.path.isdir(word):
            suite = Path(word)
        elif word in names or CASE.fullmatch(word) or os.path.isdir(word):
            raise click.UsageError(f"{word!r} is one too many; give one family or suite, and one case.")
        else:
            raise TrapError(
                f"{word!r} is no family (installed: {', '.join(names) or 'none'}), no case id (as case_01 "
                "is one), and no directory. `trapcli inspect` lists what there is."
            )
    return Meant(family, case, suite, expected)


def _view(meant: Meant, public: bool) -> "View":
    from trapcli.core import registry
    from trapcli.views import inspection

    if meant.case is not None:
        if public:
            half = _public_half(meant)
            _refuse_other_version(half)
            case = inspection.read_public(half, meant.case)
            return inspection.about_public(registry.family(half.family), half, case)
        suite = _suite(meant)
        return inspection.about_case(registry.family(suite.family), suite, meant.case)
    if meant.suite is not None:
        return inspection.about_suite(_public_half(meant) if public else _suite(meant))
    if meant.family is not None:
        family = registry.family(meant.family)
        suites = _suites_here(meant, public)
        ours = [one for one in suites if one.public and one.public.family == meant.family]
        return inspection.about_family(family, ours)
    if meant.expected is not None:
        raise click.UsageError("--expected belongs to one suite: name a family, a suite or a case too.")
    suites = _suites_here(meant, public)
    return inspection.overview(suites) if public else inspection.overview(suites, *inspect_run.runs_here())


def _print_prompt(meant: Meant, as_json: bool) -> None:
    from trapcli.views import inspection

    if meant.case is None:
        raise click.UsageError("--prompt needs a case, as in `trapcli inspect case_01 --prompt`.")
    half = _public_half(meant)
    text = inspection.prompt(inspection.read_public(half, meant.case).files)
    if as_json:
        click.echo(json.dumps({"family": half.family, "case": meant.case, "prompt": text}, indent=2))
    else:
        click.echo(text.encode("utf-8"), nl=False)  # bytes: the same in every locale


def _suite(meant: Meant) -> "Suite":
    """The suite that is meant, both halves."""
    from trapcli.suites.selection import select_suite

    cwd = Path.cwd()
    suite = select_suite(
        suite=meant.suite, family=meant.family, case=meant.case, expected=meant.expected, cwd=cwd
    )
    return replace(suite, directory=_near(suite.directory, cwd))


def _public_half(meant: Meant) -> "PublicSuite":
    """The suite that is meant, from its public half alone."""
    from trapcli.suites.reader import open_public
    from trapcli.suites.selection import locate

    cwd = Path.cwd()
    half = open_public(locate(suite=meant.suite, family=meant.family, case=meant.case, cwd=cwd))
    if meant.family not in (None, half.family):
        raise TrapError(
            f"{half.directory} is a suite of {half.family}, not of {meant.family}. Leave one of the two out."
        )
    return replace(half, directory=_near(half.directory, cwd))


def _refuse_other_version(half: "PublicSuite") -> None:
    from trapcli.core import registry

    installed = registry.family(half.family).version
    if installed != half.version:
        raise TrapError(
            f"{half.directory} was built by {half.family} {half.version}, but {installed} is installed "
            "and may not understand its files. Install that version; --prompt works without."
        )


def _suites_here(meant: Meant, public: bool) -> "list[Found]":
    """The suites in traps/, in this directory, and the one that we stand in."""
    from trapcli.suites.reader import suites_under
    from trapcli.suites.selection import HOME, suite_around

    cwd = Path.cwd()
    around = suite_around(cwd)
    places = [*suites_under(cwd / HOME), *suites_under(cwd), *([around] if around else [])]
    return [_found(_near(place, cwd), meant.expected, public) for place in dict.fromkeys(places)]


def _found(place: Path, expected: Path | None, public: bool) -> "Found":
    from trapcli.suites.reader import open_public
    from trapcli.suites.selection import select_suite
    from trapcli.views.inspection import Found

    half = suite = None
    problem = ""
    try:
        half = open_public(place)
        if not public:
            suite = select_suite(suite=place, family=None, case=None, expected=expected, cwd=Path.cwd())
    except TrapError as error:
        problem = str(error)
    return Found(str(place), half, suite, problem)


def _near(path: Path, cwd: Path) -> Path:
    """The path from where we stand if it lies below, so that it is short to read and to type."""
    return path.relative_to(cwd) if path.is_relative_to(cwd) else path
