"""`trapcli inspect run`: the runs of `trapcli calibrate`, one run, the trials of a case, one trial."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from trapcli.core.case_ids import is_case_id
from trapcli.core.errors import TrapError
from trapcli.core.shorten import quoted

if TYPE_CHECKING:
    from trapcli.calibration.store.store import Store
    from trapcli.views.view import View

# Engines are imported where they are used: `--help` and completion need none of them.

LONGEST_NUMBER = 9  # digits


def view(words: Sequence[str], trial: int | None) -> "View":
    """Return the view of what the words after `run` name.

    words: nothing, or a run's number, which a suite and a case may follow.
    trial: the number of a trial of that case.
    """
    from trapcli.calibration.reports.run_list import about_runs
    from trapcli.calibration.store.store import open_store

    with open_store(_place(), create=False) as store:
        if words:
            return _run_view(store, words, trial)
        if trial is not None:
            raise click.UsageError("--trial needs a run and a case, as in `run 3 case_01 --trial 2`.")
        return about_runs(store)


def runs_here() -> "tuple[View | None, str]":
    """Return the view of the runs kept here, None if there are none, and why they cannot be read, or ""."""
    if not os.path.lexists(_place()):
        return None, ""
    try:
        return view((), None), ""
    except TrapError as error:
        return None, str(error)


def _place() -> Path:
    from trapcli.suites.selection import runs_directory

    return runs_directory(Path.cwd())


def _run_view(store: "Store", words: Sequence[str], trial: int | None) -> "View":
    from trapcli.calibration.reports.trial_view import about_trial, about_trials
    from trapcli.calibration.suite_names import find_case

    run = store.run(_run_number(words[0]))
    suite, case = _suite_and_case(words[1:])
    if case is None:
        if trial is not None:
            raise click.UsageError("--trial needs a case, as in `trapcli inspect run 3 case_01 --trial 2`.")
        return _summary_view(store, run.number, suite)
    position = find_case(run, case, suite)
    if trial is None:
        return about_trials(run, position, case, store.trials(run.number))
    return about_trial(store, run, store.trial(run.number, position, case, trial))


def _summary_view(store: "Store", number: int, suite: str | None) -> "View":
    """Return the view of a whole run, or of one suite of it."""
    from trapcli.calibration.reports.run_document import SCHEMA, run_document
    from trapcli.calibration.reports.run_tables import RUNNING, STOPPED, run_sections
    from trapcli.calibration.reports.summarizer import summarize
    from trapcli.calibration.reports.trial_view import tail_reader
    from trapcli.calibration.suite_names import find_suites
    from trapcli.views.view import View

    run = store.run(number)
    only = [] if suite is None else find_suites(run, suite)
    summary = summarize(run, store.trials(number), tail_reader(store, number), store.count_earlier_runs(run))
    document = run_document(summary)
    if only:
        document["suites"] = [document["suites"][position] for position in only]
    state = RUNNING if store.is_claimed(number) else STOPPED
    return View(SCHEMA, document, run_sections(summary, only, state))


def _run_number(word: str) -> int:
    if not (word.isascii() and word.isdigit() and len(word) <= LONGEST_NUMBER):
        raise click.UsageError(f"{quoted(word)} is not a run number; `trapcli inspect run` lists them.")
    return int(word)


def _suite_and_case(words: Sequence[str]) -> tuple[str | None, str | None]:
    """Return the suite and the case that the words name, in any order."""
    suite = case = None
    for word in words:
        if is_case_id(word) and case is None:
            case = word
        elif suite is None and not is_case_id(word):
            suite = word
        else:
            raise click.UsageError(
                f"unexpected argument {quoted(word)}; give a run, then at most one family and one case."
            )
    return suite, case
