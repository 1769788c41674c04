"""Everything that works on the trials of a run: threads, supervisors and judges."""

import os
import queue
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from secrets import token_hex
from typing import Any

from trapcli.calibration.execution.judge_pool import CaseCache, JudgeError, JudgePool
from trapcli.calibration.execution.messages import Job, Outcome
from trapcli.calibration.execution.processes import allow_open_files, end_marked
from trapcli.calibration.execution.supervisor_pool import NeverRan, SupervisorPool
from trapcli.calibration.execution.trial import TrialRun, Work, run_trial
from trapcli.calibration.execution.workdirs import (
    fits_in_memory,
    locked_scratch,
    memory_scratch,
    sweep_dead_runs,
)
from trapcli.calibration.records import JUDGE_ERROR, Run, Trial
from trapcli.calibration.store.journal import Journal
from trapcli.calibration.store.reader import TrialKey
from trapcli.calibration.store.store import Incident, Store, now, replaced
from trapcli.calibration.store.trial_files import SUFFIX, store_files
from trapcli.core.contract import Case
from trapcli.core.errors import TrapError
from trapcli.suites.reader import Suite
from trapcli.system.removal import identity

FILES_PER_JOB = 4  # open files that a running trial needs in this process


class TrialWorkers:
    """The threads, supervisors and judges of one run.

    At most `run.jobs` solutions run at a time. A few threads more prepare the next trials and have the
    last ones judged in the meantime.
    """

    def __init__(self, store: Store, run: Run, suites: Sequence[Suite], resources: ExitStack) -> None:
        """Start to work; what must be released afterwards is added to `resources`."""
        self.store, self.run = store, run
        self.cases = CaseCache(suites)
        self.running = 0
        self._outputs_made = identity(store.outputs_directory(run.number))
        self.accidents: queue.SimpleQueue[Incident] = queue.SimpleQueue()
        self._slots = threading.Semaphore(run.jobs)
        self._lock = threading.Lock()  # guards `running`; taken while a slot is held, never the other way
        allow_open_files(FILES_PER_JOB * run.jobs)
        sweep_dead_runs()
        # The stack releases in reverse order. The scratch directories come first, so that they are
        # removed last, after every process that may still write there has been ended.
        resources.callback(end_marked, run.scratch)
        resources.enter_context(locked_scratch(run.scratch))
        # This also reads every case now, before a solution can change one.
        if fits_in_memory(self._all_cases(), run.jobs):
            resources.enter_context(locked_scratch(memory_scratch(run.scratch)))
        self.supervisors = SupervisorPool()
        resources.callback(self.supervisors.close)
        judges = min(run.jobs, os.cpu_count() or 1)
        self.judges = JudgePool(self.cases, judges)
        resources.callback(self.judges.close)
        self.ahead = max(2, judges)  # trials to prepare, or to judge, beside those that run
        self._journal = Journal(self._outputs())
        resources.callback(self._journal.close)
        self.executor: Executor = ThreadPoolExecutor(run.jobs + self.ahead)
        resources.callback(self.executor.shutdown)
        # Released first: the executor waits for its threads, so whatever a thread may wait for ends
        # before. Usually nothing runs any more; after a second Ctrl-C everything may.
        resources.callback(self.judges.stop)
        resources.callback(end_marked, run.scratch)
        resources.callback(self.supervisors.stop)

    def run_and_judge(self, key: TrialKey) -> Trial:
        """Run one trial and have it judged. Called in the executor's threads."""
        position, case_id, number = key
        started, running = "", 0

        def start(work: Work) -> Outcome:
            nonlocal started, running
            with self._slots:
                running = self._count_running(+1)
                started = now()
                self._journal.begin(key)
                try:
                    return self.supervisors.run(work) if isinstance(work, Job) else work()
                except NeverRan:
                    self._journal.take_back(key)
                    raise
                finally:
                    self._count_running(-1)

        trial_run = self._run(key, start)
        outcome = trial_run.outcome
        if outcome.lost:
            self.accidents.put((*key, outcome.lost))
        archive = self._outputs() / f"{case_id}-{number}-{token_hex(4)}{SUFFIX}"
        files = store_files(archive, trial_run.files, judged=trial_run.judged)
        status, verdict = self._judge(key, trial_run)
        return Trial(
            suite=position,
            case=case_id,
            number=number,
            status=status,
            verdict=verdict,
            exit_code=outcome.exit_code,
            timed_out=outcome.timed_out,
            limit=self.run.plan.limit,
            seconds=outcome.seconds,
            stdout=outcome.stdout,
            stderr=outcome.stderr,
            stragglers=(
                *outcome.stragglers,
                *(f"{name} (could not be killed)" for name in outcome.survivors),
            ),
            usage=trial_run.usage,
            running=running,
            load=os.getloadavg()[0],
            started=started,
            files=files,
        )

    def _run(self, key: TrialKey, start: Callable[[Work], Outcome]) -> TrialRun:
        position, case_id, number = key
        try:
            case = self.cases.get(position, case_id)
        except TrapError as error:
            raise NeverRan(str(error)) from error
        return run_trial(start, self.run, position, case, number, self._outputs())

    def _judge(self, key: TrialKey, trial_run: TrialRun) -> tuple[str, Mapping[str, Any]]:
        """Return the trial's status and verdict; a judge error if there is no verdict."""
        position, case_id, _ = key
        outcome = trial_run.outcome
        # What is in memory goes before what is stored: a solution may have changed the file since.
        printed: Path | bytes | None = outcome.printed
        if printed is None and outcome.stdout.file:
            printed = self._outputs() / outcome.stdout.file
        try:
            verdict = self.judges.judge(
                position,
                case_id,
                printed,
                outcome.stdout,
                outcome.exit_code,
                outcome.timed_out,
                trial_run.files.files if trial_run.judged else {},
            )
        except JudgeError as error:
            return JUDGE_ERROR, {"reason": str(error)}
        return verdict.status, verdict

    def _outputs(self) -> Path:
        """Return the directory that gets the outputs; TrapError if a solution replaced it, say by a link."""
        directory = self.store.outputs_directory(self.run.number)
        if identity(directory) != self._outputs_made:
            raise TrapError(replaced(directory))
        return directory

    def _count_running(self, change: int) -> int:
        with self._lock:
            self.running += change
            return self.running

    def _all_cases(self) -> Iterator[Case]:
        """Yield the cases of the run."""
        for position, suite in enumerate(self.run.plan.suites):
            for case in suite.cases:
                yield self.cases.get(position, case)
