"""Carrying out a run: trials go to the executor, come back, are judged and kept, one by one.

Trials go round: the first of every case, then the second of every case, so that a run that
was cut short has about as many of each. Nothing is tried twice: a trial that ended is
final, however it ended; one that never ran stays open for `--resume`.
"""

import os
import queue
import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from trapcli.calibration.execution.capture import is_whole
from trapcli.calibration.execution.judge_pool import Cases, JudgeError, Judges
from trapcli.calibration.execution.processes import allow_open_files, end_marked
from trapcli.calibration.execution.signals import interruptible
from trapcli.calibration.execution.supervisor import Ended, Job
from trapcli.calibration.execution.supervisor_pool import NeverRan, Nursery, Stopped
from trapcli.calibration.execution.trial import Ran, run_trial
from trapcli.calibration.execution.workdirs import held, in_memory, roomy, sweep_dead
from trapcli.calibration.plan import digest_now
from trapcli.calibration.records import JUDGE_ERROR, Run, RunSuite, Trial
from trapcli.calibration.store.store import Store, now
from trapcli.core.errors import TrapError
from trapcli.suites.reader import Suite

CHANGED = (
    "its stored output was changed after it had ended, by a solution or from outside; its verdict is on what "
    "was printed, if that was short or not yet changed"
)
HOPELESS = 5  # trials in a row that never ran, after which no more is tried

T = TypeVar("T")
Key = tuple[int, str, int]  # suite, case, number


@dataclass(frozen=True, slots=True)
class State:
    """How far a run is: trials that ended, of how many; that run; that ended without passing."""

    done: int
    total: int
    running: int
    passed: int
    failed: int


Watch = Callable[[State], None]


def carry_out(store: Store, run: Run, suites: Sequence[Suite], watch: Watch) -> bool:
    """Run the trials of the run that are not there yet; whether it was interrupted.

    suites: those of the plan, opened. Each trial is stored as soon as it has its verdict. Ends
    early after SIGINT, SIGTERM or SIGHUP; a second one raises KeyboardInterrupt. Raises
    TrapError if the solution cannot be started or if trials cannot be kept; those that had
    ended are kept even then.
    """
    done = store.done(run.number)
    counts = store.counts(run.number)
    waiting = deque(key for key in keys(run) if key not in done)
    with ExitStack() as ending, interruptible() as interrupted:
        crew = _Crew(store, run, suites, ending)
        flight = _Flight(crew, waiting, len(done), counts.get("passed", 0), counts.get(JUDGE_ERROR, 0), watch)
        try:
            flight.go_on(interrupted)
        finally:
            flight.land()
        for position, suite in enumerate(run.plan.suites):
            if _changed(suite):
                store.mark_changed(run.number, position)
        store.note(run.number, _changed_outputs(store, run))
        if not waiting and not interrupted() and store.done(run.number) >= set(keys(run)):
            store.end(run.number)
        return interrupted()


def keys(run: Run) -> Iterator[Key]:
    """All trials of a run in the order in which they are begun."""
    for number in range(1, run.plan.trials + 1):
        for position, suite in enumerate(run.plan.suites):
            for case in suite.cases:
                yield position, case, number


class _Crew:
    """All that works on a run: the executor, the nursery, the judges.

    So many solutions as the run has jobs run at a time; meanwhile the next trials are prepared and
    the last ones judged, by a few threads more.
    """

    def __init__(self, store: Store, run: Run, suites: Sequence[Suite], ending: ExitStack) -> None:
        self.store, self.run = store, run
        self.cases = Cases(suites)
        self.slots = threading.Semaphore(run.jobs)
        self.running = 0
        self.lost: queue.SimpleQueue[tuple[int, str, int, str]] = queue.SimpleQueue()
        self._lock = threading.Lock()
        allow_open_files(4 * run.jobs)
        sweep_dead()
        ending.callback(end_marked, run.scratch)
        ending.enter_context(held(run.scratch))
        # All are read now, before a solution could change them.
        chosen = ((n, case) for n, suite in enumerate(run.plan.suites) for case in suite.cases)
        if roomy((self.cases.get(*key) for key in chosen), run.jobs):
            ending.enter_context(held(in_memory(run.scratch)))
        self.nursery = Nursery()
        ending.callback(self.nursery.close)
        judging = min(run.jobs, os.cpu_count() or 1)
        self.judges = Judges(self.cases, judging)
        ending.callback(self.judges.close)
        self.ahead = max(2, judging)
        self.executor: Executor = ThreadPoolExecutor(run.jobs + self.ahead)
        ending.callback(self.executor.shutdown)
        # Nothing runs by now, unless the user wants it ended at once.
        ending.callback(self.judges.stop)
        ending.callback(end_marked, run.scratch)
        ending.callback(self.nursery.stop)

    def trial(self, key: Key) -> Trial:
        """Run one trial and judge it. In a thread of the executor."""
        position, case_id, number = key
        began, running = "", 0

        def start(job: Job) -> Ended:
            nonlocal began, running
            with self.slots:
                with self._lock:
                    self.running += 1
                    running = self.running
                began = now()
                try:
                    return self.nursery.run(job)
                finally:
                    with self._lock:
                        self.running -= 1

        ran = self._run(key, start)
        ended = ran.ended
        if ended.lost:
            self.lost.put((*key, ended.lost))
        printed: Path | bytes | None = ended.printed
        if printed is None and ended.stdout.file:
            printed = self.store.output(self.run.number, ended.stdout)
        try:
            verdict: Mapping[str, Any] = self.judges.judge(
                position, case_id, printed, ended.stdout, ended.exit_code, ended.timed_out
            )
            status = verdict["status"]
        except JudgeError as error:
            status, verdict = JUDGE_ERROR, {"reason": str(error)}
        return Trial(
            suite=position,
            case=case_id,
            number=number,
            status=status,
            verdict=verdict,
            exit_code=ended.exit_code,
            timed_out=ended.timed_out,
            limit=self.run.plan.limit,
            seconds=ended.seconds,
            stdout=ended.stdout,
            stderr=ended.stderr,
            stragglers=(*ended.stragglers, *(f"{name} (could not be killed)" for name in ended.survivors)),
            usage=ran.usage,
            running=running,
            load=os.getloadavg()[0],
            started=began,
        )

    def _run(self, key: Key, start: Callable[[Job], Ended]) -> Ran:
        position, case_id, number = key
        try:
            case = self.cases.get(position, case_id)
        except TrapError as error:
            raise NeverRan(str(error)) from error
        outputs = self.store.outputs(self.run.number)
        return run_trial(start, self.run, position, case, number, outputs)


class _Flight:
    """The trials that are under way, and what came of those that were."""

    def __init__(
        self, crew: _Crew, waiting: deque[Key], done: int, passed: int, errors: int, watch: Watch
    ) -> None:
        self.crew, self.waiting, self.watch = crew, waiting, watch
        self.done, self.passed, self.errors = done, passed, errors
        self.under_way: dict[Future[Trial], Key] = {}
        self.landed: queue.SimpleQueue[Future[Trial]] = queue.SimpleQueue()
        self.lost_in_a_row = 0

    def go_on(self, interrupted: Callable[[], bool]) -> None:
        """Begin trials and keep what comes of them, until none is left or the user wants no more."""
        self._tell()
        while (self.waiting or self.under_way) and not interrupted():
            while self.waiting and len(self.under_way) < self.crew.run.jobs + self.crew.ahead:
                self._begin(self.waiting.popleft())
            self._keep(self._landed(0.2))

    def land(self) -> None:
        """Stop what is under way; keep what had ended."""
        self.crew.nursery.stop()
        for future in self.under_way:
            future.cancel()
        while self.under_way:
            self._keep(self._landed(0.2), last=True)

    def _begin(self, key: Key) -> None:
        future = self.crew.executor.submit(self.crew.trial, key)
        self.under_way[future] = key
        future.add_done_callback(self.landed.put)

    def _landed(self, patience: float) -> list[Future[Trial]]:
        """The trials that have ended since we looked, after waiting so long for the first."""
        with suppress(queue.Empty):
            return [self.landed.get(timeout=patience), *_all_of(self.landed)]
        return []

    def _keep(self, landed: Sequence[Future[Trial]], last: bool = False) -> None:
        """Store what came of these trials; what means that no trial can run is raised, the rest stored."""
        trials: list[Trial] = []
        lost: list[tuple[int, str, int, str]] = []
        fatal: BaseException | None = None
        for future in landed:
            key = self.under_way.pop(future)
            error = None if future.cancelled() else future.exception()
            if future.cancelled() or isinstance(error, Stopped):
                continue
            if isinstance(error, NeverRan):
                lost.append((*key, str(error)))
            elif error is not None:
                fatal = fatal or error
            else:
                trials.append(future.result())
        number = self.crew.run.number
        if trials:
            self.crew.store.keep(number, trials)
            self.lost_in_a_row = 0
        told = [*lost, *_all_of(self.crew.lost)]
        if told:
            self.crew.store.note(number, told)
            self.lost_in_a_row += len(lost)
        self.done += len(trials)
        self.passed += sum(trial.passed for trial in trials)
        self.errors += sum(not trial.counted for trial in trials)
        self._tell()
        if last:
            return
        if fatal is not None:
            raise fatal
        if self.lost_in_a_row >= max(HOPELESS, 2 * self.crew.run.jobs):
            raise TrapError(
                f"run {number} was stopped: the last {self.lost_in_a_row} trials never ran ({lost[-1][3]}). "
                f"They stay open; mend it, then `trapcli calibrate --resume {number}`."
            )

    def _tell(self) -> None:
        failed = self.done - self.passed - self.errors
        total = self.crew.run.plan.total
        self.watch(State(self.done, total, self.crew.running, self.passed, failed))


def _all_of(waiting: "queue.SimpleQueue[T]") -> list[T]:
    """What is in the queue just now."""
    found = []
    with suppress(queue.Empty):
        while True:
            found.append(waiting.get_nowait())
    return found


def _changed_outputs(store: Store, run: Run) -> list[tuple[int, str, int, str]]:
    """The trials whose stored outputs are not what was printed, and were not yet told of."""
    told = {tuple(incident[:3]) for incident in store.run(run.number).incidents}
    found = []
    for trial in store.trials(run.number):
        key = trial.suite, trial.case, trial.number
        streams = [stream for stream in (trial.stdout, trial.stderr) if stream.file]
        if key not in told and not all(is_whole(store.output(run.number, one), one) for one in streams):
            found.append((*key, CHANGED))
    return found


def _changed(suite: RunSuite) -> bool:
    """Whether the suite on the disk is another one than when the run began, or is none any more."""
    try:
        return digest_now(suite.directory, suite.expected) != suite.digest
    except (TrapError, OSError):
        return True
