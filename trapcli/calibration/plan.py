"""What a run does, and whether a stored run can be continued as it was planned."""

import os
import platform
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from math import fsum
from typing import Any

from trapcli.calibration.configuration import Configuration
from trapcli.calibration.records import Plan, Run, RunSuite
from trapcli.calibration.solutions.environment import passed_on, refuse_unset
from trapcli.calibration.solutions.solution import Solution
from trapcli.calibration.solutions.solution_files import files_of
from trapcli.core.errors import TrapError
from trapcli.core.shorten import quoted
from trapcli.suites.layout import INPUTS
from trapcli.suites.reader import Suite, open_suite, read_case
from trapcli.system.package import __version__

OPTIONS = ("trials", "limit", "isolate", "no_network", "fresh_home", "env")  # as on the command line


def plan_suite(suite: Suite, only: Sequence[str] = (), solution: Solution | None = None) -> RunSuite:
    """Return the suite as a run uses it.

    only: ids of the cases to use, if not all; those that the suite does not have are ignored.
    solution: what will be measured, so that its true rate can be worked out if it has one.

    Raises TrapError if a file cannot be read.
    """
    cases = tuple(case for case in suite.cases if not only or case in only)
    halves = suite.halves.resolved()
    return RunSuite(
        halves=halves,
        recipe=suite.recipe,
        digest=halves.digest(),
        cases=cases,
        true_rate=None if solution is None else _true_rate(suite, cases, solution),
    )


def _true_rate(suite: Suite, cases: Sequence[str], solution: Solution) -> float | None:
    rates = []
    for case in cases:
        rate = solution.true_rate(read_case(suite, case).mistakes)
        if rate is None:
            return None
        rates.append(rate)
    return fsum(rates) / len(rates) if rates else None


def configuration_of(
    plan: Plan, salt: str, environ: Mapping[str, str] = os.environ, **labels: Any
) -> Configuration:
    """Return what the results of the plan depend on now: its solution's files and variables.

    salt: see `Configuration.with_variables`.
    environ: the variables of this process.
    labels: `label` and `tags` of the configuration.
    """
    solution = plan.solution
    files = files_of(solution)
    found = Configuration(files=files.digests, files_left_out=files.left_out, **labels)
    if not solution.measures_agent and not plan.env:
        return found  # ours: it depends on no variable
    return found.with_variables(passed_on(environ, plan.isolate, plan.env), plan.env, salt)


def processors() -> int:
    """Return how many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def host() -> dict[str, Any]:
    """Return what the run's machine is: system, processor type, number of processors, load average."""
    return {
        "system": platform.system(),
        "release": platform.release(),
        "machine": platform.machine(),
        "cpus": processors(),
        "load": round(os.getloadavg()[0], 2),
    }


def prepare(plan: Plan, suites: Sequence[Suite]) -> None:
    """Prepare the solution and check everything that a trial needs; TrapError if something is missing.

    suites: those of the plan, open. Each planned case is read once.
    """
    for suite, planned in zip(suites, plan.suites, strict=True):
        for case in planned.cases:
            read_case(suite, case)
    refuse_unset(plan.env)
    if plan.isolate:
        from trapcli.calibration.isolation.sandbox import refuse_missing_bwrap, refuse_unseen, setup_walls

        refuse_missing_bwrap(plan.no_network)
    _refuse_missing_stdin(plan)
    walls = partial(setup_walls, plan) if plan.isolate else None
    plan.solution.prepare([suite.family for suite in plan.suites], walls=walls)
    if plan.isolate:
        refuse_unseen(plan)  # last, because the solution's preparation may create its program


def _refuse_missing_stdin(plan: Plan) -> None:
    name = plan.solution.stdin
    if name is None:
        return
    for suite in plan.suites:
        if not (suite.directory / INPUTS / suite.cases[0] / name).is_file():
            raise TrapError(
                f"trap.yaml's stdin is {quoted(name)}, but {suite.cases[0]} of {suite.directory} has no such "
                "file. Name one of the case's files, or leave stdin out."
            )


def reopen_suites(run: Run) -> list[Suite]:
    """Open the suites of a stored run; TrapError if one is missing or has changed since it began."""
    suites = []
    for planned in run.plan.suites:
        halves = planned.halves
        suite = open_suite(halves.public, None if halves.nested else halves.private)
        if suite.halves.digest() != planned.digest:
            raise TrapError(
                f"{planned.directory} is not the suite that run {run.number} was started on: it was changed "
                "or built again. Restore it from a copy, build it with the same seed and knobs, or start a "
                "new run."
            )
        suites.append(suite)
    return suites


def refuse_changed_plan(run: Run, plan: Plan) -> None:
    """Raise TrapError, listing the differences, if a stored run was planned or judged in another way.

    plan: what the run would do now.
    """
    found = [*_differences(run.plan, plan)]
    if run.tool != __version__:
        found.append(f"it was started by trapcli {run.tool}, and this is {__version__}")
    if found:
        raise TrapError(
            f"run {run.number} cannot be resumed: {'; '.join(found)}. A rate over two configurations means "
            "nothing: undo the change, or start a new run without --resume."
        )


def _differences(then: Plan, now: Plan) -> Iterator[str]:
    was, is_now = then.solution.to_json(), now.solution.to_json()
    for name in {**was, **is_now}:
        if was.get(name) != is_now.get(name):
            yield f"the solution's {name} was {quoted(was.get(name))}, now {quoted(is_now.get(name))}"
    for name in OPTIONS:
        if getattr(then, name) != getattr(now, name):
            yield f"{name} was {quoted(getattr(then, name))}, now {quoted(getattr(now, name))}"
    if _cases(then) != _cases(now):
        yield "the suites or the cases have changed"


def _cases(plan: Plan) -> list[tuple[str, tuple[str, ...]]]:
    return [(suite.digest, suite.cases) for suite in plan.suites]
