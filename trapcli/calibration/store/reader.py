"""Read the store of runs: which runs there are, and their trials."""

import json
import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from trapcli.calibration.records import Run, Trial
from trapcli.calibration.store.database import decode_errors, translate_errors
from trapcli.calibration.store.encoding import TRIAL_COLUMNS, change_from_json, plan_from_json, trial_from_row
from trapcli.calibration.store.types_check import require_types
from trapcli.calibration.stored_output import Stream
from trapcli.core.errors import TrapError

RUN_COLUMNS = (
    "number, token, plan, jobs, tool, python, host, scratch, started, ended, resumes, self_check, changes"
)

TrialKey = tuple[int, str, int]  # suite, case, number


class StoreReader:
    """The reading half of a store. Only the thread that opened it may use the database."""

    def __init__(self, directory: Path, connection: sqlite3.Connection) -> None:
        self.directory = directory
        self.path = directory / "runs.db"
        self._db = connection

    def close(self) -> None:
        """Close the database."""
        with suppress(sqlite3.Error):
            self._db.close()

    def runs(self) -> list[Run]:
        """Return all runs, in the order in which they were started."""
        with translate_errors(self.path):
            rows = self._db.execute(f"SELECT {RUN_COLUMNS} FROM run ORDER BY number").fetchall()
            return [self._run(row) for row in rows]

    def run_numbers(self) -> list[int]:
        """Return the numbers of all runs."""
        with translate_errors(self.path):
            return [number for (number,) in self._db.execute("SELECT number FROM run ORDER BY number")]

    def unfinished_runs(self) -> list[int]:
        """Return the numbers of the runs that are not complete."""
        query = "SELECT number FROM run WHERE ended = '' ORDER BY number"
        with translate_errors(self.path):
            return [number for (number,) in self._db.execute(query)]

    def run(self, number: int) -> Run:
        """Return the run with this number; TrapError if there is none."""
        with translate_errors(self.path):
            query = f"SELECT {RUN_COLUMNS} FROM run WHERE number = ?"
            row = self._db.execute(query, (number,)).fetchone()
            if row is not None:
                return self._run(row)
        raise TrapError(
            f"{self.path} has no run {number}; it has {_span(self.run_numbers())}. "
            "`trapcli inspect run` lists the runs."
        )

    def salt(self) -> str:
        """Return the salt of the last run that has one, so that hashes of runs can be compared; else ""."""
        place = "json_extract(plan, '$.configuration.salt')"
        query = f"SELECT {place} FROM run WHERE {place} != '' ORDER BY number DESC LIMIT 1"
        with translate_errors(self.path):
            row = self._db.execute(query).fetchone()
        return str(row[0]) if row else ""

    def count_earlier_runs(self, run: Run) -> int:
        """Return how many runs before this one used one of its suites."""
        query = (
            "SELECT COUNT(DISTINCT run) FROM suite WHERE run < ? AND digest IN "
            "(SELECT digest FROM suite WHERE run = ?)"
        )
        with translate_errors(self.path):
            return int(self._db.execute(query, (run.number, run.number)).fetchone()[0])

    def trials(self, number: int) -> Iterator[Trial]:
        """Yield the finished trials of a run, sorted by suite, case and number."""
        query = f"SELECT {TRIAL_COLUMNS} FROM trial WHERE run = ? ORDER BY suite, case_id, number"
        with translate_errors(self.path):
            for row in self._db.execute(query, (number,)):
                with decode_errors(self.path):
                    trial = trial_from_row(row)
                yield trial

    def trial(self, number: int, suite: int, case: str, trial: int) -> Trial:
        """Return one finished trial of a run; TrapError if there is none."""
        query = (
            f"SELECT {TRIAL_COLUMNS} FROM trial WHERE run = ? AND suite = ? AND case_id = ? AND number = ?"
        )
        with translate_errors(self.path):
            row = self._db.execute(query, (number, suite, case, trial)).fetchone()
        if row is None:
            raise TrapError(f"run {number} has no finished trial {trial} of {case}.")
        with decode_errors(self.path):
            return trial_from_row(row)

    def trial_keys(self, number: int) -> set[TrialKey]:
        """Return suite, case and number of each finished trial of a run."""
        query = "SELECT suite, case_id, number FROM trial WHERE run = ?"
        with translate_errors(self.path):
            return {(suite, case, trial) for suite, case, trial in self._db.execute(query, (number,))}

    def trial_hashes(self, number: int) -> dict[TrialKey, int]:
        """Return for each finished trial of a run the hash of its row, as `trial_to_row` makes it."""
        query = f"SELECT {TRIAL_COLUMNS} FROM trial WHERE run = ?"
        with translate_errors(self.path):
            return {row[:3]: hash(row) for row in self._db.execute(query, (number,))}

    def run_hash(self, number: int) -> int:
        """Return the hash of a run's own row and of its suites' rows."""
        run = f"SELECT {RUN_COLUMNS} FROM run WHERE number = ?"
        suites = "SELECT position, digest FROM suite WHERE run = ? ORDER BY position"
        with translate_errors(self.path):
            return hash(tuple(row for query in (run, suites) for row in self._db.execute(query, (number,))))

    def count_by_status(self, number: int) -> dict[str, int]:
        """Return how many finished trials of a run have each status."""
        query = "SELECT status, COUNT(*) FROM trial WHERE run = ? GROUP BY status"
        with translate_errors(self.path):
            return dict(self._db.execute(query, (number,)).fetchall())

    def outputs_directory(self, number: int) -> Path:
        """Return the directory of a run's raw outputs. Any thread may call this."""
        return self.directory / "outputs" / f"run_{number}"

    def output_path(self, number: int, stream: Stream) -> Path:
        """Return the file with the stored bytes of a stream. Any thread may call this."""
        return self.outputs_directory(number) / stream.file

    def _run(self, row: Sequence[Any]) -> Run:
        (
            number,
            token,
            plan,
            jobs,
            tool,
            python,
            host,
            scratch,
            started,
            ended,
            resumes,
            self_check,
            changes,
        ) = row
        query = "SELECT position FROM suite WHERE run = ? AND changed"
        changed = {position for (position,) in self._db.execute(query, (number,))}
        query = "SELECT suite, case_id, number, what FROM incident WHERE run = ? ORDER BY rowid"
        incidents = self._db.execute(query, (number,)).fetchall()
        with decode_errors(self.path):
            run = Run(
                number=number,
                token=token,
                plan=plan_from_json(json.loads(plan), changed),
                jobs=jobs,
                tool=tool,
                python=python,
                host=json.loads(host),
                scratch=os.fsdecode(scratch),
                started=started,
                ended=ended,
                resumes=resumes,
                self_check=None if self_check is None else json.loads(self_check),
                incidents=tuple((*key, os.fsdecode(what)) for *key, what in incidents),
                changes=tuple(change_from_json(one) for one in json.loads(changes)),
            )
            require_types(run)
            return run


def _span(numbers: Sequence[int]) -> str:
    """Return the numbers in words, from the first to the last."""
    if not numbers:
        return "none"
    return str(numbers[0]) if len(numbers) == 1 else f"{numbers[0]} to {numbers[-1]}"
