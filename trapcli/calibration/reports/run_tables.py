"""What a run came to, as tables and sentences for a person."""

from collections.abc import Iterator, Mapping, Sequence

from trapcli.calibration.reports import formatting
from trapcli.calibration.reports.run_summary import TELL, CaseSummary, RunSummary, SuiteSummary
from trapcli.calibration.reports.run_warnings import Caution, cautions, instrument, label, soundness
from trapcli.calibration.stats.comparison import trials_to_tell
from trapcli.core.contract import Section


def sections(summary: RunSummary, only: Sequence[int] = ()) -> tuple[Section, ...]:
    """The run, each suite's cases and rates, and what to beware of; `only`: of suites at these positions."""
    positions = only or range(len(summary.suites))
    shown = [head(summary)]
    for position in positions:
        suite, name = summary.suites[position], label(summary.run, position)
        shown += [_cases(suite, name), *_not_passed(suite), Section("", rows=tuple(_facts(suite)))]
    if len(positions) > 1:
        shown.append(_overview(summary, positions))
    told = [one for one in cautions(summary) if one.suite is None or one.suite in positions]
    if told:
        shown.append(Section("Beware", rows=tuple(_told(summary, one) for one in told)))
    return (*shown, *closing(summary))


def _told(summary: RunSummary, caution: Caution) -> tuple[str, str]:
    several = caution.suite is not None and len(summary.suites) > 1
    return label(summary.run, caution.suite or 0) if several else "-", caution.text


def head(summary: RunSummary) -> Section:
    """What ran, how, and how far it came."""
    run, plan = summary.run, summary.run.plan
    how = [f"limit {plan.limit:g} s", f"{formatting.several(run.jobs, 'trial')} at a time"]
    how += ["isolated"] if plan.isolate else ["a fresh HOME"] if plan.fresh_home else []
    facts = [
        ("solution", plan.solution.given + (f" ({plan.solution.name})" if plan.solution.name else "")),
        ("trials", progress(summary)),
        ("how", ", ".join(how)),
        ("when", run.started + (f" to {run.ended}" if run.ended else "")),
    ]
    if said := instrument(run):
        facts.append(("instrument", said))
    return Section(f"Run {run.number}", rows=tuple(facts))


def progress(summary: RunSummary) -> str:
    """How many trials ran; of a partial run also the command for the others."""
    if summary.complete:
        return f"{summary.done:,}, complete"
    return (
        f"{summary.done:,} of {summary.planned:,} trials; PARTIAL, interrupted or still running: "
        f"`{summary.resume}` runs the rest"
    )


def closing(summary: RunSummary) -> tuple[Section, ...]:
    """The last lines: that a run is partial; of the reference solver, whether the instrument is sound."""
    lines = [] if summary.complete else [progress(summary)]
    if summary.run.plan.solution.builtin == "solve":
        lines.append(soundness(summary.run, summary)[1])
    return (Section("", text="\n".join(lines)),) if lines else ()


def _cases(suite: SuiteSummary, name: str) -> Section:
    """One row a case: how often it passed, what that says of its rate, how long it took."""
    columns = {
        "case": [case.case for case in suite.cases],
        "trap kind": [case.category for case in suite.cases],
        "passed": [f"{case.passes}/{case.counted}" for case in suite.cases],
        "rate": [formatting.rate(case.rate) for case in suite.cases],
        "95% interval": [formatting.interval(case.interval) for case in suite.cases],
        "median s": [formatting.seconds(case.median) for case in suite.cases],
        "p95 s": [formatting.seconds(case.p95) for case in suite.cases],
    }
    return _table(name, columns)


def _table(title: str, columns: Mapping[str, Sequence[str]]) -> Section:
    """A table of these columns, without those that are empty."""
    kept = {name: cells for name, cells in columns.items() if any(cells)}
    return Section(title, tuple(kept), tuple(zip(*kept.values(), strict=True)))


def _not_passed(suite: SuiteSummary) -> list[Section]:
    """One row a case that did not always pass: wrong answers, the mistakes they equal, other endings."""
    rows = tuple(
        (
            case.case,
            str(case.outcomes["failed"] or ""),
            formatting.slips(case.slips, case.unnamed),
            _others(case),
        )
        for case in suite.cases
        if case.passes < case.planned
    )
    columns = ("case", "wrong", "wrong answers equal", "ended otherwise")
    return [Section("", columns, rows)] if rows else []


def _others(trials: CaseSummary | SuiteSummary) -> str:
    """How those ended that neither passed nor gave a wrong answer, and how many are open."""
    told = formatting.outcomes(trials.outcomes, ("passed", "failed"))
    return ", ".join(filter(None, [told, f"{trials.open} open" if trials.open else ""]))


def _facts(suite: SuiteSummary) -> Iterator[tuple[str, str]]:
    """The suite's rates and counts, each named for what it means."""
    counted = [case.counted for case in suite.cases if case.counted]
    spread = f"{min(counted)} to {max(counted)}" if counted and min(counted) < max(counted) else ""
    over = f"over {formatting.several(len(counted), 'case')}, {formatting.several(sum(counted), 'trial')}"
    yield (
        "mean rate",
        f"{formatting.rate(suite.rate)} {over}"
        + (f"; cases weigh the same, though their trials are {spread}" if spread else ""),
    )
    if suite.suite.truth is not None:
        yield "true rate", f"{formatting.rate(suite.suite.truth)} on these cases, as the solution was made"
    few = "n/a: fewer than two cases" if len(counted) < 2 else formatting.UNKNOWN
    yield "on these cases", formatting.interval(suite.on_these) if suite.on_these else few
    yield "on new cases of this build", formatting.interval(suite.on_new) if suite.on_new else few
    yield from _of_k(suite)
    if len(suite.kinds) > 1 and any(kind.cases > 1 for kind in suite.kinds):
        kinds = (f"{kind.name} {kind.passes}/{kind.counted}" for kind in suite.kinds)
        yield "passed by trap kind", ", ".join(kinds)
    yield "ended", formatting.outcomes(suite.outcomes) or "no trial ran"
    if told := formatting.slips(suite.slips, suite.unnamed):
        yield "wrong answers equal", told
    yield (
        "can be told apart",
        f"{_difference(suite)}; {TELL[0]} from {TELL[1]} takes {trials_to_tell(*TELL):,} trials each "
        "(80% power)",
    )
    yield "time", f"{formatting.duration(suite.seconds)} in all trials together"
    if told := formatting.usage(suite.usage, suite.done):
        yield "reported usage", told


def _of_k(suite: SuiteSummary) -> Iterator[tuple[str, str]]:
    """pass@k and pass^k, for each k that the trials allow."""
    if not suite.pass_at:
        return
    for name, values, meaning in (
        ("pass@k", suite.pass_at, "any of k trials passes; unbiased"),
        ("pass^k", suite.pass_hat, "all of k trials pass; unbiased"),
    ):
        yield (
            name,
            ", ".join(f"k={k}: {formatting.rate(value)}" for k, value in values.items()) + f" ({meaning})",
        )


def _difference(suite: SuiteSummary) -> str:
    if suite.difference is None:
        return "so few trials tell no two runs apart"
    return f"two runs like this if their rates differ by {suite.difference:.2f} or more"


def _overview(summary: RunSummary, positions: Sequence[int]) -> Section:
    """One row a suite."""
    suites = [summary.suites[position] for position in positions]
    columns = {
        "suite": [label(summary.run, position) for position in positions],
        "cases": [str(len(suite.cases)) for suite in suites],
        "passed": [f"{suite.passes}/{suite.counted}" for suite in suites],
        "mean rate": [formatting.rate(suite.rate) for suite in suites],
        "on these cases": [formatting.interval(suite.on_these) for suite in suites],
        "on new cases": [formatting.interval(suite.on_new) for suite in suites],
        "otherwise": [_others(suite) for suite in suites],
    }
    return _table("All suites", columns)
