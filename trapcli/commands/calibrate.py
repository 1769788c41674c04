"""`trapcli calibrate`: repeated trials of an agent, kept, and what they come to."""

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from trapcli.cli import COMMANDS
from trapcli.commands.options import DIRECTORY, expected_option
from trapcli.commands.progress import bar, trials_bar
from trapcli.commands.run_number import RunNumber
from trapcli.commands.suites_to_run import complete_cases, suites_to_run
from trapcli.core.errors import DONE, FAILED, INTERRUPTED, TrapError
from trapcli.suites.selection import complete_families, runs_directory

if TYPE_CHECKING:
    from trapcli.calibration.records import Plan, Run, Solution
    from trapcli.calibration.store.store import Store
    from trapcli.suites.reader import Suite

# Engines are imported where they are used: `--help` and completion need none of them.

TRIALS = 10
INSTRUMENT = "builtin:solve"
LAST = 0  # the number that stands for the last run that is not complete
LONGEST = 1_000_000  # seconds of a limit, as in trap.yaml
RESUMABLE = ("resume", "jobs", "as_json")  # what may be given beside --resume


@dataclass(frozen=True, slots=True)
class Order:
    """What the command line asks for."""

    families: tuple[str, ...]
    suites: tuple[Path, ...]
    expected: Path | None
    solution: str | None
    trials: int
    only: tuple[str, ...]
    timeout: float | None
    isolate: bool
    fresh_home: bool
    env: tuple[str, ...]
    jobs: int | None
    as_json: bool


def _refuse_nan(ctx: click.Context, param: click.Parameter, value: float | None) -> float | None:
    if value is not None and value != value:
        raise click.BadParameter("nan is no number of seconds.", ctx, param)
    return value


@click.command(
    "calibrate",
    short_help=COMMANDS["calibrate"][1],
    epilog="""\b
Examples:
  trapcli calibrate --trials 10                   # prove the instrument, all families
  trapcli calibrate billing --solution 'python my_agent.py' -j 4
  trapcli calibrate ledger-close --solution agents/mine --trials 5 --isolate
  trapcli calibrate --suite public/billing --expected private --solution ./agent.sh
  trapcli calibrate --resume                      # go on where a run was stopped
  trapcli calibrate --compare 3 4
""",
)
@click.argument("families", nargs=-1, metavar="[FAMILY]...", shell_complete=complete_families)
@click.option(
    "--solution",
    metavar="COMMAND|DIR",
    help="What is measured: a command, a directory with trap.yaml, or builtin:solve, builtin:slip:NAME, "
    "builtin:flaky:P. Without it the instrument itself is checked.",
)
@click.option(
    "--trials", metavar="N", type=click.IntRange(1, 10_000), default=TRIALS, show_default=True,
    help="Trials of each case.",
)  # fmt: skip
@click.option(
    "-j", "--jobs", metavar="N", type=click.IntRange(1, 1000),
    help="Trials at a time. Default: 1; of a builtin solution, the number of processors.",
)  # fmt: skip
@click.option(
    "--timeout", metavar="SECONDS", type=click.FloatRange(0.001, LONGEST), callback=_refuse_nan,
    help="Limit of one trial; it is killed then. Default: trap.yaml's, or 600.",
)  # fmt: skip
@click.option(
    "--suite",
    "suites",
    metavar="DIR",
    multiple=True,
    type=DIRECTORY,
    help="Use the suite in this directory; again for more.",
)
@expected_option
@click.option(
    "--only",
    metavar="CASE",
    multiple=True,
    shell_complete=complete_cases,
    help="Run just this case; again for more.",
)
@click.option(
    "--isolate",
    is_flag=True,
    help="Run it under bubblewrap: no suites, no answers, no trapcli, a fresh HOME, few variables.",
)
@click.option(
    "--env",
    "env",
    metavar="NAME",
    multiple=True,
    help="With --isolate: let this variable through; again for more.",
)
@click.option("--fresh-home", is_flag=True, help="An empty HOME for each trial.")
@click.option(
    "--resume",
    metavar="[RUN]",
    type=RunNumber(unfinished=True),
    is_flag=False,
    flag_value=LAST,
    help="Go on with a run that was stopped; without a number, the last one. No trial is repeated.",
)
@click.option("--compare", metavar="A B", type=RunNumber(), nargs=2, help="Compare two runs, case by case.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
@click.pass_context
def command(
    ctx: click.Context, /, resume: int | None, compare: tuple[int, int] | None, **options: Any
) -> int:
    """Run an agent's command on each case several times, and say what came of it.

    The agent is any command. It finds its case through the variable TRAP_MANIFEST, which
    holds {"inputs_dir": ..., "outputs_dir": ...} as JSON; its answer is what it prints.
    FAMILY names suites in traps/ (default: all; what is missing is built). Without
    --solution the instrument is checked: every known mistake must fail, and the reference
    solver must pass every trial.

    Each trial is kept in .trapcli/ (never inside a suite) as it ends; `trapcli inspect run N`
    shows it.

    Exit code 0: done (without --solution: and the instrument is sound); 1: it is not, or a
    trial could not be run or judged; 2: could not be run; 130: interrupted.
    """
    order = Order(**options)
    if compare is not None:
        _refuse_beside(ctx, "compare", ("compare", "as_json"))
        return _compare(*compare, order.as_json)
    if resume is not None:
        _refuse_beside(ctx, "resume", RESUMABLE)
        return _resume(resume, order)
    return _begin(order)


def _refuse_beside(ctx: click.Context, name: str, allowed: Sequence[str]) -> None:
    for param in ctx.command.params:
        given = ctx.get_parameter_source(param.name or "") is click.core.ParameterSource.COMMANDLINE
        if given and param.name not in allowed:
            what = param.opts[0] if isinstance(param, click.Option) else "FAMILY"
            raise click.UsageError(
                f"--{name} takes the run as it is; leave {what} out. Another {what} is another run."
                if name == "resume"
                else f"--{name} goes alone; leave {what} out."
            )


def _begin(order: Order) -> int:
    from trapcli.calibration.plan import plan_suite
    from trapcli.calibration.records import Plan
    from trapcli.calibration.solutions.command import read_solution
    from trapcli.calibration.store.store import open_store

    solution = read_solution(INSTRUMENT if order.solution is None else order.solution, Path.cwd())
    if order.solution is None and Path("trap.yaml").exists():
        click.echo("./trap.yaml is not used; --solution . measures it.", err=True)
    if order.env and not order.isolate:
        raise click.UsageError("--env goes with --isolate; without it every variable is let through.")
    suites = _with_cases(suites_to_run(order.families, order.suites, order.expected), order.only)
    plan = Plan(
        solution=solution,
        suites=tuple(plan_suite(suite, order.only, solution.builtin) for suite in suites),
        trials=order.trials,
        limit=order.timeout or solution.timeout,
        isolate=order.isolate,
        fresh_home=order.fresh_home,
        env=order.env,
    )
    with open_store(runs_directory(Path.cwd()), create=True) as store:
        return _run(store, plan, suites, order)


def _with_cases(suites: "list[Suite]", only: Sequence[str]) -> "list[Suite]":
    """The suites that have one of the cases `only`, or all; TrapError if one of the cases is in none."""
    for case in only:
        if not any(case in suite.cases for suite in suites):
            spans = [f"{suite.family} has {suite.cases[0]} to {suite.cases[-1]}" for suite in suites]
            raise TrapError(f"--only {case}: no suite of this run has that case: {'; '.join(spans)}.")
    return [suite for suite in suites if not only or any(case in suite.cases for case in only)]


def _run(store: "Store", plan: "Plan", suites: "list[Suite]", order: Order) -> int:
    """A new run of the plan, to its end."""
    from secrets import token_hex

    from trapcli import __version__
    from trapcli.calibration.execution.workdirs import new_scratch
    from trapcli.calibration.plan import files_of, host, prepare

    prepare(plan, suites)
    plan = replace(plan, files=files_of(plan.solution))  # now that its setup_cmd has made them
    instrument = None
    if order.solution is None:
        from trapcli.calibration.self_check import check

        pairs = [(suite, plan.suites[n].cases) for n, suite in enumerate(suites)]
        with bar("checking the instrument", sum(len(cases) for _, cases in pairs)) as advance:
            instrument = check(pairs, advance)
    run = store.begin(
        plan,
        token=token_hex(16),
        jobs=_jobs(order, plan.solution),
        tool=__version__,
        python=sys.version.split()[0],
        host=host(),
        scratch=new_scratch(),
        instrument=instrument,
    )
    with store.claimed(run.number):
        return _carry_out(store, run, suites, order)


def _resume(number: int, order: Order) -> int:
    from trapcli.calibration.execution.workdirs import clear, new_scratch
    from trapcli.calibration.plan import files_of, prepare, refuse_other, reopened
    from trapcli.calibration.solutions.command import read_solution
    from trapcli.calibration.store.store import open_store

    place = runs_directory(Path.cwd())
    open_store(place, create=False).close()  # there must be one
    with open_store(place, create=True) as store:
        if number == LAST:
            number = _last(store)
        with store.claimed(number):
            run = store.run(number)
            if run.ended:
                click.echo(f"run {number} is complete: nothing is left to run", err=True)
                return _say(store, run, order, interrupted=False)
            solution = read_solution(run.plan.solution.given, Path.cwd())
            suites = reopened(run)
            refuse_other(run, replace(run.plan, solution=solution, files=files_of(solution)))
            for killed in clear(run.scratch):
                click.echo(f"ended what run {number} had left behind: {killed}", err=True)
            prepare(run.plan, suites)
            store.resumed(number, jobs=order.jobs or run.jobs, scratch=new_scratch())
            store.sweep(number)
            return _carry_out(store, store.run(number), suites, order)


def _last(store: "Store") -> int:
    unfinished = store.unfinished()
    if not unfinished:
        raise TrapError(
            "every run is complete; there is nothing to resume. `trapcli inspect run` lists them."
        )
    return unfinished[-1]


def _carry_out(store: "Store", run: "Run", suites: "list[Suite]", order: Order) -> int:
    from trapcli.calibration.execution.scheduler import carry_out
    from trapcli.calibration.reports.formatting import several

    names = ", ".join(str(_near(suite.directory)) for suite in run.plan.suites)
    left = run.plan.total - sum(store.counts(run.number).values())
    click.echo(
        f"run {run.number}: {several(left, 'trial')} of {run.plan.solution.given} on {names}", err=True
    )
    with trials_bar() as watch:
        interrupted = carry_out(store, run, suites, watch)
    return _say(store, store.run(run.number), order, interrupted)


def _say(store: "Store", run: "Run", order: Order, interrupted: bool) -> int:
    """Print what the run came to; gives the exit code."""
    from trapcli.calibration.reports.run_warnings import soundness
    from trapcli.calibration.reports.summarizer import summarize
    from trapcli.calibration.reports.trial_view import reader

    summary = summarize(run, store.trials(run.number), reader(store, run.number), store.earlier(run))
    if order.as_json:
        click.echo(json.dumps(summary.to_json(), indent=2))
    else:
        from trapcli.calibration.reports.run_tables import sections
        from trapcli.views.terminal import show_sections

        show_sections(sections(summary))
    if interrupted:
        click.echo(f"Interrupted. `{summary.resume}` runs the rest.", err=True)
        return INTERRUPTED
    errors = store.counts(run.number).get("judge_error", 0)
    sound = run.instrument is None or soundness(run, summary)[0]
    return DONE if summary.complete and not errors and sound else FAILED


def _compare(a: int, b: int, as_json: bool) -> int:
    from trapcli.calibration.reports.run_comparison import compare_runs
    from trapcli.calibration.reports.summarizer import summarize
    from trapcli.calibration.store.store import open_store

    with open_store(runs_directory(Path.cwd()), create=False) as store:
        runs = [store.run(number) for number in (a, b)]
        view = compare_runs(*(summarize(run, store.trials(run.number)) for run in runs))
    if as_json:
        click.echo(json.dumps(view.document, indent=2))
    else:
        from trapcli.views.terminal import show_sections

        show_sections(view.sections)
    return DONE


def _jobs(order: Order, solution: "Solution") -> int:
    from trapcli.calibration.plan import processors

    return order.jobs or (processors() if solution.builtin else 1)


def _near(path: Path) -> Path:
    cwd = Path.cwd()
    return path.relative_to(cwd) if path.is_relative_to(cwd) else path
