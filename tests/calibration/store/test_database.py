"""The database: one that cannot be used is refused with a reason and not changed."""

import os
import shutil
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from checkout import MODULES, ROOT
from factories import results, run_of, stored

from trapcli.calibration.store import database
from trapcli.calibration.store.database import FORMAT
from trapcli.calibration.store.store import open_store
from trapcli.core.errors import TrapError


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """The directory of a store with one run of three trials."""
    stored(tmp_path, run_of(1, 3), [(trial, b"out", b"") for trial in results([(1, 3)])])
    return tmp_path / ".trapcli"


def refusal(place: Path, create: bool) -> str:
    """Return the error of opening or reading the store, which is one paragraph."""
    with pytest.raises(TrapError) as caught, open_store(place, create) as store:
        for run in store.runs():
            list(store.trials(run.number))
    assert "\n" not in str(caught.value)
    return str(caught.value)


def execute(place: Path, *statements: str) -> None:
    """Change the database behind the back of the store."""
    database = sqlite3.connect(place / "runs.db")
    for statement in statements:
        database.execute(statement)
    database.commit()
    database.close()


def statuses(place: Path) -> dict[str, int]:
    with open_store(place, create=False) as store:
        return store.count_by_status(1)


def test_a_missing_store_is_an_error_unless_it_may_be_created(tmp_path: Path) -> None:
    """Without `create` the error says how to start a run, and nothing is created."""
    place = tmp_path / "deep" / ".trapcli"
    assert "there are no runs here" in refusal(place, create=False)
    assert not place.exists()
    with open_store(place, create=True) as store:
        assert store.runs() == []
    assert (place / ".gitignore").read_text() == "*\n"
    with open_store(place, create=False) as store:
        assert store.runs() == []


def test_an_existing_directory_is_used_as_it_is(tmp_path: Path) -> None:
    """What the user keeps in .trapcli, or what it links to, is left alone."""
    (tmp_path / "elsewhere").mkdir()
    place = tmp_path / ".trapcli"
    place.symlink_to("elsewhere")
    open_store(place, create=True).close()
    assert os.listdir(tmp_path / "elsewhere") == ["runs.db"]


@pytest.mark.parametrize("make", [Path.touch, lambda path: path.symlink_to("nowhere"), os.mkfifo])
@pytest.mark.parametrize("create", [True, False])
def test_a_file_in_place_of_the_directory(
    tmp_path: Path, make: Callable[[Path], object], create: bool
) -> None:
    """A file or a dangling link where the directory belongs is named, and stays."""
    place = tmp_path / ".trapcli"
    make(place)
    error = refusal(place, create)
    assert f"{place} is not a directory" in error
    assert os.path.lexists(place)


@pytest.mark.parametrize("create", [True, False])
def test_a_directory_in_place_of_the_database(tmp_path: Path, create: bool) -> None:
    """A directory where the database belongs is named."""
    (tmp_path / ".trapcli" / "runs.db").mkdir(parents=True)
    assert "runs.db is a directory, but the database of runs belongs there" in refusal(
        tmp_path / ".trapcli", create
    )


def test_an_empty_file_becomes_a_store(tmp_path: Path) -> None:
    """An empty file, which a killed first run may leave, holds no runs and becomes a store."""
    place = tmp_path / ".trapcli"
    place.mkdir()
    (place / "runs.db").touch()
    assert "there are no runs here" in refusal(place, create=False)
    with open_store(place, create=True) as store:
        assert store.runs() == []


@pytest.mark.parametrize("create", [True, False])
def test_garbage_is_refused_and_kept(place: Path, create: bool) -> None:
    """A file that is not a database is called damaged, and is not changed."""
    (place / "runs.db").write_bytes(b"these are not the pages you look for" * 400)
    before = (place / "runs.db").read_bytes()
    error = refusal(place, create)
    assert "is damaged: SQLite cannot read it. Move the directory away, so that nothing is lost" in error
    assert (place / "runs.db").read_bytes() == before


@pytest.mark.parametrize("create", [True, False])
def test_a_truncated_database_is_damaged(place: Path, create: bool) -> None:
    """A database that lost its end does not pass for a smaller one."""
    raw = (place / "runs.db").read_bytes()
    for size in (len(raw) // 2, 5000, 100):
        (place / "runs.db").write_bytes(raw[:size])
        error = refusal(place, create)
        assert "runs.db is damaged: " in error and "\n" not in error


@pytest.mark.parametrize("create", [True, False])
def test_a_newer_format_is_refused_and_not_changed(place: Path, create: bool) -> None:
    """A database of a later version asks for that version."""
    execute(place, "PRAGMA user_version = 99")
    before = (place / "runs.db").read_bytes()
    assert f"written by a newer trapcli (format 99; this one reads up to {FORMAT})" in refusal(place, create)
    assert (place / "runs.db").read_bytes() == before


@pytest.mark.parametrize("version", [0, 1, 2, 3])
@pytest.mark.parametrize("create", [True, False])
def test_a_database_of_another_program_is_refused_and_not_changed(
    tmp_path: Path, version: int, create: bool
) -> None:
    """Another program's database is left as it is, whatever format number it has."""
    place = tmp_path / ".trapcli"
    place.mkdir()
    execute(place, "CREATE TABLE bookmarks (url)", f"PRAGMA user_version = {version}")
    before = (place / "runs.db").read_bytes()
    assert "is not a database of runs; another program wrote it" in refusal(place, create)
    assert (place / "runs.db").read_bytes() == before
    assert os.listdir(place) == ["runs.db"]


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE run SET plan = '{}'",
        "UPDATE run SET plan = 'not JSON'",
        "UPDATE run SET host = '{'",
        "UPDATE trial SET verdict = '{'",
        'UPDATE trial SET stdout = \'{"head": "zz"}\'',
        "UPDATE trial SET stdout = '[]'",
        "UPDATE trial SET usage = '{'",
        "DROP TABLE suite",
    ],
)
def test_rows_that_cannot_be_decoded_are_damage(place: Path, statement: str) -> None:
    """Rows that trapcli would not have written are an error that calls the file damaged."""
    execute(place, statement)
    assert "runs.db" in refusal(place, create=False)
    assert "runs.db is damaged: " in refusal(place, create=False)
    assert "Error" not in refusal(place, create=False)


@pytest.mark.slow
def test_a_busy_database_is_waited_for(place: Path) -> None:
    """While another process writes, storing and opening wait, and then succeed."""
    other = sqlite3.connect(place / "runs.db", isolation_level=None, check_same_thread=False)
    other.execute("BEGIN EXCLUSIVE")
    release = threading.Timer(0.3, lambda: other.execute("COMMIT"))
    release.start()
    try:
        assert statuses(place) == {"passed": 1, "failed": 2}  # reading does not wait
        with open_store(place, create=True) as store:
            store.finish(1)
            assert store.unfinished_runs() == []
    finally:
        release.join()
        other.close()


def test_a_database_that_stays_busy_is_an_error(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """When waiting does not help, the error says that another process uses the database."""
    monkeypatch.setattr(database, "PATIENCE", 0.05)
    other = sqlite3.connect(place / "runs.db", isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    with (
        pytest.raises(TrapError, match=r"locked. Another process is using it"),
        open_store(place, True) as store,
    ):
        store.finish(1)
    other.close()
    with open_store(place, create=True) as store:
        store.finish(1)


def run_read_only(tmp_path: Path, code: str) -> "subprocess.CompletedProcess[str]":
    """Run code in a process for which the directory can only be read."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, MODULES))}
    command = [sys.executable, "-c", code]
    if os.geteuid() != 0:
        os.chmod(tmp_path / ".trapcli", 0o500)
    elif shutil.which("bwrap"):  # root may write anywhere, but not on a file system that is read-only
        command = ["bwrap", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", *command]
    else:
        pytest.skip("root without bubblewrap may write anywhere")
    try:
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    finally:
        os.chmod(tmp_path / ".trapcli", 0o700)
    if done.returncode and "bwrap: " in done.stderr:
        pytest.skip("bubblewrap may not be used here")
    return done


COUNT = """
from pathlib import Path
from trapcli.calibration.store.store import open_store
with open_store(Path(".trapcli"), create=False) as store:
    print(store.count_by_status(1), [one.number for one in store.trials(1)])
"""

BEGIN = """
from pathlib import Path
from trapcli.calibration.store.store import open_store
from trapcli.core.errors import TrapError
try:
    open_store(Path(".trapcli"), create=True)
except TrapError as error:
    print("refused:", error)
"""


@pytest.mark.slow
@pytest.mark.usefixtures("unmeasured")
def test_a_read_only_directory_can_be_read(place: Path, tmp_path: Path) -> None:
    """Runs can be read where nothing may be written, and nothing is."""
    done = run_read_only(tmp_path, COUNT)
    assert (done.stdout, done.stderr) == ("{'failed': 2, 'passed': 1} [1, 2, 3]\n", "")
    assert sorted(os.listdir(place)) == [".gitignore", "outputs", "runs.db"]


@pytest.mark.slow
@pytest.mark.usefixtures("unmeasured")
def test_a_running_run_can_be_read_in_a_read_only_directory(place: Path, tmp_path: Path) -> None:
    """What is committed but not in the main file yet is read too."""
    with open_store(place, create=True) as store:
        store.add_trials(1, [replace(next(store.trials(1)), number=4)])
        assert (place / "runs.db-wal").stat().st_size
        done = run_read_only(tmp_path, COUNT)
    assert (done.stdout, done.stderr) == ("{'failed': 2, 'passed': 2} [1, 2, 3, 4]\n", "")


@pytest.mark.slow
@pytest.mark.usefixtures("unmeasured")
def test_a_read_only_directory_gets_no_run(place: Path, tmp_path: Path) -> None:
    """Where a run cannot be stored, none begins, and the error says why."""
    done = run_read_only(tmp_path, BEGIN)
    assert done.stdout.startswith("refused: .trapcli/runs.db: ") and "Check that you may write" in done.stdout
    assert done.stderr == ""


@pytest.mark.parametrize("number", [28, 13, 5])
def test_a_failing_disk_is_an_error_with_advice(place: Path, number: int) -> None:
    """If a file cannot be written, the error names it and says how to continue."""
    said = r"runs cannot be stored: outputs: .*calibrate --resume"
    with pytest.raises(TrapError, match=said), database.translate_errors(place / "runs.db"):
        raise OSError(number, os.strerror(number), "outputs")


@pytest.mark.slow
def test_several_processes_can_create_a_store_at_once(tmp_path: Path) -> None:
    """Several processes may create the directory and its database at the same moment."""
    code = (
        "import sys, time; from pathlib import Path; from trapcli.calibration.store.store import open_store; "
        "time.sleep(max(0, float(sys.argv[2]) - time.time())); "
        "open_store(Path(sys.argv[1]), create=True).close()"
    )
    for number in range(4):
        at = str(time.time() + 1)
        place = str(tmp_path / str(number) / ".trapcli")
        command = [sys.executable, "-c", code, place, at]
        started = [subprocess.Popen(command, cwd=ROOT) for _ in range(4)]
        assert [one.wait() for one in started] == [0, 0, 0, 0]
