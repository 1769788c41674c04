"""Finding and ending processes: those that descend from this one, and those that a run left behind.

On Linux a process can adopt the orphans among its descendants (prctl(2),
PR_SET_CHILD_SUBREAPER), so that none gets away by leaving its process group or session.
Elsewhere only process groups are ended.
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
SUBREAPER, DEATH_SIGNAL = 36, 1  # prctl(2)
LONGEST_NAME = 80  # characters of a command that is told
PATIENCE = 5.0  # seconds in which a killed process ends, unless the kernel holds it


def adopt_orphans() -> None:
    """From now on descendants whose parent ends become children of this process."""
    _prctl(SUBREAPER, 1)


def allow_open_files(count: int) -> None:
    """Let this process and its children have so many files open, as far as the system's limit allows."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = count + 256 if hard == resource.RLIM_INFINITY else min(count + 256, hard)
    if soft != resource.RLIM_INFINITY and soft < most:
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))


def die_with_parent(parent: int) -> None:
    """This process is killed when the thread that started it ends; at once if its process, `parent`, has."""
    _prctl(DEATH_SIGNAL, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


def _prctl(option: int, value: int) -> None:
    if LINUX:
        ctypes.CDLL(None, use_errno=True).prctl(option, value, 0, 0, 0)


def end_descendants(asked: int = 0) -> tuple[list[str], list[str]]:
    """Kill all processes that descend from this one and wait until they are gone.

    Only for a process whose own children are of no further use. Gives the commands that were
    killed, but for those of the process group `asked`, which were asked to end just before; and
    those that could not be killed: held by the kernel, or of another user.
    """
    killed: dict[int, str] = {}
    end = time.monotonic() + PATIENCE
    pause = 0.001
    while _any_child():
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


def _any_child() -> bool:
    """Whether this process has children, after those that have ended are done away with."""
    try:
        while True:
            pid, _ = os.waitpid(-1, os.WNOHANG)
            if pid == 0:
                return True
    except ChildProcessError:
        return False


def end_strays(spare: Collection[int]) -> None:
    """Kill the processes that descend from this one, but for the children `spare` and what is below them."""
    end = time.monotonic() + PATIENCE
    while (found := descendants(os.getpid(), spare)) and time.monotonic() < end:
        for pid in found:
            _kill(pid)
        time.sleep(0.001)


def descendants(root: int, spare: Collection[int] = ()) -> list[int]:
    """The processes that descend from `root` and have not ended, children before their own children;
    not `spare`, nor what is below them."""
    children: dict[int, list[int]] = {}
    for pid in _pids():
        with suppress(OSError, ValueError, IndexError):
            with open(f"/proc/{pid}/stat", "rb") as file:
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
    """Kill the processes of this user in whose environment or command `mark` stands.

    Gives the commands that were killed. Nothing is found where there is no /proc.
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
    """The command of a process in one line; "?" if it is gone."""
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
    """Send a signal to a process group, if it is there still."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)
