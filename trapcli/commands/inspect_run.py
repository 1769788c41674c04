"""`trapcli inspect run`: the runs of `trapcli calibrate`, one run, its trials, one trial."""

import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from trapcli.core.errors import TrapError

if TYPE_CHECKING:
    from trapcli.calibration.store.store import Store
    from trapcli.views.inspection import View

# Engines are imported where they are used: `--help` and completion need none of them.

WORD = "run"  # as the first word; a suite's directory of this name is ./run
NUMBER = re.compile("[0-9]{1,9}")
CASE = re.compile("case_[0-9]+")


def view(words: Sequence[str], trial: int | None) -> "View":
    """What the words after `run` name: nothing, or a run's number, a suite of it, a case of it."""
    from trapcli.calibration.reports.run_list import about_runs
    from trapcli.calibration.store.store import open_store

    with open_store(_kept(), create=False) as store:
        if words:
            return _run(store, words, trial)
        if trial is not None:
            raise click.UsageError("--trial needs a run and a case, as `run 3 case_01 --trial 2` has them.")
        return about_runs(store)


def runs_here() -> "tuple[View | None, str]":
    """The runs that are kept here, if there are any; and what is wrong with them, if they cannot be read."""
    if not os.path.lexists(_kept()):
        return None, ""
    try:
        return view((), None), ""
    except TrapError as error:
        return None, str(error)


def complete(words: Sequence[str]) -> list[str]:
    """What may follow these words after `run`."""
    if not os.path.lexists(_kept()):
        return []
    from trapcli.calibration.store.store import open_store

    with open_store(_kept(), create=False) as store:
        if not words:
            return [str(run.number) for run in store.runs()]
        suites = store.run(_number(words[0])).plan.suites
        if len(words) == 1:
            cases = [case for suite in suites for case in suite.cases]
            return list(dict.fromkeys([*(suite.family for suite in suites), *cases]))
        return [case for suite in suites if suite.family == words[1] for case in suite.cases]


def _kept() -> Path:
    """The directory with the runs."""
    from trapcli.suites.selection import runs_directory

    return runs_directory(Path.cwd())


def _run(store: "Store", words: Sequence[str], trial: int | None) -> "View":
    from trapcli.calibration.reports.trial_view import about_trial, about_trials, find_case

    run = store.run(_number(words[0]))
    suite, case = _place(words[1:])
    if case is None:
        if trial is not None:
            raise click.UsageError("--trial needs a case, as in `trapcli inspect run 3 case_01 --trial 2`.")
        return _whole(store, run.number, suite)
    position = find_case(run, case, suite)
    if trial is None:
        return about_trials(run, position, case, store.trials(run.number))
    return about_trial(store, run, store.trial(run.number, position, case, trial))


def _whole(store: "Store", number: int, suite: str | None) -> "View":
    from trapcli.calibration.reports.run_tables import sections
    from trapcli.calibration.reports.summarizer import summarize
    from trapcli.calibration.reports.trial_view import reader, suites_called
    from trapcli.views.inspection import View

    run = store.run(number)
    only = [] if suite is None else suites_called(run, suite)
    summary = summarize(run, store.trials(number), reader(store, number), store.earlier(run))
    document = summary.to_json()
    if only:
        document["suites"] = [document["suites"][position] for position in only]
    return View(document, sections(summary, only))


def _number(word: str) -> int:
    if not NUMBER.fullmatch(word):
        raise click.UsageError(
            f"{word!r} is no run's number, as 3 is in `trapcli inspect run 3`. "
            "`trapcli inspect run` lists the runs."
        )
    return int(word)


def _place(words: Sequence[str]) -> tuple[str | None, str | None]:
    """The suite and the case that the words name, in whatever order."""
    suite = case = None
    for word in words:
        if CASE.fullmatch(word) and case is None:
            case = word
        elif suite is None and not CASE.fullmatch(word):
            suite = word
        else:
            raise click.UsageError(f"{word!r} is one too many; give a run, then one family and one case.")
    return suite, case
