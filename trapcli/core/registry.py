"""Families by name, found through the entry-point group `trapcli.families`.

The group is read from the entry_points.txt of each installed distribution, as the
packaging standard has it (packaging.python.org, "Entry points specification"). The
standard library's importlib.metadata does the same, but importing it takes longer than everything
else that judging an answer needs (24 ms, measured); a test checks that both find the same.
"""

import os
import sys
from collections.abc import Iterator
from functools import lru_cache
from importlib import import_module

from trapcli.core.contract import Family
from trapcli.core.errors import TrapError
from trapcli.core.shorten import quoted

GROUP = "trapcli.families"


@lru_cache(maxsize=1)
def _declared() -> dict[str, str]:
    """Return name -> "module:attribute"; the first on sys.path that declares a name wins."""
    found: dict[str, str] = {}
    for directory in dict.fromkeys(sys.path):
        for text in _metadata(directory or os.curdir):
            for name, value in _entries(text):
                found.setdefault(name, value)
    return found


def _metadata(directory: str) -> Iterator[str]:
    """Yield the entry_points.txt of each distribution in a directory, sorted by name."""
    try:
        names = sorted(os.listdir(directory))
    except OSError:  # sys.path may name a missing directory, or a file
        return
    for name in names:
        if name.endswith((".dist-info", ".egg-info")):
            try:
                with open(os.path.join(directory, name, "entry_points.txt"), encoding="utf-8") as file:
                    yield file.read()
            except (OSError, UnicodeDecodeError):
                continue


def _entries(text: str) -> Iterator[tuple[str, str]]:
    """Yield the entries of our group, without the extras that a value may end with."""
    ours = False
    for line in map(str.strip, text.splitlines()):
        if line.startswith("["):
            ours = line == f"[{GROUP}]"
        elif ours and "=" in line and line[0] not in "#;":
            name, _, value = line.partition("=")
            yield name.strip(), value.partition("[")[0].strip()


def names() -> list[str]:
    """Return the names of all installed families, sorted; none of them is imported."""
    return sorted(_declared())


def family(name: str) -> Family:
    """Return the family called `name`; TrapError if there is none, or if its plugin does not load."""
    value = _declared().get(name)
    if value is None:
        raise TrapError(f"there is no family {quoted(name)}; installed: {', '.join(names()) or 'none'}.")
    try:
        module, _, attribute = value.partition(":")
        found: Family = getattr(import_module(module), attribute)
    except Exception as error:
        raise TrapError(
            f"family {name!r} ({value}) does not load: {type(error).__name__}: {error}. "
            "Reinstall or remove the package that declares it."
        ) from error
    other = getattr(found, "name", None)
    if other != name:
        raise TrapError(f"the plugin {value} calls itself {other!r}, not {name!r}.")
    return found
