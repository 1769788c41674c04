"""A place for runs: a directory with a toy suite, agents in shell, runs in this process or another."""

import os
import signal
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing, suppress
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from checkout import MODULES
from process_table import PATIENCE, children, command, pids
from toy_family import build_toy, declare, installed

from trapcli.calibration.configuration import Configuration
from trapcli.calibration.execution.scheduler import Progress, carry_out
from trapcli.calibration.execution.workdirs import memory_scratch, new_scratch
from trapcli.calibration.plan import plan_suite
from trapcli.calibration.records import Plan, Run, Trial
from trapcli.calibration.solutions.solution import read_solution
from trapcli.calibration.solutions.solution_files import files_of
from trapcli.calibration.store.store import Store, open_store

# What every agent can use: its directories, the toy's right answer, and a number that no other agent takes.
PRELUDE = """\
inputs=${TRAP_MANIFEST#*'"inputs_dir": "'}; inputs=${inputs%%'"'*}
outputs=${TRAP_MANIFEST#*'"outputs_dir": "'}; outputs=${outputs%%'"'*}
lines=$inputs/data/lines.csv
right() { awk -F, 'NR > 1 && $2 <= 15 && $3 == "False" { s += $1 } END { print s }' "$lines"; }
take_number() { n=1; while ! mkdir "$root/number $n" 2>/dev/null; do n=$((n + 1)); done; }
"""


class Place:
    """A directory with a suite of the toy family in traps/toy, and an empty directory for temporary files.

    Every process that is started from here has the directory's path in its command, except for what
    an agent starts in other ways.
    """

    def __init__(self, root: Path, cases: int = 4, entry: str = "toy = toy_family:TOY") -> None:
        self.root = root
        self.cases = cases
        self.log = root / "log"  # to which an agent may append a line when it starts
        self.programs: list[Program] = []
        self.temp = root / "temp"
        self.temp.mkdir(parents=True)
        self.packages = declare(root / "packages", entry)
        with pytest.MonkeyPatch.context() as patch:
            installed(patch)
            self.suite = build_toy(root / "traps" / "toy", seed=str(2**100), count=cases)

    def activate(self, monkeypatch: pytest.MonkeyPatch) -> "Place":
        """Let this process and its children find the toy and use the place's temporary directory."""
        installed(monkeypatch)
        monkeypatch.syspath_prepend(self.packages)
        monkeypatch.setattr(tempfile, "tempdir", str(self.temp))
        monkeypatch.setenv("TMPDIR", str(self.temp))
        return self

    def clean_up(self) -> None:
        """End the processes that a failed test has left."""
        for program in self.programs:
            if program.poll() is None:
                program.kill_alone()
        for pid in self.processes():
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    # Agents.

    def agent(self, script: str, name: str = "agent.sh") -> str:
        """Return the command of an agent that runs a shell script after the prelude."""
        path = self.root / name
        path.write_text(f"root='{self.root}' log='{self.log}'\n{PRELUDE}{script}\n")
        return f"sh {path}"

    def agents(self, scripts: Iterable[str]) -> str:
        """Return the command of an agent that runs the first script on the first case, and so on.

        An agent does not know which case it has; this one recognizes each case by its table.
        """
        for case, script in zip(self.suite.cases, scripts, strict=True):
            table = self.suite.directory / "inputs" / case / "data" / "lines.csv"
            (self.root / sha256(table.read_bytes()).hexdigest()).write_text(script)
        return self.agent('. "$root/$(sha256sum < "$lines" | cut -c1-64)"')

    def starts(self) -> int:
        """Return how many agents have written to the log that they started, one line each."""
        return self.log.read_bytes().count(b"\n") if self.log.exists() else 0

    # Runs in this process.

    def begin(
        self, store: Store, command: str, *, trials: int = 1, jobs: int = 1, limit: float = 30.0
    ) -> Run:
        """Begin a new run of the agent on the suite."""
        solution = read_solution(command, self.root)
        configuration = Configuration(files=files_of(solution).digests)
        plan = Plan(solution, (plan_suite(self.suite),), trials, limit, configuration=configuration)
        return store.begin(
            plan, token=os.urandom(8).hex(), jobs=jobs, tool="1", python="3", host={},
            scratch=new_scratch(), self_check=None,
        )  # fmt: skip

    def run_trials(
        self, command: str, watch: Callable[[Progress], None] = lambda progress: None, **given: Any
    ) -> list[Trial]:
        """Carry out a new run of the agent in this process; return its trials."""
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
        """Return what is stored of a trial's standard output."""
        if not trial.stdout.file:
            return b""
        return (self.root / ".trapcli" / "outputs" / f"run_{run}" / trial.stdout.file).read_bytes()

    # Runs by the program.

    def start(
        self, *words: object, env: Mapping[str, str] | None = None, behind: Sequence[str] = (), **more: Any
    ) -> "Program":
        """Start `trapcli` with these words in the place.

        behind: the words of a program that starts it, such as bubblewrap.
        """
        paths = [self.packages, *MODULES, *filter(None, [os.environ.get("PYTHONPATH")])]
        given = {"PYTHONPATH": os.pathsep.join(map(str, paths)), "TMPDIR": str(self.temp), **(env or {})}
        program = Program(
            [*behind, sys.executable, "-m", "trapcli", *map(str, words)],
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

    # What is stored, and what is left.

    def trial_count(self, number: int = 1) -> int:
        """Return how many trials of the run are stored, read as another program would."""
        return len(self.query("SELECT 1 FROM trial WHERE run = ?", number))

    def query(self, words: str, *values: object) -> list[tuple[Any, ...]]:
        """Query the database as another program would; no rows if there is no database."""
        path = self.root / ".trapcli" / "runs.db"
        if not path.exists():
            return []
        with closing(sqlite3.connect(path, timeout=30)) as db:
            try:
                return db.execute(words, values).fetchall()
            except sqlite3.OperationalError:  # it has no tables yet
                return []

    def processes(self, *parts: str) -> list[int]:
        """Return the running processes with the place's path and all these parts in their command."""
        wanted = [os.fsencode(part) for part in (str(self.root), *parts)]
        return [pid for pid in pids() if all(part in command(pid) for part in wanted)]

    def is_clean(self) -> bool:
        """Return whether no process and no temporary file is left."""
        copies = [memory_scratch(scratch) for (scratch,) in self.query("SELECT scratch FROM run")]
        return not (self.processes() or os.listdir(self.temp) or any(map(os.path.exists, copies)))


class Program(subprocess.Popen[str]):
    """The program, running in a session of its own."""

    def finish(self) -> tuple[int, str, str]:
        """Wait for its end; return its exit code and what it wrote to stdout and stderr."""
        out, err = self.communicate(timeout=PATIENCE)
        return self.returncode, out, err

    def kill_alone(self) -> None:
        """Kill it and wait for its end, but not for the end of what it has started."""
        self.kill()
        self.wait(PATIENCE)
        for stream in filter(None, (self.stdout, self.stderr)):
            stream.close()

    def children(self, module: str) -> list[int]:
        """Return its children that run one of our modules."""
        return [pid for pid in children(self.pid) if os.fsencode(module) in command(pid)]
