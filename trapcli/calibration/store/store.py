"""The store of runs and their trials, in `.trapcli/`. A trial that was added survives a power failure.

`runs.db` is an SQLite database in WAL mode, and every commit is synced. Beside it, outputs/run_3/
has the raw outputs of run 3, each written and synced before the row that names it. A file that no
row names is from a trial that never finished; it is removed when its run is resumed.
"""

import json
import os
import re
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from trapcli.calibration.records import INTERRUPTED, Change, Plan, Run, Trial
from trapcli.calibration.store.database import open_database, translate_errors
from trapcli.calibration.store.encoding import (
    TRIAL_COLUMNS,
    plan_to_json,
    storable,
    trial_to_row,
    verdict_text,
)
from trapcli.calibration.store.journal import NAME as JOURNAL
from trapcli.calibration.store.journal import begun_trials
from trapcli.calibration.store.reader import StoreReader
from trapcli.core.errors import TrapError
from trapcli.system.files import sync_directory
from trapcli.system.locks import locked_file, try_lock
from trapcli.system.removal import DIRECTORY, Identity, identity

PLACES = ", ".join("?" * (2 + TRIAL_COLUMNS.count(",")))  # of a run's number and a trial's columns
OUTPUT = re.compile(r"case_\d+-\d+-[0-9a-f]{8}\.(stdout|stderr|files\.zip)")  # as trials name what they store
LOCK = ".lock"  # in a run's directory of outputs; the process that works on the run holds a lock on it

Incident = tuple[int, str, int, str]  # suite, case, number, what happened


def now() -> str:
    """Return the time: UTC, ISO 8601, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def open_store(directory: Path, create: bool) -> "Store":
    """Open the store in a directory; with `create` for writing, and it is created if it is missing.

    Raises TrapError if it is missing (and `create` is false), or if it cannot be used: damaged,
    written by a newer trapcli, or not writable.
    """
    return Store(directory, open_database(directory, create))


class Store(StoreReader):
    """An open store. Only the thread that opened it may use the database."""

    def __init__(self, directory: Path, connection: sqlite3.Connection) -> None:
        super().__init__(directory, connection)
        self._identity = _identity(self.path)

    def __enter__(self) -> "Store":
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

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
        self_check: Mapping[str, Any] | None,
    ) -> Run:
        """Store a new run, which gets the next number, and create its directory of outputs."""
        values = (
            token, json.dumps(plan_to_json(plan)), jobs, tool, python, json.dumps(host), storable(scratch),
            now(), None if self_check is None else json.dumps(self_check),
        )  # fmt: skip
        with self._transaction():
            number = self._next_number()
            self._db.execute(
                "INSERT INTO run (number, token, plan, jobs, tool, python, host, scratch, started, "
                "self_check) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (number, *values),
            )
            self._db.executemany(
                "INSERT INTO suite (run, position, digest) VALUES (?, ?, ?)",
                [(number, position, suite.digest) for position, suite in enumerate(plan.suites)],
            )
            self.outputs_directory(number).mkdir(parents=True, exist_ok=True)
        return self.run(number)

    def resume(self, number: int, *, jobs: int, scratch: str, change: Change | None = None) -> None:
        """Store that a run continues, and what is different now."""
        changes = [
            *self.run(number).changes,
            *([change] if change and (change.mixed or change.noted) else []),
        ]
        with self._transaction():
            self._db.execute(
                "UPDATE run SET ended = '', resumes = resumes + 1, jobs = ?, scratch = ?, changes = ? "
                "WHERE number = ?",
                (jobs, storable(scratch), json.dumps([asdict(one) for one in changes]), number),
            )

    def note_interrupted(self, number: int) -> None:
        """Store which trials were running when a run stopped: they have to run again."""
        finished = self.trial_keys(number)
        begun = begun_trials(self.outputs_directory(number))
        self.add_incidents(number, [(*key, INTERRUPTED) for key in begun if key not in finished])

    def finish(self, number: int) -> None:
        """Store that a run is complete; its journal has served."""
        with self._transaction():
            self._db.execute("UPDATE run SET ended = ? WHERE number = ?", (now(), number))
        with suppress(OSError):
            os.unlink(self.outputs_directory(number) / JOURNAL)

    def add_trials(self, number: int, trials: Sequence[Trial]) -> int:
        """Store finished trials, all or none, and return how many were new.

        A trial that is already stored stays as it is. On return everything is on the disk.
        """
        rows = [(number, *trial_to_row(trial)) for trial in trials]
        with translate_errors(self.path):
            # The contents of the outputs are synced; their names must be too before a row names them.
            sync_directory(self.outputs_directory(number))
        with self._transaction():
            before = self._db.total_changes
            self._db.executemany(
                f"INSERT INTO trial (run, {TRIAL_COLUMNS}) VALUES ({PLACES}) "
                "ON CONFLICT (run, suite, case_id, number) DO NOTHING",  # any other conflict is an error
                rows,
            )
            return self._db.total_changes - before

    def add_incidents(self, number: int, incidents: Iterable[Incident]) -> None:
        """Store what happened to trials that never ran, were lost or whose outputs were changed."""
        at = now()
        with self._transaction():
            self._db.executemany(
                "INSERT INTO incident VALUES (?, ?, ?, ?, ?, ?)",
                [(number, suite, case, trial, at, storable(what)) for suite, case, trial, what in incidents],
            )

    def mark_changed(self, number: int, position: int) -> None:
        """Store that a suite of the run changed while it ran."""
        with self._transaction():
            self._db.execute(
                "UPDATE suite SET changed = 1 WHERE run = ? AND position = ?", (number, position)
            )

    def replace_verdict(self, number: int, trial: Trial, tool: str) -> None:
        """Replace the stored verdict of a trial by this one's; the stored one joins the earlier verdicts.

        tool: the version of trapcli that gave the new verdict.
        """
        key = (number, trial.suite, trial.case, trial.number)
        where = "run = ? AND suite = ? AND case_id = ? AND number = ?"
        with self._transaction():
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
    def claim(self, number: int) -> Iterator[None]:
        """Keep other processes from working on a run while the block runs.

        Raises TrapError if the run does not exist, if another process is working on it, or if a link is
        in place of its directory of outputs, where nothing must be written then.
        """
        self.run(number)
        directory = self.outputs_directory(number)
        if directory.is_symlink():
            raise TrapError(f"{directory} is a link, but trapcli made a directory there. Move that back.")
        directory.mkdir(parents=True, exist_ok=True)
        busy = f"another process is working on run {number}. Wait until it is done, or stop it."
        # `is_claimed` of another process holds the lock for a moment.
        with locked_file(directory / LOCK, busy, patience=0.1, keep=True):
            yield

    def is_claimed(self, number: int) -> bool:
        """Whether a process is working on a run."""
        try:
            handle = os.open(self.outputs_directory(number) / LOCK, os.O_RDONLY)
        except OSError:
            return False
        try:
            return not try_lock(handle)
        finally:
            os.close(handle)

    def sweep(self, number: int) -> None:
        """Remove the stored outputs of a run that belong to no finished trial; other files stay."""
        query = (
            "SELECT json_extract(stdout, '$.file'), json_extract(stderr, '$.file'), "
            "json_extract(files, '$.file') FROM trial WHERE run = ?"
        )
        with translate_errors(self.path):
            known = {name for row in self._db.execute(query, (number,)) for name in row if name}
            opened = os.open(self.outputs_directory(number), DIRECTORY)  # OSError for a link
        try:
            for name in os.listdir(opened):
                if name not in known and (OUTPUT.fullmatch(name) or name == JOURNAL):
                    with suppress(OSError):
                        os.unlink(name, dir_fd=opened)
        finally:
            os.close(opened)

    def _next_number(self) -> int:
        """Return the number above those of all runs, including runs of which only the outputs are left."""
        query = "SELECT MAX(seq) FROM sqlite_sequence WHERE name = 'run'"
        last = self._db.execute(query).fetchone()[0] or 0
        outputs = self.directory / "outputs"
        names = os.listdir(outputs) if outputs.is_dir() else []
        numbers = [int(name[4:]) for name in names if name.startswith("run_") and name[4:].isdecimal()]
        return 1 + max([int(last), *numbers])

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        """Store all that the block writes, or nothing; TrapError if the file was removed or replaced."""
        if _identity(self.path) != self._identity:
            raise TrapError(replaced(self.path))
        with translate_errors(self.path):
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._db.execute("COMMIT")
            except BaseException:
                with suppress(sqlite3.Error):
                    self._db.execute("ROLLBACK")
                raise


def replaced(path: Path) -> str:
    """Return the message of the error that a part of the store is not the one that was opened."""
    return (
        f"{path} was removed or replaced while it was in use, perhaps by the solution: what was stored since "
        "is lost. Run the solution with --isolate, which keeps it away from there."
    )


def _identity(path: Path) -> Identity | None:
    """Return which file is at a path, which may be a link to it; None if there is none."""
    return identity(os.path.realpath(path))
