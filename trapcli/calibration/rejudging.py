"""Judge the stored outputs of a run again, without running the agent."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from trapcli.calibration.execution.judge_pool import CaseCache, JudgeError, JudgePool
from trapcli.calibration.records import JUDGE_ERROR, Run, Trial
from trapcli.calibration.reports.summarizer import refuse_unplanned
from trapcli.calibration.store.store import Store
from trapcli.calibration.store.trial_files import read_stored_files
from trapcli.core.errors import TrapError
from trapcli.suites.reader import Suite


@dataclass(frozen=True, slots=True)
class Rejudged:
    """A trial with its stored verdict, and with the verdict that its output gets now."""

    before: Trial
    after: Trial

    @property
    def same(self) -> bool:
        """Whether the two verdicts are the same in every part."""
        return (self.before.status, self.before.verdict) == (self.after.status, self.after.verdict)


def rejudge(store: Store, run: Run, suites: Sequence[Suite]) -> Iterator[Rejudged]:
    """Judge each finished trial of the run again, in order. Nothing is stored: see `Store.replace_verdict`.

    suites: those of the run, open.
    """
    judges = JudgePool(CaseCache(suites), 1)
    try:
        for trial in store.trials(run.number):
            refuse_unplanned(run, trial)
            yield Rejudged(trial, _rejudge(store, run, trial, judges))
    finally:
        judges.close()


def _rejudge(store: Store, run: Run, trial: Trial, judges: JudgePool) -> Trial:
    """Return the trial with the verdict that it gets now; a judge error if it gets none."""
    stdout, files = trial.stdout, trial.files
    printed = store.output_path(run.number, stdout) if stdout.file else None
    try:
        left = None
        if files.file and files.judged:
            left = read_stored_files(store.output_path(run.number, files), files).files
        verdict = judges.judge(
            trial.suite, trial.case, printed, stdout, trial.exit_code, trial.timed_out, left
        )
    except (JudgeError, TrapError) as error:
        return replace(trial, status=JUDGE_ERROR, verdict={"reason": str(error)})
    return replace(trial, status=verdict.status, verdict=verdict)
