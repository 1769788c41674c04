"""Migrations of the database of runs: one for each earlier format, which turns it into the next one.

A migration works on rows and JSON data as they are stored, never on today's records, so that it
keeps doing the same when those change. It runs inside a transaction. `tests/calibration/store` has
a dump of a small database of each earlier format.
"""

import json
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from typing import Any

Json = dict[str, Any]

# Format 1: what a verdict's own keys are called now; all others are the family's details.
VERDICT_KEYS = {
    "id": "id",
    "family": "family",
    "category": "trap",
    "score": "score",
    "status": "status",
    "reason": "reason",
    "slip": "mistake",
    "partial": "partial_credit",
    "notes": "notes",
}
# Format 1: how the reason of a trial that crashed or timed out says which status its output deserves.
OUTPUT_ALONE = {
    "the output alone would have passed": "passed",
    "the output alone would have failed": "failed",
    "the output alone is unreadable": "unreadable",
}


def _from_1_to_2(connection: sqlite3.Connection) -> None:
    """Rename keys and columns, nest a verdict's details, and make room for the files of trials."""
    connection.execute("ALTER TABLE run RENAME COLUMN instrument TO self_check")
    connection.execute("ALTER TABLE trial ADD COLUMN files TEXT")
    for row, text in _rows(connection, "run", "plan"):
        _store(connection, "run", "plan", row, _plan_2(json.loads(text)))
    for row, text in _rows(connection, "run", "self_check"):
        _store(connection, "run", "self_check", row, _self_check_2(json.loads(text)))
    for table in ("trial", "earlier_verdict"):
        for row, text in _rows(connection, table, "verdict"):
            _store(connection, table, "verdict", row, _verdict_2(json.loads(text)))


def _from_2_to_3(connection: sqlite3.Connection) -> None:
    """Make the solution's files part of the configuration, and make room for changes at a resume."""
    connection.execute("ALTER TABLE run ADD COLUMN changes TEXT NOT NULL DEFAULT '[]'")
    for row, text in _rows(connection, "run", "plan"):
        _store(connection, "run", "plan", row, _plan_3(json.loads(text)))


MIGRATIONS: Mapping[int, Callable[[sqlite3.Connection], None]] = {1: _from_1_to_2, 2: _from_2_to_3}


def _rows(connection: sqlite3.Connection, table: str, column: str) -> Iterator[tuple[int, str]]:
    """Yield rowid and value of a column, one row at a time, where the value is not NULL."""
    last = -1
    while True:  # by number, because the rows change while they are read
        row = connection.execute(
            f"SELECT rowid, {column} FROM {table} WHERE rowid > ? AND {column} IS NOT NULL "
            "ORDER BY rowid LIMIT 1",
            (last,),
        ).fetchone()
        if row is None:
            return
        yield row
        last = row[0]


def _store(connection: sqlite3.Connection, table: str, column: str, row: int, value: Json) -> None:
    connection.execute(f"UPDATE {table} SET {column} = ? WHERE rowid = ?", (json.dumps(value), row))


def _plan_2(plan: Json) -> Json:
    return {
        **plan,
        "solution": _solution_2(plan["solution"]),
        "suites": [_suite_2(suite) for suite in plan["suites"]],
    }


def _plan_3(plan: Json) -> Json:
    """Return the plan with a configuration, of which format 2 knows only the files."""
    others = {name: value for name, value in plan.items() if name != "files"}
    configuration = {
        "label": "",
        "tags": {},
        "variables": {},
        "environment": {},
        "files": plan["files"],
        "files_left_out": 0,
        "salt": "",
    }
    return {**others, "configuration": configuration}


def _solution_2(solution: Json) -> Json:
    if not solution["builtin"]:
        command = {"type": "command", **solution, "command": solution["argv"]}
        del command["argv"], command["builtin"]
        return command
    form, *words = solution["builtin"].split(":")
    return {
        "type": "builtin",
        "given": solution["given"].replace("builtin:slip:", "builtin:mistake:"),
        "cwd": solution["cwd"],
        "mistake": words[0] if form == "slip" else "",
        "chance": float(words[0]) if form == "flaky" else None,
        "seed": words[1] if form == "flaky" and len(words) > 1 else "",
    }


def _suite_2(suite: Json) -> Json:
    recipe = {name: suite[name] for name in ("family", "version", "seed", "knobs")}
    # The size of the suite was not stored: it has at least the cases that the run uses.
    numbers = [int(case.rpartition("_")[2]) for case in suite["cases"]]
    return {
        "halves": {"public": suite["directory"], "private": suite["expected"]},
        "recipe": {**recipe, "count": max(numbers, default=0)},
        "digest": suite["digest"],
        "cases": suite["cases"],
        "true_rate": suite.get("truth"),
    }


def _self_check_2(check: Json) -> Json:
    wrong = [
        {"suite": one["suite"], "case": one["case"], "mistake": one["mechanism"], "what": one["what"]}
        for one in check["wrong"]
    ]
    return {"cases": check["cases"], "outputs": check["slips"], "wrong": wrong}


def _verdict_2(verdict: Json) -> Json:
    if "status" not in verdict:  # a judge error has only a reason
        return verdict
    new = {name: verdict[old] for old, name in VERDICT_KEYS.items()}
    if isinstance(new["mistake"], list):
        new["mistake"] = " or ".join(new["mistake"]) or None
    new["output_status"] = _output_status(new["status"], new["reason"])
    new["details"] = {name: value for name, value in verdict.items() if name not in VERDICT_KEYS}
    return new


def _output_status(status: str, reason: str) -> str:
    """Return the status that the output alone deserves, which format 1 has only in words."""
    if status not in ("crashed", "timed_out"):
        return status
    alone = reason.partition("; ")[2]
    return next((found for start, found in OUTPUT_ALONE.items() if alone.startswith(start)), "empty")
