"""Bars on stderr while a command works, if that is a terminal; nothing, and no import of rich, if not."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from trapcli.calibration.execution.scheduler import State


def _terminal() -> bool:
    """Whether stderr is one; a program may be started without any."""
    return sys.stderr is not None and sys.stderr.isatty()


@contextmanager
def bar(label: str, total: int) -> Iterator[Callable[[int, int], None]]:
    """Gives what is to be called with (done, total) as the work goes on."""
    if not _terminal():
        yield lambda done, total: None
        return
    from trapcli.views.terminal import progress

    with progress(label, total) as advance:
        yield lambda done, total: advance(done)


@contextmanager
def trials_bar() -> "Iterator[Callable[[State], None]]":
    """Gives what is to be called with the state of a run as its trials end."""
    if not _terminal():
        yield lambda state: None
        return
    from trapcli.views.terminal import trials_progress

    with trials_progress() as show:
        yield lambda state: show(state.done, state.total, state.running, state.passed, state.failed)
