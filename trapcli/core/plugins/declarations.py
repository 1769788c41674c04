"""Which installed package declares which family, in the entry-point group `trapcli.families`.

The group is read from the entry_points.txt of each installed distribution, as the
packaging standard has it (packaging.python.org, "Entry points specification"). The
standard library's importlib.metadata does the same, but importing it takes longer than everything
else that judging an answer needs (24 ms, measured); a test checks that both find the same.
"""

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from trapcli.core.case_ids import is_case_id

GROUP = "trapcli.families"
NAME = re.compile(r"[a-z0-9]+([-_][a-z0-9]+)*")
LONGEST_NAME = 40
RESERVED = "run"  # `trapcli inspect run` lists runs
DISTRIBUTION = re.compile(r"(?P<name>.+?)(-(?P<version>[0-9][^-]*)(-.*)?)?\.(dist|egg)-info")


@dataclass(frozen=True, slots=True)
class Declaration:
    """One line of a distribution's entry points.

    name: the family's name, as declared.
    value: where it is, as "module:attribute".
    package: the distribution's name, in the normal form of the package index.
    version: its version, or "".
    """

    name: str
    value: str
    package: str
    version: str = ""

    def __str__(self) -> str:
        return f"{self.package} {self.version}".rstrip()


def declarations(path: Iterable[str]) -> list[Declaration]:
    """Return what the distributions in the directories of `path` declare, in its order.

    A distribution that is found twice, such as an editable one with its checkout, counts once: Python
    imports the first.
    """
    found: list[Declaration] = []
    seen: set[str] = set()
    for directory in dict.fromkeys(path):
        here = list(_distributions(directory or os.curdir))
        for package, version, text in here:
            if package not in seen:
                found += [Declaration(name, value, package, version) for name, value in _entries(text)]
        seen.update(package for package, _, _ in here)
    return found


def name_problem(name: str) -> str:
    """Return why a family may not have this name, or "": it names directories and is typed in shells."""
    if len(name) > LONGEST_NAME:
        return f"it is longer than {LONGEST_NAME} characters"
    if not NAME.fullmatch(name):
        return "a name is lower-case letters and digits, with single hyphens or underscores between them"
    if name == RESERVED or is_case_id(name):
        return "the word means something else on the command line"
    return ""


def _distributions(directory: str) -> Iterator[tuple[str, str, str]]:
    """Yield name, version and entry_points.txt of each distribution in a directory, sorted by name."""
    try:
        names = sorted(os.listdir(directory))
    except OSError:  # sys.path may name a missing directory, or a file
        return
    for name in names:
        match = DISTRIBUTION.fullmatch(name)
        if match is None:
            continue
        try:
            with open(os.path.join(directory, name, "entry_points.txt"), encoding="utf-8") as file:
                text = file.read()
        except (OSError, UnicodeDecodeError):
            continue
        yield re.sub("[-_.]+", "-", match["name"]).lower(), match["version"] or "", text


def _entries(text: str) -> Iterator[tuple[str, str]]:
    """Yield the entries of our group, without the extras that a value may end with."""
    ours = False
    for line in map(str.strip, text.splitlines()):
        if line.startswith("["):
            ours = line == f"[{GROUP}]"
        elif ours and "=" in line and line[0] not in "#;":
            name, _, value = line.partition("=")
            yield name.strip(), value.partition("[")[0].strip()
