"""Agents for the toy family, written in shell, and the toy family for every process of a run."""

import os
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

from checkout import MODULES, SUPPORT
from toy_family import declare, installed

from trapcli.calibration.store.store import Store, open_store

# The directories of the case's inputs and of its outputs, found without a JSON parser.
INPUTS = """inputs=$(printf %s "$TRAP_MANIFEST" | sed 's/.*"inputs_dir": "\\([^"]*\\)".*/\\1/')\n"""
OUTPUTS = """outputs=$(printf %s "$TRAP_MANIFEST" | sed 's/.*"outputs_dir": "\\([^"]*\\)".*/\\1/')\n"""

SUM = """awk -F, 'NR > 1 {} {{ s += $1 }} END {{ print "The sum is", s }}' "$inputs/data/lines.csv"\n"""
RIGHT = INPUTS + SUM.format('&& $2 <= 15 && $3 == "False"')
VOID_COUNTED = INPUTS + SUM.format("&& $2 <= 15")
CASES = ["case_01", "case_02", "case_03", "case_04"]  # of the toy family's suite
SECRET = str(2**100 + 7)  # a seed that nobody can guess
STARTED = "echo started >> starts\n"  # in the agent's own directory: one line for each start


def agent(directory: Path, body: str = RIGHT, name: str = "agent.sh") -> str:
    """Write an agent that records each start and then runs `body`; return its command."""
    (directory / name).write_text(STARTED + body)
    return f"sh {name}"


def starts(directory: Path) -> int:
    """Return how often agents in the directory were started."""
    log = directory / "starts"
    return len(log.read_text().splitlines()) if log.exists() else 0


def open_runs(directory: Path) -> Store:
    """Open the store of the runs in the directory."""
    return open_store(directory / ".trapcli", create=False)


def run_numbers(directory: Path) -> list[int]:
    """Return the numbers of the runs in the directory's store; none if there is no store."""
    if not (directory / ".trapcli").exists():
        return []
    with open_runs(directory) as store:
        return store.run_numbers()


def program(directory: Path, *words: object, families: Path, **changes: str) -> Any:
    """Run the program in a process of its own, in the directory; `families` declares more families."""
    path = os.pathsep.join(map(str, (families, *MODULES)))
    command = [sys.executable, "-m", "trapcli", *map(str, words)]
    environment = {**os.environ, "PYTHONPATH": path, **changes}
    return subprocess.run(command, cwd=directory, env=environment, capture_output=True, text=True)


def toy_only(monkeypatch: Any, directory: Path) -> None:
    """Let this process find the toy family alone, and its child processes find it among the others."""
    installed(monkeypatch)
    monkeypatch.syspath_prepend(str(declare(directory)))
    assert str(SUPPORT) in sys.path


def assert_error(result: Any, *parts: str) -> None:
    """Assert exit code 2, nothing on stdout, and a message on stderr that contains all parts."""
    assert (result.code, result.out) == (2, ""), result.err
    assert "Traceback" not in result.err
    for part in parts:
        assert part in result.err


def cut_short(directory: Path, *, left: int) -> None:
    """Make the last run look stopped after its first `left` trials."""
    database = sqlite3.connect(directory / ".trapcli" / "runs.db")
    [(last,)] = database.execute("SELECT MAX(number) FROM run")
    database.execute("UPDATE run SET ended = '' WHERE number = ?", (last,))
    first = "SELECT rowid FROM trial WHERE run = ? ORDER BY number, case_id LIMIT ?"
    database.execute(f"DELETE FROM trial WHERE run = ? AND rowid NOT IN ({first})", (last, last, left))
    database.commit()
    database.close()
