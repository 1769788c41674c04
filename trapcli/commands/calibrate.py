"""`trapcli calibrate`: run an agent several times on each case, store every trial, and report the rates."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from trapcli.calibration.run_request import (
    DEFAULT_TRIALS,
    LONGEST_LIMIT,
    MOST_JOBS,
    MOST_TRIALS,
    SHORTEST_LIMIT,
    ResumeRequest,
    RunRequest,
)
from trapcli.commands.completion import complete_families
from trapcli.commands.options import DIRECTORY, WholeNumber, expected_option, refuse_empty
from trapcli.commands.run_display import RunDisplay
from trapcli.commands.run_number import RunNumber
from trapcli.commands.suites_to_run import LEFT_OUT, complete_cases, suites_to_run
from trapcli.core.errors import DONE, FAILED, INTERRUPTED
from trapcli.core.shorten import quoted
from trapcli.suites.selection import runs_directory
from trapcli.views.json_document import json_document
from trapcli.views.progress import note

if TYPE_CHECKING:
    from trapcli.calibration.session import RunResult

# Engines are imported where they are used: `--help` and completion need none of them.

LAST = 0  # the value of --resume without a number: the last run that is not complete
WITH_RESUME = (
    "resume",
    "jobs",
    "label",
    "tags",
    "allow_changes",
    "keep_going",
    "as_json",
)  # options that may be given together with --resume
WITH_COMPARE = ("compare", "as_json")


def _read_tags(
    ctx: click.Context, param: click.Parameter, value: tuple[str, ...]
) -> tuple[tuple[str, str], ...]:
    """Return names and values of tags; BadParameter if one has no name, or a name has two values."""
    tags: dict[str, str] = {}
    for text in value:
        name, equals, rest = text.partition("=")
        if not name.strip() or not equals:
            raise click.BadParameter(f"{quoted(text)} is not NAME=VALUE.", ctx, param)
        if tags.setdefault(name, rest) != rest:
            raise click.BadParameter(
                f"{name} has two values: {quoted(tags[name])} and {quoted(rest)}.", ctx, param
            )
    return tuple(tags.items())


def _refuse_nan(ctx: click.Context, param: click.Parameter, value: float | None) -> float | None:
    if value is not None and value != value:
        raise click.BadParameter("nan is not a number of seconds.", ctx, param)
    return value


HELP = """\
Run an agent's command several times on each case, and report how often it passes.

The agent is any command. It finds its case through the variable TRAP_MANIFEST, which
holds {"inputs_dir": ..., "outputs_dir": ...} as JSON; its answer is what it prints (for
some families, the files that it leaves in outputs_dir). FAMILY names suites in traps/
(default: all; missing ones are built). Without --solution, suites and judge are checked:
every known mistake must fail, and the reference solver must pass every trial.

Each trial is stored in .trapcli/ (never inside a suite) when it ends; `trapcli inspect run N`
shows it.

Exit code 0: done (without --solution: and the self-check passed); 1: it failed, a trial could
not be run or judged, a family was left out, or the first trials all crashed in the same way; 2:
could not be run; 130: interrupted.
"""


@click.command(
    "calibrate",
    help=HELP,
    epilog="""\b
Examples:
  trapcli calibrate --trials 10                   # self-check of all families
  trapcli calibrate billing --solution 'python my_agent.py' -j 4
  trapcli calibrate ledger-close --solution agents/mine --trials 5 --isolate
  trapcli calibrate --suite public/billing --expected private --solution ./agent.sh
  trapcli calibrate --resume                      # continue a run that was stopped
  trapcli calibrate --compare 3 4
""",
)
@click.argument("families", nargs=-1, metavar="[FAMILY]...", shell_complete=complete_families)
@click.option(
    "--solution",
    metavar="COMMAND|DIR",
    help="What to measure: a command, a directory with trap.yaml, or builtin:solve, builtin:mistake:NAME, "
    "builtin:flaky:P. Without it, suites and judge are checked (self-check).",
)
@click.option(
    "--trials", metavar="N", type=WholeNumber(1, MOST_TRIALS), default=DEFAULT_TRIALS, show_default=True,
    help="Trials of each case.",
)  # fmt: skip
@click.option(
    "-j", "--jobs", metavar="N", type=WholeNumber(1, MOST_JOBS),
    help="Trials to run at a time. Default: 1; for a builtin solution, the number of processors.",
)  # fmt: skip
@click.option(
    "--timeout", metavar="SECONDS", type=click.FloatRange(SHORTEST_LIMIT, LONGEST_LIMIT),
    callback=_refuse_nan,
    help="Time limit of one trial; at the limit it is killed. Default: trap.yaml's, or 600.",
)  # fmt: skip
@click.option(
    "--suite",
    "suites",
    metavar="DIR",
    multiple=True,
    type=DIRECTORY,
    help="Use the suite in this directory; may be repeated.",
)
@expected_option
@click.option(
    "--only",
    metavar="CASE",
    multiple=True,
    shell_complete=complete_cases,
    help="Run only this case; may be repeated.",
)
@click.option(
    "--isolate",
    is_flag=True,
    help="Run the solution under bubblewrap: no suites, no answers, no trapcli, a fresh HOME, few variables.",
)
@click.option("--no-network", is_flag=True, help="With --isolate: no network, only a loopback of its own.")
@click.option(
    "--env",
    "env",
    metavar="NAME",
    multiple=True,
    help="Record this variable with the run and, with --isolate, pass it on; may be repeated.",
)
@click.option(
    "--label",
    metavar="TEXT",
    callback=refuse_empty,
    help="Record a name for what is measured, such as a model.",
)
@click.option(
    "--tag", "tags", metavar="NAME=VALUE", multiple=True, callback=_read_tags,
    help="Record a name and a value with the run; may be repeated.",
)  # fmt: skip
@click.option(
    "--keep-going",
    is_flag=True,
    help="Go on even if the first trials all crash in the same way.",
)
@click.option("--fresh-home", is_flag=True, help="Give each trial an empty HOME.")
@click.option(
    "--resume",
    metavar="[RUN]",
    type=RunNumber(unfinished=True),
    is_flag=False,
    flag_value=LAST,
    help="Continue a run that was stopped; without a number, the last one. No trial is repeated.",
)
@click.option(
    "--allow-changes",
    is_flag=True,
    help="With --resume: go on with another label, tag, variable or file; the run is marked as mixed.",
)
@click.option("--compare", metavar="A B", type=RunNumber(), nargs=2, help="Compare two runs, case by case.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
@click.pass_context
def command(
    ctx: click.Context,
    /,
    resume: int | None,
    compare: tuple[int, int] | None,
    jobs: int | None,
    as_json: bool,
    **options: Any,
) -> int:
    """Run what the command line asks for, and return the exit code."""
    if compare is not None:
        _refuse_others(ctx, "--compare cannot be combined with {}.", WITH_COMPARE)
        return _compare(compare, as_json)
    if resume is not None:
        _refuse_others(ctx, "--resume continues the run as it was planned; leave {} out.", WITH_RESUME)
    elif options["allow_changes"]:
        raise click.UsageError("--allow-changes is only for --resume.")
    with RunDisplay() as display:
        request = None if resume is not None else _request(jobs=jobs, **options)
        from trapcli.calibration.session import Session

        session = Session(
            runs_directory(Path.cwd()),
            on_progress=display.trials,
            on_self_check=display.self_check,
            on_note=display.note,
        )
        if request is None:
            result = session.resume(resume or None, jobs, _resume_request(**options))
        else:
            result = session.start(request)
    code = _show(result, as_json)
    return FAILED if code == DONE and LEFT_OUT in ctx.meta else code


def _refuse_others(ctx: click.Context, why: str, allowed: Sequence[str]) -> None:
    """Raise UsageError if anything but the parameters named `allowed` is on the command line.

    why: the message, with {} for what is not allowed.
    """
    for param in ctx.command.params:
        given = ctx.get_parameter_source(param.name or "") is click.core.ParameterSource.COMMANDLINE
        if given and param.name not in allowed:
            what = param.opts[0] if isinstance(param, click.Option) else "FAMILY"
            raise click.UsageError(why.format(what))


def _request(
    *,
    families: tuple[str, ...],
    suites: tuple[Path, ...],
    expected: Path | None,
    solution: str | None,
    label: str | None,
    allow_changes: bool,
    isolate: bool,
    no_network: bool,
    **rest: Any,
) -> RunRequest:
    """Return the run that the options ask for; suites that are missing are built."""
    from trapcli.calibration.solutions.solution import read_solution

    measured = None if solution is None else read_solution(solution, Path.cwd())
    if measured is None and Path("trap.yaml").exists():
        note("./trap.yaml is not used; --solution . measures it.")
    if no_network and not isolate:
        raise click.UsageError("--no-network is only for --isolate; without it the solution runs as you.")
    chosen = suites_to_run(families, suites, expected)
    return RunRequest(
        tuple(chosen), measured, label=label or "", isolate=isolate, no_network=no_network, **rest
    )


def _resume_request(
    *,
    label: str | None,
    tags: tuple[tuple[str, str], ...],
    allow_changes: bool,
    keep_going: bool,
    **rest: Any,
) -> ResumeRequest:
    """Return what the options ask of a run that is resumed; a label or tags that are not given stay."""
    return ResumeRequest(label, tags or None, allow_changes, keep_going)


def _show(result: "RunResult", as_json: bool) -> int:
    """Print what a run came to, and return the exit code."""
    if as_json:
        from trapcli.calibration.reports.run_document import SCHEMA, run_document

        click.echo(json_document(SCHEMA, run_document(result.summary)))
    else:
        from trapcli.calibration.reports.run_tables import CUT_SHORT, STOPPED, run_sections
        from trapcli.views.terminal import show_sections

        state = CUT_SHORT if result.interrupted else STOPPED
        show_sections(run_sections(result.summary, state=state))
    if result.interrupted:
        note(f"Interrupted. {result.summary.how_to_resume}")
        return INTERRUPTED
    if result.stopped:
        note(f"Error: {result.stopped}")
    return DONE if result.succeeded else FAILED


def _compare(numbers: Sequence[int], as_json: bool) -> int:
    from trapcli.calibration.reports.run_comparison import compare_runs
    from trapcli.calibration.reports.summarizer import summarize
    from trapcli.calibration.reports.trial_view import tail_reader
    from trapcli.calibration.store.store import open_store

    with open_store(runs_directory(Path.cwd()), create=False) as store:
        first, second = (
            summarize(store.run(number), store.trials(number), tail_reader(store, number))
            for number in numbers
        )
    view = compare_runs(first, second)
    if as_json:
        click.echo(json_document(view.schema, view.document))
    else:
        from trapcli.views.terminal import show_sections

        show_sections(view.sections)
    return DONE
