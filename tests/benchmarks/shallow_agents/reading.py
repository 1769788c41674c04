"""How shallow agents and simple scripts read the files of a case of any edits family."""

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
    """Return the scripts by their names, with blanks."""
    return {script.__name__.replace("_", " "): script for script in scripts}


def rows(files: Files, file: str) -> list[Row]:
    """Return the rows of a table."""
    return list(csv.DictReader(io.StringIO(files[file])))


def table(files: Files, file: str, content: Iterable[Mapping[str, str]]) -> str:
    """Return the rows as CSV text with the columns of the file."""
    out = io.StringIO()
    writer = csv.DictWriter(out, files[file].splitlines()[0].split(","), lineterminator="\n")
    writer.writeheader()
    writer.writerows(content)
    return out.getvalue()


def read_rows(files: Files, file: str, column: str) -> list[Row]:
    """Return the first rows, and for each other name in the ticket the first row that begins with it."""
    content, text = rows(files, file), files["ticket.md"]
    read = content[:ROWS]
    for name in sorted((row[column] for row in content), key=len, reverse=True):
        if name in text and name not in {row[column] for row in read}:
            hit = next(row for row in content if row[column].startswith(name))
            read = [*(row for row in read if row is not hit), {**hit, column: name}]
        text = text.replace(name, "")
    return read


def named_rows(files: Files, file: str, column: str) -> list[Row]:
    """Return the rows with a name that is in the ticket, in the order of the ticket."""
    text = files["ticket.md"]
    return sorted(
        (row for row in rows(files, file) if row[column] in text), key=lambda row: text.index(row[column])
    )


def number(files: Files, pattern: str) -> str:
    """Return the last number in the ticket that the pattern finds; "" if there is none."""
    found = re.findall(pattern, files["ticket.md"])
    return found[-1] if found else ""


def update(file: str, row: Row, **cells: str) -> Edit:
    """Return an edit of a row, matched by its first column."""
    key = next(iter(row))
    return {"file": file, "op": "update", "match": {key: row[key]}, "set": cells}
