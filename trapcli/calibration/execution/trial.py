"""One trial: copy the case's inputs, run the solution's process, read what it left, and clear everything."""

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from secrets import token_hex
from typing import Any, TypeAlias

from trapcli.calibration.execution.function_call import call_function
from trapcli.calibration.execution.messages import Job, Outcome
from trapcli.calibration.execution.workdirs import memory_scratch
from trapcli.calibration.records import Run
from trapcli.calibration.solutions.environment import TrialDirectories
from trapcli.calibration.solutions.function import Function
from trapcli.calibration.solutions.usage import read_usage
from trapcli.core import registry
from trapcli.core.contract import Case
from trapcli.core.errors import TrapError
from trapcli.system.ordinary_files import open_ordinary
from trapcli.system.output_files import REPLACED, OutputFiles, read_output_files
from trapcli.system.removal import identity, own_directory

NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC

Work: TypeAlias = Job | Callable[[], Outcome]  # a process to run, or a function to call


@dataclass(frozen=True, slots=True)
class TrialRun:
    """What a trial left.

    outcome: how its process ended, and what it printed.
    usage: tokens and costs that the solution reported, or None.
    files: what is in its output directory.
    judged: whether the answer is read from these files.
    """

    outcome: Outcome
    usage: Mapping[str, Any] | None
    files: OutputFiles = field(default_factory=OutputFiles)
    judged: bool = False


def run_trial(
    start: Callable[[Work], Outcome], run: Run, position: int, case: Case, number: int, stored: Path
) -> TrialRun:
    """Run one trial and return what it left.

    start: runs a job to its end, as `SupervisorPool.run` does, or calls a function; what it raises
        is passed on.
    position: of the case's suite in the run's plan.
    number: the trial's, from 1, within the case.
    stored: the directory that gets a file with each of its output streams.
    """
    with _trial_directories(run, case) as directories:
        made = identity(directories.outputs)
        outcome = start(_work(run, position, case, number, directories, stored))
        for stream in (outcome.stdout, outcome.stderr):
            if stream.file:
                sync(stored / stream.file)
        files = read_output_files(directories.outputs, made)
        return TrialRun(
            outcome,
            usage=None if REPLACED in files.left_out else read_usage(directories.outputs),
            files=files,
            judged=registry.family(case.family).answers.reads_files,
        )


@contextmanager
def _trial_directories(run: Run, case: Case) -> Iterator[TrialDirectories]:
    """Yield new directories for a trial, the case's files among them, and remove them afterwards."""
    plan = run.plan
    with ExitStack() as made:
        scratch = copies = made.enter_context(own_directory(run.scratch))
        # bubblewrap shows a trial one directory; otherwise the copies can be in memory.
        if not plan.isolate and os.path.isdir(memory_scratch(run.scratch)):
            copies = made.enter_context(own_directory(memory_scratch(run.scratch)))
        directories = TrialDirectories(
            inputs=copies / "inputs",
            outputs=scratch / "outputs",
            home=scratch / "home" if plan.isolate or plan.fresh_home else None,
        )
        _copy_files(case, directories.inputs)
        for directory in filter(None, (directories.outputs, directories.home)):
            directory.mkdir()
        yield directories


def _copy_files(case: Case, home: Path) -> None:
    """Write a case's files; with plain system calls, as their number is most of the cost of a short trial."""
    home.mkdir()
    for name, text in case.files.items():
        path = f"{home}/{name}"
        if "/" in name:
            os.makedirs(os.path.dirname(path), exist_ok=True)
        opened = os.open(path, NEW_FILE, 0o666)
        try:
            left = memoryview(text.encode("utf-8"))
            while left:
                left = left[os.write(opened, left) :]
        finally:
            os.close(opened)


def _work(
    run: Run, position: int, case: Case, number: int, directories: TrialDirectories, stored: Path
) -> Work:
    plan, solution = run.plan, run.plan.solution
    stem = stored / f"{case.id}-{number}-{token_hex(4)}"
    if isinstance(solution, Function):
        return partial(call_function, solution, case, directories, plan.limit, stem)
    argv = solution.argv(case, number, recipe=plan.suites[position].recipe, token=run.token)
    if plan.isolate:
        from trapcli.calibration.isolation.sandbox import isolated

        argv = isolated(argv, plan, directories)
    return Job(
        argv=argv,
        cwd=str(solution.cwd),
        env=solution.environment(directories, isolate=plan.isolate, allowed=plan.env),
        stdin=None if solution.stdin is None else str(directories.inputs / solution.stdin),
        limit=plan.limit,
        stdout=f"{stem}.stdout",
        stderr=f"{stem}.stderr",
    )


def sync(path: Path) -> None:
    """Write a file's content to the disk; TrapError if that fails."""
    try:
        with open_ordinary(path) as file:
            os.fsync(file.fileno())
    except OSError as error:
        raise TrapError(
            f"what the solution printed cannot be stored: {path}: {error.strerror}. Make room on the disk, "
            "then continue with `trapcli calibrate --resume`."
        ) from error
