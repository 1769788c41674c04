"""Carry out a run: start its trials, judge what they leave, and store each as soon as it is judged.

The first trial of every case comes first, then the second of every case, so that a run that is cut
short has about the same number of each. Nothing is retried: a trial that ended is final, however it
ended, and one that never ran stays open for `--resume`.
"""

import queue
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from typing import TypeVar

from trapcli.calibration.execution.supervisor_pool import NeverRan, Stopped
from trapcli.calibration.execution.trial_workers import TrialWorkers
from trapcli.calibration.false_start import FalseStart
from trapcli.calibration.records import JUDGE_ERROR, Run, RunSuite, Trial
from trapcli.calibration.store.integrity import StoreWatch
from trapcli.calibration.store.reader import TrialKey
from trapcli.calibration.store.store import Incident, Store
from trapcli.core.errors import TrapError
from trapcli.suites.reader import Suite
from trapcli.system.signals import graceful_shutdown

HOPELESS = 5  # trials in a row that never ran, after which the run is given up
POLL = 0.2  # seconds until a signal is noticed while no trial ends

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Progress:
    """The progress of a run.

    done: how many trials are finished.
    total: how many the run has.
    running: how many solutions are running.
    passed, failed: how many finished trials did; those without a verdict did neither.
    """

    done: int
    total: int
    running: int
    passed: int
    failed: int


OnProgress = Callable[[Progress], None]


def carry_out(
    store: Store,
    run: Run,
    suites: Sequence[Suite],
    on_progress: OnProgress,
    false_start: FalseStart | None = None,
) -> bool:
    """Run the open trials of a run and store each one; return whether the user interrupted it.

    suites: those of the plan, open.
    on_progress: called in this thread now and then.
    false_start: watches the first trials; None to go on however they end.

    Ends early after SIGINT, SIGTERM or SIGHUP (a second one raises KeyboardInterrupt), and if a false
    start is suspected when the last trial that was running has ended. Raises TrapError if trials cannot
    be stored; finished ones are stored even then.
    """
    finished = store.trial_keys(run.number)
    waiting = deque(key for key in trial_order(run) if key not in finished)
    with ExitStack() as resources, graceful_shutdown() as interrupted:
        workers = TrialWorkers(store, run, suites, resources)
        schedule = _Schedule(workers, waiting, len(finished), on_progress, false_start)
        try:
            schedule.run_trials(interrupted)
        finally:
            schedule.stop()
        for position, suite in enumerate(run.plan.suites):
            if _has_changed(suite):
                store.mark_changed(run.number, position)
        store.add_incidents(run.number, schedule.watch.changes())
        if not waiting and not interrupted() and store.trial_keys(run.number) >= set(trial_order(run)):
            store.finish(run.number)
        return interrupted()


def trial_order(run: Run) -> Iterator[TrialKey]:
    """Yield the keys of all trials of a run in the order in which they are started."""
    for number in range(1, run.plan.trials + 1):
        for position, suite in enumerate(run.plan.suites):
            for case in suite.cases:
                yield position, case, number


class _Schedule:
    """Which trials wait, which are under way, and how many are finished. Works in the run's thread."""

    def __init__(
        self,
        workers: TrialWorkers,
        waiting: deque[TrialKey],
        done: int,
        on_progress: OnProgress,
        false_start: FalseStart | None,
    ) -> None:
        self.workers, self.waiting, self.on_progress = workers, waiting, on_progress
        self.false_start = false_start
        counts = workers.store.count_by_status(workers.run.number)
        self.done, self.passed, self.errors = done, counts.get("passed", 0), counts.get(JUDGE_ERROR, 0)
        self.under_way: dict[Future[Trial], TrialKey] = {}
        self.ended: queue.SimpleQueue[Future[Trial]] = queue.SimpleQueue()
        self.never_ran_in_a_row = 0
        self.watch = StoreWatch(workers.store, workers.run)
        self.gave_up = ""

    def run_trials(self, interrupted: Callable[[], bool]) -> None:
        """Start trials and store them when they end, until none is left or the run has to end early."""
        self._report()
        while not interrupted():
            while self.waiting and len(self.under_way) < self._places():
                self._start(self.waiting.popleft())
            if not self.under_way:
                break
            batch = self._store(self._wait())
            if batch.fatal is not None:
                raise batch.fatal
            self.gave_up = self.gave_up or self._why_hopeless(batch)
        if self.gave_up:
            raise TrapError(self.gave_up)

    def _places(self) -> int:
        """Return how many trials may be under way.

        While the first trials are watched none waits for its turn, so that none starts once a false
        start is suspected.
        """
        jobs, watch = self.workers.run.jobs, self.false_start
        if self.gave_up:
            return 0  # those that run are kept: a trial that ends the run must not get a second try
        if watch is None or not watch.watching:
            return jobs + self.workers.ahead
        return 0 if watch.suspected else jobs

    def stop(self) -> None:
        """Stop the trials that are under way, and store those that have ended."""
        self.workers.supervisors.stop()
        for future in self.under_way:
            future.cancel()
        while self.under_way:
            self._store(self._wait())

    def _start(self, key: TrialKey) -> None:
        future = self.workers.executor.submit(self.workers.run_and_judge, key)
        self.under_way[future] = key
        future.add_done_callback(self.ended.put)

    def _wait(self) -> list[Future[Trial]]:
        """Return the trials that have ended since the last call; wait a moment for the first."""
        with suppress(queue.Empty):
            return [self.ended.get(timeout=POLL), *_drain(self.ended)]
        return []

    def _store(self, ended: Sequence[Future[Trial]]) -> "_Batch":
        """Store what became of these trials, and report the progress."""
        batch = _Batch([], [])
        for future in ended:
            batch.add(future, self.under_way.pop(future))
        store, number = self.workers.store, self.workers.run.number
        if batch.trials:
            store.add_trials(number, batch.trials)
            self.watch.add(batch.trials)
        incidents = [*batch.never_ran, *_drain(self.workers.accidents)]
        if incidents:
            store.add_incidents(number, incidents)
        if self.false_start is not None:
            for trial in batch.trials:
                self.false_start.add(trial)
        self.done += len(batch.trials)
        self.passed += sum(trial.passed for trial in batch.trials)
        self.errors += sum(not trial.counted for trial in batch.trials)
        self._report()
        return batch

    def _why_hopeless(self, batch: "_Batch") -> str:
        """Return why the run is given up, after too many trials in a row that never ran, or ""."""
        if batch.trials:
            self.never_ran_in_a_row = 0
        self.never_ran_in_a_row += len(batch.never_ran)
        run = self.workers.run
        # All jobs may have met the same trouble at once: each gets a second chance.
        if not batch.never_ran or self.never_ran_in_a_row < max(HOPELESS, 2 * run.jobs):
            return ""
        return (
            f"run {run.number} was stopped: the last {self.never_ran_in_a_row} trials never ran "
            f"({batch.never_ran[-1][3]}). They stay open: fix the cause, then continue with "
            f"`trapcli calibrate --resume {run.number}`."
        )

    def _report(self) -> None:
        failed = self.done - self.passed - self.errors
        total = self.workers.run.plan.total
        self.on_progress(Progress(self.done, total, self.workers.running, self.passed, failed))


@dataclass(slots=True)
class _Batch:
    """What became of trials that ended at about the same time.

    trials: those that finished.
    never_ran: those that stay open, with the reason.
    fatal: an error that means that no trial can run.
    """

    trials: list[Trial]
    never_ran: list[Incident]
    fatal: BaseException | None = None

    def add(self, future: Future[Trial], key: TrialKey) -> None:
        """Add a trial that has ended; one that was stopped leaves nothing."""
        error = None if future.cancelled() else future.exception()
        if future.cancelled() or isinstance(error, Stopped):
            return
        if isinstance(error, NeverRan):
            self.never_ran.append((*key, str(error)))
        elif error is not None:
            self.fatal = self.fatal or error
        else:
            self.trials.append(future.result())


def _drain(waiting: "queue.SimpleQueue[T]") -> list[T]:
    """Return everything that is in the queue now."""
    found = []
    with suppress(queue.Empty):
        while True:
            found.append(waiting.get_nowait())
    return found


def _has_changed(suite: RunSuite) -> bool:
    """Return whether the suite on disk has changed since the run began, or is gone."""
    try:
        return suite.halves.digest() != suite.digest
    except (TrapError, OSError):
        return True
