"""Find suites on disk; finish an interrupted swap before a suite is read."""

import os
from pathlib import Path

from trapcli.suites.layout import COMMITMENT, INPUTS, JOURNAL, journal_of


def finish_swap(directory: Path) -> None:
    """Finish a swap of this directory that was killed. If there is none, this costs one stat."""
    real = Path(os.path.realpath(directory))
    if os.path.lexists(journal_of(real)):
        from trapcli.suites.replacement import recover  # its imports cost more than all else here

        recover(real)


def is_suite(directory: Path) -> bool:
    """Whether the directory is the public half of a suite, complete or not."""
    finish_swap(directory)
    return (directory / COMMITMENT).is_file() and (directory / INPUTS).is_dir()


def suites_under(directory: Path) -> list[Path]:
    """Return the suites directly in `directory`, sorted by name, hidden ones left out."""
    try:
        names = sorted(os.listdir(directory))
    except (FileNotFoundError, NotADirectoryError):
        return []
    for name in names:  # a suite may be between two names
        if name.startswith(".") and name.endswith(JOURNAL):
            finish_swap(directory / name[1 : -len(JOURNAL)])
            names = sorted(os.listdir(directory))
    return [directory / name for name in names if not name.startswith(".") and is_suite(directory / name)]
