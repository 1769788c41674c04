"""A case as one text, for an agent without tools."""

import re
from collections.abc import Mapping
from pathlib import PurePosixPath

FIRST = ("README.md", "ticket.md")  # the other files follow by name
LANGUAGES = {"py": "python", "md": "markdown"}


def prompt(files: Mapping[str, str]) -> str:
    """Return a case's files (path -> text) as one Markdown text: README, then each file in a code fence."""
    names = [name for name in FIRST if name in files] + sorted(files.keys() - set(FIRST))
    return "\n".join(
        files[name].strip("\n") + "\n" if name == FIRST[0] else _fenced(name, files[name]) for name in names
    )


def _fenced(name: str, text: str) -> str:
    longest = max((len(ticks) for ticks in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    suffix = PurePosixPath(name).suffix[1:]
    end = "" if text.endswith("\n") or not text else "\n"
    return f"## {name}\n\n{fence}{LANGUAGES.get(suffix, suffix)}\n{text}{end}{fence}\n"
