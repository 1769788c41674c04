"""One trial: a private copy of the case's inputs, the solution's process, and what is left cleared away."""

import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from secrets import token_hex
from tempfile import mkdtemp
from typing import Any

from trapcli.calibration.execution.supervisor import Ended, Job
from trapcli.calibration.execution.supervisor_pool import CannotStart
from trapcli.calibration.execution.workdirs import in_memory, remove
from trapcli.calibration.records import Run
from trapcli.calibration.solutions.builtin import command_for, read_builtin, stream_name
from trapcli.calibration.solutions.command import solution_env
from trapcli.calibration.solutions.usage import read_usage
from trapcli.core.contract import Case
from trapcli.core.errors import TrapError

NOT_FOUND = (126, 127)  # how a shell says that a command cannot be executed, or is not there
LAST = 500  # characters of stderr that an error shows


@dataclass(frozen=True, slots=True)
class Ran:
    """How a trial's process ended, and what the solution says of its tokens and costs."""

    ended: Ended
    usage: Mapping[str, Any] | None


def run_trial(
    start: Callable[[Job], Ended], run: Run, position: int, case: Case, number: int, outputs: Path
) -> Ran:
    """Run one trial of a case of the suite at this position; its outputs become files in `outputs`.

    start: runs a job to its end, as `Nursery.run` does, and raises what that raises. Raises
    CannotStart also if a shell says that there is no such command and nothing was printed.
    """
    scratch = copies = Path(mkdtemp(dir=run.scratch))
    if not run.plan.isolate and os.path.isdir(in_memory(run.scratch)):
        copies = Path(mkdtemp(dir=in_memory(run.scratch)))
    try:
        inputs = _copied(case, copies / "inputs")
        job = _job(run, position, case, number, scratch, inputs, outputs / _stem(case, number))
        ended = start(job)
        for stream in (ended.stdout, ended.stderr):
            if stream.file:
                sync(outputs / stream.file)
        if ended.exit_code in NOT_FOUND and not ended.stdout.size and not ended.timed_out:
            raise CannotStart(
                f"{run.plan.solution.given!r} cannot be started: exit code {ended.exit_code} and no output"
                f"{_said(outputs / ended.stderr.file) if ended.stderr.file else ''}."
            )
        return Ran(ended, read_usage(scratch / "outputs"))
    finally:
        remove(scratch)
        if copies != scratch:
            remove(copies)


def _stem(case: Case, number: int) -> str:
    return f"{case.id}-{number}-{token_hex(4)}"


def _copied(case: Case, home: Path) -> Path:
    """The case's files, written anew in a directory that is made for them."""
    home.mkdir()
    for name, text in case.files.items():
        path = home / name
        if "/" in name:
            path.parent.mkdir(parents=True, exist_ok=True)
        with open(path, "wb") as file:
            file.write(text.encode("utf-8"))
    return home


def _job(run: Run, position: int, case: Case, number: int, scratch: Path, inputs: Path, stem: Path) -> Job:
    plan, solution = run.plan, run.plan.solution
    own_home = plan.isolate or plan.fresh_home
    for name in ("outputs", "home") if own_home else ("outputs",):
        (scratch / name).mkdir()
    argv = solution.argv
    if solution.builtin:
        builtin = read_builtin(solution.builtin)
        stream = stream_name(builtin, run.token, plan.suites[position], case.id, number)
        argv = command_for(builtin, case.family, case.mechanisms, stream)
    if plan.isolate:
        from trapcli.calibration.isolation.sandbox import isolated

        argv = isolated(argv, plan, scratch)
    return Job(
        argv=tuple(argv),
        cwd=str(solution.cwd),
        env=solution_env(
            solution,
            inputs=inputs,
            outputs=scratch / "outputs",
            home=scratch / "home" if own_home else None,
            isolate=plan.isolate,
            names=plan.env,
        ),
        stdin=None if solution.stdin is None else str(inputs / solution.stdin),
        limit=plan.limit,
        stdout=f"{stem}.stdout",
        stderr=f"{stem}.stderr",
    )


def sync(path: Path) -> None:
    """Have the disk hold a file that was written; TrapError if it cannot."""
    try:
        with open(path, "rb") as file:
            os.fsync(file.fileno())
    except OSError as error:
        raise TrapError(
            f"what the solution printed cannot be stored: {path}: {error.strerror}. Make room on the disk, "
            "then go on with `trapcli calibrate --resume`."
        ) from error


def _said(stderr: Path) -> str:
    with suppress(OSError):
        text = stderr.read_bytes()[-LAST:].decode("utf-8", "replace").strip()
        return f" ({text})" if text else ""
    return ""
