"""Notes and progress bars on stderr while a command works; a bar, and rich, only on a terminal."""

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, Protocol

import click

if TYPE_CHECKING:
    from rich.progress import ProgressColumn

REDRAW = 0.1  # seconds; a bar is drawn at most this often


class TrialCounts(Protocol):
    """How far a run is: how many trials are done, in all, running, passed and failed."""

    @property
    def done(self) -> int: ...

    @property
    def total(self) -> int: ...

    @property
    def running(self) -> int: ...

    @property
    def passed(self) -> int: ...

    @property
    def failed(self) -> int: ...


def note(text: str) -> None:
    """Print a line. If nobody can read it, because stderr is full or its reader is gone, work goes on."""
    with suppress(OSError):
        click.echo(text, err=True)


@contextmanager
def bar(label: str, total: int) -> Iterator[Callable[[int, int], None]]:
    """Show a bar while the block runs; yields a function to call with (done, total), totals so far."""
    if not _on_terminal():
        yield lambda done, total: None
        return
    from rich.progress import TimeElapsedColumn

    with _bar(label, total, TimeElapsedColumn()) as update:
        yield lambda done, total: update(completed=done, total=total)


@contextmanager
def trials_bar() -> Iterator[Callable[[TrialCounts], None]]:
    """Show a bar while a run's trials run; yields a function to call with their counts."""
    if not _on_terminal():
        yield lambda counts: None
        return
    from rich.progress import TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.fields[text]}", markup=False),
        TimeRemainingColumn(elapsed_when_finished=True),
        TextColumn("left"),
    )
    with _bar("trials", None, *columns, text="") as update:

        def show(counts: TrialCounts) -> None:
            judged = counts.passed + counts.failed
            rate = f", rate {counts.passed / judged:.2f}" if judged else ""
            text = f"{counts.running} running, {counts.failed} failed{rate}"
            update(completed=counts.done, total=counts.total, text=text)

        yield show


@contextmanager
def _bar(
    label: str, total: int | None, *columns: "ProgressColumn", **fields: Any
) -> Iterator[Callable[..., None]]:
    """Show a bar with a count and more columns; yields a function that updates it.

    total: None if it is not known yet.
    fields: values that the columns show.
    """
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    from trapcli.views.terminal import make_console

    progress = Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        *columns,
        console=make_console(sys.stderr),
        auto_refresh=False,  # drawn when updated, without a thread: a build forks its workers
        transient=True,
        redirect_stdout=False,
        redirect_stderr=False,
    )
    task = progress.add_task(label, total=total, **fields)
    drawn = 0.0

    def update(**values: Any) -> None:
        nonlocal drawn
        progress.update(task, **values)
        if time.monotonic() - drawn > REDRAW:
            progress.refresh()
            drawn = time.monotonic()

    with progress:
        yield update


def _on_terminal() -> bool:
    """Whether stderr is a terminal that can draw; a program may also be started without stderr."""
    return (
        sys.stderr is not None and sys.stderr.isatty() and os.environ.get("TERM") not in ("dumb", "unknown")
    )
