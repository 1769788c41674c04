"""What a run is to do, and whether a stored one can still be done as it was planned."""

import os
import platform
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import fields
from math import fsum
from pathlib import Path
from typing import Any

from trapcli import __version__
from trapcli.calibration.records import Plan, Run, RunSuite, Solution
from trapcli.calibration.solutions.builtin import read_builtin, refuse_unknown_slip, true_rate
from trapcli.calibration.solutions.command import refuse_missing, refuse_unset, run_setup
from trapcli.core.errors import TrapError
from trapcli.core.files import digest_of
from trapcli.suites.reader import EXPECTED, INPUTS, Suite, digest, open_suite, read_case

LARGEST = 50_000_000  # bytes of a file of the solution that is looked at


def plan_suite(suite: Suite, only: Sequence[str] = (), builtin: str = "") -> RunSuite:
    """The suite as a run uses it: all its cases, or `only` those of them that it has.

    builtin: the solution, if it is one of ours that fails by chance; its true rate is then known.
    """
    cases = tuple(case for case in suite.cases if not only or case in only)
    return RunSuite(
        directory=suite.directory.resolve(),
        expected=suite.expected.resolve(),
        family=suite.family,
        version=suite.version,
        seed=suite.seed,
        knobs=dict(suite.knobs),
        practice=suite.practice,
        digest=digest_now(suite.directory, suite.expected),
        cases=cases,
        truth=_truth(suite, cases, builtin),
    )


def _truth(suite: Suite, cases: Sequence[str], builtin: str) -> float | None:
    """The mean rate that a flaky solution has on these cases, None of any other solution."""
    made = read_builtin(builtin) if builtin else None
    if made is None or made.chance is None or not cases:
        return None
    return fsum(true_rate(made, read_case(suite, case).mechanisms) for case in cases) / len(cases)


def digest_now(directory: Path, expected: Path) -> str:
    """The digest of a suite, whichever way its private half stands."""
    inside = os.path.realpath(expected) == os.path.realpath(directory / EXPECTED)
    return digest(directory, None if inside else expected)


def files_of(solution: Solution) -> dict[str, str]:
    """By path the SHA-256 of the files that the solution's command names, as far as they can be read.

    A program that is looked up along PATH is not among them.
    """
    found = {}
    for place, word in enumerate(solution.argv):
        path = solution.cwd / word
        if not word or (place == 0 and "/" not in word) or not os.path.isfile(path):
            continue  # unlike Path.is_file, isfile bears words that are too long for a path
        with suppress(OSError):
            if path.stat().st_size <= LARGEST:
                found[word] = digest_of(path.read_bytes())
    return found


def processors() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def host() -> dict[str, Any]:
    """The machine that a run is on: system, processor kind, number of processors, load average."""
    return {
        "system": platform.system(),
        "release": platform.release(),
        "machine": platform.machine(),
        "cpus": processors(),
        "load": round(os.getloadavg()[0], 2),
    }


def reopened(run: Run) -> list[Suite]:
    """The suites of a stored run, opened; TrapError if one is not there any more or was changed."""
    suites = []
    for planned in run.plan.suites:
        inside = planned.expected == planned.directory / EXPECTED
        suite = open_suite(planned.directory, None if inside else planned.expected)
        if digest_now(suite.directory, suite.expected) != planned.digest:
            raise TrapError(
                f"{planned.directory} is not the suite that run {run.number} is on: it was changed or built "
                "anew. Restore it from a copy (or build it with the same seed and knobs), or begin a new run."
            )
        suites.append(suite)
    return suites


def refuse_other(run: Run, now: Plan) -> None:
    """TrapError, naming each difference, if the run was planned otherwise than `now`, or judged by
    another version: a rate over two configurations means nothing."""
    found = [*_differences(run.plan, now)]
    if run.tool != __version__:
        found.append(f"it was begun by trapcli {run.tool}, and this is {__version__}")
    if found:
        raise TrapError(
            f"run {run.number} cannot go on: {'; '.join(found)}. A rate over two configurations means "
            "nothing: put it back as it was, or begin a new run without --resume."
        )


def _differences(then: Plan, now: Plan) -> Iterator[str]:
    for name in (field.name for field in fields(Solution)):
        was, is_now = getattr(then.solution, name), getattr(now.solution, name)
        if was != is_now:
            yield f"the solution's {name} was {_shown(was)}, now {_shown(is_now)}"
    for name in ("trials", "limit", "isolate", "fresh_home", "env"):
        was, is_now = getattr(then, name), getattr(now, name)
        if was != is_now:
            yield f"{name} was {_shown(was)}, now {_shown(is_now)}"
    for path in sorted({*then.files, *now.files}):
        if then.files.get(path) != now.files.get(path):
            yield f"{path} is not the file that it was"
    if _cases(then) != _cases(now):
        yield "the suites or the cases are others"


def _cases(plan: Plan) -> list[tuple[str, tuple[str, ...]]]:
    return [(suite.digest, suite.cases) for suite in plan.suites]


def _shown(value: object) -> str:
    return repr(str(value)) if isinstance(value, Path) else repr(value)


def prepare(plan: Plan, suites: Sequence[Suite]) -> None:
    """Make sure that trials can begin, and run the solution's setup_cmd; TrapError if they cannot.

    suites: those of the plan, opened; each case that is meant is read once.
    """
    for opened, planned in zip(suites, plan.suites, strict=True):
        for case in planned.cases:
            read_case(opened, case)
    solution = plan.solution
    refuse_unset(plan.env)
    if solution.builtin:
        refuse_unknown_slip(read_builtin(solution.builtin), [suite.family for suite in plan.suites])
    if plan.isolate:
        from trapcli.calibration.isolation.sandbox import refuse_missing_bwrap

        refuse_missing_bwrap()
    if solution.stdin is not None:
        for suite in plan.suites:
            if not (suite.directory / INPUTS / suite.cases[0] / solution.stdin).is_file():
                raise TrapError(
                    f"trap.yaml's stdin is {solution.stdin!r}, and {suite.cases[0]} of {suite.directory} has "
                    "no such file. Name one of the case's inputs, or leave stdin out."
                )
    if not solution.builtin:
        run_setup(solution)
        refuse_missing(solution)
    if plan.isolate:
        from trapcli.calibration.isolation.sandbox import refuse_unseen

        refuse_unseen(plan)
