"""From the trials of a run, one after the other, to what it came to."""

from collections.abc import Iterable, Sequence

from trapcli.calibration.records import JUDGE_ERROR, Run, RunSuite, Trial
from trapcli.calibration.reports.provider_errors import Reader
from trapcli.calibration.reports.run_summary import CaseSummary, Kind, RunSummary, SuiteSummary
from trapcli.calibration.reports.tally import CaseTally, SuiteTally, Tallies, Usage
from trapcli.calibration.stats import rates
from trapcli.calibration.stats.comparison import detectable_difference
from trapcli.calibration.stats.quantiles import quantile
from trapcli.core.errors import TrapError

KS = (2, 3, 5, 10, 20, 50, 100)  # pass@k and pass^k are told for those that are no more than the trials


def summarize(run: Run, trials: Iterable[Trial], read: Reader | None = None, earlier: int = 0) -> RunSummary:
    """Sum up the trials of a run, in any order, in one pass.

    read: gives the last bytes of a stored stream; it is called only for trials that may be
    errors of the agent's provider, which nobody looks for without it. Raises TrapError if a
    trial is of a case that the run does not have.
    """
    tallies = Tallies(run)
    for trial in trials:
        try:
            tallies.add(trial, read)
        except (KeyError, IndexError) as error:
            raise TrapError(
                f"run {run.number} holds a trial that it did not plan: suite {trial.suite}, {trial.case}, "
                f"status {trial.status!r}. Its database is damaged, or of another version of trapcli."
            ) from error
    suites = zip(run.plan.suites, tallies, strict=True)
    incidents = tuple((*key, what) for key, what in tallies.incidents.items())
    summaries = tuple(_suite(*pair, run.plan.trials) for pair in suites)
    return RunSummary(run, summaries, earlier, incidents, tuple(tallies.lost))


def _suite(suite: RunSuite, tally: SuiteTally, trials: int) -> SuiteSummary:
    cases = tuple(_case(case) for case in tally.cases.values())
    counts = [(case.passes, case.counted) for case in cases]
    usage = Usage()
    for case in cases:
        usage.merge(case.usage)
    ks = [k for k in KS if k <= trials]
    return SuiteSummary(
        suite=suite,
        cases=cases,
        rate=rates.mean_rate(counts),
        on_these=rates.on_these_cases(counts),
        on_new=rates.on_new_cases(counts),
        pass_at={k: rates.mean_pass_at_k(counts, k) for k in ks},
        pass_hat={k: rates.mean_pass_hat_k(counts, k) for k in ks},
        difference=detectable_difference(counts),
        without_errors=_without_errors(cases),
        kinds=_kinds(cases),
        sightings={
            "judge_errors": tally.judge_errors,
            "errors": tally.errors,
            "stragglers": tally.stragglers,
            "cut": tally.cut,
            "overloaded": tally.overloaded,
            "usage": tally.usage,
        },
        highest_load=tally.highest,
        seconds=sum(sum(case.seconds) for case in tally.cases.values()),
        usage=usage,
    )


def _case(tally: CaseTally) -> CaseSummary:
    seconds = tally.seconds
    done = len(seconds)
    counted = done - tally.outcomes[JUDGE_ERROR]
    passes = tally.outcomes["passed"]
    return CaseSummary(
        case=tally.case,
        category=tally.category,
        planned=tally.planned,
        outcomes=tally.outcomes,
        rate=passes / counted if counted else None,
        interval=rates.wilson(passes, counted) if counted else None,
        median=quantile(seconds, 0.5),
        p95=quantile(seconds, 0.95),
        slips=dict(sorted(tally.slips.items(), key=lambda item: (-item[1], item[0]))),
        unnamed=tally.unnamed,
        errors=tally.errors,
        identical=done >= 2 and tally.same,
        usage=tally.usage,
    )


def _without_errors(cases: Sequence[CaseSummary]) -> float | None:
    """The mean rate if trials that look like provider errors had not been counted; none of them passed."""
    return rates.mean_rate([(case.passes, case.counted - case.errors) for case in cases])


def _kinds(cases: Sequence[CaseSummary]) -> tuple[Kind, ...]:
    """The trap kinds in the order of their first cases; a case without a verdict has none."""
    names = dict.fromkeys(case.category for case in cases if case.category)
    return tuple(_kind(name, [case for case in cases if case.category == name]) for name in names)


def _kind(name: str, cases: Sequence[CaseSummary]) -> Kind:
    return Kind(name, len(cases), sum(case.passes for case in cases), sum(case.counted for case in cases))
