"""The files that a solution is made of, as far as they are known, with their digests."""

import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from trapcli.calibration.solutions.solution import Solution
from trapcli.calibration.solutions.trap_yaml import FILE
from trapcli.system.files import digest_of

LARGEST = 50_000_000  # bytes of a file; larger ones are not digested
MOST_FILES = 1_000  # of a solution's directory, in alphabetical order
MOST_BYTES = 200_000_000  # of all of them together
# What is not the solution's own source: histories, caches, installed packages, our runs and suites.
IGNORED = frozenset(
    {".git", ".hg", ".svn", "__pycache__", "node_modules", ".venv", "venv", ".trapcli", "traps",
     ".mypy_cache", ".pytest_cache", ".ruff_cache", ".tox", ".cache"}
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class SolutionFiles:
    """The files of a solution.

    digests: path, as the command names it or from the solution's directory -> SHA-256.
    left_out: how many files of its directory are too many or too large, and not in `digests`.
    """

    digests: dict[str, str] = field(default_factory=dict)
    left_out: int = 0


def files_of(solution: Solution) -> SolutionFiles:
    """Return the files that the solution's command names and, if it has a trap.yaml, those of its directory.

    Left out are a program that is looked up along PATH, and files that cannot be read.
    """
    digests = {}
    for place, word in enumerate(solution.command):
        path = solution.cwd / word
        if not word or (place == 0 and "/" not in word) or not os.path.isfile(path):
            continue  # unlike Path.is_file, isfile accepts words that are too long for a path
        if (digest := _digest(path)) is not None:
            digests[word] = digest
    if not solution.has_directory:
        return SolutionFiles(digests)
    left_out = size = 0
    for path in _files_under(solution.cwd):
        name = path.relative_to(solution.cwd).as_posix()
        if name in digests or name == FILE:
            continue  # what trap.yaml says is compared value by value
        size += _size(path)
        digest = _digest(path) if len(digests) < MOST_FILES and size <= MOST_BYTES else None
        if digest is None:
            left_out += 1
        else:
            digests[name] = digest
    return SolutionFiles(digests, left_out)


def _files_under(directory: Path) -> Iterator[Path]:
    """Yield the ordinary files of a solution's directory, sorted; links to directories are not followed."""
    for folder, folders, names in os.walk(directory):
        here = Path(folder)
        folders[:] = sorted(
            name for name in folders if name not in IGNORED and not (here / name / "pyvenv.cfg").exists()
        )
        yield from (here / name for name in sorted(names) if os.path.isfile(here / name))


def _digest(path: Path) -> str | None:
    with suppress(OSError):
        if path.stat().st_size <= LARGEST:
            return digest_of(path.read_bytes())
    return None


def _size(path: Path) -> int:
    with suppress(OSError):
        return path.stat().st_size
    return 0
