"""Runs and their trials, kept in `.trapcli/`: each finished trial is on the disk before the next is told.

`runs.db` is an SQLite database in WAL mode; a commit is synced, so that it survives a kill
and a power failure alike. The raw outputs stand beside it, `outputs/run_3/`, each written
and synced before the row that names it. A file that no row names is of a trial that never
counted, and is swept away when its run goes on.
"""

import fcntl
import json
import os
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from trapcli.calibration.records import Plan, Run, Stream, Trial
from trapcli.calibration.store.database import decoding, opened, told
from trapcli.calibration.store.encoding import (
    plan_from_json,
    plan_to_json,
    trial_from_row,
    trial_to_row,
    verdict_text,
)
from trapcli.core.errors import TrapError
from trapcli.core.files import sync_directory

COLUMNS = (
    "suite, case_id, number, status, verdict, exit_code, timed_out, limit_s, seconds, "
    "stdout, stderr, stragglers, usage, running, load, started"
)
PLACES = ", ".join("?" * 17)


def now() -> str:
    """The time, UTC, ISO 8601 to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def open_store(directory: Path, create: bool) -> "Store":
    """The store in the directory `.trapcli`; TrapError if there is none (and `create` is false), or if it
    cannot be used: damaged, written by a newer trapcli, not to be written."""
    return Store(directory, opened(directory, create))


class Store:
    """An open store. Only the thread that opened it may use it."""

    def __init__(self, directory: Path, connection: sqlite3.Connection) -> None:
        self.directory = directory
        self.path = directory / "runs.db"
        self._db = connection
        self._identity = _identity(self.path)

    def close(self) -> None:
        with suppress(sqlite3.Error):
            self._db.close()

    def __enter__(self) -> "Store":
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    # What is there.

    def runs(self) -> list[Run]:
        """All runs, in the order in which they were begun."""
        with told(self.path):
            return [self._run(row) for row in self._db.execute("SELECT * FROM run ORDER BY number")]

    def numbers(self) -> list[int]:
        """The numbers of all runs."""
        with told(self.path):
            return [number for (number,) in self._db.execute("SELECT number FROM run ORDER BY number")]

    def run(self, number: int) -> Run:
        """The run with this number; TrapError if there is none."""
        with told(self.path):
            row = self._db.execute("SELECT * FROM run WHERE number = ?", (number,)).fetchone()
            if row is not None:
                return self._run(row)
        raise TrapError(
            f"{self.path} has no run {number}; it has {_span(self.numbers())}. "
            "`trapcli inspect run` lists the runs."
        )

    def trials(self, number: int) -> Iterator[Trial]:
        """The finished trials of a run by suite, case and number, one after the other."""
        query = f"SELECT {COLUMNS} FROM trial WHERE run = ? ORDER BY suite, case_id, number"
        with told(self.path):
            for row in self._db.execute(query, (number,)):
                with decoding(self.path):
                    trial = trial_from_row(row)
                yield trial

    def trial(self, number: int, suite: int, case: str, trial: int) -> Trial:
        """One finished trial of a run; TrapError if there is none."""
        query = f"SELECT {COLUMNS} FROM trial WHERE run = ? AND suite = ? AND case_id = ? AND number = ?"
        with told(self.path):
            row = self._db.execute(query, (number, suite, case, trial)).fetchone()
        if row is None:
            raise TrapError(f"run {number} has no finished trial {trial} of {case}.")
        with decoding(self.path):
            return trial_from_row(row)

    def done(self, number: int) -> set[tuple[int, str, int]]:
        """Suite, case and number of each finished trial of a run."""
        query = "SELECT suite, case_id, number FROM trial WHERE run = ?"
        with told(self.path):
            return {(suite, case, trial) for suite, case, trial in self._db.execute(query, (number,))}

    def counts(self, number: int) -> dict[str, int]:
        """The finished trials of a run by status."""
        query = "SELECT status, COUNT(*) FROM trial WHERE run = ? GROUP BY status"
        with told(self.path):
            return dict(self._db.execute(query, (number,)).fetchall())

    def earlier(self, run: Run) -> int:
        """How many runs before this one were on a suite that it is on."""
        query = (
            "SELECT COUNT(DISTINCT run) FROM suite WHERE run < ? AND digest IN "
            "(SELECT digest FROM suite WHERE run = ?)"
        )
        with told(self.path):
            return int(self._db.execute(query, (run.number, run.number)).fetchone()[0])

    def unfinished(self) -> list[int]:
        """The numbers of the runs that have not ended."""
        with told(self.path):
            return [n for (n,) in self._db.execute("SELECT number FROM run WHERE ended = '' ORDER BY number")]

    def outputs(self, number: int) -> Path:
        """The directory of a run's raw outputs."""
        return self.directory / "outputs" / f"run_{number}"

    def output(self, number: int, stream: Stream) -> Path:
        """The file with a stream's stored bytes."""
        return self.outputs(number) / stream.file

    # What becomes of it.

    def begin(
        self,
        plan: Plan,
        *,
        token: str,
        jobs: int,
        tool: str,
        python: str,
        host: Mapping[str, Any],
        scratch: str,
        instrument: Mapping[str, Any] | None,
    ) -> Run:
        """A new run, with the next number and a directory for its outputs."""
        values = (
            token, json.dumps(plan_to_json(plan)), jobs, tool, python, json.dumps(host), scratch,
            now(), None if instrument is None else json.dumps(instrument),
        )  # fmt: skip
        with self._writing():
            number = self._next_number()
            self._db.execute(
                "INSERT INTO run (number, token, plan, jobs, tool, python, host, scratch, started, "
                "instrument) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (number, *values),
            )
            self._db.executemany(
                "INSERT INTO suite (run, position, digest) VALUES (?, ?, ?)",
                [(number, position, suite.digest) for position, suite in enumerate(plan.suites)],
            )
            self.outputs(number).mkdir(parents=True, exist_ok=True)
        return self.run(number)

    def _next_number(self) -> int:
        """One above all runs that there were; also above those of which only the outputs are left."""
        last = self._db.execute("SELECT MAX(seq) FROM sqlite_sequence WHERE name = 'run'").fetchone()[0] or 0
        names = os.listdir(self.directory / "outputs") if (self.directory / "outputs").is_dir() else []
        left = [int(name[4:]) for name in names if name.startswith("run_") and name[4:].isdecimal()]
        return 1 + max([int(last), *left])

    def keep(self, number: int, trials: Sequence[Trial]) -> int:
        """Store finished trials, together and for good; one that is there already stays as it is.

        Gives how many were new.
        """
        rows = [(number, *trial_to_row(trial)) for trial in trials]
        with told(self.path):
            sync_directory(self.outputs(number))  # the names of the files; what is in them is synced
        with self._writing():
            before = self._db.total_changes
            self._db.executemany(
                f"INSERT INTO trial (run, {COLUMNS}) VALUES ({PLACES}) "
                "ON CONFLICT (run, suite, case_id, number) DO NOTHING",  # any other fault is told
                rows,
            )
            return self._db.total_changes - before

    def note(self, number: int, incidents: Iterable[tuple[int, str, int, str]]) -> None:
        """Store that trials never ran: suite, case, number and what happened."""
        at = now()
        with self._writing():
            self._db.executemany(
                "INSERT INTO incident VALUES (?, ?, ?, ?, ?, ?)",
                [(number, suite, case, trial, at, what) for suite, case, trial, what in incidents],
            )

    def mark_changed(self, number: int, position: int) -> None:
        """Store that a suite of the run was changed while it ran."""
        with self._writing():
            self._db.execute(
                "UPDATE suite SET changed = 1 WHERE run = ? AND position = ?", (number, position)
            )

    def resumed(self, number: int, *, jobs: int, scratch: str) -> None:
        """Store that a run goes on."""
        with self._writing():
            self._db.execute(
                "UPDATE run SET ended = '', resumes = resumes + 1, jobs = ?, scratch = ? WHERE number = ?",
                (jobs, scratch, number),
            )

    def end(self, number: int) -> None:
        """Store that a run is complete."""
        with self._writing():
            self._db.execute("UPDATE run SET ended = ? WHERE number = ?", (now(), number))

    def judge_again(self, number: int, trial: Trial, tool: str) -> None:
        """Put the trial's verdict in place of the stored one, which is kept among the earlier ones."""
        key = (number, trial.suite, trial.case, trial.number)
        where = "run = ? AND suite = ? AND case_id = ? AND number = ?"
        with self._writing():
            self._db.execute(
                "INSERT INTO earlier_verdict SELECT run, suite, case_id, number, ?, ?, verdict "
                f"FROM trial WHERE {where}",
                (now(), tool, *key),
            )
            self._db.execute(
                f"UPDATE trial SET status = ?, verdict = ? WHERE {where}",
                (trial.status, verdict_text(trial.verdict), *key),
            )

    @contextmanager
    def claimed(self, number: int) -> Iterator[None]:
        """This run is ours alone while the block lasts; TrapError if there is none, or another has it."""
        self.run(number)
        self.outputs(number).mkdir(parents=True, exist_ok=True)
        with open(self.outputs(number) / ".lock", "wb") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise TrapError(
                    f"run {number} is at work in another process. Wait until it has ended, or stop it."
                ) from None
            yield

    def sweep(self, number: int) -> None:
        """Remove the stored outputs of a run that belong to no finished trial."""
        query = (
            "SELECT json_extract(stdout, '$.file'), json_extract(stderr, '$.file') FROM trial WHERE run = ?"
        )
        with told(self.path):
            known = {name for row in self._db.execute(query, (number,)) for name in row if name}
        for entry in os.scandir(self.outputs(number)):
            if entry.name not in known and entry.name != ".lock":
                with suppress(OSError):
                    os.unlink(entry.path)

    def _run(self, row: Sequence[Any]) -> Run:
        number, token, plan, jobs, tool, python, host, scratch, started, ended, resumes, instrument = row
        changed = {
            position
            for (position,) in self._db.execute(
                "SELECT position FROM suite WHERE run = ? AND changed", (number,)
            )
        }
        incidents = self._db.execute(
            "SELECT suite, case_id, number, what FROM incident WHERE run = ? ORDER BY rowid", (number,)
        ).fetchall()
        with decoding(self.path):
            return Run(
                number=number,
                token=token,
                plan=plan_from_json(json.loads(plan), changed),
                jobs=jobs,
                tool=tool,
                python=python,
                host=json.loads(host),
                scratch=scratch,
                started=started,
                ended=ended,
                resumes=resumes,
                instrument=None if instrument is None else json.loads(instrument),
                incidents=tuple(incidents),
            )

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """One transaction: all of the block or nothing; TrapError if the file is not there any more."""
        if _identity(self.path) != self._identity:
            raise TrapError(
                f"{self.path} was removed or replaced while it was in use, perhaps by the solution: what was "
                "stored since is lost. Run the solution with --isolate, which keeps it away from there."
            )
        with told(self.path):
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._db.execute("COMMIT")
            except BaseException:
                with suppress(sqlite3.Error):
                    self._db.execute("ROLLBACK")
                raise


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _span(numbers: Sequence[int]) -> str:
    if not numbers:
        return "none"
    return str(numbers[0]) if len(numbers) == 1 else f"{numbers[0]} to {numbers[-1]}"
