"""Counters for the trials of a run, fed one trial at a time.

Only the duration of each trial is kept, never its verdict or output, so that memory does not grow
with those. `trapcli.calibration.reports.summarizer` turns the counters into rates.
"""

import math
from array import array
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from trapcli.calibration.records import INTERRUPTED, JUDGE_ERROR, Run, Trial
from trapcli.calibration.reports.provider_errors import TailReader, has_answer, looks_like_provider_error

KILLED = "killed"  # crashed by a signal that we did not send
OUTCOMES = ("passed", "failed", "unreadable", "empty", "timed_out", "crashed", KILLED, JUDGE_ERROR)
PROBLEM = "problem"  # the key in a trial's usage that says why its usage.json cannot be read
MAX_LISTED = 10  # trials with one flag that are named; the others are only counted

# Why a trial can be flagged for a warning.
FLAGS = (
    "judge_errors",
    "nothing_measured",
    "provider_errors",
    "stragglers",
    "cut_outputs",
    "files_over_limit",
    "unreadable_usage",
    "overload",
    "collateral",
)


@dataclass(slots=True)
class FlaggedTrials:
    """How many trials have one flag, and the first of them: case and number."""

    count: int = 0
    first: list[tuple[str, int]] = field(default_factory=list)

    def add(self, trial: Trial) -> None:
        """Count a trial."""
        self.count += 1
        if len(self.first) < MAX_LISTED:
            self.first.append((trial.case, trial.number))


@dataclass(slots=True)
class Usage:
    """Tokens, costs and other figures that trials reported (see `trapcli.calibration.solutions.usage`).

    sums: by figure, its sum over the trials.
    known: by figure, how many trials reported it.
    """

    sums: dict[str, float] = field(default_factory=dict)
    known: dict[str, int] = field(default_factory=dict)

    def add(self, reported: Mapping[str, Any]) -> None:
        """Add what one trial reported."""
        for name, value in reported.items():
            if name != PROBLEM:
                self.sums[name] = self.sums.get(name, 0) + value
                self.known[name] = self.known.get(name, 0) + 1

    def merge(self, other: "Usage") -> None:
        """Add the figures of other trials."""
        for name, value in other.sums.items():
            self.sums[name] = self.sums.get(name, 0) + value
            self.known[name] = self.known.get(name, 0) + other.known[name]


@dataclass(slots=True)
class CaseTally:
    """The trials of one case so far.

    case: its id.
    planned: how many trials the run has of it.
    trap: the trap that the case sets, as verdicts name it; "" before the first verdict.
    outcomes: by outcome, how many trials had it.
    mistakes: by mistake, how many answers match it.
    other_wrong_answers: how many wrong answers match no known mistake.
    provider_errors: how many trials look like an error of the agent's provider.
    seconds: the durations of the trials.
    usage: what the trials reported.
    same_outputs: whether all outputs so far, printed or left in files, are the same bytes, and not empty.
    last_output: the last of them.
    """

    case: str
    planned: int
    trap: str = ""
    outcomes: dict[str, int] = field(default_factory=lambda: dict.fromkeys(OUTCOMES, 0))
    mistakes: dict[str, int] = field(default_factory=dict)
    other_wrong_answers: int = 0
    provider_errors: int = 0
    seconds: "array[float]" = field(default_factory=lambda: array("d"))
    usage: Usage = field(default_factory=Usage)
    same_outputs: bool = True
    last_output: tuple[str, int, str] | None = None

    def add(self, trial: Trial) -> None:
        """Count a trial of the case."""
        outcome = KILLED if trial.status == "crashed" and trial.exit_code < 0 else trial.status
        self.outcomes[outcome] += 1
        self.trap = self.trap or str(trial.verdict.get("trap") or "")
        self.seconds.append(trial.seconds)
        self.usage.add(trial.usage or {})
        files = trial.files.digest if trial.files.judged else ""
        output = (trial.stdout.digest, trial.stdout.size, files)
        written = trial.stdout.size > 0 or files != ""
        self.same_outputs = self.same_outputs and written and self.last_output in (None, output)
        self.last_output = output
        if mistake := mistake_of(trial):
            self.mistakes[mistake] = self.mistakes.get(mistake, 0) + 1
        elif trial.status == "failed":
            self.other_wrong_answers += 1


@dataclass(slots=True)
class SuiteTally:
    """The trials of one suite so far.

    cases: by id, the tally of each case.
    flagged: by flag (see `FLAGS`), the trials that have it.
    highest_load: the highest load when a trial with the flag "overload" ended.
    """

    cases: dict[str, CaseTally]
    flagged: dict[str, FlaggedTrials] = field(
        default_factory=lambda: {flag: FlaggedTrials() for flag in FLAGS}
    )
    highest_load: float = 0.0

    def add(self, trial: Trial, cpus: float, read: TailReader | None) -> None:
        """Count a trial of the suite; KeyError if the suite does not have its case."""
        case = self.cases[trial.case]
        case.add(trial)
        for flag in _flags_of(trial, cpus, read):
            self.flagged[flag].add(trial)
            if flag == "provider_errors":
                case.provider_errors += 1
            elif flag == "overload":
                self.highest_load = max(self.highest_load, trial.load)


class RunTally:
    """The trials of a run so far.

    suites: the tally of each suite.
    never_ran: by (suite, case, number), what happened to trials that have not run since.
    lost_attempts: (suite, case, number, what happened) for trials that have.
    interrupted: the same for each time that a trial was running when the run stopped.
    """

    def __init__(self, run: Run) -> None:
        trials = run.plan.trials
        self.suites = [
            SuiteTally({case: CaseTally(case, trials) for case in suite.cases}) for suite in run.plan.suites
        ]
        self.interrupted = [one for one in run.incidents if one[3] == INTERRUPTED]
        self.never_ran = {one[:3]: one[3] for one in run.incidents if one[3] != INTERRUPTED}
        self.lost_attempts: list[tuple[int, str, int, str]] = []
        self._cpus = cpus_of(run) or math.inf

    def add(self, trial: Trial, read: TailReader | None = None) -> None:
        """Count a trial; KeyError or IndexError if the run does not have its suite or case."""
        self.suites[trial.suite].add(trial, self._cpus, read)
        key = trial.suite, trial.case, trial.number
        if key in self.never_ran:
            self.lost_attempts.append((*key, self.never_ran.pop(key)))


def mistake_of(trial: Trial) -> str:
    """Return the mistake that the answer matches, also if the process ended badly; "" if none."""
    return "" if trial.passed else str(trial.verdict.get("mistake") or "")


def cpus_of(run: Run) -> float | None:
    """Return the number of processors of the machine that the run used, if it is known."""
    cpus = run.host.get("cpus")
    return float(cpus) if isinstance(cpus, int | float) and cpus > 0 else None


def _ended_without_answer(trial: Trial) -> bool:
    """Return whether a trial crashed, or timed out before it printed anything, and left no answer."""
    timed_out = trial.status == "timed_out" and not trial.stdout.size
    return (trial.status == "crashed" or timed_out) and not has_answer(trial)


def _flags_of(trial: Trial, cpus: float, read: TailReader | None) -> Iterator[str]:
    if trial.status == JUDGE_ERROR:
        yield "judge_errors"
    provider = read is not None and looks_like_provider_error(trial, read)
    if provider:
        yield "provider_errors"
    if provider or _ended_without_answer(trial):
        yield "nothing_measured"
    if trial.stragglers:
        yield "stragglers"
    if trial.stdout.cut:
        yield "cut_outputs"
    if trial.files.over_limit:
        yield "files_over_limit"
    if trial.usage and PROBLEM in trial.usage:
        yield "unreadable_usage"
    if trial.timed_out and trial.load > cpus:
        yield "overload"
    if trial.status == "passed" and trial.verdict.get("details", {}).get("collateral"):
        yield "collateral"
