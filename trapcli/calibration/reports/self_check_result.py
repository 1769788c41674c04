"""The result of the self-check: whether the suites and the judge of a run can be trusted."""

from dataclasses import dataclass

from trapcli.calibration.records import Run
from trapcli.calibration.reports import formatting
from trapcli.calibration.reports.run_summary import RunSummary
from trapcli.calibration.suite_names import case_name
from trapcli.core.shorten import listed


@dataclass(frozen=True, slots=True)
class SelfCheckResult:
    """The result of the self-check.

    passed: True if every known mistake failed and the reference solver passed every trial, False
        if not, None if the run does not show it.
    text: the same in a sentence.
    """

    passed: bool | None
    text: str


def self_check_result(summary: RunSummary) -> SelfCheckResult | None:
    """Return what a run of the reference solver shows; None for a run of another solution."""
    run, counts = summary.run, summary.counts
    if not run.plan.solution.is_reference:
        return None
    wrong = _wrong_judgements(run)
    wrong += [
        f"the reference solver passed {case.counts.passes} of {case.counts.done} trials of "
        f"{case_name(run, position, case.case)}"
        for position, suite in enumerate(summary.suites)
        for case in suite.cases
        if case.counts.passes < case.counts.done
    ]
    if wrong:
        return SelfCheckResult(False, f"Self-check FAILED: {listed(wrong, len(wrong), separator='; ')}.")
    if run.self_check is None:
        why = "known mistakes were not judged; `trapcli calibrate` without --solution judges them"
        return SelfCheckResult(None, f"Self-check incomplete: {why}.")
    if not counts.planned:
        return SelfCheckResult(None, "Self-check incomplete: the run has no trials.")
    if counts.open:
        left = f"{counts.open:,} of {counts.planned:,} trials are open"
        return SelfCheckResult(None, f"Self-check incomplete: {left}.")
    judged = f"all {run.self_check['outputs']:,} known mistakes and empty answers failed"
    trials = "its only trial" if counts.done == 1 else f"all {counts.done:,} trials"
    text = f"Self-check passed: {judged}, and the reference solver passed {trials}."
    return SelfCheckResult(True, text)


def judgements_line(run: Run) -> str:
    """Return what judging the known mistakes showed, in a line; "" if they were not judged."""
    if run.self_check is None:
        return ""
    cases, outputs = formatting.plural(run.self_check["cases"], "case"), run.self_check["outputs"]
    judged = f"{outputs:,} known mistakes and empty answers of {cases} judged"
    if wrong := _wrong_judgements(run):
        return f"{judged}, {len(wrong):,} did NOT fail: {listed(wrong, len(wrong), separator='; ')}"
    return f"{judged}, all failed"


def _wrong_judgements(run: Run) -> list[str]:
    """Return the known mistakes that did not fail; see `trapcli.calibration.self_check`."""
    return [
        f"{one['mistake']} in {case_name(run, one['suite'], one['case'])} {one['what']}"
        for one in (run.self_check or {}).get("wrong", ())
    ]
