"""The files that a solution left in its output directory, for a person and as JSON data."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from trapcli.core.contract import Section
from trapcli.system.output_files import OutputFiles


def kept_files_json(left: OutputFiles | None) -> dict[str, Any]:
    """Return JSON data about the files that are kept and those left out; None if they cannot be read."""
    if left is None:
        return {"entries": None, "left_out": None}
    return {
        "entries": [{"path": path, "bytes": len(data)} for path, data in left.files.items()],
        "left_out": [{"path": one.path, "bytes": one.size, "why": one.why} for one in left.left_out],
    }


def kept_files_sections(left: OutputFiles | None, archive: Path | None) -> Iterator[Section]:
    """Yield the files that are kept, with their sizes and where they are, and those that were left out.

    left: what is in the archive; None if it is missing or was changed.
    archive: None if nothing was left.
    """
    if archive is None:
        return
    if left is None:
        yield Section("Files it left", text=f"({archive} is missing or was changed)")
        return
    total = sum(map(len, left.files.values()))
    count = len(left.files)
    title = f"Files it left: {count:,} file{'' if count == 1 else 's'}, {total:,} bytes, in {archive}"
    rows = tuple((path, f"{len(data):,}") for path, data in left.files.items())
    yield Section(title, ("file", "bytes"), rows) if rows else Section(title)
    if left.left_out:
        more = left.over_limit - len(left.left_out)
        yield Section(
            f"Not kept{f': {more:,} more than are named here' if more > 0 else ''}",
            ("file", "bytes", "why"),
            tuple((one.path, f"{one.size:,}" if one.size else "", one.why) for one in left.left_out),
        )
