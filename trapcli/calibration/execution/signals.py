"""Hearing that the user wants no more, without being stopped in the middle of something."""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def interruptible() -> Iterator[Callable[[], bool]]:
    """Gives whether SIGINT, SIGTERM or SIGHUP came while the block runs; the second raises KeyboardInterrupt.

    So that what has ended is stored whole before we end. Outside the main thread nothing is caught.
    """
    came = 0

    def hear(number: int, frame: object) -> None:
        nonlocal came
        came += 1
        if came > 1:
            raise KeyboardInterrupt

    if threading.current_thread() is not threading.main_thread():
        yield lambda: False
        return
    signals = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    heard = [number for number in signals if signal.getsignal(number) is not signal.SIG_IGN]  # as by nohup
    before = {number: signal.signal(number, hear) for number in heard}
    try:
        yield lambda: came > 0
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
