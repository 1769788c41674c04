"""Find and end processes: the descendants of this one, and those that a run left behind.

On Linux a process can adopt the orphans among its descendants (a "child subreaper", prctl(2)), so
none escapes by leaving its process group or session. Elsewhere only process groups are ended.
"""

import ctypes
import os
import resource
import signal
import sys
import time
from collections.abc import Collection
from contextlib import suppress

LINUX = sys.platform == "linux"
PR_SET_CHILD_SUBREAPER, PR_SET_PDEATHSIG = 36, 1  # prctl(2)
LONGEST_NAME = 80  # characters of a command that are shown
PATIENCE = 5.0  # seconds in which a killed process ends, unless the kernel holds it
SPARE_FILES = 256  # open files that this process needs besides those of the jobs


def adopt_orphans() -> None:
    """Make this process the new parent of its descendants when their own parents end."""
    _prctl(PR_SET_CHILD_SUBREAPER, 1)


def allow_open_files(count: int) -> None:
    """Let this process and its children have `count` files open, as far as the hard limit allows."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = count + SPARE_FILES
    if hard != resource.RLIM_INFINITY:
        wanted = min(wanted, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def die_with_parent(parent: int) -> None:
    """Have this process killed when the thread that started it ends.

    parent: the process id of that thread's process. If it has already ended, end at once: the
    death signal is sent only for an end that comes after the call.
    """
    _prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


def _prctl(option: int, value: int) -> None:
    if LINUX:
        ctypes.CDLL(None, use_errno=True).prctl(option, value, 0, 0, 0)


def end_descendants(asked: int = 0) -> tuple[list[str], list[str]]:
    """Kill all descendants of this process, and wait until they are gone.

    asked: a process group that was asked to end just before; its commands are not reported.

    Return the commands that were killed, and those that could not be killed, because the kernel
    holds them or another user owns them. Only for a process that needs none of its children any more.
    """
    killed: dict[int, str] = {}
    end = time.monotonic() + PATIENCE
    pause = 0.001
    while _has_children():  # again and again: a process may fork while it is being looked for
        found = descendants(os.getpid())
        for pid in found:
            if pid not in killed and not (asked and _group(pid) == asked):
                killed[pid] = command_of(pid)
            _kill(pid)
        if time.monotonic() > end:
            left = [killed.pop(pid, "") or command_of(pid) for pid in found]
            return list(killed.values()), left
        time.sleep(pause)
        pause = min(0.05, 2 * pause)
    return list(killed.values()), []


def _group(pid: int) -> int:
    with suppress(OSError):
        return os.getpgid(pid)
    return 0


def _has_children() -> bool:
    """Return whether this process has children, after reaping those that have ended."""
    try:
        while True:
            pid, _ = os.waitpid(-1, os.WNOHANG)
            if pid == 0:
                return True
    except ChildProcessError:
        return False


def end_strays(spare: Collection[int]) -> None:
    """Kill all descendants of this process except the children `spare` and their descendants."""
    end = time.monotonic() + PATIENCE
    while (found := descendants(os.getpid(), spare)) and time.monotonic() < end:
        for pid in found:
            _kill(pid)
        time.sleep(0.001)


def descendants(root: int, spare: Collection[int] = ()) -> list[int]:
    """Return the running descendants of `root`, parents first; without `spare` and their descendants."""
    children: dict[int, list[int]] = {}
    for pid in _pids():
        with suppress(OSError, ValueError, IndexError):
            with open(f"/proc/{pid}/stat", "rb") as file:
                # The command, in parentheses, may itself contain parentheses and spaces.
                state, parent = file.read().rpartition(b")")[2].split()[:2]
            if state != b"Z" and pid not in spare:
                children.setdefault(int(parent), []).append(pid)
    found: list[int] = []
    waiting = [root]
    while waiting:
        below = children.get(waiting.pop(), [])
        found += below
        waiting += below
    return found


def end_marked(mark: str, spare: Collection[int] = ()) -> list[str]:
    """Kill this user's processes that have `mark` in their environment or command.

    Return the commands that were killed. Without /proc no process is found.
    """
    killed: dict[int, str] = {}
    end = time.monotonic() + PATIENCE
    while found := [pid for pid in _marked(os.fsencode(mark)) if pid not in spare]:
        for pid in found:
            killed.setdefault(pid, command_of(pid))
            _kill(pid)
        if time.monotonic() > end:
            break
        time.sleep(0.01)
    return list(killed.values())


def _marked(mark: bytes) -> list[int]:
    found = []
    for pid in _pids():
        for part in ("environ", "cmdline"):
            with suppress(OSError), open(f"/proc/{pid}/{part}", "rb") as file:
                if pid != os.getpid() and mark in file.read():
                    found.append(pid)
                    break
    return found


def _pids() -> list[int]:
    with suppress(OSError):
        return [int(name) for name in os.listdir("/proc") if name.isdigit()]
    return []


def command_of(pid: int) -> str:
    """Return the command of a process as one short line; "?" if the process is gone."""
    with suppress(OSError):
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            text = file.read(4 * LONGEST_NAME).replace(b"\0", b" ").decode("utf-8", "replace").strip()
        if text:
            return text[:LONGEST_NAME]
    return "?"


def _kill(pid: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.kill(pid, signal.SIGKILL)


def signal_group(group: int, number: int) -> None:
    """Send a signal to a process group, if it still exists."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)
