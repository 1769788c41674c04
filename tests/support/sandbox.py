"""A place to run trials in: a directory with a toy suite, agents written in shell, runs made here or by
the program."""

import os
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import closing, suppress
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from checkout import MODULES
from toy_family import TOY, Knobs, declare, installed

from trapcli.building.builder import build_suite
from trapcli.calibration.execution.scheduler import State, carry_out
from trapcli.calibration.execution.workdirs import in_memory, new_scratch
from trapcli.calibration.plan import files_of, plan_suite
from trapcli.calibration.records import Plan, Run, Trial
from trapcli.calibration.solutions.command import read_solution
from trapcli.calibration.store.store import Store, open_store

PATIENCE = 60.0  # seconds that are waited for what must come

# What every agent can use: its directories, the toy's right answer, and a number that no other agent gets.
PRELUDE = """\
inputs=${TRAP_MANIFEST#*'"inputs_dir": "'}; inputs=${inputs%%'"'*}
outputs=${TRAP_MANIFEST#*'"outputs_dir": "'}; outputs=${outputs%%'"'*}
lines=$inputs/data/lines.csv
right() { awk -F, 'NR > 1 && $2 <= 15 && $3 == "False" { s += $1 } END { print s }' "$lines"; }
take_number() { n=1; while ! mkdir "$root/number $n" 2>/dev/null; do n=$((n + 1)); done; }
"""


class Place:
    """A directory with a suite of the toy family in traps/toy, and an empty directory for what is temporary.

    Everything that is started from here, but for what an agent starts otherwise, has the
    directory's path in its command.
    """

    def __init__(self, root: Path, cases: int = 4, entry: str = "toy = toy_family:TOY") -> None:
        self.root = root
        self.cases = cases
        self.log = root / "log"  # agents write there that they began
        self.programs: list[Program] = []
        self.temp = root / "temp"
        self.temp.mkdir(parents=True)
        self.packages = declare(root / "packages", entry)
        with pytest.MonkeyPatch.context() as patch:
            installed(patch)
            self.suite = build_suite(
                TOY, seed=str(2**100), knobs=Knobs(), count=cases, target=root / "traps" / "toy"
            )

    def here(self, monkeypatch: pytest.MonkeyPatch) -> "Place":
        """The place, with the toy to be found in this process and what it starts, and its temporary directory
        in use."""
        installed(monkeypatch)
        monkeypatch.syspath_prepend(self.packages)
        monkeypatch.setattr(tempfile, "tempdir", str(self.temp))
        monkeypatch.setenv("TMPDIR", str(self.temp))
        return self

    def leave(self) -> None:
        """End what a test that failed has left."""
        for program in self.programs:
            if program.poll() is None:
                program.killed()
        for pid in self.alive():
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    # Agents.

    def agent(self, script: str, name: str = "agent.sh") -> str:
        """The command of an agent that does what a shell's script says, after the prelude."""
        path = self.root / name
        path.write_text(f"root='{self.root}' log='{self.log}'\n{PRELUDE}{script}\n")
        return f"sh {path}"

    def agents(self, scripts: Iterable[str]) -> str:
        """The command of an agent that does as the first script says on the first case, and so on.

        Agents are not told which case they have; these know each by its table.
        """
        for case, script in zip(self.suite.cases, scripts, strict=True):
            table = self.suite.directory / "inputs" / case / "data" / "lines.csv"
            (self.root / sha256(table.read_bytes()).hexdigest()).write_text(script)
        return self.agent('. "$root/$(sha256sum < "$lines" | cut -c1-64)"')

    def begun(self) -> int:
        """How many agents have written that they began, one line each."""
        return self.log.read_bytes().count(b"\n") if self.log.exists() else 0

    # Runs in this process.

    def begin(
        self, store: Store, command: str, *, trials: int = 1, jobs: int = 1, limit: float = 30.0
    ) -> Run:
        """A new run of the agent on the suite."""
        solution = read_solution(command, self.root)
        plan = Plan(solution, (plan_suite(self.suite),), trials, limit, files=files_of(solution))
        return store.begin(
            plan, token=os.urandom(8).hex(), jobs=jobs, tool="1", python="3", host={},
            scratch=new_scratch(), instrument=None,
        )  # fmt: skip

    def go(
        self, command: str, watch: Callable[[State], None] = lambda state: None, **given: Any
    ) -> list[Trial]:
        """The trials of a new run of the agent, carried out in this process."""
        with self.store() as store:
            run = self.begin(store, command, **given)
            carry_out(store, run, [self.suite], watch)
            return list(store.trials(run.number))

    def store(self) -> Store:
        return open_store(self.root / ".trapcli", create=True)

    def trials(self, number: int = 1) -> list[Trial]:
        with self.store() as store:
            return list(store.trials(number))

    def output(self, trial: Trial, run: int = 1) -> bytes:
        """What is stored of what a trial printed."""
        if not trial.stdout.file:
            return b""
        return (self.root / ".trapcli" / "outputs" / f"run_{run}" / trial.stdout.file).read_bytes()

    # Runs by the program.

    def start(self, *words: object, env: Mapping[str, str] | None = None, **more: Any) -> "Program":
        """`trapcli` with these words, started in the place."""
        paths = [self.packages, *MODULES, *filter(None, [os.environ.get("PYTHONPATH")])]
        given = {"PYTHONPATH": os.pathsep.join(map(str, paths)), "TMPDIR": str(self.temp), **(env or {})}
        program = Program(
            [sys.executable, "-m", "trapcli", *map(str, words)],
            cwd=self.root,
            env={**os.environ, **given},
            stdin=subprocess.DEVNULL,
            text=True,
            start_new_session=True,
            **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **more},
        )
        self.programs.append(program)
        return program

    def calibrate(self, *words: object, **more: Any) -> "Program":
        return self.start("calibrate", *words, **more)

    # What is left.

    def stored(self, number: int = 1) -> int:
        """How many trials the run has, read as another program would."""
        return len(self.query("SELECT 1 FROM trial WHERE run = ?", number))

    def query(self, words: str, *values: object) -> list[tuple[Any, ...]]:
        """What the database answers to another program; nothing while it is not there."""
        path = self.root / ".trapcli" / "runs.db"
        if not path.exists():
            return []
        with closing(sqlite3.connect(path, timeout=30)) as db:
            try:
                return db.execute(words, values).fetchall()
            except sqlite3.OperationalError:  # not made yet
                return []

    def alive(self, *parts: str) -> list[int]:
        """The processes that run and have the place's path, and all these parts, in their command."""
        wanted = [os.fsencode(part) for part in (str(self.root), *parts)]
        return [pid for pid in pids() if all(part in command(pid) for part in wanted)]

    def is_clean(self) -> bool:
        """Whether no process and nothing temporary is left."""
        copies = [in_memory(scratch) for (scratch,) in self.query("SELECT scratch FROM run")]
        return not (self.alive() or os.listdir(self.temp) or any(map(os.path.exists, copies)))


class Program(subprocess.Popen[str]):
    """The program at work, in a session of its own."""

    def ended(self) -> tuple[int, str, str]:
        """Its exit code, and what it wrote to stdout and stderr."""
        out, err = self.communicate(timeout=PATIENCE)
        return self.returncode, out, err

    def killed(self) -> None:
        """Kill it, and do not wait for what it had started."""
        self.kill()
        self.wait(PATIENCE)
        for stream in filter(None, (self.stdout, self.stderr)):
            stream.close()

    def children(self, module: str) -> list[int]:
        """Its children that run a module of ours."""
        return [pid for pid in children(self.pid) if os.fsencode(module) in command(pid)]


def pids() -> list[int]:
    return [int(name) for name in os.listdir("/proc") if name.isdigit() and int(name) != os.getpid()]


def command(pid: int) -> bytes:
    """The command of a process; empty if it has ended."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def has_ended(pid: int) -> bool:
    """Whether nothing of a process is left but, perhaps, its exit code."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] in "ZX"
    except OSError:
        return True


def children(parent: int) -> list[int]:
    """The children of a process, those that have ended and are not done away with too."""
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
    """What the condition gives as soon as that is true."""
    deadline = time.monotonic() + PATIENCE
    while not (found := condition()):
        assert time.monotonic() < deadline, "it did not come"
        time.sleep(0.005)
    return found
