"""`trapcli judge --run N`: the stored outputs of a run, judged again."""

import json
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import click

from trapcli.core.errors import DONE, FAILED
from trapcli.suites.selection import runs_directory

if TYPE_CHECKING:
    from trapcli.calibration.records import Run
    from trapcli.calibration.rejudging import Again


def judge_run(number: int, save: bool, as_json: bool) -> int:
    """Judge the run's trials again, telling each; with `save` the new verdicts take the place of the old.

    A judge error never does: that no verdict can be given today says nothing about the one that was.
    Gives DONE if every verdict is the one that was stored, else FAILED.
    """
    from trapcli import __version__
    from trapcli.calibration.plan import reopened
    from trapcli.calibration.rejudging import judge_again
    from trapcli.calibration.reports.formatting import several
    from trapcli.calibration.store.store import open_store

    counts: Counter[str] = Counter()
    changed = 0
    place = runs_directory(Path.cwd())
    with open_store(place, create=False) as store:
        run = store.run(number)
        suites = reopened(run)
        others = []
        for again in judge_again(store, run, suites):
            counts[again.after.status] += 1
            changed += not again.same
            if save and not again.same and again.after.counted:
                others.append(again.after)
            click.echo(_as_json(run, again) if as_json else _line(run, again))
    if others:
        with open_store(place, create=True) as store, store.claimed(number):
            for trial in others:
                store.judge_again(number, trial, __version__)
    told = ", ".join(f"{count} {status.replace('_', ' ')}" for status, count in sorted(counts.items()))
    end = f"; {changed} not as stored" if changed else ""
    end += f", {len(others)} of them stored now" if save and changed else ""
    click.echo(
        f"run {number}: {several(sum(counts.values()), 'trial')} judged again: {told or 'none'}{end}",
        err=as_json,
    )
    return FAILED if changed else DONE


def _line(run: "Run", again: "Again") -> str:
    after = again.after
    name = f"{run.plan.suites[after.suite].family} {after.case} trial {after.number}"
    if again.same:
        note = ""
    elif again.before.status != after.status:
        note = f"(was {again.before.status.upper()}) "
    else:
        note = "(not word for word as stored) "
    return f"{name}  {after.status.upper()}  {note}{after.verdict.get('reason', '')}"


def _as_json(run: "Run", again: "Again") -> str:
    after = again.after
    place = {"run": run.number, "suite": run.plan.suites[after.suite].family, "case": after.case}
    stored = {"stored": again.before.status, "same": again.same}
    return json.dumps(
        {**place, "trial": after.number, "status": after.status, **stored, "verdict": dict(after.verdict)}
    )
