"""Signals while a run goes on: heard, not obeyed at once, and left alone where they are not for us."""

import os
import signal
import threading
from typing import Any

from trapcli.calibration.execution.signals import interruptible


def test_signals_that_were_ignored_stay_so() -> None:
    """What `nohup` or a shell's & had made deaf to a signal stays deaf to it."""
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with interruptible() as interrupted:
            os.kill(os.getpid(), signal.SIGHUP)
            assert not interrupted()
            os.kill(os.getpid(), signal.SIGTERM)
            assert interrupted()
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)


def test_a_thread_hears_no_signals() -> None:
    """Outside the main thread nothing is caught and nothing changed."""
    found: list[Any] = []

    def look() -> None:
        before = signal.getsignal(signal.SIGINT)
        with interruptible() as interrupted:
            found.extend([interrupted(), signal.getsignal(signal.SIGINT) is before])

    thread = threading.Thread(target=look)
    thread.start()
    thread.join()
    assert found == [False, True]
