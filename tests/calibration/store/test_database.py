"""A database of runs that cannot be used is refused with a reason, and not touched."""

import os
import shutil
import sqlite3
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest
from checkout import MODULES, ROOT
from factories import results, run_of, stored

from trapcli.calibration.store import database
from trapcli.calibration.store.store import open_store
from trapcli.core.errors import TrapError


@pytest.fixture
def place(tmp_path):
    """A store with one run of three trials."""
    stored(tmp_path, run_of(1, 3), [(trial, b"out", b"") for trial in results([(1, 3)])])
    return tmp_path / ".trapcli"


def refused(place, create):
    """What is said when the store there cannot be opened, or read: one paragraph."""
    with pytest.raises(TrapError) as caught, open_store(place, create) as store:
        for run in store.runs():
            list(store.trials(run.number))
    assert "\n" not in str(caught.value)
    return str(caught.value)


def altered(place, *statements):
    """Do something to the database behind the back of the store."""
    database = sqlite3.connect(place / "runs.db")
    for statement in statements:
        database.execute(statement)
    database.commit()
    database.close()


def counted(place):
    with open_store(place, create=False) as store:
        return store.counts(1)


def test_nothing_there_is_an_error_unless_it_may_be_made(tmp_path):
    """Whoever only reads is told how runs are made, and nothing is made; whoever writes gets a store."""
    place = tmp_path / "deep" / ".trapcli"
    assert "there are no runs here" in refused(place, create=False)
    assert not place.exists()
    with open_store(place, create=True) as store:
        assert store.runs() == []
    assert (place / ".gitignore").read_text() == "*\n"
    with open_store(place, create=False) as store:
        assert store.runs() == []


def test_a_directory_that_is_there_is_used_as_it_is(tmp_path):
    """What the user keeps in .trapcli, or what it links to, is left alone."""
    (tmp_path / "elsewhere").mkdir()
    place = tmp_path / ".trapcli"
    place.symlink_to("elsewhere")
    open_store(place, create=True).close()
    assert os.listdir(tmp_path / "elsewhere") == ["runs.db"]


@pytest.mark.parametrize("make", [Path.touch, lambda path: path.symlink_to("nowhere"), os.mkfifo])
@pytest.mark.parametrize("create", [True, False])
def test_a_directory_that_is_none(tmp_path, make, create):
    """A file or a dangling link where the directory belongs is named, and stays."""
    place = tmp_path / ".trapcli"
    make(place)
    said = refused(place, create)
    assert f"{place} is no directory" in said
    assert os.path.lexists(place)


@pytest.mark.parametrize("create", [True, False])
def test_a_database_that_is_a_directory(tmp_path, create):
    """A directory where the database belongs is named."""
    (tmp_path / ".trapcli" / "runs.db").mkdir(parents=True)
    assert "runs.db is a directory, where the database of runs belongs" in refused(
        tmp_path / ".trapcli", create
    )


def test_an_empty_database_is_one_that_was_not_made_yet(tmp_path):
    """What a killed first run may leave, a file without a byte, holds no runs and becomes a store."""
    place = tmp_path / ".trapcli"
    place.mkdir()
    (place / "runs.db").touch()
    assert "there are no runs here" in refused(place, create=False)
    with open_store(place, create=True) as store:
        assert store.runs() == []


@pytest.mark.parametrize("create", [True, False])
def test_garbage_is_refused_and_kept(place, create):
    """A file that is no database is damaged, says how nothing is lost, and is not written to."""
    (place / "runs.db").write_bytes(b"these are not the pages you look for" * 400)
    before = (place / "runs.db").read_bytes()
    said = refused(place, create)
    assert "It is damaged. Move the directory away, so that nothing is lost" in said
    assert (place / "runs.db").read_bytes() == before


@pytest.mark.parametrize("create", [True, False])
def test_a_truncated_database_is_damaged(place, create):
    """A database that lost its end is not taken for a smaller one."""
    raw = (place / "runs.db").read_bytes()
    for size in (len(raw) // 2, 5000, 100):
        (place / "runs.db").write_bytes(raw[:size])
        assert "It is damaged" in refused(place, create)


@pytest.mark.parametrize("create", [True, False])
def test_a_newer_format_is_refused_and_not_touched(place, create):
    """A database of a later version asks for that version."""
    altered(place, "PRAGMA user_version = 99")
    before = (place / "runs.db").read_bytes()
    assert "written by a newer trapcli (format 99; this one knows 1)" in refused(place, create)
    assert (place / "runs.db").read_bytes() == before


@pytest.mark.parametrize("version", [0, 1, 2])
@pytest.mark.parametrize("create", [True, False])
def test_a_database_of_another_program_is_refused_and_not_touched(tmp_path, version, create):
    """Another program's database is left as it is, whatever version it gives itself."""
    place = tmp_path / ".trapcli"
    place.mkdir()
    altered(place, "CREATE TABLE bookmarks (url)", f"PRAGMA user_version = {version}")
    before = (place / "runs.db").read_bytes()
    assert "is no database of runs, but of another program" in refused(place, create)
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
def test_rows_that_are_not_ours_are_damage_and_no_crash(place, statement):
    """Data that was changed behind our back is told as damage of the file."""
    altered(place, statement)
    assert "runs.db" in refused(place, create=False)
    assert "amage" in refused(place, create=False)


def test_a_moment_of_work_by_another_process_is_waited_for(place):
    """While another process writes, storing and beginning wait, and then succeed."""
    other = sqlite3.connect(place / "runs.db", isolation_level=None, check_same_thread=False)
    other.execute("BEGIN EXCLUSIVE")
    release = threading.Timer(0.3, lambda: other.execute("COMMIT"))
    release.start()
    try:
        assert counted(place) == {"passed": 1, "failed": 2}  # reading needs not wait
        with open_store(place, create=True) as store:
            store.end(1)
            assert store.unfinished() == []
    finally:
        release.join()
        other.close()


def test_another_process_that_never_ends_is_told(place, monkeypatch):
    """When waiting does not help the error says that another process has the database."""
    monkeypatch.setattr(database, "PATIENCE", 0.05)
    other = sqlite3.connect(place / "runs.db", isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    with pytest.raises(TrapError, match=r"locked. Another process has it"), open_store(place, True) as store:
        store.end(1)
    other.close()
    with open_store(place, create=True) as store:
        store.end(1)


def read_only(tmp_path, code):
    """What the code prints in a process for which the directory can only be read."""
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
    print(store.counts(1), [one.number for one in store.trials(1)])
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


def test_a_directory_that_may_not_be_written_can_be_read(place, tmp_path):
    """Runs can be looked at where nothing may be written, and nothing is."""
    done = read_only(tmp_path, COUNT)
    assert (done.stdout, done.stderr) == ("{'failed': 2, 'passed': 1} [1, 2, 3]\n", "")
    assert sorted(os.listdir(place)) == [".gitignore", "outputs", "runs.db"]


def test_a_run_that_is_at_work_can_be_read_where_nothing_may_be_written(place, tmp_path):
    """What is committed but not yet in the main file is read too."""
    with open_store(place, create=True) as store:
        store.keep(1, [replace(next(store.trials(1)), number=4)])
        assert (place / "runs.db-wal").stat().st_size
        done = read_only(tmp_path, COUNT)
    assert (done.stdout, done.stderr) == ("{'failed': 2, 'passed': 2} [1, 2, 3, 4]\n", "")


def test_a_directory_that_may_not_be_written_gets_no_run(place, tmp_path):
    """Where a run cannot be kept none begins, and the error says why."""
    done = read_only(tmp_path, BEGIN)
    assert done.stdout.startswith("refused: .trapcli/runs.db: ") and "See that you may write" in done.stdout
    assert done.stderr == ""


@pytest.mark.parametrize("number", [28, 13, 5])
def test_a_disk_that_fails_is_told_with_what_to_do(place, number):
    """Whatever the system says when a file cannot be written, the error names it and how to go on."""
    told = r"runs cannot be kept: outputs: .*calibrate --resume"
    with pytest.raises(TrapError, match=told), database.told(place / "runs.db"):
        raise OSError(number, os.strerror(number), "outputs")


def test_programs_that_open_a_new_place_at_once_do_not_fail(tmp_path):
    """Several processes may make the directory and its database at the same moment."""
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
