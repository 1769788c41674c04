"""Descendants of a process, and processes with a mark, are found and killed wherever they hide."""

import json
import os
import resource
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from checkout import ROOT
from process_table import command, wait_for

from trapcli.calibration.execution import processes
from trapcli.calibration.execution.processes import (
    LONGEST_NAME,
    allow_open_files,
    command_of,
    descendants,
    end_marked,
    signal_group,
)

pytestmark = pytest.mark.skipif(not processes.LINUX, reason="orphans are adopted on Linux only")


# Each script leaves a sleeping process with the mark as its last word.
HIDING = {
    "a child": "sh -c 'sleep 1000; :' {mark} &",
    "a session of its own": "setsid sh -c 'sleep 1000; :' {mark} &",
    "an orphan": "(setsid sh -c 'sleep 1000; :' {mark} &) &",
    "no environment": "(env -i setsid sh -c 'sleep 1000; :' {mark} >/dev/null 2>&1 </dev/null &) &",
    "deaf to signals": "setsid sh -c 'trap \"\" TERM INT HUP; sleep 1000; :' {mark} &",
    "stopped": "setsid sh -c 'kill -STOP $$; :' {mark} &",
}
PREAMBLE = """\
import json, os, subprocess, sys, time
from trapcli.calibration.execution.processes import adopt_orphans, descendants, end_descendants, end_strays
adopt_orphans()
def run(script):
    subprocess.run(["sh", "-c", script + "\\nsleep 0.1"], check=True)
"""


@pytest.fixture
def mark(tmp_path: Path) -> Iterator[str]:
    """A word that only processes of this test have in their command; they are killed afterwards."""
    word = f"mark-{os.getpid()}-{tmp_path.name[-12:]}"
    yield word
    for pid in processes_with(word):
        os.kill(pid, signal.SIGKILL)


def processes_with(word: str) -> list[int]:
    every = (int(name) for name in os.listdir("/proc") if name.isdigit())
    return [pid for pid in every if pid != os.getpid() and word.encode() in command(pid)]


def run_in_process(code: str, *words: str) -> Any:
    """Run code in a process that adopts orphans, with these arguments; return the JSON that it prints."""
    done = subprocess.run(
        [sys.executable, "-c", PREAMBLE + code, *words],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        text=True,
        timeout=60,
        check=True,
    )
    return json.loads(done.stdout)


def test_all_descendants_are_killed_wherever_they_hide(mark: str) -> None:
    """Sessions, orphans, an empty environment, ignored signals, a stop: all are killed and reported."""
    code = "run(sys.argv[1]); print(json.dumps([*end_descendants(), descendants(os.getpid())]))"
    killed, survivors, left = run_in_process(code, "\n".join(HIDING.values()).format(mark=mark))
    assert (survivors, left, processes_with(mark)) == ([], [], [])
    assert sum(mark in name for name in killed) == len(HIDING)


def test_without_descendants_nothing_is_killed() -> None:
    """A child that has ended by itself is reaped and not reported as killed."""
    code = """
child = os.fork() or os._exit(0)
os.waitid(os.P_PID, child, os.WEXITED | os.WNOWAIT)
print(json.dumps(end_descendants()))
"""
    assert run_in_process(code) == [[], []]


def test_a_chain_of_forking_processes_is_killed() -> None:
    """If each process starts the next one and ends, the last one is killed as well."""
    relay = 'relay() { sleep 0.01; [ "$1" -gt 0 ] && relay $(($1 - 1)) & }; relay 300'
    code = "run(sys.argv[1]); print(json.dumps([end_descendants()[1], descendants(os.getpid())]))"
    assert run_in_process(code, relay) == [[], []]


@pytest.mark.slow
def test_strays_are_killed_and_spared_children_are_not(mark: str) -> None:
    """Only the spared children and their descendants are left."""
    code = """
spared = subprocess.Popen(["sh", "-c", "sleep 1000 & sleep 1000"], stdout=subprocess.DEVNULL)
time.sleep(0.1)
run(sys.argv[1])
end_strays({spared.pid})
left = descendants(os.getpid())
print(json.dumps([left[0] == spared.pid, len(left)]))
end_descendants()
"""
    assert run_in_process(code, "\n".join(HIDING.values()).format(mark=mark)) == [True, 3]
    assert processes_with(mark) == []


def test_descendants_are_listed_parents_first() -> None:
    """A child is listed before the grandchild, and the root is not listed."""
    process = subprocess.Popen(["sh", "-c", "sh -c 'sleep 1000; :'; :"], start_new_session=True)
    try:
        both = ["sh -c sleep 1000; :", "sleep 1000"]  # once the child has become its command
        wait_for(lambda: [command_of(pid) for pid in descendants(process.pid)] == both)
        found = descendants(process.pid)
        assert descendants(process.pid, spare=found[:1]) == []
        assert process.pid in descendants(os.getpid())
    finally:
        signal_group(process.pid, signal.SIGKILL)
        process.wait()


@pytest.mark.parametrize("where", ["environment", "command"])
def test_only_marked_processes_are_killed(mark: str, where: str) -> None:
    """A mark in the environment or in the command is enough; unmarked and spared processes go on."""
    given = {"env": {**os.environ, "PLACE": f"/{mark}/x"}} if where == "environment" else {}
    word = "other" if where == "environment" else f"/{mark}/x"
    start = ["sh", "-c", "sleep 1000; :", word]
    found = subprocess.Popen(start, start_new_session=True, **given)  # type: ignore[call-overload]
    spared = subprocess.Popen(start, start_new_session=True, **given)  # type: ignore[call-overload]
    other = subprocess.Popen(["sleep", "1000"])
    try:
        wait_for(lambda: descendants(found.pid) and descendants(spared.pid))
        killed = end_marked(mark, spare=[spared.pid, *descendants(spared.pid)])
        assert any(name.startswith("sh -c sleep") for name in killed)
        assert all(name.startswith(("sh -c sleep 1000", "sleep 1000")) for name in killed), killed
        assert found.wait(60) == -signal.SIGKILL
        assert (spared.poll(), other.poll()) == (None, None)
        assert end_marked(f"{mark}-of-nobody") == []
    finally:
        for process in (found, spared, other):
            signal_group(process.pid, signal.SIGKILL)
            process.kill()
            process.wait()


def test_a_command_is_shown_as_one_short_line() -> None:
    """A command is one line of limited length, whatever its bytes; that of a gone process is "?"."""
    process = subprocess.Popen(["sleep", "1000"], executable="/bin/sleep")
    odd = subprocess.Popen([b"sh", b"-c", b"read x", b"\xff\n" + b"y" * 500], stdin=subprocess.PIPE)
    try:
        wait_for(lambda: command_of(process.pid) == "sleep 1000" and "read x" in command_of(odd.pid))
        assert command_of(odd.pid).startswith("sh -c read x \ufffd")
        assert len(command_of(odd.pid)) == LONGEST_NAME
    finally:
        process.kill()
        process.wait()
        odd.communicate()
    assert command_of(process.pid) == "?"


def test_a_signal_to_a_group_that_is_gone_is_ignored() -> None:
    """A process group may end before the signal is sent."""
    process = subprocess.Popen(["true"], start_new_session=True)
    process.wait()
    signal_group(process.pid, signal.SIGTERM)


def test_the_limit_on_open_files_is_only_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    """The limit on open files is raised up to the hard limit, and never lowered."""
    limits = {"soft": 256, "hard": 2000}
    monkeypatch.setattr(resource, "getrlimit", lambda which: (limits["soft"], limits["hard"]))
    monkeypatch.setattr(resource, "setrlimit", lambda which, both: limits.update(soft=both[0], hard=both[1]))
    allow_open_files(400)
    assert limits == {"soft": 656, "hard": 2000}
    allow_open_files(100)
    assert limits["soft"] == 656
    allow_open_files(100_000)
    assert limits == {"soft": 2000, "hard": 2000}
