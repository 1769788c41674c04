"""Defer signals until a block ends or a trial is stored; block Ctrl-C in child processes."""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

STOPS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@contextmanager
def graceful_shutdown() -> Iterator[Callable[[], bool]]:
    """Note SIGINT, SIGTERM and SIGHUP while the block runs instead of dying mid-write.

    Yields a function that returns whether one of them came. The second one raises
    KeyboardInterrupt. A signal that was ignored before (as SIGHUP is under nohup) stays ignored.
    Outside the main thread nothing is caught, because Python delivers signals only there.
    """
    came = 0

    def note(number: int, frame: FrameType | None) -> None:
        nonlocal came
        came += 1
        if came > 1:
            raise KeyboardInterrupt

    if not _in_main_thread():
        yield lambda: False
        return
    caught = [number for number in STOPS if signal.getsignal(number) is not signal.SIG_IGN]
    before = {number: signal.signal(number, note) for number in caught}
    try:
        yield lambda: came > 0
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def stop_like_interrupt() -> Iterator[None]:
    """Let SIGTERM and SIGHUP raise KeyboardInterrupt while the block runs, as SIGINT does.

    So whatever stops a program, it cleans up and ends in the same way. A signal that is ignored, or
    that the caller handles, is left alone.
    """
    if not _in_main_thread():
        yield
        return

    def interrupt(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    ours = [number for number in STOPS[1:] if signal.getsignal(number) is signal.SIG_DFL]
    for number in ours:
        signal.signal(number, interrupt)
    try:
        yield
    finally:
        for number in ours:
            signal.signal(number, signal.SIG_DFL)


@contextmanager
def deferred_interrupt() -> Iterator[None]:
    """Hold back SIGINT, SIGTERM and SIGHUP while the block runs, and deliver the first one afterwards."""
    if not _in_main_thread():
        yield
        return
    came: list[int] = []

    def note(number: int, frame: FrameType | None) -> None:
        came.append(number)

    caught = [number for number in STOPS if signal.getsignal(number) is not signal.SIG_IGN]
    before = {number: signal.signal(number, note) for number in caught}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, signal.SIG_DFL if handler is None else handler)
        if came:
            signal.raise_signal(came[0])


@contextmanager
def children_ignore_interrupt() -> Iterator[None]:
    """While the block runs, child processes start with Ctrl-C blocked; their parent gets it and ends them."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _in_main_thread() -> bool:
    return threading.current_thread() is threading.main_thread()
