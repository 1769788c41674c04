"""The JSON document of a run. What is not known is null."""

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from trapcli.calibration.reports.run_summary import (
    CaseSummary,
    Incident,
    RunSummary,
    SuiteSummary,
    TrapSummary,
    TrialCounts,
)
from trapcli.calibration.reports.run_warnings import run_warnings
from trapcli.calibration.reports.self_check_result import self_check_result
from trapcli.calibration.reports.tally import Usage
from trapcli.calibration.stats.rates import Interval
from trapcli.calibration.store.encoding import plan_to_show

SCHEMA = "run/1"  # of the document when it is printed; see `trapcli.schemas`


def run_document(summary: RunSummary) -> dict[str, Any]:
    """Return a run's summary and its warnings as JSON data, without the key "schema"."""
    run, counts = summary.run, summary.counts
    result = self_check_result(summary)
    return {
        "run": run.number,
        "status": "complete" if summary.complete else "partial",
        "planned": counts.planned,
        "done": counts.done,
        "open": counts.open,
        "resume": None if summary.complete else summary.resume_command,
        "started": run.started,
        "ended": run.ended or None,
        "plan": plan_to_show(run.plan),
        "jobs": run.jobs,
        "tool": run.tool,
        "python": run.python,
        "host": dict(run.host),
        "earlier_runs": summary.earlier_runs,
        "self_check": None if run.self_check is None else dict(run.self_check),
        "self_check_passed": None if result is None else result.passed,
        "self_check_summary": None if result is None else result.text,
        "suites": [_suite(suite) for suite in summary.suites],
        "never_ran": _incidents(summary.never_ran),
        "lost_attempts": _incidents(summary.lost_attempts),
        "interrupted": _incidents(summary.interrupted),
        "resumes": run.resumes,
        "mixed": any(change.mixed for change in run.changes),
        "changes": [asdict(change) for change in run.changes],
        "warnings": [warning.to_json() for warning in run_warnings(summary)],
    }


def interval_to_json(interval: Interval | None) -> list[float] | None:
    """Return an interval as [low, high]."""
    return None if interval is None else [interval.low, interval.high]


def _suite(summary: SuiteSummary) -> dict[str, Any]:
    suite, counts = summary.suite, summary.counts
    return {
        "family": suite.family,
        "version": suite.recipe.version,
        "directory": str(suite.directory),
        "digest": suite.digest,
        "practice": suite.practice,
        "changed": suite.changed,
        **_counts(counts),
        "rate": summary.rate,
        "true_rate": suite.true_rate,
        "clustered_standard_error": summary.clustered_standard_error,
        "on_these_cases": interval_to_json(summary.on_these_cases),
        "on_new_cases_of_this_build": interval_to_json(summary.on_new_cases),
        "pass_at_k_unbiased": {str(k): value for k, value in summary.pass_at.items()},
        "pass_hat_k_unbiased": {str(k): value for k, value in summary.pass_hat.items()},
        "minimum_detectable_difference": summary.minimum_detectable_difference,
        "cases_without_counted_trial": list(summary.uncounted_cases),
        "traps": [_trap(trap) for trap in summary.traps],
        "outcomes": summary.outcomes,
        "mistakes": summary.mistakes,
        "other_wrong_answers": summary.other_wrong_answers,
        "provider_errors": summary.flagged["provider_errors"].count,
        "rate_without_provider_errors": summary.rate_without_provider_errors,
        "rate_with_judge_errors": summary.rate_with_judge_errors,
        "seconds": summary.seconds,
        "usage": _usage(summary.usage, counts.done),
        "cases": [_case(case) for case in summary.cases],
    }


def _trap(summary: TrapSummary) -> dict[str, Any]:
    passes, counted = summary.counts.pair
    return {
        "trap": summary.trap,
        "cases": summary.cases,
        "passes": passes,
        "counted": counted,
        "rate": passes / counted if counted else None,
    }


def _case(summary: CaseSummary) -> dict[str, Any]:
    return {
        "case": summary.case,
        "trap": summary.trap or None,
        **_counts(summary.counts),
        "rate": summary.rate,
        "interval": interval_to_json(summary.interval),
        "median_seconds": summary.median_seconds,
        "p95_seconds": summary.p95_seconds,
        "outcomes": dict(summary.outcomes),
        "mistakes": dict(summary.mistakes),
        "other_wrong_answers": summary.other_wrong_answers,
        "provider_errors": summary.provider_errors,
        "identical_outputs": summary.identical_outputs,
        "usage": _usage(summary.usage, summary.counts.done),
    }


def _counts(counts: TrialCounts) -> dict[str, int]:
    return {
        "passes": counts.passes,
        "counted": counts.counted,
        "done": counts.done,
        "open": counts.open,
        "planned": counts.planned,
    }


def _usage(usage: Usage, trials: int) -> dict[str, Any] | None:
    """Return each figure's sum, and how many of the trials reported it; None if none reported any."""
    if not usage.sums:
        return None
    return {
        name: {"sum": value, "known": usage.known[name], "of": trials} for name, value in usage.sums.items()
    }


def _incidents(incidents: Iterable[Incident]) -> list[dict[str, Any]]:
    return [
        {"suite": suite, "case": case, "trial": number, "what": what}
        for suite, case, number, what in incidents
    ]
