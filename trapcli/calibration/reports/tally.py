"""What is counted while the trials of a run pass by, one at a time.

Of a trial there stays its time; verdicts and outputs are not kept, so that memory does not
grow with them. `trapcli.calibration.reports.summarizer` makes rates of the counts.
"""

import math
from array import array
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from trapcli.calibration.records import JUDGE_ERROR, Run, Trial
from trapcli.calibration.reports.provider_errors import Reader, looks_like_provider_error

KILLED = "killed"  # crashed by a signal that was none of ours
OUTCOMES = ("passed", "failed", "unreadable", "empty", "timed_out", "crashed", KILLED, JUDGE_ERROR)
PROBLEM = "problem"  # why a trial's own report of its usage cannot be read
LISTED = 10  # trials of one sort that are named; the others are only counted


@dataclass(slots=True)
class Sighting:
    """How many trials had something in common, and the first of them: case and number."""

    count: int = 0
    first: list[tuple[str, int]] = field(default_factory=list)

    def add(self, trial: Trial) -> None:
        self.count += 1
        if len(self.first) < LISTED:
            self.first.append((trial.case, trial.number))


@dataclass(slots=True)
class Usage:
    """Tokens, costs and other figures that trials reported (see `trapcli.calibration.solutions.usage`): each
    with its sum, and in how many trials it was."""

    sums: dict[str, float] = field(default_factory=dict)
    known: dict[str, int] = field(default_factory=dict)

    def add(self, reported: Mapping[str, Any]) -> None:
        for name, value in reported.items():
            if name != PROBLEM:
                self.sums[name] = self.sums.get(name, 0) + value
                self.known[name] = self.known.get(name, 0) + 1

    def merge(self, other: "Usage") -> None:
        for name, value in other.sums.items():
            self.sums[name] = self.sums.get(name, 0) + value
            self.known[name] = self.known.get(name, 0) + other.known[name]


@dataclass(slots=True)
class CaseTally:
    """The trials of one case so far.

    unnamed: wrong answers that equal no named mistake. errors: trials that look like an error
    of the agent's provider. same: whether all outputs so far are the same bytes, and not empty.
    """

    case: str
    planned: int
    category: str = ""
    outcomes: dict[str, int] = field(default_factory=lambda: dict.fromkeys(OUTCOMES, 0))
    slips: dict[str, int] = field(default_factory=dict)
    unnamed: int = 0
    errors: int = 0
    seconds: "array[float]" = field(default_factory=lambda: array("d"))
    usage: Usage = field(default_factory=Usage)
    same: bool = True
    output: tuple[str, int] | None = None

    def add(self, trial: Trial) -> None:
        outcome = KILLED if trial.status == "crashed" and trial.exit_code < 0 else trial.status
        self.outcomes[outcome] += 1
        self.category = self.category or str(trial.verdict.get("category") or "")
        self.seconds.append(trial.seconds)
        self.usage.add(trial.usage or {})
        output = (trial.stdout.digest, trial.stdout.size)
        self.same = self.same and bool(output[1]) and self.output in (None, output)
        self.output = output
        if slip := slip_of(trial):
            self.slips[slip] = self.slips.get(slip, 0) + 1
        elif trial.status == "failed":
            self.unnamed += 1


@dataclass(slots=True)
class SuiteTally:
    """The trials of one suite so far. highest: the highest load while a trial hit its limit."""

    cases: dict[str, CaseTally]
    judge_errors: Sighting = field(default_factory=Sighting)
    errors: Sighting = field(default_factory=Sighting)
    stragglers: Sighting = field(default_factory=Sighting)
    cut: Sighting = field(default_factory=Sighting)
    overloaded: Sighting = field(default_factory=Sighting)
    usage: Sighting = field(default_factory=Sighting)
    highest: float = 0.0

    def add(self, trial: Trial, cpus: float, read: Reader | None) -> None:
        case = self.cases[trial.case]
        case.add(trial)
        if trial.status == JUDGE_ERROR:
            self.judge_errors.add(trial)
        if read is not None and looks_like_provider_error(trial, read):
            case.errors += 1
            self.errors.add(trial)
        if trial.stragglers:
            self.stragglers.add(trial)
        if trial.stdout.cut:
            self.cut.add(trial)
        if trial.usage and PROBLEM in trial.usage:
            self.usage.add(trial)
        if trial.timed_out and trial.load > cpus:
            self.overloaded.add(trial)
            self.highest = max(self.highest, trial.load)


class Tallies:
    """The trials of a run so far, by suite; the incidents whose trials have not run since, and those
    whose trials have."""

    def __init__(self, run: Run) -> None:
        trials = run.plan.trials
        self.suites = [
            SuiteTally({case: CaseTally(case, trials) for case in suite.cases}) for suite in run.plan.suites
        ]
        self.incidents = {(suite, case, number): what for suite, case, number, what in run.incidents}
        self.lost: list[tuple[int, str, int, str]] = []
        self._cpus = cpus_of(run) or math.inf

    def add(self, trial: Trial, read: Reader | None = None) -> None:
        """Count a trial of the run; KeyError or IndexError if it is none."""
        self.suites[trial.suite].add(trial, self._cpus, read)
        key = trial.suite, trial.case, trial.number
        if key in self.incidents:
            self.lost.append((*key, self.incidents.pop(key)))

    def __iter__(self) -> Iterator[SuiteTally]:
        return iter(self.suites)


def slip_of(trial: Trial) -> str:
    """The named mistake that its answer equals, or "": also of an answer whose process ended badly."""
    slip = trial.verdict.get("slip")
    if trial.passed or not slip:
        return ""
    return slip if isinstance(slip, str) else " or ".join(map(str, slip))


def cpus_of(run: Run) -> float | None:
    """The processors of the machine that it ran on, if it is known."""
    cpus = run.host.get("cpus")
    return float(cpus) if isinstance(cpus, int | float) and cpus > 0 else None
