"""What a reader of a run's rates must know: warnings of one or two sentences, each with what to do."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from trapcli.calibration.records import Run
from trapcli.calibration.reports import formatting
from trapcli.calibration.reports.run_summary import Incident, RunSummary, SuiteSummary
from trapcli.calibration.reports.tally import cpus_of
from trapcli.calibration.store.integrity import CHANGES
from trapcli.calibration.suite_names import case_name, inspect_command, short_path
from trapcli.core.shorten import listed
from trapcli.system.output_files import LIMITS

ABOVE_RATES = frozenset({"mostly_crashed", "mixed_configuration"})  # read these first


@dataclass(frozen=True, slots=True)
class RunWarning:
    """A warning about a run.

    type: a name that does not change between versions.
    text: what a person reads.
    suite: the position of the suite that it is about; None if it is about the whole run.
    """

    type: str
    text: str
    suite: int | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the warning as JSON data."""
        return {"type": self.type, "suite": self.suite, "text": self.text}


def run_warnings(summary: RunSummary) -> tuple[RunWarning, ...]:
    """Return the warnings about a run: those of each suite, the most serious first, then the others."""
    warnings = [*_warnings_of_changes(summary.run)]
    for position, suite in enumerate(summary.suites):
        measured = MeasuredSuite(summary.run, position, suite)
        texts = ((name, warning(measured)) for name, warning in SUITE_WARNINGS.items())
        warnings += [RunWarning(name, text, position) for name, text in texts if text]
    return (*warnings, *_warnings_of_run(summary))


@dataclass(frozen=True, slots=True)
class MeasuredSuite:
    """A suite of a run, with all that a warning about it may need."""

    run: Run
    position: int
    summary: SuiteSummary

    def command(self, case: str, trial: int) -> str:
        """Return the command that shows a trial."""
        return inspect_command(self.run, self.position, case, trial)


def _mostly_crashed(measured: MeasuredSuite) -> str:
    suite, trials = measured.summary, measured.summary.flagged["nothing_measured"]
    if 2 * trials.count <= suite.counts.counted:
        return ""
    provider = suite.flagged["provider_errors"].count
    errors = f", or look like errors of its provider ({provider})" if provider else ""
    return (
        f"{trials.count} of {formatting.plural(suite.counts.counted, 'trial')} crashed or timed out without "
        f"an answer{errors}: {formatting.trials(trials)}. The rates say more about what went wrong there "
        f"than about what the solution can do. `{measured.command(*trials.first[0])}` shows the first."
    )


def _changed(measured: MeasuredSuite) -> str:
    suite = measured.summary.suite
    if not suite.changed:
        return ""
    return (
        f"{short_path(suite.directory)} changed during the run: its rates are suspect. Restore it or build "
        "it again, then run again with --isolate, which keeps the solution away from it."
    )


def _judge_errors(measured: MeasuredSuite) -> str:
    trials = measured.summary.flagged["judge_errors"]
    if not trials.count:
        return ""
    return (
        f"{formatting.plural(trials.count, 'trial')} got no verdict because the judge failed: "
        f"{formatting.trials(trials)}. They do not count, and calibrate exits with 1; if they counted as not "
        f"passed, the mean rate would be {formatting.rate(measured.summary.rate_with_judge_errors)}. "
        f"`{measured.command(*trials.first[0])}` says why; `trapcli judge --run {measured.run.number}` "
        "judges again."
    )


def _uncounted_cases(measured: MeasuredSuite) -> str:
    names = measured.summary.uncounted_cases
    return f"{listed(names, len(names))} has no counted trial yet, so no rate." if names else ""


def _provider_errors(measured: MeasuredSuite) -> str:
    suite = measured.summary
    trials, without = suite.flagged["provider_errors"], suite.rate_without_provider_errors
    if not trials.count:
        return ""
    verb = "looks like an error" if trials.count == 1 else "look like errors"
    return (
        f"{trials.count} of {formatting.plural(suite.counts.counted, 'trial')} {verb} of the agent's "
        f"provider (rate limit, overload, connection): {formatting.trials(trials)}. They count as not "
        f"passed: mean rate {formatting.rate(suite.rate)}; without them "
        f"{'no trial is left' if without is None else formatting.rate(without)}. If they are provider "
        "errors, fix the cause and start a new run."
    )


def _identical_outputs(measured: MeasuredSuite) -> str:
    cases = measured.summary.cases
    repeated = sum(case.counts.done >= 2 for case in cases)
    identical = [case for case in cases if case.identical_outputs]
    if len(identical) < repeated:  # a case may have a single right answer
        identical = [case for case in identical if case.counts.passes < case.counts.counted]
    names = [case.case for case in identical]
    if not names or not measured.run.plan.solution.measures_agent:
        return ""
    some = f"In {len(names)} of {repeated} cases ({listed(names, len(names))})"
    every = "In every case" if repeated > 1 else f"In {names[0]}"
    return (
        f"{every if len(names) == repeated else some} all trials gave exactly the same output. They may not "
        "be independent (a cache, a fixed seed, no sampling). If so, more trials add no information, and "
        "both the intervals of the cases and the interval on these cases are too narrow."
    )


def _overload(measured: MeasuredSuite) -> str:
    suite, run = measured.summary, measured.run
    trials = suite.flagged["overload"]
    if not trials.count:
        return ""
    timeouts = formatting.plural(suite.outcomes["timed_out"], "timeout")
    return (
        f"{trials.count} of {timeouts} happened while the load of the machine (up to "
        f"{suite.highest_load:.1f}) exceeded its {cpus_of(run):g} cores, with "
        f"{formatting.plural(run.jobs, 'trial')} at a time: {formatting.trials(trials)}. The cause may be "
        "the machine, not the solution: run again with a lower -j or a longer --timeout."
    )


def _practice(measured: MeasuredSuite) -> str:
    suite = measured.summary.suite
    if not suite.practice or not measured.run.plan.solution.measures_agent:
        return ""
    return (
        f"{short_path(suite.directory)} is a practice suite: anyone with this package can rebuild its "
        f"answers. To measure an agent, build one with `trapcli build {suite.family} --seed random`."
    )


def _not_isolated(measured: MeasuredSuite) -> str:
    suite, plan = measured.summary.suite, measured.run.plan
    if suite.practice or plan.isolate or not plan.solution.measures_agent:
        return ""
    return (
        f"The solution was not isolated: it ran as you, so it could read the answers in "
        f"{short_path(suite.halves.private)}, import trapcli with its reference solvers, and change the "
        "judge, the stored runs and so its own verdicts. With --isolate it can do none of this."
    )


def _stragglers(measured: MeasuredSuite) -> str:
    trials = measured.summary.flagged["stragglers"]
    if not trials.count:
        return ""
    return (
        f"{formatting.plural(trials.count, 'trial')} left processes behind, which were killed: "
        f"{formatting.trials(trials)}. Until then they may have slowed or disturbed other trials."
    )


def _cut_outputs(measured: MeasuredSuite) -> str:
    trials = measured.summary.flagged["cut_outputs"]
    if not trials.count:
        return ""
    verb = "was" if trials.count == 1 else "were"
    return (
        f"{formatting.plural(trials.count, 'output')} {verb} too long, so only the end was kept and judged: "
        f"{formatting.trials(trials)}. Let the solution print less."
    )


def _files_over_limit(measured: MeasuredSuite) -> str:
    trials = measured.summary.flagged["files_over_limit"]
    if not trials.count:
        return ""
    return (
        f"{formatting.plural(trials.count, 'trial')} left more in outputs_dir than is kept ({LIMITS}): "
        f"{formatting.trials(trials)}. `{measured.command(*trials.first[0])}` lists what was left out; it "
        "is lost. Let the solution leave less there."
    )


def _unreadable_usage(measured: MeasuredSuite) -> str:
    trials = measured.summary.flagged["unreadable_usage"]
    if not trials.count:
        return ""
    return (
        f"The usage.json of {formatting.plural(trials.count, 'trial')} could not be read: "
        f"{formatting.trials(trials)}. Their tokens and costs are not known."
    )


def _collateral(measured: MeasuredSuite) -> str:
    trials = measured.summary.flagged["collateral"]
    if not trials.count:
        return ""
    return (
        f"{formatting.plural(trials.count, 'trial')} passed although the answer changes more than it should, "
        f"which no report shows: {formatting.trials(trials)}. The notes of "
        f"`{measured.command(*trials.first[0])}` name the cells."
    )


SUITE_WARNINGS = {  # the most serious first
    "mostly_crashed": _mostly_crashed,
    "changed": _changed,
    "judge_errors": _judge_errors,
    "uncounted_cases": _uncounted_cases,
    "provider_errors": _provider_errors,
    "identical_outputs": _identical_outputs,
    "overload": _overload,
    "practice": _practice,
    "not_isolated": _not_isolated,
    "stragglers": _stragglers,
    "cut_outputs": _cut_outputs,
    "files_over_limit": _files_over_limit,
    "unreadable_usage": _unreadable_usage,
    "collateral": _collateral,
}


def _warnings_of_changes(run: Run) -> Iterator[RunWarning]:
    """Yield what was different when the run was resumed, each difference once."""
    mixed = dict.fromkeys(text for change in run.changes for text in change.mixed)
    noted = dict.fromkeys(text for change in run.changes for text in change.noted)
    if mixed:
        yield RunWarning(
            "mixed_configuration",
            f"The run mixes configurations: --allow-changes resumed it although {'; '.join(mixed)}. A rate "
            "over two configurations says little about either.",
        )
    if noted:
        yield RunWarning(
            "changed_environment",
            f"When the run was resumed, something was different: {'; '.join(noted)}. If the solution depends "
            "on it, the rates mix configurations: start a new run. Name variables that matter with --env.",
        )


def _warnings_of_run(summary: RunSummary) -> Iterator[RunWarning]:
    run, never_ran = summary.run, summary.never_ran
    lost = tuple(incident for incident in summary.lost_attempts if incident[3] not in CHANGES)
    changed = tuple(incident for incident in (*summary.lost_attempts, *never_ran) if incident[3] in CHANGES)
    if changed:
        yield RunWarning(
            "store_changed",
            f"What is stored of this run was changed while it went on: {_trials_of(run, changed)}. The "
            f"first: {_what_of(changed[0])} A solution that is not isolated can do that, and then no figure "
            "here can be trusted: start a new run with --isolate.",
        )
    if never_ran:
        yield RunWarning(
            "never_ran",
            f"{formatting.plural(len(never_ran), 'trial')} never ran, which says nothing about the solution "
            f"(infrastructure): {_trials_of(run, never_ran)}. The first: {_what_of(never_ran[0])} They are "
            f"open: `{summary.resume_command}` runs them.",
        )
    if lost:
        yield RunWarning(
            "lost_attempts",
            f"Something went wrong with {formatting.plural(len(lost), 'trial')}: {_trials_of(run, lost)}. "
            f"The first: {_what_of(lost[0])}",
        )
    if run.resumes:
        again = _trials_of(run, summary.interrupted)
        ran = f"; trials that were running when it stopped ran again: {again}" if again else ""
        yield RunWarning("resumed", f"The run was resumed {formatting.plural(run.resumes, 'time')}{ran}.")
    if summary.earlier_runs and run.plan.solution.measures_agent:
        yield RunWarning(
            "earlier_runs",
            f"This is run {summary.earlier_runs + 1} on these cases; `trapcli inspect run` lists all of "
            "them. Do not pick the run with the best rate: that rate is partly luck. Report all of them.",
        )


def _trials_of(run: Run, incidents: tuple[Incident, ...]) -> str:
    names = (f"{case_name(run, suite, case)}/{number}" for suite, case, number, _ in incidents)
    return listed(names, len(incidents))


def _what_of(incident: Incident) -> str:
    return f"{incident[3].rstrip('.')}."
