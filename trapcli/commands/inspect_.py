"""`trapcli inspect`: families, suites and cases, and runs, on the terminal or as JSON."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from trapcli.commands import inspect_run
from trapcli.commands.completion import RUN, complete_targets
from trapcli.commands.options import (
    WholeNumber,
    chosen_public_suite,
    chosen_suite,
    expected_option,
    relative,
    suite_option,
)
from trapcli.core.errors import TrapError
from trapcli.views.json_document import json_document

if TYPE_CHECKING:
    from trapcli.suites.reader import PublicSuite, Suite
    from trapcli.suites.selection import Target
    from trapcli.views.suite_view import FoundSuite
    from trapcli.views.view import View

# Engines are imported where they are used: `--help` and completion need none of them.


HELP = """\
Show what is installed, built and run: families, a family, a suite, a case, a run.

A case is shown with everything: what the agent sees, its trap, the right answer, and the
verdict that each known mistake gets. With --public or --prompt only what an agent may see
is shown, from the public half alone.

The word `run` comes first (a suite's directory of that name is ./run). The runs are those
in .trapcli/ of the current directory. A family or a suite's directory is needed only if
several suites of the run have the case.
"""


@click.command(
    "inspect",
    help=HELP,
    epilog="""\b
Examples:
  trapcli inspect                            # families, and suites here and in traps/
  trapcli inspect billing                    # its traps, mistakes, knobs, levels, cases
  trapcli inspect billing case_03            # ticket, trap, gold, and each mistake's verdict
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
@click.option("--trial", metavar="K", type=WholeNumber(1, 10**9), help="Show this trial of a run's case.")
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
    """Show what the command line asks for."""
    if targets[:1] == (RUN,):
        if suite is not None or expected is not None or public or prompt:
            raise click.UsageError("`inspect run` takes --trial and --json, and none of the other options.")
        _show(inspect_run.view(targets[1:], trial), as_json)
        return
    if trial is not None:
        raise click.UsageError("--trial belongs to a run: `trapcli inspect run 3 case_01 --trial 2`.")
    from trapcli.suites.selection import read_target

    target = read_target(targets, suite, expected)
    public = public or prompt
    if public and expected is not None:
        raise click.UsageError("--public and --prompt read nothing private; leave --expected out.")
    if prompt:
        _print_prompt(target, as_json)
    else:
        _show(_view(target, public), as_json)


def _show(view: "View", as_json: bool) -> None:
    if as_json:
        click.echo(json_document(view.schema, view.document))
    else:
        from trapcli.views.terminal import show_sections

        show_sections(view.sections)


def _view(target: "Target", public: bool) -> "View":
    """Return the view of what the command line names."""
    if target.case is not None:
        return _public_case_view(target, target.case) if public else _case_view(target, target.case)
    if target.suite is not None:
        from trapcli.views.suite_view import about_suite

        return about_suite(_public_suite(target) if public else _suite(target))
    if target.family is not None:
        from trapcli.core import registry
        from trapcli.views.family_view import about_family

        family = registry.family(target.family)
        suites = _suites_here(target, public)
        return about_family(
            family, [one for one in suites if one.public and one.public.family == family.name]
        )
    if target.expected is not None:
        raise click.UsageError("--expected belongs to one suite: name a family, a suite or a case too.")
    from trapcli.views.overview import overview

    suites = _suites_here(target, public)
    return overview(suites) if public else overview(suites, *inspect_run.runs_here())


def _case_view(target: "Target", case_id: str) -> "View":
    from trapcli.core import registry
    from trapcli.views.case_view import about_case

    suite = _suite(target)
    return about_case(registry.family(suite.family), suite, case_id)


def _public_case_view(target: "Target", case_id: str) -> "View":
    from trapcli.core import registry
    from trapcli.views.public_case_view import about_public_case, read_public_case

    suite = _public_suite(target)
    family = registry.family(suite.family)
    if family.version != suite.version:
        raise TrapError(
            f"{suite.directory} was built by {suite.family} {suite.version}, but {family.version} is "
            "installed and may not understand its files. Install that version; --prompt works without it."
        )
    return about_public_case(family, suite, read_public_case(suite, case_id))


def _print_prompt(target: "Target", as_json: bool) -> None:
    from trapcli.views.public_case_view import read_public_case

    if target.case is None:
        raise click.UsageError("--prompt needs a case, as in `trapcli inspect case_01 --prompt`.")
    suite = _public_suite(target)
    text = read_public_case(suite, target.case).prompt()
    if as_json:
        document = {"family": suite.family, "case": target.case, "prompt": text}
        click.echo(json_document("prompt/1", document))
    else:
        click.echo(text.encode("utf-8"), nl=False)  # bytes: the same in every locale


def _suite(target: "Target") -> "Suite":
    """Return the chosen suite, both halves, with its directory as short as it can be."""
    suite = chosen_suite(target)
    return replace(suite, halves=replace(suite.halves, public=relative(suite.halves.public)))


def _public_suite(target: "Target") -> "PublicSuite":
    """Return the public half of the chosen suite, with its directory as short as it can be."""
    suite = chosen_public_suite(target)
    return replace(suite, directory=relative(suite.directory))


def _suites_here(target: "Target", public: bool) -> "list[FoundSuite]":
    """Return the suites in traps/, in the current directory, and the one that this directory is in."""
    from trapcli.suites.discovery import suites_under
    from trapcli.suites.layout import HOME
    from trapcli.suites.selection import suite_around

    cwd = Path.cwd()
    around = suite_around(cwd)
    places = [*suites_under(cwd / HOME), *suites_under(cwd), *([around] if around else [])]
    return [_found_suite(relative(place), target.expected, public) for place in dict.fromkeys(places)]


def _found_suite(place: Path, expected: Path | None, public: bool) -> "FoundSuite":
    from trapcli.suites.reader import open_public
    from trapcli.suites.selection import Target, select_suite
    from trapcli.views.suite_view import FoundSuite

    public_half = whole = None
    problem = ""
    try:
        public_half = open_public(place)
        if not public:
            whole = select_suite(Target(place, expected=expected), Path.cwd())
    except TrapError as error:
        problem = str(error)
    return FoundSuite(str(place), public_half, whole, problem)
