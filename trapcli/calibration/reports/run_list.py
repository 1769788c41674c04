"""The runs in a store, one row each."""

from typing import Any

from trapcli.calibration.records import Run
from trapcli.calibration.reports import formatting
from trapcli.calibration.reports.summarizer import summarize
from trapcli.calibration.store.reader import StoreReader
from trapcli.core.contract import Section
from trapcli.views.view import View

NO_RUNS = "None here; `trapcli calibrate` makes them."


def about_runs(store: StoreReader) -> View:
    """Return all runs, oldest first. None is ever left out, so that a run picked for its rate shows."""
    runs = [_run_to_json(store, run) for run in store.runs()]
    if not runs:
        return View("runs/1", {"runs": []}, (Section("Runs", text=NO_RUNS),))
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
    return View("runs/1", {"runs": runs}, (Section("Runs (`trapcli inspect run N`)", columns, rows),))


def _run_to_json(store: StoreReader, run: Run) -> dict[str, Any]:
    summary = summarize(run, store.trials(run.number))
    return {
        "run": run.number,
        "started": run.started,
        "ended": run.ended or None,
        "solution": run.plan.solution.given,
        "status": "complete" if summary.complete else "partial",
        "planned": summary.counts.planned,
        "done": summary.counts.done,
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
