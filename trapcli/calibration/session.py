"""A session: start or resume a run in a directory of runs, carry it out, and sum it up.

Everything that `trapcli calibrate` does with a run is done here; the command converts options and
prints. Nothing here prints or exits.
"""

import platform
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from secrets import token_hex
from typing import Any

from trapcli.calibration.execution.scheduler import OnProgress, carry_out
from trapcli.calibration.execution.workdirs import clear_scratch, new_scratch
from trapcli.calibration.false_start import FalseStart
from trapcli.calibration.plan import (
    configuration_of,
    host,
    plan_suite,
    prepare,
    processors,
    refuse_changed_plan,
    reopen_suites,
)
from trapcli.calibration.records import Change, Plan, Run
from trapcli.calibration.reports.formatting import plural
from trapcli.calibration.reports.run_document import SCHEMA, run_document
from trapcli.calibration.reports.run_summary import RunSummary
from trapcli.calibration.reports.self_check_result import self_check_result
from trapcli.calibration.reports.summarizer import summarize
from trapcli.calibration.reports.trial_view import tail_reader
from trapcli.calibration.resume_changes import changes_of
from trapcli.calibration.run_request import ResumeRequest, RunRequest
from trapcli.calibration.self_check import check_suites
from trapcli.calibration.solutions.shell_syntax import shell_hint
from trapcli.calibration.solutions.solution import Solution, read_solution
from trapcli.calibration.store.store import Store, open_store
from trapcli.calibration.suite_names import short_path
from trapcli.core.errors import TrapError
from trapcli.suites.reader import Suite
from trapcli.system.locks import shared_directories
from trapcli.system.package import __version__

REFERENCE_SOLVER = "builtin:solve"


@dataclass(frozen=True, slots=True)
class RunResult:
    """What a run came to.

    summary: the results so far, with the run itself.
    interrupted: whether the user stopped it.
    self_check_passed: whether known mistakes failed and the reference solver passed; None if the
        run is not a self-check, or does not show it yet.
    stopped: why it measured nothing, if its first trials show that, and what to do; else "".
    """

    summary: RunSummary
    interrupted: bool
    self_check_passed: bool | None
    stopped: str = ""

    @property
    def number(self) -> int:
        """The run's number, as `trapcli inspect run` shows it."""
        return self.summary.run.number

    @property
    def rate(self) -> float | None:
        """The mean pass rate of the first suite's cases; None if no trial has a verdict."""
        return self.summary.suites[0].rate

    def to_json(self) -> dict[str, Any]:
        """Return the results as JSON data, as `trapcli calibrate --json` prints them."""
        return {"schema": SCHEMA, **run_document(self.summary)}

    @property
    def complete(self) -> bool:
        """Whether every trial of the run is finished."""
        return self.summary.complete

    @property
    def judge_errors(self) -> int:
        """How many finished trials have no verdict."""
        return self.summary.counts.done - self.summary.counts.counted

    @property
    def succeeded(self) -> bool:
        """Whether the run is complete, measured something, lacks no verdict, and no self-check failed."""
        complete = self.complete and not self.stopped
        return complete and not self.judge_errors and self.self_check_passed is not False


class Session:
    """Starts and resumes runs, which are stored in one directory. TrapError means that a run cannot go on."""

    def __init__(
        self,
        directory: Path,
        *,
        on_progress: OnProgress = lambda progress: None,
        on_self_check: Callable[[int, int], None] = lambda done, total: None,
        on_note: Callable[[str], None] = lambda note: None,
    ) -> None:
        """Set up a session; nothing is opened or created yet.

        directory: where runs are stored, such as .trapcli.
        on_progress: called while trials run.
        on_self_check: called with the number of cases that are checked, and of all.
        on_note: called with a line that a user should see, such as which run has started.
        """
        self.directory = directory
        self._on_progress = on_progress
        self._on_self_check = on_self_check
        self._on_note = on_note

    def start(self, request: RunRequest) -> RunResult:
        """Start a new run and carry it out, until it is complete or the user interrupts it."""
        solution = request.solution or read_solution(REFERENCE_SOLVER, Path.cwd())
        suites = _suites_with_cases(request.suites, request.only)
        plan = Plan(
            solution=solution,
            suites=tuple(plan_suite(suite, request.only, solution) for suite in suites),
            trials=request.trials,
            limit=request.timeout or solution.timeout,
            isolate=request.isolate,
            no_network=request.no_network,
            fresh_home=request.fresh_home,
            env=request.env,
        )
        self._note_hint(solution)
        token = token_hex(16)
        with open_store(self.directory, create=True) as store:
            prepare(plan, suites)
            # After the solution's setup_cmd, which may create its files.
            config = configuration_of(
                plan, store.salt() or token, label=request.label, tags=dict(request.tags)
            )
            plan = replace(plan, configuration=config)
            if config.files_left_out:
                left = plural(config.files_left_out, "file")
                self._on_note(
                    f"{left} of {solution.cwd} not recorded: a resume does not notice if they change"
                )
            pairs = [(suite, planned.cases) for suite, planned in zip(suites, plan.suites, strict=True)]
            check = check_suites(pairs, self._on_self_check) if request.solution is None else None
            run = store.begin(
                plan,
                self_check=check,
                token=token,
                jobs=request.jobs or _default_jobs(solution),
                tool=__version__,
                python=platform.python_version(),
                host=host(),
                scratch=new_scratch(),
            )
            # A Python function cannot be read back from the store.
            run = replace(run, plan=replace(run.plan, solution=solution))
            with store.claim(run.number):
                watch = _watch(plan) if not request.keep_going else None
                return self._carry_out(store, run, suites, watch)

    def resume(
        self, number: int | None = None, jobs: int | None = None, request: ResumeRequest | None = None
    ) -> RunResult:
        """Run the open trials of a stored run; no trial that ended is repeated.

        number: the run's; None for the last one that is not complete.
        jobs: how many trials to run at a time; None for as many as before.
        request: what else is asked of it; None for nothing.

        A run that was stopped because its first trials came to nothing goes on: who resumes it has
        seen why. Raises TrapError also if the run's solution, suites or version of trapcli have
        changed, or its configuration unless the request allows that.
        """
        request = request or ResumeRequest()
        open_store(self.directory, create=False).close()  # TrapError if there is no store to resume from
        with open_store(self.directory, create=True) as store:
            number = _last_unfinished(store) if number is None else number
            with store.claim(number):
                run = store.run(number)
                if run.ended:
                    _refuse_labels(run, request)
                    clear_scratch(run.scratch)  # it may have been killed when its last trial was stored
                    self._on_note(f"run {number} is complete: nothing is left to run")
                    return _result(store, run, interrupted=False)
                jobs = jobs or run.jobs
                solution = read_solution(run.plan.solution.given, Path.cwd())
                suites = reopen_suites(run)
                now = replace(run.plan, solution=solution)
                refuse_changed_plan(run, now)
                change = _change_of(run, now, jobs, request)
                self._prepare_resume(run, suites)
                store.resume(number, jobs=jobs, scratch=new_scratch(), change=change)
                store.note_interrupted(number)
                store.sweep(number)
                on = request.keep_going or store.trial_keys(number)
                watch = None if on else _watch(run.plan)
                return self._carry_out(store, store.run(number), suites, watch)

    def _prepare_resume(self, run: Run, suites: Sequence[Suite]) -> None:
        """Clear what a run left, and prepare its solution again."""
        for command in clear_scratch(run.scratch):
            self._on_note(f"killed a process that run {run.number} had left behind: {command}")
        prepare(run.plan, suites)

    def _note_hint(self, solution: Solution) -> None:
        if hint := shell_hint(solution.command):
            self._on_note(f"--solution {solution.given}: {hint}")

    def _carry_out(
        self, store: Store, run: Run, suites: Sequence[Suite], watch: FalseStart | None
    ) -> RunResult:
        names = ", ".join(short_path(suite.directory) for suite in run.plan.suites)
        trials = plural(run.plan.total - len(store.trial_keys(run.number)), "trial")
        self._on_note(f"run {run.number}: {trials} of {run.plan.solution.given} on {names}")
        try:
            with shared_directories(suite.directory for suite in suites):
                interrupted = carry_out(store, run, suites, self._on_progress, watch)
        except KeyboardInterrupt:  # the second one: the first is noted, and ends the run in order
            self._on_note(f"`trapcli calibrate --resume {run.number}` runs the open trials")
            raise
        stopped = ""
        if watch is not None and watch.suspected:
            stopped = watch.message(run, store)
            if watch.not_found:
                raise TrapError(stopped)
        return _result(store, store.run(run.number), interrupted, stopped)


def _watch(plan: Plan) -> FalseStart | None:
    """Return what watches the first trials; nothing for a solution of ours, whose crashes are a result."""
    return FalseStart(plan.total) if plan.solution.measures_agent else None


def _change_of(run: Run, now: Plan, jobs: int, request: ResumeRequest) -> Change:
    """Return what is different when a run is resumed; TrapError if that must be allowed, and is not."""
    then = run.plan.configuration
    found = configuration_of(
        now,
        then.salt or run.token,
        label=then.label if request.label is None else request.label,
        tags=then.tags if request.tags is None else dict(request.tags),
    )
    now = replace(now, configuration=found)
    return changes_of(run, now, jobs=jobs, allow=request.allow_changes)


def _result(store: Store, run: Run, interrupted: bool, stopped: str = "") -> RunResult:
    reader, earlier = tail_reader(store, run.number), store.count_earlier_runs(run)
    summary = summarize(run, store.trials(run.number), reader, earlier)
    # A user may also measure the reference solver by name: known mistakes are not judged then.
    check = None if run.self_check is None else self_check_result(summary)
    return RunResult(summary, interrupted, None if check is None else check.passed, stopped)


def _suites_with_cases(suites: Sequence[Suite], only: Sequence[str]) -> list[Suite]:
    """Return the suites that have one of the cases `only`, or all; TrapError if no suite has a case."""
    for case in only:
        if not any(case in suite.cases for suite in suites):
            spans = [f"{suite.family} has {suite.cases[0]} to {suite.cases[-1]}" for suite in suites]
            raise TrapError(f"--only {case}: no suite of this run has that case: {'; '.join(spans)}.")
    return [suite for suite in suites if not only or any(case in suite.cases for case in only)]


def _default_jobs(solution: Solution) -> int:
    return 1 if solution.measures_agent else processors()


def _refuse_labels(run: Run, request: ResumeRequest) -> None:
    """Raise TrapError if a complete run is to get another label or other tags."""
    then = run.plan.configuration
    if request.label not in (None, then.label) or request.tags not in (None, tuple(then.tags.items())):
        raise TrapError(f"run {run.number} is complete: its label and tags stay as they are.")


def _last_unfinished(store: Store) -> int:
    numbers = store.unfinished_runs()
    if not numbers:
        raise TrapError(
            "every run is complete; there is nothing to resume. `trapcli inspect run` lists them."
        )
    return numbers[-1]
