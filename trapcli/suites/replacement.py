"""Replace one directory, or two at once, all or nothing, and recover after a kill at any moment.

New contents are written to hidden directories beside the targets. Then a journal is written beside
the first target: from that moment on the swap will happen, done by us or, if we are killed, by the
next command, which finds the journal and finishes it. Before that moment nothing old was touched.
A lock beside each target keeps two builds apart; the system releases it with its process.

Beside a target `x` there are, during a build: `.x.trapcli-lock`, `.x.trapcli-new-*` (contents being
written), `.x.trapcli-old-*` (contents to be removed) and `.x.trapcli-swap` (the journal; beside a
second target it says where the first one's journal is).
"""

import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from trapcli.core.errors import TrapError
from trapcli.suites.layout import journal_of
from trapcli.system.files import seal
from trapcli.system.locks import locked_file
from trapcli.system.removal import identity, remove
from trapcli.system.signals import deferred_interrupt

PATIENCE = 10.0  # seconds that a reader waits for a build that is swapping; a swap takes milliseconds
LEFT = "-[a-z0-9_]+"  # the end of the name of a directory that a build makes beside a target

Moves = list[tuple[Path, Path, Path]]  # new contents, target, where the target's old contents go


@contextmanager
def replace_directories(targets: Sequence[Path], accept: Callable[[], None]) -> Iterator[list[Path]]:
    """Yield an empty directory for each target; when the block ends well, they take the targets' places.

    targets: real paths.
    accept: called once no other build can change the targets; raises TrapError if one of them must
        not be replaced.

    If the block or `accept` raises, the targets and everything beside them are as before. Raises
    TrapError if another build holds a target, OSError if the disk fails.
    """
    with ExitStack() as undo:
        for target in targets:
            missing = [folder for folder in target.parents if not folder.exists()]
            undo.callback(_remove_empty, missing)
            target.parent.mkdir(parents=True, exist_ok=True)
        for target in targets:  # always in the order given, public before private: two builds cannot deadlock
            undo.enter_context(_lock(target, "another build of it is running; wait until it has ended"))
        for target in targets:
            _finish(target)
            _sweep(target)
        accept()
        stages: list[Path] = []
        try:
            for target in targets:
                stages.append(Path(mkdtemp(prefix=f"{_beside(target, 'new').name}-", dir=target.parent)))
            yield stages
            with deferred_interrupt():
                for stage in stages:
                    seal(stage)
                _swap(targets, stages)
        except BaseException:
            if not os.path.lexists(journal_of(targets[0])):
                _remove(stages)
            raise


def recover(target: Path) -> None:
    """Finish a swap that was killed; wait for one that is in progress.

    Raises TrapError if that is not possible, for instance without permission to write.
    """
    try:
        with _lock(target, "a build has been replacing it for a long time", PATIENCE):
            _finish(target)
    except OSError as error:
        raise TrapError(
            f"a build of {target} was interrupted while it replaced the suite, and cannot be finished: "
            f"{error}. Run any trapcli command on it as a user who may write in {target.parent}."
        ) from error


def _swap(targets: Sequence[Path], stages: Sequence[Path]) -> None:
    """Move the stages to the places of the targets; undo it and raise OSError if the system refuses."""
    moves: Moves = [
        (stage, target, _beside(target, "old" + stage.name.removeprefix(_beside(target, "new").name)))
        for stage, target in zip(stages, targets, strict=True)
    ]
    relative = [[os.path.relpath(path, targets[0].parent) for path in move] for move in moves]
    try:
        for target in targets[1:]:
            _write_journal(target, {"see": str(targets[0])})
        _write_journal(targets[0], {"moves": relative})
        _move(moves)
    except OSError:
        _move_back(moves)
        _remove(journal_of(target) for target in targets)
        raise
    _close(moves)


def _move(moves: Moves) -> None:
    """Move everything to its place; skip what was already moved before a kill."""
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
    """Remove the journals of a complete swap, then the old contents."""
    _remove(journal_of(target) for _, target, _ in moves)
    _remove(old for _, _, old in moves)


def _finish(target: Path) -> None:
    """Finish the swap that the journal beside a locked target describes, if there is one."""
    journal = journal_of(target)
    if not os.path.lexists(journal):
        return
    try:
        record: dict[str, Any] = json.loads(journal.read_bytes())
        if "see" in record:
            other, moves = Path(record["see"]), None
        else:
            moves = _read_moves(record["moves"], target)
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise TrapError(f"{journal} is damaged ({error}): remove it, and build {target} again.") from error
    if moves is not None:
        _move(moves)
        _close(moves)
    else:
        if os.path.lexists(journal_of(other)):
            recover(other)
        _remove([journal])


def _read_moves(written: Sequence[Sequence[str]], target: Path) -> Moves:
    """Return the moves in the journal beside a target; ValueError if we would not have written them.

    A journal may have come with a suite from elsewhere. One that we wrote moves only our own hidden
    directories and the target itself, or another target whose own journal says so.
    """
    real = [[Path(os.path.normpath(target.parent / path)) for path in move] for move in written]
    moves = [(stage, final, old) for stage, final, old in real]
    for number, (stage, final, old) in enumerate(moves):
        hidden = stage.parent == final.parent == old.parent and all(
            re.fullmatch(re.escape(_beside(final, what).name) + LEFT, path.name)
            for what, path in (("new", stage), ("old", old))
        )
        agreed = number and json.loads(journal_of(final).read_bytes()) == {"see": str(target)}
        if not hidden or not (final == target or agreed):
            raise ValueError(f"it moves {final}, which does not belong to this build")
    return moves


def _write_journal(target: Path, record: dict[str, Any]) -> None:
    journal = journal_of(target)
    fresh = _beside(target, f"new-{os.getpid()}")
    with open(fresh, "w", encoding="utf-8") as file:
        json.dump(record, file)
        file.flush()
        os.fsync(file.fileno())
    os.rename(fresh, journal)
    _sync(target.parent)


def _lock(target: Path, why: str, patience: float = 0.0) -> AbstractContextManager[None]:
    return locked_file(_beside(target, "lock"), f"{target} is in use: {why}.", patience)


def _sweep(target: Path) -> None:
    """Remove what killed builds left beside a locked target."""
    left = re.compile(re.escape(f".{target.name}.trapcli-") + "(new|old)" + LEFT)
    _remove(target.parent / name for name in os.listdir(target.parent) if left.fullmatch(name))


def _beside(target: Path, what: str) -> Path:
    return target.parent / f".{target.name}.trapcli-{what}"


def _remove_empty(folders: Iterable[Path]) -> None:
    for folder in folders:
        with suppress(OSError):
            folder.rmdir()


def _remove(paths: Iterable[Path]) -> None:
    """Remove files, links and directories as far as possible; the next build sweeps what is left."""
    for path in paths:
        try:
            path.unlink()
        except OSError:
            remove(path, identity(path))


def _sync(folder: Path) -> None:
    """Write the names in a directory to the disk, where the file system supports it."""
    handle = os.open(folder, os.O_RDONLY)
    with suppress(OSError):
        os.fsync(handle)
    os.close(handle)
