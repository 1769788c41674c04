"""Signals that are put off while a run, a critical block or a child process is at work."""

import os
import signal
import subprocess
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from trapcli.system.signals import STOPS, children_ignore_interrupt, deferred_interrupt, graceful_shutdown


@pytest.fixture(autouse=True)
def handled_signals() -> Iterator[None]:
    """Python's own handlers, whatever the tests were started under (nohup ignores SIGHUP)."""
    before = {number: signal.getsignal(number) for number in STOPS}
    for number in STOPS:
        signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.parametrize("number", STOPS)
def test_the_first_signal_is_noted_and_the_second_one_raises(number: signal.Signals) -> None:
    """A stop signal is reported to whoever asks; the next one raises KeyboardInterrupt."""
    before = signal.getsignal(number)
    with graceful_shutdown() as interrupted:
        assert not interrupted()
        os.kill(os.getpid(), number)
        assert interrupted()
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), number)
    assert signal.getsignal(number) is before


def test_an_ignored_signal_stays_ignored() -> None:
    """A signal that nohup or a shell's & had ignored is still ignored, and not noted."""
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    with graceful_shutdown() as interrupted:
        os.kill(os.getpid(), signal.SIGHUP)
        assert not interrupted()
        os.kill(os.getpid(), signal.SIGTERM)
        assert interrupted()
    assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN


def test_a_thread_changes_no_handler() -> None:
    """Outside the main thread nothing is caught and no handler is changed."""
    found: list[Any] = []

    def look() -> None:
        before = signal.getsignal(signal.SIGINT)
        with graceful_shutdown() as interrupted, deferred_interrupt():
            found.extend([interrupted(), signal.getsignal(signal.SIGINT) is before])

    thread = threading.Thread(target=look)
    thread.start()
    thread.join()
    assert found == [False, True]


def test_a_deferred_interrupt_comes_after_the_block() -> None:
    """Ctrl-C does not interrupt the block, and is delivered when it has ended."""
    finished = False
    with pytest.raises(KeyboardInterrupt), deferred_interrupt():
        os.kill(os.getpid(), signal.SIGINT)
        finished = True
    assert finished
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_without_an_interrupt_nothing_is_delivered() -> None:
    """A block in which nobody pressed Ctrl-C ends normally."""
    with deferred_interrupt():
        pass
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_children_started_in_the_block_do_not_hear_an_interrupt() -> None:
    """A child survives SIGINT if it was started in the block; this process hears it again afterwards."""
    with children_ignore_interrupt():
        deaf = subprocess.Popen(["sleep", "1000"])
    hearing = subprocess.Popen(["sleep", "1000"])
    try:
        for child in (deaf, hearing):
            child.send_signal(signal.SIGINT)
        assert hearing.wait(60) == -signal.SIGINT
        assert deaf.poll() is None
        assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, [])
    finally:
        for child in (deaf, hearing):
            child.kill()
            child.wait()
