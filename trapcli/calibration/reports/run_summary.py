"""The records of a run's results: for each case, each trap, each suite and the whole run."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from trapcli.calibration.records import Run, RunSuite
from trapcli.calibration.reports.tally import OUTCOMES, FlaggedTrials, Usage
from trapcli.calibration.stats.rates import Counts, Interval

Incident: TypeAlias = tuple[int, str, int, str]  # position of the suite, case, trial, what happened


@dataclass(frozen=True, slots=True)
class TrialCounts:
    """How many trials a case, a trap, a suite or a run has; counts of several cases can be added.

    planned: in all.
    done: finished.
    counted: finished, and with a verdict, so that they say something about the solution.
    passes: passed.
    open: not finished yet.
    """

    planned: int = 0
    done: int = 0
    counted: int = 0
    passes: int = 0
    open: int = 0

    def __add__(self, other: "TrialCounts") -> "TrialCounts":
        return TrialCounts(
            self.planned + other.planned,
            self.done + other.done,
            self.counted + other.counted,
            self.passes + other.passes,
            self.open + other.open,
        )

    @property
    def pair(self) -> Counts:
        """Passes and counted trials, as `trapcli.calibration.stats` takes them."""
        return self.passes, self.counted


@dataclass(frozen=True, slots=True)
class CaseSummary:
    """The trials of one case.

    case: its id.
    trap: the trap that it sets; "" if no trial has a verdict.
    counts: how many trials it has.
    outcomes: by outcome, how many trials had it.
    rate, interval: pass rate of the counted trials and its interval; None if no trial counts.
    median_seconds, p95_seconds: of all finished trials; None if there are none.
    mistakes: by mistake, how many answers match it, most frequent first.
    other_wrong_answers: how many wrong answers match no known mistake.
    provider_errors: how many trials look like an error of the agent's provider.
    identical_outputs: whether there are two or more outputs, all the same bytes and not empty.
    usage: what the trials reported.
    """

    case: str
    trap: str
    counts: TrialCounts
    outcomes: Mapping[str, int]
    rate: float | None
    interval: Interval | None
    median_seconds: float | None
    p95_seconds: float | None
    mistakes: Mapping[str, int]
    other_wrong_answers: int
    provider_errors: int
    identical_outputs: bool
    usage: Usage


@dataclass(frozen=True, slots=True)
class TrapSummary:
    """The trials of all cases that set one trap. cases: how many these are."""

    trap: str
    cases: int
    counts: TrialCounts


@dataclass(frozen=True, slots=True)
class SuiteSummary:
    """The trials of one suite.

    suite: the suite as the run uses it.
    cases, traps: summaries of its parts.
    rate: mean of the case rates; None if no trial counts.
    clustered_standard_error: of the rate; None for fewer than two counted cases, and at the rates 0
        and 1, where no spread was seen.
    on_these_cases: interval of the mean rate of exactly these cases; both intervals are None for
        fewer than two counted cases.
    on_new_cases: interval of the mean rate of all cases that the build could generate.
    pass_at, pass_hat: by k, the unbiased probability that any, or each, of k trials passes; None
        if a case has fewer than k counted trials.
    minimum_detectable_difference: between the rates of two runs like this one on these cases, at 80%
        power; None for fewer than two counted cases, and for too few trials.
    rate_without_provider_errors: the rate if trials that look like provider errors did not count.
    rate_with_judge_errors: the rate if trials without a verdict counted as not passed.
    flagged: by flag (see `trapcli.calibration.reports.tally.FLAGS`), the trials that have it.
    highest_load: while a trial hit its limit on an overloaded machine; 0.0 if none did.
    seconds: in all trials together.
    usage: what the trials reported.
    """

    suite: RunSuite
    cases: tuple[CaseSummary, ...]
    traps: tuple[TrapSummary, ...]
    rate: float | None
    clustered_standard_error: float | None
    on_these_cases: Interval | None
    on_new_cases: Interval | None
    pass_at: Mapping[int, float | None]
    pass_hat: Mapping[int, float | None]
    minimum_detectable_difference: float | None
    rate_without_provider_errors: float | None
    rate_with_judge_errors: float | None
    flagged: Mapping[str, FlaggedTrials]
    highest_load: float
    seconds: float
    usage: Usage

    @property
    def counts(self) -> TrialCounts:
        """The trials of all cases."""
        return sum((case.counts for case in self.cases), TrialCounts())

    @property
    def outcomes(self) -> dict[str, int]:
        """By outcome, how many trials had it."""
        return {name: sum(case.outcomes[name] for case in self.cases) for name in OUTCOMES}

    @property
    def mistakes(self) -> dict[str, int]:
        """By mistake, how many answers match it, most frequent first."""
        sums: dict[str, int] = {}
        for case in self.cases:
            for name, count in case.mistakes.items():
                sums[name] = sums.get(name, 0) + count
        return by_frequency(sums)

    @property
    def other_wrong_answers(self) -> int:
        """How many wrong answers match no known mistake."""
        return sum(case.other_wrong_answers for case in self.cases)

    @property
    def uncounted_cases(self) -> tuple[str, ...]:
        """The cases without a counted trial."""
        return tuple(case.case for case in self.cases if not case.counts.counted)


@dataclass(frozen=True, slots=True)
class RunSummary:
    """The trials of a run.

    run: as it is stored.
    suites: summaries of its suites.
    earlier_runs: how many runs before it used the same cases.
    never_ran: trials that did not run and are still open.
    lost_attempts: attempts that went wrong at trials that have finished since, or because of it.
    interrupted: trials that were running when the run stopped, once for each time.
    """

    run: Run
    suites: tuple[SuiteSummary, ...]
    earlier_runs: int
    never_ran: tuple[Incident, ...]
    lost_attempts: tuple[Incident, ...] = ()
    interrupted: tuple[Incident, ...] = ()

    @property
    def counts(self) -> TrialCounts:
        """The trials of all suites."""
        return sum((suite.counts for suite in self.suites), TrialCounts())

    @property
    def complete(self) -> bool:
        """Whether no trial is open."""
        return not self.counts.open

    @property
    def resume_command(self) -> str:
        """The command that runs the open trials."""
        return f"trapcli calibrate --resume {self.run.number}"

    @property
    def how_to_resume(self) -> str:
        """A sentence with that command; for a run in which no trial is open, it says so."""
        left = self.counts.open
        if not left:
            return f"No trial is open; `{self.resume_command}` ends the run."
        trials = "the open trial" if left == 1 else f"the {left:,} open trials"
        return f"`{self.resume_command}` runs {trials}."


def by_frequency(counts: Mapping[str, int]) -> dict[str, int]:
    """Return the counts, largest first; equal ones by name."""
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))
