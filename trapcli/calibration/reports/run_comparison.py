"""Two runs on the same cases side by side: whether they differ, and how certain that is."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from trapcli.calibration.configuration import FILE, changed_environment, differences
from trapcli.calibration.records import Run
from trapcli.calibration.reports import formatting
from trapcli.calibration.reports.run_document import interval_to_json
from trapcli.calibration.reports.run_summary import CaseSummary, RunSummary
from trapcli.calibration.reports.run_warnings import ABOVE_RATES, run_warnings
from trapcli.calibration.stats.comparison import Comparison, Finding, compare
from trapcli.calibration.suite_names import suite_name
from trapcli.core.contract import Section
from trapcli.core.errors import TrapError
from trapcli.core.shorten import listed
from trapcli.views.view import View

PARTIAL, ALL = "trials that ran", "all"
# The warnings about a run that a reader of its rates beside another's must know, too.
DOUBTS = ABOVE_RATES | {"changed", "store_changed", "judge_errors", "provider_errors"}


@dataclass(frozen=True, slots=True)
class SharedCases:
    """The cases of one suite, or of all suites, that are in both runs.

    name: the suite's name.
    digest: the suite's digest; "" for all suites.
    cases: the summaries of each case in run A and in run B.
    comparison: None if no case has a counted trial in both runs.
    minimum_detectable_difference: the larger of the two runs'; None unless both are on the same
        cases and it is known for both.
    """

    name: str
    digest: str
    cases: tuple[tuple[CaseSummary, CaseSummary], ...]
    comparison: Comparison | None
    minimum_detectable_difference: float | None = None


def compare_runs(first: RunSummary, second: RunSummary) -> View:
    """Return run B, the second, against run A, the first.

    Only cases of suites that are the same to the byte in both runs are compared. Raises TrapError
    if there are none, or if the two runs are the same run.
    """
    a, b = first.run, second.run
    if a.token == b.token:
        raise TrapError(
            f"run {a.number} cannot be compared with itself; `trapcli inspect run` lists the runs."
        )
    suites = _shared_suites(first, second)
    if not suites:
        raise TrapError(
            f"runs {a.number} and {b.number} share no case: run {a.number} is on {_suites_of(first)}, "
            f"run {b.number} on {_suites_of(second)}. Only runs on the same cases, to the byte, can be "
            "compared; `trapcli inspect run` lists what each is on."
        )
    whole = None
    if len(suites) > 1:
        cases = tuple(pair for suite in suites for pair in suite.cases)
        whole = SharedCases("all suites", "", cases, compare(_count_pairs(cases)))
    differences = setting_differences(first, second)
    doubts = [
        (one.run.number, doubt)
        for one in (first, second)
        for doubt in run_warnings(one)
        if doubt.type in DOUBTS
    ]
    document = {
        "run_a": a.number,
        "run_b": b.number,
        "differences": [{"what": what, "a": in_a, "b": in_b} for what, in_a, in_b in differences],
        "doubts": [{"run": number, **warning.to_json()} for number, warning in doubts],
        "suites": [_to_json(suite) for suite in suites],
        "all_suites": None if whole is None else _to_json(whole),
    }
    head = Section(
        f"Run {b.number} (B) against run {a.number} (A)",
        ("", f"A: run {a.number}", f"B: run {b.number}"),
        (("solution", a.plan.solution.given, b.plan.solution.given), *differences),
    )
    rows = tuple((f"run {number}", warning.text) for number, warning in doubts)
    before = [Section("Before the rates", rows=rows)] if rows else []
    parts = [part for suite in suites for part in (_case_table(suite), _facts(suite))]
    after = [_facts(whole, whole.name)] if whole else []
    return View("comparison/1", document, (head, *before, *parts, *after))


def setting_differences(first: RunSummary, second: RunSummary) -> list[tuple[str, str, str]]:
    """Return what differs between the runs besides the solution: what, in A, in B."""
    rows = zip(_settings(first).items(), _settings(second).values(), strict=True)
    found = [(what, a, b) for (what, a), b in rows if a != b or (what == PARTIAL and a != ALL)]
    return [*found, *_configuration_differences(first.run, second.run)]


def _configuration_differences(first: Run, second: Run) -> Iterator[tuple[str, str, str]]:
    """Yield what differs between the configurations of two runs; files only if the solution is the same."""
    a, b = first.plan.configuration, second.plan.configuration
    solutions = [(run.plan.solution.given, run.plan.solution.cwd) for run in (first, second)]
    for what, in_a, in_b in differences(a, b):
        if solutions[0] == solutions[1] or not what.startswith(FILE):
            yield what, in_a or "none", in_b or "none"
    if names := changed_environment(a, b):
        yield "other variables", "one value", f"another value of {listed(names, len(names), limit=20)}"


def conclusion(shared: SharedCases) -> str:
    """Return in words whether a difference was shown, and for which cases."""
    found = shared.comparison
    if found is None:
        return "No conclusion: no case has a counted trial in both runs."
    these = found.on_these_cases
    observed = f"{formatting.signed(found.difference)} ({_evidence(these)})"
    if these.shown:
        better = "more" if found.difference > 0 else "less"
        text = f"A difference was shown: on these cases B passes {better} often than A, {observed}."
        return f"{text} {_conclusion_on_new_cases(found)}"
    cannot = f" {_too_few(found, 'trials', these)}" if not these.test.possible else ""
    text = f"No difference shown: on these cases {observed}{_disagreement(these)}.{cannot}"
    if shared.minimum_detectable_difference is None:
        return text
    return (
        f"{text} The minimum detectable difference of two runs like these is "
        f"{shared.minimum_detectable_difference:.2f} (80% power)."
    )


def _conclusion_on_new_cases(found: Comparison) -> str:
    new = found.on_new_cases
    if new is None:
        return "One case shows nothing about new cases of this build."
    if new.shown:
        return f"It was also shown for new cases of this build ({_evidence(new)})."
    text = f"It was not shown for new cases of this build ({_evidence(new)}){_disagreement(new)}."
    return text if new.test.possible else f"{text} {_too_few(found, 'cases', new)}"


def _evidence(finding: Finding) -> str:
    return f"{formatting.signed_interval(finding.interval)}, p = {_p(finding.test.p)}"


def _disagreement(finding: Finding) -> str:
    """Return why a finding does not show a difference if only one of its two figures says so; else ""."""
    if finding.test.significant == finding.excludes_zero:
        return ""
    if finding.excludes_zero:
        return "; the interval excludes 0, but p is above 0.05, and both are needed"
    return "; p is at most 0.05, but the interval includes 0, and both are needed"


def _too_few(found: Comparison, what: str, finding: Finding) -> str:
    """Return that p cannot be small enough, with the least p that is possible."""
    cases = formatting.plural(found.cases, "case")
    who = f"{cases} cannot show it" if what == "cases" else f"So few trials of {cases} cannot show one"
    return f"{who}, whatever the trials give: p is at least {_p(finding.test.smallest_p)}."


def _shared_suites(first: RunSummary, second: RunSummary) -> list[SharedCases]:
    others = {suite.suite.digest: suite for suite in reversed(second.suites)}
    shared = []
    for position, suite in enumerate(first.suites):
        other = others.get(suite.suite.digest)
        if other is None:
            continue
        in_b = {case.case: case for case in other.cases}
        cases = tuple((case, in_b[case.case]) for case in suite.cases if case.case in in_b)
        if not cases:
            continue
        same_cases = len(cases) == len(suite.cases) == len(other.cases)
        differences = [suite.minimum_detectable_difference, other.minimum_detectable_difference]
        known = [difference for difference in differences if difference is not None]
        detectable = max(known) if same_cases and len(known) == 2 else None
        comparison = compare(_count_pairs(cases))
        name = suite_name(first.run, position)
        shared.append(SharedCases(name, suite.suite.digest, cases, comparison, detectable))
    return shared


def _count_pairs(
    cases: Sequence[tuple[CaseSummary, CaseSummary]],
) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    return [(a.counts.pair, b.counts.pair) for a, b in cases]


def _settings(summary: RunSummary) -> Mapping[str, str]:
    run, plan, counts = summary.run, summary.run.plan, summary.counts
    profile: Mapping[str, Any] = getattr(plan.solution, "profile", {})
    mixed = [text for change in run.changes for text in change.mixed]
    changed = [str(suite.directory) for suite in plan.suites if suite.changed]
    return {
        "limit": f"{plan.limit:g} s",
        "trials of a case": str(plan.trials),
        PARTIAL: f"{counts.done} of {counts.planned}" if counts.open else ALL,
        "at a time": str(run.jobs),
        "isolated": "yes" if plan.isolate else "no",
        "network": "no" if plan.no_network else "yes",
        "fresh HOME": "yes" if plan.fresh_home or plan.isolate else "no",
        "variables passed": ", ".join(plan.env) or "none",
        "setup": plan.solution.setup_cmd or "none",
        **{key: ", ".join(profile.get(key, ())) or "none" for key in ("model", "framework")},
        "mixed configurations": "; ".join(mixed) or "no",
        "suites changed during the run": ", ".join(changed) or "none",
        "trapcli": run.tool,
        "Python": run.python,
        "machine": ", ".join(f"{name} {value}" for name, value in run.host.items() if name != "load"),
    }


def _suites_of(summary: RunSummary) -> str:
    return ", ".join(
        f"{suite.suite.family} {suite.suite.digest[:12]} ({formatting.plural(len(suite.cases), 'case')})"
        for suite in summary.suites
    )


def _case_table(shared: SharedCases) -> Section:
    rows = tuple(
        (
            a.case,
            a.trap or b.trap,
            f"{a.counts.passes}/{a.counts.counted}",
            f"{b.counts.passes}/{b.counts.counted}",
            formatting.UNKNOWN if a.rate is None or b.rate is None else formatting.signed(b.rate - a.rate),
        )
        for a, b in shared.cases
    )
    return Section(shared.name, ("case", "trap", "A", "B", "B - A"), rows)


def _facts(shared: SharedCases, title: str = "") -> Section:
    found = shared.comparison
    if found is None:
        return Section(title, text=conclusion(shared))
    cases = formatting.plural(found.cases, "case")
    rows = (
        (
            "mean rates",
            f"A {formatting.rate(found.rate_a)}, B {formatting.rate(found.rate_b)}, each over {cases}",
        ),
        ("difference, B - A", formatting.signed(found.difference)),
        ("on these cases", _facts_of(found.on_these_cases, "trials permuted within cases")),
        ("on new cases of this build", _facts_of(found.on_new_cases, "signs of cases flipped")),
        ("conclusion", conclusion(shared)),
    )
    return Section(title, rows=rows)


def _facts_of(finding: Finding | None, test: str) -> str:
    if finding is None:
        return "n/a: fewer than two cases"
    drawn = "" if finding.test.exact else ", drawn"
    least = _p(finding.test.smallest_p)
    return f"{_evidence(finding)} ({test}{drawn}; at least {least})"


def _p(value: float) -> str:
    return f"{value:.3f}" if value >= 0.001 else f"{value:.1g}"


def _to_json(shared: SharedCases) -> dict[str, Any]:
    return {
        "suite": shared.name,
        "digest": shared.digest or None,
        "cases": [{"case": a.case, "a": _case_to_json(a), "b": _case_to_json(b)} for a, b in shared.cases],
        "result": None if shared.comparison is None else _comparison_to_json(shared.comparison),
        "minimum_detectable_difference": shared.minimum_detectable_difference,
        "conclusion": conclusion(shared),
    }


def _case_to_json(case: CaseSummary) -> dict[str, Any]:
    return {"passes": case.counts.passes, "counted": case.counts.counted, "rate": case.rate}


def _comparison_to_json(comparison: Comparison) -> dict[str, Any]:
    return {
        "cases": comparison.cases,
        "rate_a": comparison.rate_a,
        "rate_b": comparison.rate_b,
        "difference": comparison.difference,
        "on_these_cases": _finding_to_json(comparison.on_these_cases),
        "on_new_cases_of_this_build": _finding_to_json(comparison.on_new_cases),
    }


def _finding_to_json(finding: Finding | None) -> dict[str, Any] | None:
    if finding is None:
        return None
    interval = interval_to_json(finding.interval)
    return {"interval": interval, **asdict(finding.test), "shown": finding.shown}
