"""What a run came to, as records and as JSON data: of each case, of each suite, of the whole."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from trapcli.calibration.records import JUDGE_ERROR, Run, RunSuite
from trapcli.calibration.reports.tally import OUTCOMES, Sighting, Usage
from trapcli.calibration.stats.comparison import trials_to_tell
from trapcli.calibration.stats.rates import Interval, clustered_error
from trapcli.calibration.store.encoding import plan_to_show

TELL = (0.6, 0.5)  # two rates, to show how many trials it takes to tell one from the other


@dataclass(frozen=True, slots=True)
class CaseSummary:
    """A case's trials. outcomes: how many ended in each way; a signal that was none of ours is
    "killed", not "crashed". rate, interval: of the counted ones, None if there is none. median,
    p95: seconds of all that ran. slips: by name how many wrong answers equal that mistake;
    unnamed: how many equal none. errors: how many look like an error of the agent's provider.
    identical: whether there are several outputs, all the same bytes.
    """

    case: str
    category: str
    planned: int
    outcomes: Mapping[str, int]
    rate: float | None
    interval: Interval | None
    median: float | None
    p95: float | None
    slips: Mapping[str, int]
    unnamed: int
    errors: int
    identical: bool
    usage: Usage

    @property
    def passes(self) -> int:
        return self.outcomes["passed"]

    @property
    def done(self) -> int:
        """The trials that ran to their end."""
        return sum(self.outcomes.values())

    @property
    def counted(self) -> int:
        """Those of them that say something about the solution."""
        return self.done - self.outcomes[JUDGE_ERROR]

    @property
    def open(self) -> int:
        return max(0, self.planned - self.done)

    def to_json(self) -> dict[str, Any]:
        return {
            "case": self.case,
            "category": self.category or None,
            "passes": self.passes,
            "counted": self.counted,
            "done": self.done,
            "open": self.open,
            "planned": self.planned,
            "rate": self.rate,
            "interval": interval_to_json(self.interval),
            "median_seconds": self.median,
            "p95_seconds": self.p95,
            "outcomes": dict(self.outcomes),
            "slips": dict(self.slips),
            "wrong_but_no_slip": self.unnamed,
            "provider_errors": self.errors,
            "identical_outputs": self.identical,
            "usage": usage_to_json(self.usage, self.done),
        }


@dataclass(frozen=True, slots=True)
class Kind:
    """The trials of all cases of one trap kind."""

    name: str
    cases: int
    passes: int
    counted: int

    def to_json(self) -> dict[str, Any]:
        rate = self.passes / self.counted if self.counted else None
        return {"kind": self.name, "cases": self.cases, "passes": self.passes, "counted": self.counted,
                "rate": rate}  # fmt: skip


@dataclass(frozen=True, slots=True)
class SuiteSummary:
    """The trials of a suite. rate: the mean of its cases' rates, over those with a counted trial.

    on_these: where the rate of just these cases lies; on_new: where that of new cases of the
    same build lies. None for fewer than two such cases. pass_at, pass_hat: by k the chance that
    any or all of k trials pass, unbiased; None if a case has fewer counted trials. difference:
    what two runs like this can tell apart, at 80% power. without_errors: the rate if trials that
    look like provider errors had not been counted. sightings: by sort of trouble the trials.
    highest_load: while a trial hit its limit, if it was beyond the processors.
    """

    suite: RunSuite
    cases: tuple[CaseSummary, ...]
    rate: float | None
    on_these: Interval | None
    on_new: Interval | None
    pass_at: Mapping[int, float | None]
    pass_hat: Mapping[int, float | None]
    difference: float | None
    without_errors: float | None
    kinds: tuple[Kind, ...]
    sightings: Mapping[str, Sighting]
    highest_load: float
    seconds: float
    usage: Usage

    @property
    def pairs(self) -> tuple[tuple[int, int], ...]:
        """Passes and counted trials of each case, also of those that have none."""
        return tuple((case.passes, case.counted) for case in self.cases)

    @property
    def outcomes(self) -> dict[str, int]:
        return {name: sum(case.outcomes[name] for case in self.cases) for name in OUTCOMES}

    @property
    def slips(self) -> dict[str, int]:
        """By name how many wrong answers equal that mistake, the most frequent first."""
        sums: dict[str, int] = {}
        for case in self.cases:
            for name, count in case.slips.items():
                sums[name] = sums.get(name, 0) + count
        return dict(sorted(sums.items(), key=lambda item: (-item[1], item[0])))

    @property
    def unnamed(self) -> int:
        return sum(case.unnamed for case in self.cases)

    @property
    def done(self) -> int:
        return sum(case.done for case in self.cases)

    @property
    def counted(self) -> int:
        return sum(case.counted for case in self.cases)

    @property
    def passes(self) -> int:
        return sum(case.passes for case in self.cases)

    @property
    def planned(self) -> int:
        return sum(case.planned for case in self.cases)

    @property
    def open(self) -> int:
        return sum(case.open for case in self.cases)

    @property
    def uncounted(self) -> tuple[str, ...]:
        """The cases without a counted trial."""
        return tuple(case.case for case in self.cases if not case.counted)

    def to_json(self) -> dict[str, Any]:
        suite = self.suite
        return {
            "family": suite.family,
            "version": suite.version,
            "directory": str(suite.directory),
            "digest": suite.digest,
            "practice": suite.practice,
            "changed": suite.changed,
            "passes": self.passes,
            "counted": self.counted,
            "done": self.done,
            "open": self.open,
            "planned": self.planned,
            "rate": self.rate,
            "true_rate": suite.truth,
            "clustered_standard_error": clustered_error([(c.passes, c.counted) for c in self.cases]),
            "on_these_cases": interval_to_json(self.on_these),
            "on_new_cases_of_this_build": interval_to_json(self.on_new),
            "pass_at_k_unbiased": {str(k): value for k, value in self.pass_at.items()},
            "pass_hat_k_unbiased": {str(k): value for k, value in self.pass_hat.items()},
            "detectable_difference": self.difference,
            "cases_without_counted_trial": list(self.uncounted),
            "kinds": [kind.to_json() for kind in self.kinds],
            "outcomes": self.outcomes,
            "slips": self.slips,
            "wrong_but_no_slip": self.unnamed,
            "provider_errors": self.sightings["errors"].count,
            "rate_without_provider_errors": self.without_errors,
            "seconds": self.seconds,
            "usage": usage_to_json(self.usage, self.done),
            "cases": [case.to_json() for case in self.cases],
        }


@dataclass(frozen=True, slots=True)
class RunSummary:
    """A run's suites, summed up. earlier: the runs before it on the same cases.

    incidents: the trials that never ran and are still open, with what happened. lost: what
    happened to attempts at trials that have ended since, or ended by it.
    """

    run: Run
    suites: tuple[SuiteSummary, ...]
    earlier: int
    incidents: tuple[tuple[int, str, int, str], ...]
    lost: tuple[tuple[int, str, int, str], ...] = ()

    @property
    def done(self) -> int:
        return sum(suite.done for suite in self.suites)

    @property
    def planned(self) -> int:
        return sum(suite.planned for suite in self.suites)

    @property
    def open(self) -> int:
        return sum(suite.open for suite in self.suites)

    @property
    def complete(self) -> bool:
        return not self.open

    @property
    def resume(self) -> str:
        """The command that runs what is open."""
        return f"trapcli calibrate --resume {self.run.number}"

    def to_json(self) -> dict[str, Any]:
        """All of it as JSON data; what is not known, or cannot be told, is null."""
        from trapcli.calibration.reports.run_warnings import cautions, soundness

        run = self.run
        sound, words = soundness(run, self) if run.plan.solution.builtin == "solve" else (None, None)
        return {
            "run": run.number,
            "status": "complete" if self.complete else "partial",
            "planned": self.planned,
            "done": self.done,
            "open": self.open,
            "resume": None if self.complete else self.resume,
            "started": run.started,
            "ended": run.ended or None,
            "plan": plan_to_show(run.plan),
            "jobs": run.jobs,
            "tool": run.tool,
            "python": run.python,
            "host": dict(run.host),
            "earlier_runs": self.earlier,
            "instrument": None if run.instrument is None else dict(run.instrument),
            "sound": sound,
            "soundness": words,
            "trials_to_tell": {"rates": list(TELL), "trials": trials_to_tell(*TELL)},
            "suites": [suite.to_json() for suite in self.suites],
            "never_ran": _incidents(self.incidents),
            "lost_attempts": _incidents(self.lost),
            "resumes": run.resumes,
            "warnings": [caution.to_json() for caution in cautions(self)],
        }


def _incidents(found: Iterable[tuple[int, str, int, str]]) -> list[dict[str, Any]]:
    return [
        {"suite": suite, "case": case, "trial": number, "what": what} for suite, case, number, what in found
    ]


def interval_to_json(interval: Interval | None) -> list[float] | None:
    return None if interval is None else [interval.low, interval.high]


def usage_to_json(usage: Usage, trials: int) -> dict[str, Any] | None:
    """Each figure's sum, and of how many of the trials it is known; None if none reported any."""
    if not usage.sums:
        return None
    return {
        name: {"sum": value, "known": usage.known[name], "of": trials} for name, value in usage.sums.items()
    }
