"""The suites of a run: what a person calls them, and which suite or case a name refers to."""

import os
from pathlib import Path

from trapcli.calibration.records import Run
from trapcli.core.errors import TrapError
from trapcli.core.shorten import quoted


def suite_name(run: Run, position: int) -> str:
    """Return a suite's family, or its directory if the run has several suites of the family."""
    suites = run.plan.suites
    family = suites[position].family
    alone = [suite.family for suite in suites].count(family) == 1
    return family if alone else short_path(suites[position].directory)


def case_name(run: Run, position: int, case: str) -> str:
    """Return a case's id, after the name of its suite if the run has several suites."""
    return f"{suite_name(run, position)} {case}" if len(run.plan.suites) > 1 else case


def inspect_command(run: Run, position: int, case: str, trial: int | None = None) -> str:
    """Return the command that shows a case of the run, or one trial of it."""
    words = ["trapcli inspect run", str(run.number)]
    if sum(case in suite.cases for suite in run.plan.suites) > 1:
        words.append(suite_name(run, position))
    words.append(case)
    return " ".join([*words, *([] if trial is None else ["--trial", str(trial)])])


def short_path(path: Path) -> str:
    """Return the path, relative to the current directory if it is below that."""
    here = Path.cwd()
    return str(path.relative_to(here) if path.is_relative_to(here) else path)


def find_suites(run: Run, name: str) -> list[int]:
    """Return the positions of the suites of this family, or in this directory; TrapError if none."""
    suites = run.plan.suites
    directories = (Path(os.path.abspath(name)), Path(name))
    found = [at for at, suite in enumerate(suites) if suite.family == name or suite.directory in directories]
    if not found:
        known = ", ".join(dict.fromkeys(suite_name(run, at) for at in range(len(suites))))
        raise TrapError(f"run {run.number} has no suite {quoted(name)}; its suites are {known}.")
    return found


def find_case(run: Run, case: str, suite: str | None) -> int:
    """Return the position of the suite that has the case.

    suite: a family or a directory; needed only if several suites of the run have the case.

    Raises TrapError, with the commands to choose from, if no suite or several suites fit.
    """
    having = [position for position, one in enumerate(run.plan.suites) if case in one.cases]
    if suite is not None:
        having = [position for position in having if position in find_suites(run, suite)]
    if len(having) == 1:
        return having[0]
    if not having:
        where = f"run {run.number}" if suite is None else f"{suite} in run {run.number}"
        spans = "; ".join(
            f"{suite_name(run, position)} has {one.cases[0]} to {one.cases[-1]}"
            for position, one in enumerate(run.plan.suites)
            if one.cases
        )
        raise TrapError(f"{where} has no case {quoted(case)}: {spans}.")
    commands = "\n".join(f"  {inspect_command(run, position, case)}" for position in having)
    raise TrapError(
        f"run {run.number} has {case} in several suites; choose one of these commands:\n{commands}"
    )
