"""What a reader of a run's rates must know: each caution in a sentence or two, with what to do."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from trapcli.calibration.records import Run
from trapcli.calibration.reports import formatting
from trapcli.calibration.reports.run_summary import RunSummary, SuiteSummary
from trapcli.calibration.reports.tally import cpus_of


@dataclass(frozen=True, slots=True)
class Caution:
    """kind: a name that does not change. suite: its position in the run, None if it is about all."""

    kind: str
    text: str
    suite: int | None = None

    def to_json(self) -> dict[str, Any]:
        return {"kind": self.kind, "suite": self.suite, "text": self.text}


def cautions(summary: RunSummary) -> tuple[Caution, ...]:
    """All that is to be said of a run, the gravest first."""
    found = []
    for position, suite in enumerate(summary.suites):
        place = Place(summary.run, position, suite)
        said = ((kind, caution(place)) for kind, caution in OF_SUITES.items())
        found += [Caution(kind, text, position) for kind, text in said if text]
    return (*found, *_of_run(summary))


def label(run: Run, position: int) -> str:
    """A suite's family, or its directory if the run has several of the family."""
    suites = run.plan.suites
    family = suites[position].family
    alone = [suite.family for suite in suites].count(family) == 1
    return family if alone else formatting.path(suites[position].directory)


def inspecting(run: Run, position: int, case: str, trial: int | None = None) -> str:
    """The command that shows a case of the run, or one trial of it."""
    words = ["trapcli inspect run", str(run.number)]
    if sum(case in suite.cases for suite in run.plan.suites) > 1:
        words.append(label(run, position))
    words.append(case)
    return " ".join([*words, *([] if trial is None else ["--trial", str(trial)])])


def soundness(run: Run, summary: RunSummary) -> tuple[bool | None, str]:
    """Whether a run of the reference solver shows that suites and judge can be trusted, in a sentence.

    Only if no slip passed the instrument check and the solver passed every trial. None if the
    run does not show it either way: trials are open, or the check was not made.
    """
    wrong = _wrong(run)
    wrong += [
        f"the reference solver passed {case.passes} of {case.done} trials of {_at(run, position, case.case)}"
        for position, suite in enumerate(summary.suites)
        for case in suite.cases
        if case.passes < case.done
    ]
    if wrong:
        return False, f"The instrument is NOT sound: {formatting.listed(wrong, len(wrong), '; ')}."
    if run.instrument is None:
        return None, "Whether the instrument is sound was not shown: no check of the slips was made."
    if not summary.complete or not summary.done:
        left = f"{summary.open:,} of {summary.planned:,} trials are open"
        return None, f"Whether the instrument is sound was not shown: {left}; `{summary.resume}` runs them."
    checked = f"all {run.instrument['slips']:,} known mistakes and empty answers"
    trials = "its trial" if summary.done == 1 else f"all {summary.done:,} trials"
    return True, f"The instrument is sound: {checked} failed, and the reference solver passed {trials}."


def instrument(run: Run) -> str:
    """What the instrument check found, in a sentence; "" if it was not made."""
    if run.instrument is None:
        return ""
    cases, slips = formatting.several(run.instrument["cases"], "case"), run.instrument["slips"]
    judged = f"{slips:,} known mistakes and empty answers of {cases} judged"
    if wrong := _wrong(run):
        return f"{judged}, {len(wrong):,} NOT as they should be: {formatting.listed(wrong, len(wrong), '; ')}"
    return f"{judged}: none passes"


def _wrong(run: Run) -> list[str]:
    """What the instrument check found wrong; see `trapcli.calibration.self_check.check`."""
    return [
        f"{one['mechanism']} in {_at(run, one['suite'], one['case'])} {one['what']}"
        for one in (run.instrument or {}).get("wrong", ())
    ]


def _at(run: Run, position: int, case: str) -> str:
    return f"{label(run, position)} {case}" if len(run.plan.suites) > 1 else case


@dataclass(frozen=True, slots=True)
class Place:
    """A suite of a run, as cautions speak of it."""

    run: Run
    position: int
    suite: SuiteSummary

    def command(self, case: str, trial: int) -> str:
        return inspecting(self.run, self.position, case, trial)

    @property
    def real(self) -> bool:
        """Whether it is an agent that was measured, not one of our own solutions."""
        return not self.run.plan.solution.builtin


def _changed(place: Place) -> str:
    if not place.suite.suite.changed:
        return ""
    return (
        f"{formatting.path(place.suite.suite.directory)} changed while the run went on: its rates are suspect. "
        "Restore or build it again, and run again with --isolate, which keeps a solution away from it."
    )


def _judge_errors(place: Place) -> str:
    broken = place.suite.sightings["judge_errors"]
    if not broken.count:
        return ""
    return (
        f"{formatting.several(broken.count, 'trial')} got no verdict, because the judge failed: "
        f"{formatting.trials(broken)}. They are not counted, and calibrate exits with 1. "
        f"`{place.command(*broken.first[0])}` says why; `trapcli judge --run {place.run.number}` "
        "judges again."
    )


def _not_counted(place: Place) -> str:
    names = place.suite.uncounted
    return f"No trial of {formatting.listed(names, len(names))} is counted yet: no rate." if names else ""


def _provider_errors(place: Place) -> str:
    suite = place.suite
    found, without = suite.sightings["errors"], suite.without_errors
    if not found.count:
        return ""
    verb = "looks like an error" if found.count == 1 else "look like errors"
    return (
        f"{found.count} of {formatting.several(suite.counted, 'trial')} {verb} of the agent's provider (rate "
        f"limit, overload, connection): {formatting.trials(found)}. They count as not passed: mean rate "
        f"{formatting.rate(suite.rate)}; without them "
        f"{'no trial is left' if without is None else formatting.rate(without)}. If that is what they are, "
        "see to the provider and begin a new run."
    )


def _identical_outputs(place: Place) -> str:
    several = sum(case.done >= 2 for case in place.suite.cases)
    identical = [case for case in place.suite.cases if case.identical]
    if len(identical) < several:  # a right answer may be the only one there is
        identical = [case for case in identical if case.passes < case.counted]
    same = [case.case for case in identical]
    if not same or not place.real:
        return ""
    some = f"In {len(same)} of {several} cases ({formatting.listed(same, len(same))})"
    every = "In every case" if several > 1 else f"In {same[0]}"
    return (
        f"{every if len(same) == several else some} all outputs are the same bytes. The trials may not be "
        "independent (a cache, a fixed seed, no sampling): then more of them tell nothing more, and the "
        "intervals of cases and on these cases are too narrow."
    )


def _overload(place: Place) -> str:
    late = place.suite.sightings["overloaded"]
    if not late.count:
        return ""
    timeouts = formatting.several(place.suite.outcomes["timed_out"], "timeout")
    return (
        f"{late.count} of {timeouts} happened while the load of the machine (up to "
        f"{place.suite.highest_load:.1f}) exceeded its {cpus_of(place.run):g} cores, with "
        f"{formatting.several(place.run.jobs, 'trial')} at a time: {formatting.trials(late)}. They may say more of "
        "the machine than of the solution: run again with a lower -j or a longer --timeout."
    )


def _practice(place: Place) -> str:
    suite = place.suite.suite
    if not suite.practice or not place.real:
        return ""
    return (
        f"{formatting.path(suite.directory)} is a practice suite: anyone with this package can rebuild its "
        f"answers. To measure an agent, build one with `trapcli build {suite.family} --seed random`."
    )


def _in_the_open(place: Place) -> str:
    suite, plan = place.suite.suite, place.run.plan
    if suite.practice or plan.isolate or not place.real:
        return ""
    return (
        f"It was not isolated: it could read the answers in {formatting.path(suite.expected)}, and import "
        "trapcli with its reference solvers. With --isolate it could not."
    )


def _stragglers(place: Place) -> str:
    left = place.suite.sightings["stragglers"]
    if not left.count:
        return ""
    return (
        f"{formatting.several(left.count, 'trial')} left processes behind, which were killed: "
        f"{formatting.trials(left)}. Until then they may have slowed or disturbed other trials."
    )


def _cut_outputs(place: Place) -> str:
    cut = place.suite.sightings["cut"]
    if not cut.count:
        return ""
    return (
        f"Of {formatting.several(cut.count, 'output')}, too long, only the end was kept and judged: "
        f"{formatting.trials(cut)}. Let the solution print less."
    )


def _usage(place: Place) -> str:
    unread = place.suite.sightings["usage"]
    if not unread.count:
        return ""
    return (
        f"The usage.json of {formatting.several(unread.count, 'trial')} could not be read: "
        f"{formatting.trials(unread)}. Their tokens and costs are not known."
    )


OF_SUITES = {
    "changed": _changed,
    "judge_errors": _judge_errors,
    "not_counted": _not_counted,
    "provider_errors": _provider_errors,
    "identical_outputs": _identical_outputs,
    "overload": _overload,
    "practice": _practice,
    "in_the_open": _in_the_open,
    "stragglers": _stragglers,
    "cut_outputs": _cut_outputs,
    "usage": _usage,
}


def _of_run(summary: RunSummary) -> Iterator[Caution]:
    run, incidents = summary.run, summary.incidents
    if incidents:
        names = (f"{_at(run, suite, case)}/{number}" for suite, case, number, _ in incidents)
        yield Caution(
            "never_ran",
            f"{formatting.several(len(incidents), 'trial')} never ran, which says nothing about the solution "
            f"(infrastructure): {formatting.listed(names, len(incidents))}. Of the first: "
            f"{incidents[0][3].rstrip('.')}. They are open: `{summary.resume}` runs them.",
        )
    if summary.lost:
        names = (f"{_at(run, suite, case)}/{number}" for suite, case, number, _ in summary.lost)
        yield Caution(
            "accidents",
            f"Something went wrong with {formatting.several(len(summary.lost), 'trial')}: "
            f"{formatting.listed(names, len(summary.lost))}. With the first: {summary.lost[0][3].rstrip('.')}.",
        )
    if run.resumes:
        yield Caution(
            "resumed",
            f"The run was resumed {formatting.several(run.resumes, 'time')}; the trials that were under way "
            "when it stopped ran anew.",
        )
    if summary.earlier and not run.plan.solution.builtin:
        yield Caution(
            "earlier_runs",
            f"This is run {summary.earlier + 1} on these cases; `trapcli inspect run` lists all of them. "
            "A run that was picked for its rate shows nothing.",
        )
