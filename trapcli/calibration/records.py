"""The records of calibration: a plan, a run, its suites and its trials."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from trapcli.calibration.configuration import Configuration
from trapcli.calibration.solutions.solution import Solution
from trapcli.calibration.stored_output import KeptFiles, Stream
from trapcli.core.contract import STATUSES
from trapcli.core.recipe import Recipe
from trapcli.suites.halves import Halves

INTERRUPTED = "it was running when the run stopped"  # an incident: the trial has to run again
JUDGE_ERROR = "judge_error"  # no verdict could be given: says nothing about the solution, and is not counted
TRIAL_STATUSES = (*STATUSES, JUDGE_ERROR)


@dataclass(frozen=True, slots=True)
class Trial:
    """A finished trial and its verdict.

    suite: position in the run's suites.
    case: the case's id.
    number: from 1, within the case.
    status: one of `TRIAL_STATUSES`.
    verdict: as `Verdict.to_json` returns it; for a judge error only {"reason": ...}.
    exit_code: negative for the signal that ended the process.
    timed_out: whether the process was ended at its limit.
    limit: seconds of wall clock.
    seconds: of wall clock that it took.
    stdout, stderr: what is stored of its output.
    stragglers: commands of processes that outlived it and were killed.
    usage: tokens and costs that the solution reported, or None.
    files: the stored archive of the files that it left.
    running: how many trials, itself included, were running when it started.
    load: the machine's load average (1 minute) when it ended.
    started: UTC, ISO 8601.
    """

    suite: int
    case: str
    number: int
    status: str
    verdict: Mapping[str, Any]
    exit_code: int
    timed_out: bool
    limit: float
    seconds: float
    stdout: Stream
    stderr: Stream
    stragglers: tuple[str, ...] = ()
    usage: Mapping[str, Any] | None = None
    running: int = 1
    load: float = 0.0
    started: str = ""
    files: KeptFiles = field(default_factory=KeptFiles)

    @property
    def passed(self) -> bool:
        """Whether it passed."""
        return self.status == "passed"

    @property
    def counted(self) -> bool:
        """Whether it says something about the solution."""
        return self.status != JUDGE_ERROR


@dataclass(frozen=True, slots=True)
class RunSuite:
    """A suite as one run uses it.

    halves: where its two halves are.
    recipe: what it was built from.
    digest: of both halves when the run began.
    cases: ids of the cases that the run uses.
    changed: whether a later look found another digest.
    true_rate: the solution's mean pass rate on these cases, if it is known by construction.
    """

    halves: Halves
    recipe: Recipe
    digest: str
    cases: tuple[str, ...]
    changed: bool = False
    true_rate: float | None = None

    @property
    def directory(self) -> Path:
        """The suite's directory, its public half."""
        return self.halves.public

    @property
    def family(self) -> str:
        """The name of the suite's family."""
        return self.recipe.family

    @property
    def practice(self) -> bool:
        """Whether anyone with this package can rebuild the right answers."""
        return self.recipe.practice


@dataclass(frozen=True, slots=True)
class Plan:
    """What a run does: everything that must be the same when it is resumed.

    solution: what is measured.
    suites: what it is measured on.
    trials: how many of each case.
    limit: seconds of wall clock for a trial.
    isolate: whether the solution runs under bubblewrap.
    no_network: whether it is also without a network.
    fresh_home: whether each trial gets an empty HOME.
    env: names of variables that are recorded, and that an isolated solution gets besides the harmless ones.
    configuration: labels, variables and the solution's files, as they were when the run began.
    """

    solution: Solution
    suites: tuple[RunSuite, ...]
    trials: int
    limit: float
    isolate: bool = False
    fresh_home: bool = False
    env: tuple[str, ...] = ()
    no_network: bool = False
    configuration: Configuration = field(default_factory=Configuration)

    @property
    def total(self) -> int:
        """How many trials the run has in all."""
        return self.trials * sum(len(suite.cases) for suite in self.suites)


@dataclass(frozen=True, slots=True)
class Change:
    """What was different when a run was resumed.

    resume: which resume it was, from 1.
    mixed: differences that --allow-changes allowed, so that the run's rates mix configurations.
    noted: differences that may matter, such as other variables: names, and no values of those.
    """

    resume: int
    mixed: tuple[str, ...] = ()
    noted: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Run:
    """A stored run.

    number: from 1, in this store.
    token: random text that no other run has.
    plan: what it does.
    jobs: how many trials run at a time.
    tool, python, host: the version of trapcli, that of Python, and the machine it ran on.
    started: UTC, ISO 8601.
    scratch: the directory that holds the files of its running trials.
    ended: UTC, ISO 8601; "" while it is not complete.
    resumes: how often it was resumed.
    self_check: what the self-check found, if there was one.
    incidents: trials that never ran, were lost or interrupted: (suite, case, number, what happened).
    changes: what was different when it was resumed, if anything was.
    """

    number: int
    token: str
    plan: Plan
    jobs: int
    tool: str
    python: str
    host: Mapping[str, Any]
    started: str
    scratch: str = ""
    ended: str = ""
    resumes: int = 0
    self_check: Mapping[str, Any] | None = None
    incidents: tuple[tuple[int, str, int, str], ...] = ()
    changes: tuple[Change, ...] = ()
