"""What shallow agents and scripts of any edits family do with the files of a case."""

import csv
import io
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

ROWS = 20
Files = Mapping[str, str]
Row = dict[str, str]
Edit = dict[str, Any]
Script = Callable[[Files], list[Edit]]


def by_name(*scripts: Script) -> dict[str, Script]:
    """The scripts by what their names say."""
    return {script.__name__.replace("_", " "): script for script in scripts}


def rows(files: Files, file: str) -> list[Row]:
    return list(csv.DictReader(io.StringIO(files[file])))


def table(files: Files, file: str, content: Iterable[Mapping[str, str]]) -> str:
    """The rows as a CSV text with the columns of the file."""
    out = io.StringIO()
    writer = csv.DictWriter(out, files[file].splitlines()[0].split(","), lineterminator="\n")
    writer.writeheader()
    writer.writerows(content)
    return out.getvalue()


def seen(files: Files, file: str, column: str) -> list[Row]:
    """The first rows, and for each name in the ticket that is not there the first row that begins like it."""
    content, text = rows(files, file), files["ticket.md"]
    read = content[:ROWS]
    for name in sorted((row[column] for row in content), key=len, reverse=True):
        if name in text and name not in {row[column] for row in read}:
            hit = next(row for row in content if row[column].startswith(name))
            read = [*(row for row in read if row is not hit), {**hit, column: name}]
        text = text.replace(name, "")
    return read


def named(files: Files, file: str, column: str) -> list[Row]:
    """Rows whose name stands in the ticket, in the order in which the names first do."""
    text = files["ticket.md"]
    return sorted(
        (row for row in rows(files, file) if row[column] in text), key=lambda row: text.index(row[column])
    )


def number(files: Files, pattern: str) -> str:
    """The last number in the ticket with such signs around it; "" if there is none."""
    found = re.findall(pattern, files["ticket.md"])
    return found[-1] if found else ""


def update(file: str, row: Row, **cells: str) -> Edit:
    """An edit of the row, which is told by the first column."""
    key = next(iter(row))
    return {"file": file, "op": "update", "match": {key: row[key]}, "set": cells}
