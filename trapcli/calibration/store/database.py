"""Opening the database of runs, and telling what is wrong with it or with the disk."""

import fcntl
import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

from trapcli.core.errors import TrapError

FORMAT = 1  # of the database: its user_version
PATIENCE = 30.0  # seconds that we wait for another process that writes

SCHEMA = """
CREATE TABLE run (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    token TEXT NOT NULL UNIQUE,
    plan TEXT NOT NULL,
    jobs INTEGER NOT NULL,
    tool TEXT NOT NULL,
    python TEXT NOT NULL,
    host TEXT NOT NULL,
    scratch TEXT NOT NULL,
    started TEXT NOT NULL,
    ended TEXT NOT NULL DEFAULT '',
    resumes INTEGER NOT NULL DEFAULT 0,
    instrument TEXT
);
CREATE TABLE suite (
    run INTEGER NOT NULL REFERENCES run, position INTEGER NOT NULL,
    digest TEXT NOT NULL, changed INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (run, position)
);
CREATE INDEX suite_digest ON suite (digest);
CREATE TABLE trial (
    run INTEGER NOT NULL REFERENCES run,
    suite INTEGER NOT NULL, case_id TEXT NOT NULL, number INTEGER NOT NULL,
    status TEXT NOT NULL, verdict TEXT NOT NULL,
    exit_code INTEGER NOT NULL, timed_out INTEGER NOT NULL, limit_s REAL NOT NULL, seconds REAL NOT NULL,
    stdout TEXT NOT NULL, stderr TEXT NOT NULL,
    stragglers TEXT NOT NULL, usage TEXT,
    running INTEGER NOT NULL, load REAL NOT NULL, started TEXT NOT NULL,
    PRIMARY KEY (run, suite, case_id, number)
);
CREATE TABLE earlier_verdict (
    run INTEGER NOT NULL, suite INTEGER NOT NULL, case_id TEXT NOT NULL, number INTEGER NOT NULL,
    replaced TEXT NOT NULL, tool TEXT NOT NULL, verdict TEXT NOT NULL
);
CREATE TABLE incident (
    run INTEGER NOT NULL REFERENCES run,
    suite INTEGER NOT NULL, case_id TEXT NOT NULL, number INTEGER NOT NULL,
    at TEXT NOT NULL, what TEXT NOT NULL
);
"""
DAMAGED = (
    "Move the directory away, so that nothing is lost (the raw outputs stand in outputs/ beside it; "
    "sqlite3's .recover may save the rest), and begin anew."
)


def _advice(error: sqlite3.Error) -> str:
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code == sqlite3.SQLITE_FULL:
        return "The disk is full. What was stored is whole; make room, then `trapcli calibrate --resume`."
    if code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM, sqlite3.SQLITE_AUTH):
        return "See that you may write there, or stand in another directory."
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return "Another process has it; wait until it is done, then go on with `trapcli calibrate --resume`."
    if code == sqlite3.SQLITE_IOERR:
        return "The disk failed. What was stored is whole; mend it, then `trapcli calibrate --resume`."
    return f"It is damaged. {DAMAGED}"


def opened(directory: Path, create: bool) -> sqlite3.Connection:
    """The database in the directory, ready for use; see `trapcli.calibration.store.store.open_store`."""
    path = directory / "runs.db"
    if os.path.lexists(directory) and not directory.is_dir():
        raise TrapError(f"{directory} is no directory; runs are kept there. Move it away.")
    if directory.is_dir() and not os.access(directory, os.R_OK | os.X_OK):
        raise TrapError(f"{directory}, where runs are kept, may not be read by you.")
    if not create and not os.path.lexists(path):
        raise TrapError(_none_yet(path))
    with told(path):
        if create:
            _make(directory)
        connection = _connect(path, create)
        try:
            with _alone(directory) if create else nullcontext():
                _settle(connection, path, create)
        except BaseException:
            connection.close()
            raise
    return connection


@contextmanager
def _alone(directory: Path) -> Iterator[None]:
    """No other process makes the database meanwhile: SQLite does not wait to turn WAL on."""
    handle = os.open(directory, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def _none_yet(path: Path) -> str:
    there = "is empty" if os.path.lexists(path) else "is missing"
    return (
        f"there are no runs here: {path} {there}. `trapcli calibrate` makes runs; stand in the directory "
        "where it was called."
    )


def _make(directory: Path) -> None:
    """The directory, hidden from git, if it is not there."""
    if not directory.is_dir():
        directory.mkdir(parents=True, exist_ok=True)
        (directory / ".gitignore").write_text("*\n")


def _connect(path: Path, write: bool) -> sqlite3.Connection:
    if path.is_dir():
        raise TrapError(f"{path} is a directory, where the database of runs belongs. Move it away.")
    if write or os.access(path.parent, os.W_OK):
        return sqlite3.connect(path, timeout=PATIENCE, isolation_level=None)
    # Nothing may be written beside it, as reading a database in WAL mode would.
    wal = path.with_name("runs.db-wal")
    frozen = "" if wal.exists() and wal.stat().st_size else "&immutable=1"
    address = f"{path.resolve().as_uri()}?mode=ro{frozen}"
    return sqlite3.connect(address, uri=True, timeout=PATIENCE, isolation_level=None)


def _settle(connection: sqlite3.Connection, path: Path, write: bool) -> None:
    """Make the database ready for use, and refuse what is not ours to use."""
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}
    if not tables and not version and not write:  # it was killed before it had made the tables
        raise TrapError(_none_yet(path))
    if version > FORMAT and "trial" in tables:
        raise TrapError(
            f"{path} was written by a newer trapcli (format {version}; this one knows {FORMAT}). "
            "Install that version, or move the directory away and begin anew; nothing was changed."
        )
    if (version != FORMAT or "trial" not in tables) and (tables or version):
        raise TrapError(
            f"{path} is no database of runs, but of another program. Move it away; nothing was changed."
        )
    if not write:
        return
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    if version == 0:
        connection.execute("BEGIN IMMEDIATE")
        if connection.execute("PRAGMA user_version").fetchone()[0] == 0:  # no other process was faster
            for statement in SCHEMA.split(";"):
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {FORMAT}")
        connection.execute("COMMIT")
    found = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
    if found != "ok":
        raise sqlite3.DatabaseError(found)


@contextmanager
def told(path: Path) -> Iterator[None]:
    """Failures of the database or the disk become a TrapError that says what to do."""
    try:
        yield
    except sqlite3.Error as error:
        raise TrapError(f"{path}: {error}. {_advice(error)}") from error
    except OSError as error:
        place = os.fsdecode(error.filename) if error.filename is not None else str(path)
        raise TrapError(
            f"runs cannot be kept: {place}: {error.strerror or error}. See that the directory is there, that "
            "there is room and that you may write there. What was stored in it is whole: "
            "`trapcli calibrate --resume` goes on."
        ) from error


@contextmanager
def decoding(path: Path) -> Iterator[None]:
    """A row that is not as we write rows becomes a TrapError."""
    try:
        yield
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise TrapError(f"{path} is damaged: {type(error).__name__}: {error}. {DAMAGED}") from error
