"""A run's results as tables and sentences for a person."""

from collections.abc import Collection, Iterator, Mapping, Sequence

from trapcli.calibration.configuration import labels_in_words
from trapcli.calibration.reports import formatting
from trapcli.calibration.reports.run_summary import CaseSummary, RunSummary, SuiteSummary
from trapcli.calibration.reports.run_warnings import ABOVE_RATES, RunWarning, run_warnings
from trapcli.calibration.reports.self_check_result import judgements_line, self_check_result
from trapcli.calibration.suite_names import suite_name
from trapcli.core.contract import Section

STOPPED, CUT_SHORT, RUNNING = "stopped", "interrupted", "still running"  # why trials are open


def run_sections(summary: RunSummary, only: Sequence[int] = (), state: str = STOPPED) -> tuple[Section, ...]:
    """Return the run, the cases and rates of each suite, and the warnings.

    only: positions of the suites to show; by default all.
    state: what to say of a run with open trials. How to resume it is only added if it is stopped: an
        interrupted command says so itself, when it ends.
    """
    positions = only or range(len(summary.suites))
    warnings = [one for one in run_warnings(summary) if one.suite is None or one.suite in positions]
    sections = [_head(summary, state), *_warnings(summary, warnings, "Before the rates", ABOVE_RATES)]
    for position in positions:
        suite, name = summary.suites[position], suite_name(summary.run, position)
        sections += [_case_table(suite, name), *_failure_table(suite)]
        sections.append(Section("", rows=tuple(_suite_facts(suite))))
    if len(positions) > 1:
        sections.append(_suite_table(summary, positions))
    sections += _warnings(summary, warnings, "Warnings", {one.type for one in warnings} - ABOVE_RATES)
    return (*sections, *_closing(summary, state))


def _warnings(
    summary: RunSummary, warnings: Sequence[RunWarning], title: str, types: Collection[str]
) -> list[Section]:
    """Return the warnings of these types under a title; nothing if there are none."""
    rows = tuple(_warning_row(summary, one) for one in warnings if one.type in types)
    return [Section(title, rows=rows)] if rows else []


def _warning_row(summary: RunSummary, warning: RunWarning) -> tuple[str, str]:
    if warning.suite is None or len(summary.suites) == 1:
        return "-", warning.text
    return suite_name(summary.run, warning.suite), warning.text


def _head(summary: RunSummary, state: str) -> Section:
    """Return what ran, how, and how far."""
    run, plan = summary.run, summary.run.plan
    how = [f"limit {plan.limit:g} s", f"{formatting.plural(run.jobs, 'trial')} at a time"]
    how += ["isolated"] if plan.isolate else ["a fresh HOME"] if plan.fresh_home else []
    how += ["no network"] if plan.no_network else []
    facts = [
        ("solution", plan.solution.given + (f" ({plan.solution.name})" if plan.solution.name else "")),
        ("trials", _progress(summary, state)),
        ("how", ", ".join(how)),
        ("when", run.started + (f" to {run.ended}" if run.ended else "")),
        *labels_in_words(plan.configuration),
    ]
    if line := judgements_line(run):
        facts.append(("self-check", line))
    return Section(f"Run {run.number}", rows=tuple(facts))


def _progress(summary: RunSummary, state: str) -> str:
    """Return how many trials are done, and of how many if some are open."""
    counts = summary.counts
    if summary.complete:
        return f"{counts.done:,}, complete"
    return f"{counts.done:,} of {counts.planned:,}, {state}"


def _closing(summary: RunSummary, state: str) -> tuple[Section, ...]:
    """Return the last lines: the result of a self-check, and the command that runs open trials."""
    result = self_check_result(summary)
    lines = [result.text] if result else []
    if not summary.complete and state == STOPPED:
        lines.append(summary.how_to_resume)
    return (Section("", text="\n".join(lines)),) if lines else ()


def _case_table(suite: SuiteSummary, name: str) -> Section:
    """Return one row per case: how often it passed, its rate, and how long it took."""
    columns = {
        "case": [case.case for case in suite.cases],
        "trap": [case.trap for case in suite.cases],
        "passed": [f"{case.counts.passes}/{case.counts.counted}" for case in suite.cases],
        "rate": [formatting.rate(case.rate) for case in suite.cases],
        "95% interval": [formatting.interval(case.interval) for case in suite.cases],
        "median s": [formatting.seconds(case.median_seconds) for case in suite.cases],
        "p95 s": [formatting.seconds(case.p95_seconds) for case in suite.cases],
    }
    return _table(name, columns)


def _table(title: str, columns: Mapping[str, Sequence[str]]) -> Section:
    """Return a table of the columns that are not empty."""
    kept = {name: cells for name, cells in columns.items() if any(cells)}
    return Section(title, tuple(kept), tuple(zip(*kept.values(), strict=True)))


def _failure_table(suite: SuiteSummary) -> list[Section]:
    """Return one row per case that did not always pass: wrong answers, their mistakes, other outcomes."""
    rows = tuple(
        (
            case.case,
            str(case.outcomes["failed"] or ""),
            formatting.mistakes(case.mistakes, case.other_wrong_answers),
            _other_outcomes(case),
        )
        for case in suite.cases
        if case.counts.passes < case.counts.planned
    )
    columns = ("case", "wrong", "wrong answers match", "other outcomes")
    return [Section("", columns, rows)] if rows else []


def _other_outcomes(summary: CaseSummary | SuiteSummary) -> str:
    """Return how many trials neither passed nor gave a wrong answer, by outcome, and how many are open."""
    ended = formatting.outcomes(summary.outcomes, ("passed", "failed"))
    return ", ".join(filter(None, [ended, f"{summary.counts.open} open" if summary.counts.open else ""]))


def _suite_facts(suite: SuiteSummary) -> Iterator[tuple[str, str]]:
    """Yield the suite's rates and counts, each with its name."""
    counted = [case.counts.counted for case in suite.cases if case.counts.counted]
    yield "mean rate", f"{formatting.rate(suite.rate)} {_weights(counted)}"
    if suite.suite.true_rate is not None:
        yield "true rate", f"{formatting.rate(suite.suite.true_rate)} on these cases, by construction"
    unknown = "n/a: fewer than two cases" if len(counted) < 2 else formatting.UNKNOWN
    yield (
        "on these cases",
        formatting.interval(suite.on_these_cases) if suite.on_these_cases else unknown,
    )
    yield (
        "on new cases of this build",
        formatting.interval(suite.on_new_cases) if suite.on_new_cases else unknown,
    )
    if suite.pass_at:
        yield "pass@k", f"{_by_k(suite.pass_at)} (any of k trials passes; unbiased)"
        yield "pass^k", f"{_by_k(suite.pass_hat)} (all of k trials pass; unbiased)"
    if len(suite.traps) > 1 and any(trap.cases > 1 for trap in suite.traps):
        traps = (f"{trap.trap} {trap.counts.passes}/{trap.counts.counted}" for trap in suite.traps)
        yield "passed by trap", ", ".join(traps)
    yield "outcomes", formatting.outcomes(suite.outcomes) or "no trial ran"
    if matches := formatting.mistakes(suite.mistakes, suite.other_wrong_answers):
        yield "wrong answers match", matches
    yield "minimum detectable difference", _detectable(suite)
    yield "time", f"{formatting.duration(suite.seconds)} in all trials together"
    if usage := formatting.usage(suite.usage, suite.counts.done):
        yield "reported usage", usage


def _weights(counted: Sequence[int]) -> str:
    """Return over how many cases and trials a mean rate is.

    counted: how many counted trials each case has, without cases that have none.
    """
    over = f"over {formatting.plural(len(counted), 'case')}, {formatting.plural(sum(counted), 'trial')}"
    if not counted or min(counted) == max(counted):
        return over
    return f"{over}; all cases have the same weight, though they have {min(counted)} to {max(counted)} trials"


def _by_k(values: Mapping[int, float | None]) -> str:
    return ", ".join(f"k={k}: {formatting.rate(value)}" for k, value in values.items())


def _detectable(suite: SuiteSummary) -> str:
    if suite.minimum_detectable_difference is None:
        return "n/a: fewer than two cases" if len(suite.cases) < 2 else "n/a: too few trials"
    return f"{suite.minimum_detectable_difference:.2f} between two runs like this (80% power)"


def _suite_table(summary: RunSummary, positions: Sequence[int]) -> Section:
    """Return one row per suite."""
    suites = [summary.suites[position] for position in positions]
    columns = {
        "suite": [suite_name(summary.run, position) for position in positions],
        "cases": [str(len(suite.cases)) for suite in suites],
        "passed": [f"{suite.counts.passes}/{suite.counts.counted}" for suite in suites],
        "mean rate": [formatting.rate(suite.rate) for suite in suites],
        "on these cases": [formatting.interval(suite.on_these_cases) for suite in suites],
        "on new cases": [formatting.interval(suite.on_new_cases) for suite in suites],
        "other outcomes": [_other_outcomes(suite) for suite in suites],
    }
    return _table("All suites", columns)
