"""The processes of the machine, as /proc shows them, and waiting for what they do."""

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

PATIENCE = 45.0  # seconds to wait for something that must happen; less than the time limit of a test


def pids() -> list[int]:
    return [int(name) for name in os.listdir("/proc") if name.isdigit() and int(name) != os.getpid()]


def command(pid: int) -> bytes:
    """Return the command of a process; b"" if it has ended."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def has_ended(pid: int) -> bool:
    """Return whether a process is gone, or has only to be reaped."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] in "ZX"
    except OSError:
        return True


def children(parent: int) -> list[int]:
    """Return the children of a process, including those that have ended and were not reaped yet."""
    found = []
    for pid in pids():
        try:
            text = Path(f"/proc/{pid}/stat").read_text()
        except OSError:
            continue
        if int(text.rpartition(")")[2].split()[1]) == parent:
            found.append(pid)
    return found


def wait_for(condition: Callable[[], Any]) -> Any:
    """Wait until the condition holds; return its value."""
    deadline = time.monotonic() + PATIENCE
    while not (found := condition()):
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.005)
    return found
