"""What a caller asks of a session: which run to start."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from trapcli.core.errors import TrapError

if TYPE_CHECKING:
    from trapcli.calibration.solutions.solution import Solution
    from trapcli.suites.reader import Suite

DEFAULT_TRIALS = 10
MOST_TRIALS = 10_000
MOST_JOBS = 1_000
LONGEST_LIMIT = 1_000_000.0  # seconds, as in trap.yaml
SHORTEST_LIMIT = 0.001


@dataclass(frozen=True, slots=True)
class RunRequest:
    """A run to start.

    suites: the suites to run on, open.
    solution: what to measure; None for a self-check, which measures the reference solver after
        judging every known mistake.
    trials: how many of each case, 1 to `MOST_TRIALS`.
    only: ids of the cases to run, if not all; each must be in one of the suites.
    timeout: seconds of wall clock for a trial; None for the solution's own limit.
    isolate: run the solution under bubblewrap.
    no_network: and without a network.
    fresh_home: give each trial an empty HOME.
    env: names of variables to record and, if the solution is isolated, to pass on to it.
    label: the user's name for the configuration that is measured.
    tags: names and values that describe it.
    keep_going: go on also if the first trials all crash in the same way.
    jobs: how many trials to run at a time; None for 1, or for as many as there are processors if
        the solution comes with the program.

    Raises TrapError for a value out of range.
    """

    suites: "tuple[Suite, ...]"
    solution: "Solution | None" = None
    trials: int = DEFAULT_TRIALS
    only: tuple[str, ...] = ()
    timeout: float | None = None
    isolate: bool = False
    no_network: bool = False
    fresh_home: bool = False
    env: tuple[str, ...] = ()
    jobs: int | None = None
    label: str = ""
    tags: tuple[tuple[str, str], ...] = ()
    keep_going: bool = False

    def __post_init__(self) -> None:
        if not 1 <= self.trials <= MOST_TRIALS:
            raise TrapError(f"{self.trials} trials of each case: give 1 to {MOST_TRIALS:,}.")
        if self.jobs is not None and not 1 <= self.jobs <= MOST_JOBS:
            raise TrapError(f"{self.jobs} jobs: give 1 to {MOST_JOBS:,}.")
        if self.timeout is not None and not SHORTEST_LIMIT <= self.timeout <= LONGEST_LIMIT:
            raise TrapError(f"a timeout of {self.timeout} s: give {SHORTEST_LIMIT} to {LONGEST_LIMIT:,.0f}.")
        if self.no_network and not self.isolate:
            raise TrapError("only an isolated solution can be kept from the network.")
        if not self.suites:
            raise TrapError("there is no suite to run on.")


@dataclass(frozen=True, slots=True)
class ResumeRequest:
    """What a caller asks of a run that is resumed.

    label, tags: those that it should have; None for those that it has.
    allow_changes: go on in another configuration, and mark the run as mixed.
    keep_going: as in `RunRequest`, for a run without a finished trial.
    """

    label: str | None = None
    tags: tuple[tuple[str, str], ...] | None = None
    allow_changes: bool = False
    keep_going: bool = False
