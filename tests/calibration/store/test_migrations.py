"""Migrations: a database of an earlier format is read and written as if today's trapcli had made it.

`format_1.sql` is a dump of a database that trapcli 0.1.0 wrote: a self-check, a run of an agent that
ended in every way, a run of a mistake and an isolated flaky run. A few rows were then changed to hold
what other families and a failing judge would have stored. `format_2.sql` has a run of a command, an
isolated run of a solution with a trap.yaml, and a flaky run that was stopped.
"""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from trapcli.calibration.configuration import Configuration
from trapcli.calibration.solutions.builtin import Builtin
from trapcli.calibration.solutions.command import Command
from trapcli.calibration.store import database
from trapcli.calibration.store.database import FORMAT
from trapcli.calibration.store.migrations import MIGRATIONS
from trapcli.calibration.store.store import Store, open_store
from trapcli.core.contract import Verdict
from trapcli.core.errors import TrapError
from trapcli.core.recipe import Recipe


def of_format(number: int, directory: Path) -> Path:
    """Return a directory of runs in an earlier format."""
    directory.mkdir()
    with closing(sqlite3.connect(directory / "runs.db")) as old:
        old.executescript(Path(__file__).with_name(f"format_{number}.sql").read_text())
    return directory


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A directory of runs in format 1."""
    return of_format(1, tmp_path / ".trapcli")


@pytest.fixture(params=[True, False], ids=["on disk", "in memory"])
def store(place: Path, request: pytest.FixtureRequest) -> Iterator[Store]:
    """The store after a migration on disk, or in the memory of a reader."""
    with open_store(place, create=request.param) as opened:
        yield opened


def stored_format(place: Path) -> int:
    with closing(sqlite3.connect(place / "runs.db")) as connection:
        return int(connection.execute("PRAGMA user_version").fetchone()[0])


def columns(connection: sqlite3.Connection) -> dict[str, set[str]]:
    """Return the columns of each table."""
    tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
    return {name: {row[1] for row in connection.execute(f"PRAGMA table_info({name})")} for (name,) in tables}


def test_every_earlier_format_has_a_migration() -> None:
    """A database of any earlier format can be brought to the current one."""
    assert [*MIGRATIONS] == [*range(1, FORMAT)]


def test_a_migrated_database_has_the_tables_of_a_new_one(store: Store, tmp_path: Path) -> None:
    """The migrations lead to the same tables and columns as the schema does."""
    with open_store(tmp_path / "new", create=True) as new:
        assert columns(store._db) == columns(new._db)


@pytest.mark.parametrize("create", [True, False], ids=["on disk", "in memory"])
def test_files_become_part_of_a_configuration(tmp_path: Path, create: bool) -> None:
    """A run of format 2 keeps the digests of its files; of its variables nothing is known."""
    with open_store(of_format(2, tmp_path / ".trapcli"), create=create) as store:
        agent, mine, flaky = store.runs()
        assert [[*run.plan.configuration.files] for run in (agent, mine, flaky)] == [["agent.sh"]] * 2 + [[]]
        assert agent.plan.configuration == Configuration(files=agent.plan.configuration.files)
        assert all(len(digest) == 64 for digest in mine.plan.configuration.files.values())
        assert (mine.plan.env, mine.plan.isolate, mine.plan.solution.name) == (("MODEL",), True, "mine")
        assert [run.changes for run in (agent, mine, flaky)] == [()] * 3
        assert store.salt() == ""
        assert [trial.status for trial in store.trials(1)] == ["crashed", "failed", "unreadable", "failed"]
        assert store.unfinished_runs() == [3] and flaky.resumes == 1


@pytest.mark.parametrize("number", MIGRATIONS)
def test_each_format_becomes_the_schema(number: int, tmp_path: Path) -> None:
    """The dump of each earlier format has its number, and leads to the tables of a new database."""
    place = of_format(number, tmp_path / ".trapcli")
    assert stored_format(place) == number
    with open_store(place, create=True) as old, open_store(tmp_path / "new", create=True) as new:
        assert columns(old._db) == columns(new._db)


def test_plans_become_solutions_recipes_and_halves(store: Store) -> None:
    """Each kind of solution is read back, and so is what each suite was built from."""
    check, agent, mistake, flaky = store.runs()
    home = Path("/home/me")
    assert check.plan.solution == Builtin("builtin:solve", home)
    assert agent.plan.solution == Command("sh agent.sh", ("sh", "agent.sh"), home)
    assert mistake.plan.solution == Builtin("builtin:mistake:void_counted", home, mistake="void_counted")
    assert flaky.plan.solution == Builtin("builtin:flaky:0.5:abc", home, chance=0.5, seed="abc")
    [suite] = flaky.plan.suites
    assert suite.recipe == Recipe("toy", "1", str(2**128), {"lines": 6, "largest": 50, "hidden": 3}, 2)
    assert (suite.halves.public, suite.halves.private) == (home / "traps/toy", home / "traps/toy/expected")
    assert (suite.changed, suite.true_rate, suite.practice) == (True, 0.25, False)
    assert (agent.plan.trials, agent.plan.limit, agent.plan.total) == (4, 2.0, 8)
    assert mistake.plan.suites[0].cases == ("case_02",) and mistake.plan.suites[0].true_rate is None
    assert flaky.plan.isolate and not flaky.ended
    assert [what for *_, what in flaky.incidents] == ["it was not started within 60 s"]


def test_the_instrument_check_becomes_the_self_check(store: Store) -> None:
    """Its numbers and what it found wrong are kept under today's names."""
    assert store.run(1).self_check == {
        "cases": 2,
        "outputs": 8,
        "wrong": [{"suite": 0, "case": "case_02", "mistake": "noop", "what": "passes: the sum is right"}],
    }
    assert store.run(2).self_check is None


def test_verdicts_get_todays_keys(store: Store) -> None:
    """Trap, mistake and partial credit have their names, several mistakes are one, details are nested."""
    verdict = store.trial(2, 0, "case_01", 1).verdict
    assert verdict == {
        "id": "case_01",
        "family": "toy",
        "trap": "late_amount",
        "score": 0.0,
        "status": "failed",
        "reason": "7 is not the sum",
        "mistake": "void_counted or late_counted",
        "partial_credit": 0.25,
        "output_status": "failed",
        "notes": ["a line was ignored"],
        "details": {"sum": 7, "reports": {"margin": "differs"}, "cells_differ": 1, "cells": []},
    }
    for number in (1, 2, 3, 4):
        for trial in store.trials(number):
            if trial.counted:
                assert Verdict.from_json(trial.verdict).to_json() == trial.verdict
    assert store.trial(4, 0, "case_02", 1).verdict == {"reason": "the judge gave no verdict within 60 s"}


def test_the_status_of_the_output_is_found_in_the_reason(store: Store) -> None:
    """For a trial that ended badly the reason said in words what its output alone deserves."""
    found = {
        (trial.status, trial.verdict["output_status"], trial.verdict["mistake"]) for trial in store.trials(2)
    }
    assert found == {
        ("passed", "passed", None),
        ("failed", "failed", "void_counted or late_counted"),
        ("failed", "failed", "void_counted"),
        ("empty", "empty", None),
        ("crashed", "passed", None),
        ("crashed", "failed", "void_counted"),
        ("crashed", "unreadable", None),
        ("timed_out", "empty", None),
    }


def test_the_rest_of_a_trial_is_unchanged(store: Store) -> None:
    """Outputs, usage and times are read as they were stored; no files were stored then."""
    trial = store.trial(2, 0, "case_02", 1)
    assert trial.usage == {"input_tokens": 120, "cost_usd": 0.5}
    assert (trial.stdout.file, trial.stdout.size) == ("case_02-1-4adc55e0.stdout", 14)
    assert (trial.files.file, trial.limit, trial.exit_code) == ("", 2.0, 0)


def test_replaced_verdicts_are_migrated_too(store: Store) -> None:
    """The verdicts that a later judging replaced have today's keys."""
    found = store._db.execute(
        "SELECT json_extract(verdict, '$.trap'), json_extract(verdict, '$.details.sum') FROM earlier_verdict"
    ).fetchall()
    assert found == [("late_amount", 7), ("void_amount", 92)]


def test_reading_changes_nothing_on_disk(place: Path) -> None:
    """A reader migrates a copy in memory, again each time."""
    before = (place / "runs.db").read_bytes()
    for _ in range(2):
        with open_store(place, create=False) as store:
            assert store.run_numbers() == [1, 2, 3, 4]
    assert (place / "runs.db").read_bytes() == before
    assert stored_format(place) == 1


def test_writing_migrates_once(place: Path) -> None:
    """The first writer migrates the database; readers and writers after it find the current format."""
    with open_store(place, create=True) as store:
        before = [*store.runs(), *store.trials(2)]
    assert stored_format(place) == FORMAT
    for create in (True, False):
        with open_store(place, create=create) as store:
            assert [*store.runs(), *store.trials(2)] == before
    assert os.listdir(place) == ["runs.db"]


def test_a_migrated_run_can_be_continued_in_the_store(place: Path) -> None:
    """Trials and runs are added to a migrated store as to any other."""
    with open_store(place, create=True) as store, store.claim(4):
        run = store.run(4)
        trial = store.trial(4, 0, "case_01", 1)
        assert store.add_trials(4, [trial]) == 0
        store.finish(4)
        new = store.begin(
            run.plan, token="t", jobs=1, tool="2", python="3", host={}, scratch="", self_check=None
        )
        assert new.number == 5 and store.unfinished_runs() == [5]


@pytest.mark.parametrize("plan", ["{}", "not JSON", "[]", '{"solution": {"builtin": "x"}, "suites": []}'])
@pytest.mark.parametrize("create", [True, False])
def test_a_damaged_database_is_not_migrated(place: Path, plan: str, create: bool) -> None:
    """If a row cannot be migrated, the error says so, and the whole database stays as it was."""
    with closing(sqlite3.connect(place / "runs.db")) as connection:
        connection.execute("UPDATE run SET plan = ? WHERE number = 3", (plan,))
        connection.commit()
    with pytest.raises(TrapError, match=r"runs\.db is damaged: "):
        open_store(place, create=create)
    assert stored_format(place) == 1
    with closing(sqlite3.connect(place / "runs.db")) as connection:
        assert "instrument" in columns(connection)["run"]


def test_formats_are_migrated_one_after_the_other(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A database that is several formats behind gets each migration in turn, in one transaction."""
    steps = {
        **MIGRATIONS,
        FORMAT: lambda connection: connection.execute("ALTER TABLE run ADD COLUMN note TEXT"),
    }
    monkeypatch.setattr(database, "MIGRATIONS", steps)
    monkeypatch.setattr(database, "FORMAT", FORMAT + 1)
    with open_store(place, create=True) as store:
        assert {"note", "self_check"} <= columns(store._db)["run"]
    assert stored_format(place) == FORMAT + 1
