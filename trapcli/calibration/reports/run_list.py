"""The runs in a store, one a row."""

from typing import Any

from trapcli.calibration.records import Run
from trapcli.calibration.reports import formatting
from trapcli.calibration.reports.summarizer import summarize
from trapcli.calibration.store.store import Store
from trapcli.core.contract import Section
from trapcli.views.inspection import View

NONE = "None here; `trapcli calibrate` makes them."


def about_runs(store: Store) -> View:
    """All runs, the first first: none is ever left out, so that one which was picked can be told."""
    runs = [_run(store, run) for run in store.runs()]
    if not runs:
        return View({"runs": []}, (Section("Runs", text=NONE),))
    rows = tuple(
        (
            str(run["run"]),
            run["started"][:16].replace("T", " "),
            run["solution"],
            f"{run['done']}/{run['planned']}",
            run["status"],
            ", ".join(f"{suite['family']} {formatting.rate(suite['rate'])}" for suite in run["suites"]),
        )
        for run in runs
    )
    columns = ("run", "started (UTC)", "solution", "trials", "status", "mean rates")
    return View({"runs": runs}, (Section("Runs (`trapcli inspect run N`)", columns, rows),))


def _run(store: Store, run: Run) -> dict[str, Any]:
    summary = summarize(run, store.trials(run.number))
    return {
        "run": run.number,
        "started": run.started,
        "ended": run.ended or None,
        "solution": run.plan.solution.given,
        "status": "complete" if summary.complete else "partial",
        "planned": summary.planned,
        "done": summary.done,
        "suites": [
            {
                "family": suite.suite.family,
                "directory": str(suite.suite.directory),
                "digest": suite.suite.digest,
                "cases": len(suite.cases),
                "rate": suite.rate,
            }
            for suite in summary.suites
        ],
    }
