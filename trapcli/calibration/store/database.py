"""Open the database of runs, bring it to the current format, and say what is wrong with it or the disk."""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path

from trapcli.calibration.store.migrations import MIGRATIONS
from trapcli.core.errors import TrapError
from trapcli.core.shorten import one_line
from trapcli.system.locks import locked_directory

FORMAT = 3  # of the database, stored as its user_version; `MIGRATIONS` has every earlier one
PATIENCE = 30.0  # seconds to wait for another process that writes

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
    self_check TEXT,
    changes TEXT NOT NULL DEFAULT '[]'
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
    files TEXT,
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
    "Move the directory away, so that nothing is lost (the raw outputs are in its outputs/; sqlite3's "
    ".recover may save the rest), then start again."
)


def open_database(directory: Path, create: bool) -> sqlite3.Connection:
    """Return the database in a directory of runs, in the current format.

    create: open it for writing, and create what is missing. An earlier format is migrated on disk
    then; otherwise a migrated copy in memory is returned, and nothing is written.

    Raises TrapError if there is no database (and `create` is false), or if it cannot be used.
    """
    path = directory / "runs.db"
    if os.path.lexists(directory) and not directory.is_dir():
        raise TrapError(f"{directory} is not a directory, but runs are stored there. Move it away.")
    if directory.is_dir() and not os.access(directory, os.R_OK | os.X_OK):
        raise TrapError(f"{directory}, where runs are stored, is not readable. Change its permissions.")
    if not create and not os.path.lexists(path):
        raise TrapError(_none_yet(path))
    with translate_errors(path):
        if create:
            _create_directory(directory)
        connection = _connect(path, create)
        try:
            # One process at a time: SQLite does not wait for others when it turns WAL on.
            with locked_directory(directory) if create else nullcontext():
                return _prepare(connection, path, create)
        except BaseException:
            connection.close()
            raise


@contextmanager
def translate_errors(path: Path) -> Iterator[None]:
    """Turn a failure of the database or the disk into a TrapError that says what to do."""
    try:
        yield
    except sqlite3.Error as error:
        raise TrapError(f"{path}{_failure(error)}") from error
    except OSError as error:
        place = os.fsdecode(error.filename) if error.filename is not None else str(path)
        raise TrapError(
            f"runs cannot be stored: {place}: {error.strerror or error}. Check that the directory exists, "
            "that you may write there and that the disk has room. Everything stored so far is safe: "
            "continue with `trapcli calibrate --resume`."
        ) from error


@contextmanager
def decode_errors(path: Path) -> Iterator[None]:
    """Turn what goes wrong with a row that trapcli would not have written into a TrapError."""
    try:
        yield
    except (ValueError, KeyError, TypeError, AttributeError, IndexError) as error:
        raise TrapError(f"{path} is damaged: a record in it cannot be read. {DAMAGED}") from error


def _failure(error: sqlite3.Error) -> str:
    """Return what is wrong with the database, to follow its path, and what to do."""
    advice = _advice(error)
    if not advice:
        return f" is damaged: SQLite cannot read it. {DAMAGED}"
    return f": {one_line(str(error))}. {advice}"


def _advice(error: sqlite3.Error) -> str:
    """Return what to do about an error that does not mean damage, or ""."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code == sqlite3.SQLITE_FULL:
        return (
            "The disk is full. Everything stored so far is safe; make room, then continue with "
            "`trapcli calibrate --resume`."
        )
    if code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM, sqlite3.SQLITE_AUTH):
        return "Check that you may write there, or work in another directory."
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return (
            "Another process is using it; wait until it is done, then continue with "
            "`trapcli calibrate --resume`."
        )
    if code == sqlite3.SQLITE_IOERR:
        return (
            "The disk failed or is full. Everything stored so far is safe; fix it, then continue with "
            "`trapcli calibrate --resume`."
        )
    return ""


def _none_yet(path: Path) -> str:
    state = "is empty" if os.path.lexists(path) else "does not exist"
    return (
        f"there are no runs here: {path} {state}. Start one with `trapcli calibrate`, or change to the "
        "directory where it was started."
    )


def _create_directory(directory: Path) -> None:
    """Create the directory, hidden from git, unless it exists."""
    if directory.is_dir():
        return
    directory.mkdir(parents=True, exist_ok=True)
    ignore = directory / ".gitignore"
    try:
        ignore.write_text("*\n")
    except OSError:  # without room for it the directory would never be hidden
        with suppress(OSError):
            ignore.unlink(missing_ok=True)
            directory.rmdir()
        raise


def _connect(path: Path, write: bool) -> sqlite3.Connection:
    if path.is_dir():
        raise TrapError(f"{path} is a directory, but the database of runs belongs there. Move it away.")
    if write or os.access(path.parent, os.W_OK):
        connection = sqlite3.connect(path, timeout=PATIENCE, isolation_level=None)
        if write or _has_room(connection):
            return connection
        connection.close()
    # Reading a database in WAL mode creates files beside it, unless it is declared immutable.
    wal = path.with_name("runs.db-wal")
    frozen = "" if wal.exists() and wal.stat().st_size else "&immutable=1"
    address = f"{path.resolve().as_uri()}?mode=ro{frozen}"
    return sqlite3.connect(address, uri=True, timeout=PATIENCE, isolation_level=None)


def _has_room(connection: sqlite3.Connection) -> bool:
    """Return whether the disk has room for the file in which SQLite notes who reads."""
    try:
        connection.execute("SELECT 1 FROM sqlite_master")
    except sqlite3.Error as error:
        if getattr(error, "sqlite_errorcode", 0) == sqlite3.SQLITE_IOERR_SHMSIZE:
            return False
        connection.close()
        raise
    return True


def _prepare(connection: sqlite3.Connection, path: Path, write: bool) -> sqlite3.Connection:
    """Return a connection to the database in the current format; TrapError if it is not ours to use."""
    version = _version(connection)
    tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}
    _refuse_foreign(path, version, tables)
    if not write:
        if not version:  # the process that created the file was killed before it created the tables
            raise TrapError(_none_yet(path))
        return connection if version == FORMAT else _migrated_copy(connection, path)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    if version < FORMAT:
        connection.execute("BEGIN IMMEDIATE")  # waits for other processes, which may be creating it too
        if _version(connection) == 0:
            _create_tables(connection)
        else:
            _migrate(connection, path)
        connection.execute("COMMIT")
    found = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
    if found != "ok":
        raise sqlite3.DatabaseError(found)
    return connection


def _refuse_foreign(path: Path, version: int, tables: set[str]) -> None:
    """Raise TrapError for a database of a newer trapcli or of another program."""
    if version > FORMAT and "trial" in tables:
        raise TrapError(
            f"{path} was written by a newer trapcli (format {version}; this one reads up to {FORMAT}). "
            "Install that version, or move the directory away and start again. Nothing was changed."
        )
    ours = 1 <= version <= FORMAT and "trial" in tables
    if not ours and (tables or version):
        raise TrapError(
            f"{path} is not a database of runs; another program wrote it. Move it away. Nothing was changed."
        )


def _version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def _create_tables(connection: sqlite3.Connection) -> None:
    for statement in SCHEMA.split(";"):
        connection.execute(statement)
    connection.execute(f"PRAGMA user_version = {FORMAT}")


def _migrate(connection: sqlite3.Connection, path: Path) -> None:
    """Bring the database to the current format, one format after the other, in the open transaction."""
    with decode_errors(path):
        for version in range(_version(connection), FORMAT):
            MIGRATIONS[version](connection)
            connection.execute(f"PRAGMA user_version = {version + 1}")


def _migrated_copy(connection: sqlite3.Connection, path: Path) -> sqlite3.Connection:
    """Return a copy of the database in memory, in the current format; the original is closed."""
    copy = sqlite3.connect(":memory:", isolation_level=None)
    connection.backup(copy)
    connection.close()
    _migrate(copy, path)
    return copy
