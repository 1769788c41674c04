"""Turn the trials of a run, one after the other, into its summary."""

from collections.abc import Iterable, Sequence

from trapcli.calibration.records import JUDGE_ERROR, TRIAL_STATUSES, Run, RunSuite, Trial
from trapcli.calibration.reports.provider_errors import TailReader
from trapcli.calibration.reports.run_summary import (
    CaseSummary,
    RunSummary,
    SuiteSummary,
    TrapSummary,
    TrialCounts,
    by_frequency,
)
from trapcli.calibration.reports.tally import CaseTally, RunTally, SuiteTally, Usage
from trapcli.calibration.stats import intervals, rates
from trapcli.calibration.stats.power import minimum_detectable_difference
from trapcli.calibration.stats.quantiles import quantile
from trapcli.core.errors import TrapError

KS = (2, 3, 5, 10, 20, 50, 100)  # pass@k and pass^k are computed for those up to the trials of a case


def summarize(
    run: Run, trials: Iterable[Trial], read: TailReader | None = None, earlier_runs: int = 0
) -> RunSummary:
    """Return the summary of a run.

    trials: of the run, in any order; they are read once.
    read: returns the last bytes of a stored stream. It is called only for trials that may be
        provider errors; without it these are not looked for.
    earlier_runs: how many runs before it used the same cases.

    Raises TrapError if a trial is of a case that the run does not have.
    """
    tally = RunTally(run)
    for trial in trials:
        refuse_unplanned(run, trial)
        tally.add(trial, read)
    suites = zip(run.plan.suites, tally.suites, strict=True)
    return RunSummary(
        run=run,
        suites=tuple(_summarize_suite(suite, trials_of, run.plan.trials) for suite, trials_of in suites),
        earlier_runs=earlier_runs,
        never_ran=tuple((*key, what) for key, what in tally.never_ran.items()),
        lost_attempts=tuple(tally.lost_attempts),
        interrupted=tuple(tally.interrupted),
    )


def refuse_unplanned(run: Run, trial: Trial) -> None:
    """Raise TrapError if a stored trial is of a case that its run does not have, or has no status of ours."""
    suites = run.plan.suites
    here = 0 <= trial.suite < len(suites) and trial.case in suites[trial.suite].cases
    if not here or trial.status not in TRIAL_STATUSES:
        raise TrapError(
            f"run {run.number} has a trial that it did not plan: suite {trial.suite}, {trial.case}, "
            f"status {trial.status!r}. Its database is damaged, or was written by another version of "
            "trapcli."
        )


def _summarize_suite(suite: RunSuite, tally: SuiteTally, trials: int) -> SuiteSummary:
    cases = tuple(_summarize_case(case) for case in tally.cases.values())
    counts = [case.counts.pair for case in cases]
    several = len(rates.cases_with_trials(counts)) >= 2
    usage = Usage()
    for case in cases:
        usage.merge(case.usage)
    ks = [k for k in KS if k <= trials]
    return SuiteSummary(
        suite=suite,
        cases=cases,
        traps=_summarize_traps(cases),
        rate=rates.mean_rate(counts),
        clustered_standard_error=rates.clustered_standard_error(counts),
        on_these_cases=intervals.interval_on_these_cases(counts),
        on_new_cases=intervals.interval_on_new_cases(counts),
        pass_at={k: rates.mean_pass_at_k(counts, k) for k in ks},
        pass_hat={k: rates.mean_pass_hat_k(counts, k) for k in ks},
        minimum_detectable_difference=minimum_detectable_difference(counts) if several else None,
        rate_without_provider_errors=_rate_without_provider_errors(cases),
        rate_with_judge_errors=rates.mean_rate([(case.counts.passes, case.counts.done) for case in cases]),
        flagged=tally.flagged,
        highest_load=tally.highest_load,
        seconds=sum(sum(case.seconds) for case in tally.cases.values()),
        usage=usage,
    )


def _summarize_case(tally: CaseTally) -> CaseSummary:
    done = len(tally.seconds)
    counted = done - tally.outcomes[JUDGE_ERROR]
    passes = tally.outcomes["passed"]
    return CaseSummary(
        case=tally.case,
        trap=tally.trap,
        counts=TrialCounts(tally.planned, done, counted, passes, open=max(0, tally.planned - done)),
        outcomes=tally.outcomes,
        rate=passes / counted if counted else None,
        interval=rates.wilson(passes, counted) if counted else None,
        median_seconds=quantile(tally.seconds, 0.5),
        p95_seconds=quantile(tally.seconds, 0.95),
        mistakes=by_frequency(tally.mistakes),
        other_wrong_answers=tally.other_wrong_answers,
        provider_errors=tally.provider_errors,
        identical_outputs=done >= 2 and tally.same_outputs,
        usage=tally.usage,
    )


def _rate_without_provider_errors(cases: Sequence[CaseSummary]) -> float | None:
    """Return the mean rate if trials that look like provider errors, none of which passed, did not count."""
    return rates.mean_rate(
        [(case.counts.passes, case.counts.counted - case.provider_errors) for case in cases]
    )


def _summarize_traps(cases: Sequence[CaseSummary]) -> tuple[TrapSummary, ...]:
    """Return the traps in the order of their first cases; a case without a verdict has none."""
    by_trap: dict[str, list[TrialCounts]] = {}
    for case in cases:
        if case.trap:
            by_trap.setdefault(case.trap, []).append(case.counts)
    return tuple(
        TrapSummary(trap, len(counts), sum(counts, TrialCounts())) for trap, counts in by_trap.items()
    )
