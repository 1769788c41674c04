"""The process of a builtin solution: solve the case that the manifest names, or make a mistake in it.

It imports only what its family needs to solve a case.
"""

import json
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from trapcli.core import registry
from trapcli.core.errors import UNUSABLE, TrapError
from trapcli.core.family_calls import solved
from trapcli.core.output import Output


def main(words: Sequence[str]) -> None:
    """Run the process. `words`: the family's name, and a mistake's name if one is to be made."""
    try:
        family = registry.family(words[0])
        manifest = json.loads(os.environ["TRAP_MANIFEST"])
        answer = solved(family, dict(_read_files(manifest["inputs_dir"])), words[1] if words[1:] else None)
    except TrapError as error:
        print(f"builtin: {error}", file=sys.stderr)
        sys.exit(UNUSABLE)
    if isinstance(answer, Output):
        _write_files(Path(manifest["outputs_dir"]), answer.files)
        answer = answer.text
    sys.stdout.buffer.write(answer.encode("utf-8"))


def _read_files(home: str) -> Iterator[tuple[str, str]]:
    """Yield the path and text of each file of a case, sorted by path; hidden files are not part of it."""
    found = []
    for folder, folders, names in os.walk(home):
        folders[:] = [name for name in folders if not name.startswith(".") and name != "__pycache__"]
        found += [os.path.join(folder, name) for name in names if not name.startswith(".")]
    named = sorted((os.path.relpath(path, home).replace(os.sep, "/"), path) for path in found)
    for name, path in named:
        with open(path, encoding="utf-8", newline="") as file:
            yield name, file.read()


def _write_files(home: Path, files: Mapping[str, bytes]) -> None:
    for name, data in files.items():
        path = home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
