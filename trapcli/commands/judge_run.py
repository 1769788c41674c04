"""`trapcli judge --run N`: judge the stored outputs of a run again."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from trapcli.core.errors import DONE, FAILED
from trapcli.suites.selection import runs_directory
from trapcli.system.package import __version__
from trapcli.views.json_document import json_document

if TYPE_CHECKING:
    from trapcli.calibration.records import Run, Trial
    from trapcli.calibration.rejudging import Rejudged


def judge_run(number: int, save: bool, as_json: bool) -> int:
    """Judge the trials of a run again and print each verdict; with `save`, store the verdicts that changed.

    A judge error is never stored: that no verdict can be given today does not make the stored one
    wrong. Return DONE if every verdict is the stored one, else FAILED.
    """
    from trapcli.calibration.plan import reopen_suites
    from trapcli.calibration.rejudging import rejudge
    from trapcli.calibration.store.store import open_store

    statuses: Counter[str] = Counter()
    different = 0
    to_save = []
    with open_store(runs_directory(Path.cwd()), create=False) as store:
        run = store.run(number)
        suites = reopen_suites(run)
        for rejudged in rejudge(store, run, suites):
            statuses[rejudged.after.status] += 1
            different += not rejudged.same
            if save and not rejudged.same and rejudged.after.counted:
                to_save.append(rejudged.after)
            click.echo(_json_line(run, rejudged) if as_json else _line(run, rejudged))
    _save(number, to_save)
    click.echo(_closing_line(number, statuses, different, len(to_save) if save else None), err=as_json)
    return FAILED if different else DONE


def _save(number: int, trials: "Sequence[Trial]") -> None:
    from trapcli.calibration.store.store import open_store

    if trials:
        with open_store(runs_directory(Path.cwd()), create=True) as store, store.claim(number):
            for trial in trials:
                store.replace_verdict(number, trial, __version__)


def _closing_line(number: int, statuses: "Counter[str]", different: int, saved: int | None) -> str:
    """Return how many trials were judged, and how many verdicts changed. saved: None without --save."""
    from trapcli.calibration.reports.formatting import plural

    counts = ", ".join(f"{count} {status.replace('_', ' ')}" for status, count in sorted(statuses.items()))
    line = f"run {number}: {plural(statuses.total(), 'trial')} judged again: {counts or 'none'}"
    if different:
        line += f"; {different} not as stored"
        if saved is not None:
            line += f", {saved} of them stored now"
    return line


def _line(run: "Run", rejudged: "Rejudged") -> str:
    after = rejudged.after
    name = f"{run.plan.suites[after.suite].family} {after.case} trial {after.number}"
    if rejudged.same:
        note = ""
    elif rejudged.before.status != after.status:
        note = f"(was {rejudged.before.status.upper()}) "
    else:
        note = "(not word for word as stored) "
    return f"{name}  {after.status.upper()}  {note}{after.verdict.get('reason', '')}"


def _json_line(run: "Run", rejudged: "Rejudged") -> str:
    after = rejudged.after
    return json_document(
        "rejudged-trial/1",
        {
            "run": run.number,
            "suite": run.plan.suites[after.suite].family,
            "case": after.case,
            "trial": after.number,
            "status": after.status,
            "stored": rejudged.before.status,
            "same": rejudged.same,
            "verdict": dict(after.verdict),
        },
        indent=None,
    )
