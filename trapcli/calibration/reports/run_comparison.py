"""Two runs on the same cases side by side: whether they differ, and how sure that is."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from trapcli.calibration.reports import formatting
from trapcli.calibration.reports.run_summary import CaseSummary, RunSummary, interval_to_json
from trapcli.calibration.reports.run_warnings import label
from trapcli.calibration.stats.comparison import Comparison, compare
from trapcli.core.contract import Section
from trapcli.core.errors import TrapError
from trapcli.views.inspection import View

LEVEL = 0.05  # a p-value up to this shows something


@dataclass(frozen=True, slots=True)
class Shared:
    """The cases of one suite that are in both runs, and how they compare; None if none can be."""

    name: str
    digest: str
    cases: tuple[tuple[CaseSummary, CaseSummary], ...]
    result: Comparison | None
    detectable: float | None = None


def compare_runs(first: RunSummary, second: RunSummary) -> View:
    """Run B, the second, against run A on the cases of the suites that are the same to the byte in both.

    Raises TrapError if they are the same run or have no such case.
    """
    a, b = first.run, second.run
    if a.token == b.token:
        raise TrapError(
            f"run {a.number} cannot be compared with itself; `trapcli inspect run` lists the runs."
        )
    suites = _shared(first, second)
    if not suites:
        raise TrapError(
            f"runs {a.number} and {b.number} share no case: run {a.number} is on {_suites(first)}, "
            f"run {b.number} on {_suites(second)}. Only runs on the same cases, to the byte, can be "
            "compared; `trapcli inspect run` lists what each is on."
        )
    whole = None
    if len(suites) > 1:
        cases = tuple(pair for suite in suites for pair in suite.cases)
        whole = Shared("all suites", "", cases, compare(_counts(cases)))
    differing = differences(first, second)
    document = {
        "run_a": a.number,
        "run_b": b.number,
        "differing": [{"what": what, "a": in_a, "b": in_b} for what, in_a, in_b in differing],
        "suites": [_to_json(suite) for suite in suites],
        "all_suites": None if whole is None else _to_json(whole),
    }
    head = Section(
        f"Run {b.number} (B) against run {a.number} (A)",
        ("", f"A: run {a.number}", f"B: run {b.number}"),
        (("solution", a.plan.solution.given, b.plan.solution.given), *differing),
    )
    shown = [part for suite in suites for part in (_cases(suite), _facts(suite))]
    return View(document, (head, *shown, *([_facts(whole, whole.name)] if whole else [])))


PARTIAL, ALL = "trials that ran", "all"


def differences(first: RunSummary, second: RunSummary) -> list[tuple[str, str, str]]:
    """What besides the solution is not the same in the two runs: what, in A, in B."""
    rows = zip(_setting(first).items(), _setting(second).values(), strict=True)
    return [(what, a, b) for (what, a), b in rows if a != b or (what == PARTIAL and a != ALL)]


def verdict(suite: Shared) -> str:
    """In words whether a difference was shown, and for what."""
    found = suite.result
    if found is None:
        return "Nothing can be said: no case has a counted trial in both runs."
    seen = (
        f"{formatting.signed(found.difference)} ({formatting.between(found.on_these_cases)} on these cases)"
    )
    new = found.on_new_cases
    general = found.p <= LEVEL and new is not None and not new.low <= 0 <= new.high
    few = (
        f" {formatting.several(found.cases, 'case')} cannot show one for new cases, whatever the trials: "
        f"no p-value is below {_p(found.smallest_p)}."
        if found.smallest_p > LEVEL
        else ""
    )
    if found.told_apart:
        better = "more" if found.difference > 0 else "less"
        shown = f"A difference was shown: on these cases B passes {better} often than A, {seen}."
        if general:
            return f"{shown} It was also shown for new cases of this build (p = {_p(found.p)})."
        if found.smallest_p <= LEVEL and new is not None and not new.low <= 0 <= new.high:
            return (
                f"{shown} For new cases of this build it is not clear: their interval leaves out 0, but the "
                f"sign-flip test, which assumes less, gives p = {_p(found.p)}. More cases would tell."
            )
        return f"{shown} For new cases of this build none was shown (p = {_p(found.p)}).{few}"
    if found.p <= LEVEL:
        return (
            f"Not clear: the cases lean one way more than by chance (p = {_p(found.p)}), but the whole "
            f"difference, {seen}, is within the noise of the trials. More trials would tell."
        )
    power = (
        f" Two runs like these tell {suite.detectable:.2f} or more apart (80% power)."
        if suite.detectable is not None
        else ""
    )
    return f"No difference shown: {seen} is within what chance does (p = {_p(found.p)}).{few}{power}"


def _shared(first: RunSummary, second: RunSummary) -> list[Shared]:
    others = {suite.suite.digest: suite for suite in reversed(second.suites)}
    shared = []
    for position, suite in enumerate(first.suites):
        other = others.get(suite.suite.digest)
        if other is None:
            continue
        of_b = {case.case: case for case in other.cases}
        cases = tuple((case, of_b[case.case]) for case in suite.cases if case.case in of_b)
        if not cases:
            continue
        whole = len(cases) == len(suite.cases) == len(other.cases)
        known = [one.difference for one in (suite, other) if one.difference is not None]
        detectable = max(known) if whole and len(known) == 2 else None
        name = label(first.run, position)
        shared.append(Shared(name, suite.suite.digest, cases, compare(_counts(cases)), detectable))
    return shared


def _counts(
    cases: Sequence[tuple[CaseSummary, CaseSummary]],
) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    return [((a.passes, a.counted), (b.passes, b.counted)) for a, b in cases]


def _setting(summary: RunSummary) -> Mapping[str, str]:
    run, plan = summary.run, summary.run.plan
    changed = [str(suite.directory) for suite in plan.suites if suite.changed]
    return {
        "limit": f"{plan.limit:g} s",
        "trials of a case": str(plan.trials),
        PARTIAL: f"{summary.done} of {summary.planned}" if summary.open else ALL,
        "at a time": str(run.jobs),
        "isolated": "yes" if plan.isolate else "no",
        "fresh HOME": "yes" if plan.fresh_home or plan.isolate else "no",
        "variables let in": ", ".join(plan.env) or "none",
        "setup": plan.solution.setup_cmd or "none",
        "suites changed meanwhile": ", ".join(changed) or "none",
        "trapcli": run.tool,
        "Python": run.python,
        "machine": ", ".join(f"{name} {value}" for name, value in run.host.items() if name != "load"),
    }


def _suites(summary: RunSummary) -> str:
    return ", ".join(
        f"{suite.suite.family} {suite.suite.digest[:12]} ({formatting.several(len(suite.cases), 'case')})"
        for suite in summary.suites
    )


def _cases(suite: Shared) -> Section:
    rows = tuple(
        (
            a.case,
            a.category or b.category,
            f"{a.passes}/{a.counted}",
            f"{b.passes}/{b.counted}",
            formatting.UNKNOWN if a.rate is None or b.rate is None else formatting.signed(b.rate - a.rate),
        )
        for a, b in suite.cases
    )
    return Section(suite.name, ("case", "trap kind", "A", "B", "B - A"), rows)


def _facts(suite: Shared, title: str = "") -> Section:
    found = suite.result
    if found is None:
        return Section(title, text=verdict(suite))
    few = "n/a: fewer than two cases"
    rows = (
        ("mean rates", f"A {formatting.rate(found.rate_a)}, B {formatting.rate(found.rate_b)}, each over "
         f"{formatting.several(found.cases, 'case')}"),
        ("difference, B - A", formatting.signed(found.difference)),
        ("on these cases", formatting.between(found.on_these_cases)),
        ("on new cases of this build", formatting.between(found.on_new_cases) if found.on_new_cases else few),
        ("p-value", f"{_p(found.p)} (sign-flip test over cases{'' if found.exact else ', drawn'}); with "
         f"{formatting.several(found.cases, 'case')} at least {_p(found.smallest_p)}"),
    )  # fmt: skip
    return Section(title, rows=(*rows, ("in words", verdict(suite))))


def _p(value: float) -> str:
    return f"{value:.3f}" if value >= 0.001 else f"{value:.1g}"


def _to_json(suite: Shared) -> dict[str, Any]:
    found = suite.result
    result = None
    if found is not None:
        result = {
            **asdict(found),
            "on_these_cases": interval_to_json(found.on_these_cases),
            "on_new_cases_of_this_build": interval_to_json(found.on_new_cases),
            "told_apart": found.told_apart,
        }
        del result["on_new_cases"]
    return {
        "suite": suite.name,
        "digest": suite.digest or None,
        "cases": [
            {"case": a.case, "a": {"passes": a.passes, "counted": a.counted, "rate": a.rate},
             "b": {"passes": b.passes, "counted": b.counted, "rate": b.rate}}
            for a, b in suite.cases
        ],
        "result": result,
        "detectable_difference": suite.detectable,
        "in_words": verdict(suite),
    }  # fmt: skip
