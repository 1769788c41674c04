"""Judging a run's stored outputs again, without running the agent."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from trapcli.calibration.execution.judge_pool import Cases, JudgeError, Judges
from trapcli.calibration.records import JUDGE_ERROR, Run, Trial
from trapcli.calibration.store.store import Store
from trapcli.suites.reader import Suite


@dataclass(frozen=True, slots=True)
class Again:
    """A trial with the verdict that is stored, and with the one that its output gets now."""

    before: Trial
    after: Trial

    @property
    def same(self) -> bool:
        """Whether the two verdicts are the same in every part."""
        return (self.before.status, self.before.verdict) == (self.after.status, self.after.verdict)


def judge_again(store: Store, run: Run, suites: Sequence[Suite]) -> Iterator[Again]:
    """Judge each finished trial of the run again, in order; trials that never ended are none.

    suites: those of the run, opened. Nothing is stored: see `Store.judge_again`.
    """
    judges = Judges(Cases(suites), 1)
    try:
        for trial in store.trials(run.number):
            yield Again(trial, _judged(store, run, trial, judges))
    finally:
        judges.close()


def _judged(store: Store, run: Run, trial: Trial, judges: Judges) -> Trial:
    file = store.output(run.number, trial.stdout) if trial.stdout.file else None
    try:
        verdict = judges.judge(trial.suite, trial.case, file, trial.stdout, trial.exit_code, trial.timed_out)
    except JudgeError as error:
        return replace(trial, status=JUDGE_ERROR, verdict={"reason": str(error)})
    return replace(trial, status=verdict["status"], verdict=verdict)
