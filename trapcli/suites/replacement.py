"""Directories that change places all or nothing, one or two at once, and whole after any kill.

New contents are made in hidden directories beside the targets. Then a journal is written
beside the first target: from that moment the swap happens, by us or, if we are killed, by
the next command, which finds the journal and does what is left of it. Before that moment
nothing of the old has been touched. A lock beside each target keeps two builds apart; the
system drops it with the process that holds it.

Beside a target called `x` stand, while it is being built: `.x.trapcli-lock`,
`.x.trapcli-new-*` (contents in the making), `.x.trapcli-old-*` (contents to be removed) and
`.x.trapcli-swap` (the journal; beside a second target, where to find it).
"""

import fcntl
import json
import os
import re
import shutil
import signal
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from tempfile import mkdtemp
from types import FrameType
from typing import Any

from trapcli.core.errors import TrapError
from trapcli.core.files import seal
from trapcli.suites.reader import journal_of

PATIENCE = 10.0  # seconds that a reader waits for a build that is swapping; it takes milliseconds

Moves = list[tuple[Path, Path, Path]]  # what goes in, the target, where the target's old contents go


@contextmanager
def replacing(targets: Sequence[Path], accept: Callable[[], None]) -> Iterator[list[Path]]:
    """Give an empty directory for each target (a real path); if the block ends well they take its place.

    accept: raises TrapError if a target must not be replaced; called while no other build
    can change them. If the block or `accept` raises, the targets and what is beside them
    are as before. Raises TrapError if another build holds a target, OSError if the disk fails.
    """
    with ExitStack() as undo:
        for target in targets:
            missing = [folder for folder in target.parents if not folder.exists()]
            undo.callback(_remove_empty, missing)
            target.parent.mkdir(parents=True, exist_ok=True)
        for target in targets:
            undo.enter_context(_locked(target, "a build of it is running already; wait until it has ended"))
        for target in targets:
            _finish(target)
            _sweep(target)
        accept()
        stages: list[Path] = []
        try:
            for target in targets:
                stages.append(Path(mkdtemp(prefix=f"{_beside(target, 'new').name}-", dir=target.parent)))
            yield stages
            with _uninterrupted():
                for stage in stages:
                    seal(stage)
                _swap(targets, stages)
        except BaseException:
            if not os.path.lexists(journal_of(targets[0])):
                _remove(stages)
            raise


def recover(target: Path) -> None:
    """Do what is left of a swap that was killed; wait for one that is under way.

    Raises TrapError if that is not possible here, for instance without the right to write.
    """
    try:
        with _locked(target, "a build has been replacing it for a long time", patience=PATIENCE):
            _finish(target)
    except OSError as error:
        raise TrapError(
            f"a build of {target} was interrupted while it replaced the suite, and cannot be finished: "
            f"{error}. Run any trapcli command on it as a user who may write in {target.parent}."
        ) from error


def _swap(targets: Sequence[Path], stages: Sequence[Path]) -> None:
    """Let the stages take the places of the targets; OSError if the system refuses, then undone."""
    moves: Moves = [
        (stage, target, _beside(target, "old" + stage.name.removeprefix(_beside(target, "new").name)))
        for stage, target in zip(stages, targets, strict=True)
    ]
    told = [[os.path.relpath(path, targets[0].parent) for path in move] for move in moves]
    try:
        for target in targets[1:]:
            _write_journal(target, {"see": str(targets[0])})
        _write_journal(targets[0], {"moves": told})
        _move(moves)
    except OSError:
        _move_back(moves)
        _remove(journal_of(target) for target in targets)
        raise
    _close(moves)


def _move(moves: Moves) -> None:
    """Put everything in its place. What was done already, before a kill, is not done again."""
    for stage, target, old in moves:
        if os.path.lexists(stage):
            if os.path.lexists(target):
                os.rename(target, old)
            os.rename(stage, target)
    for folder in {target.parent for _, target, _ in moves}:
        _sync(folder)


def _move_back(moves: Moves) -> None:
    for stage, target, old in reversed(moves):
        if not os.path.lexists(stage):
            os.rename(target, stage)
        if os.path.lexists(old):
            os.rename(old, target)


def _close(moves: Moves) -> None:
    """Forget a swap that is complete, and the old contents with it."""
    _remove(journal_of(target) for _, target, _ in moves)
    _remove(old for _, _, old in moves)


def _finish(target: Path) -> None:
    """Do what is left of the swap that the journal beside a locked target tells of, if there is one."""
    journal = journal_of(target)
    try:
        told: dict[str, Any] = json.loads(journal.read_bytes())
        if "see" in told:
            other, moves = Path(told["see"]), None
        else:
            real = [[Path(os.path.normpath(target.parent / path)) for path in move] for move in told["moves"]]
            moves = [(stage, final, old) for stage, final, old in real]
    except FileNotFoundError:
        return
    except (ValueError, TypeError, KeyError) as error:
        raise TrapError(f"{journal} is damaged ({error}): remove it, and build {target} again.") from error
    if moves is not None:
        _move(moves)
        _close(moves)
    else:
        if os.path.lexists(journal_of(other)):
            recover(other)
        _remove([journal])


def _write_journal(target: Path, told: dict[str, Any]) -> None:
    journal = journal_of(target)
    fresh = _beside(target, f"new-{os.getpid()}")
    with open(fresh, "w", encoding="utf-8") as file:
        json.dump(told, file)
        file.flush()
        os.fsync(file.fileno())
    os.rename(fresh, journal)
    _sync(target.parent)


@contextmanager
def _locked(target: Path, why: str, patience: float = 0.0) -> Iterator[None]:
    """Hold the lock of `target`; TrapError, saying why, if another process does for too long."""
    path, deadline = _beside(target, "lock"), time.monotonic() + patience
    while True:
        lock = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            # Who held it before us may have removed the file: then others do not see our lock.
            with suppress(FileNotFoundError):
                if os.path.samestat(os.fstat(lock), os.stat(path)):
                    break
        except BlockingIOError:
            if time.monotonic() >= deadline:
                os.close(lock)
                raise TrapError(f"{target} is in use: {why}.") from None
            time.sleep(0.02)
        os.close(lock)
    try:
        yield
    finally:
        _remove([path])
        os.close(lock)


def _sweep(target: Path) -> None:
    """Remove what killed builds left beside a locked target."""
    left = re.compile(re.escape(f".{target.name}.trapcli-") + "(new|old)-.*", re.DOTALL)
    _remove(target.parent / name for name in os.listdir(target.parent) if left.fullmatch(name))


def _beside(target: Path, what: str) -> Path:
    return target.parent / f".{target.name}.trapcli-{what}"


def _remove_empty(folders: Iterable[Path]) -> None:
    for folder in folders:
        with suppress(OSError):
            folder.rmdir()


def _remove(paths: Iterable[Path]) -> None:
    """Remove files and directories as far as possible; what is left is swept by the next build."""
    for path in paths:
        try:
            path.unlink()
        except OSError:
            shutil.rmtree(path, ignore_errors=True)


def _sync(folder: Path) -> None:
    """Bring the names in a directory to the disk, where the file system can be asked to."""
    opened = os.open(folder, os.O_RDONLY)
    with suppress(OSError):
        os.fsync(opened)
    os.close(opened)


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Put off Ctrl-C until the block has ended; outside the main thread it does not arrive anyway."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    caught: list[int] = []

    def remember(number: int, frame: FrameType | None) -> None:
        caught.append(number)

    before = signal.signal(signal.SIGINT, remember)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.SIG_DFL if before is None else before)
        if caught:
            signal.raise_signal(signal.SIGINT)
