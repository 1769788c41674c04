"""What is measured, how, and what came of it: the records that the rest of calibration passes around."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from trapcli.core.contract import STATUSES

JUDGE_ERROR = "judge_error"  # no verdict could be given: says nothing about the solution, and is not counted
TRIAL_STATUSES = (*STATUSES, JUDGE_ERROR)


@dataclass(frozen=True, slots=True)
class Solution:
    """An agent's command, a black box. `given` is how the user named it.

    argv: the command; empty for a builtin, whose command depends on the suite. cwd: where it
    runs. timeout: seconds of wall clock. stdin: a file of the case's inputs, or None for an
    empty one. setup_cmd: a line for the shell, run once before the trials. manifest_envvar:
    the variable that tells it its directories. name, profile: what trap.yaml says of it.
    builtin: what follows "builtin:", or "".
    """

    given: str
    argv: tuple[str, ...]
    cwd: Path
    timeout: float = 600.0
    stdin: str | None = None
    setup_cmd: str | None = None
    manifest_envvar: str = "TRAP_MANIFEST"
    name: str | None = None
    profile: Mapping[str, Any] = field(default_factory=dict)
    builtin: str = ""


@dataclass(frozen=True, slots=True)
class Stream:
    """What became of one of a process's streams.

    file: the name of the stored bytes in the run's directory of outputs, "" if there are none.
    size: bytes that were written by the process. kept: bytes stored, the last ones. head: the
    first two bytes, which may be a byte-order mark. digest: SHA-256 of the kept bytes.
    """

    file: str = ""
    size: int = 0
    kept: int = 0
    head: bytes = b""
    digest: str = ""

    @property
    def cut(self) -> bool:
        return self.kept < self.size

    def to_json(self) -> dict[str, Any]:
        """JSON data that `from_json` reads back."""
        return {
            "file": self.file,
            "size": self.size,
            "kept": self.kept,
            "head": self.head.hex(),
            "digest": self.digest,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "Stream":
        return cls(**{**data, "head": bytes.fromhex(data["head"])})


@dataclass(frozen=True, slots=True)
class Trial:
    """One trial that ran to its end, with its verdict.

    suite: position in the run's suites. number: from 1, within the case. status: one of
    `TRIAL_STATUSES`. verdict: as `Verdict.to_json` gives it; of a judge error only "reason".
    exit_code: negative for the signal that ended the process. timed_out: whether we ended it at
    `limit` seconds. seconds: of wall clock. stragglers: processes that it left behind and that
    were killed. usage: its own report of tokens and costs, or None. running: trials that ran
    when it began, itself included. load: the machine's load average (1 minute) when it ended.
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

    @property
    def passed(self) -> bool:
        return self.status == "passed"

    @property
    def counted(self) -> bool:
        """Whether it says something about the solution."""
        return self.status != JUDGE_ERROR


@dataclass(frozen=True, slots=True)
class RunSuite:
    """A suite as a run uses it: where it stands, what it is, which of its cases run.

    digest: of both halves when the run began. changed: whether it was another one at a later look.
    truth: the mean rate on these cases that the solution is made to have, if that is known.
    """

    directory: Path
    expected: Path
    family: str
    version: str
    seed: str
    knobs: Mapping[str, Any]
    practice: bool
    digest: str
    cases: tuple[str, ...]
    changed: bool = False
    truth: float | None = None


@dataclass(frozen=True, slots=True)
class Plan:
    """What a run is to do: everything that must be the same when it is resumed.

    trials: per case. limit: seconds of a trial. isolate, fresh_home: how the solution is run.
    env: names of variables let through `isolate`. files: by path the SHA-256 of the files that
    the solution's command names.
    """

    solution: Solution
    suites: tuple[RunSuite, ...]
    trials: int
    limit: float
    isolate: bool = False
    fresh_home: bool = False
    env: tuple[str, ...] = ()
    files: Mapping[str, str] = field(default_factory=dict)

    @property
    def total(self) -> int:
        """The number of trials."""
        return self.trials * sum(len(suite.cases) for suite in self.suites)


@dataclass(frozen=True, slots=True)
class Run:
    """A run as it is stored.

    number: from 1, in this place. token: random, unlike any other run's. jobs: trials at a time.
    tool, python, host: what it ran on. scratch: the directory that held its trials. started,
    ended: UTC, ISO 8601; ended is "" while it is not complete. resumes: how often it went on after
    a stop. instrument: what the instrument check found, if it was made. incidents: attempts at
    trials that never ran or were lost, and why: (suite, case, number, what happened).
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
    instrument: Mapping[str, Any] | None = None
    incidents: tuple[tuple[int, str, int, str], ...] = ()
