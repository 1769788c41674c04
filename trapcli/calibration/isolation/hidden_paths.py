"""Find what an isolated solution must not see: suites, stored runs, and this program with its families."""

import os
import re
from collections.abc import Iterator, Sequence
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path

from trapcli.core import registry
from trapcli.core.case_ids import is_case_id
from trapcli.core.errors import TrapError
from trapcli.suites.layout import COMMITMENT, HOME, INPUTS, RECORD, RUNS
from trapcli.system.package import DIRECTORY, ROOT

MOST_FOLDERS = 100_000  # of a solution's directory, which is searched before the first trial

PACKAGE, FAMILIES = "trapcli", "families"  # the packages of an installation
PROGRAMS = ("trapcli", "trap")
MODULE_FOLDERS = ("site-packages", "dist-packages")
# Where Pythons keep their modules, below a prefix: its own, those of pyenv, conda, pipx, Debian.
PLACES = ("", "local/", "*/", "versions/*/", "envs/*/", "venvs/*/")
NAMES = "(trapsuite|trapcli)"  # of the distribution: as it is called, and as its checkouts may call it
INSTALLED = re.compile(
    rf"trapcli|{NAMES}-.*\.(dist|egg)-info|{NAMES}\.egg-(info|link)|_*editable_.*{NAMES}.*"
)
ARCHIVE = re.compile(rf"{NAMES}-.*\.(whl|tar\.gz|zip)")


def find_hidden(root: Path) -> list[Path]:
    """Return everything below a directory that contains a suite's answers, or the means to compute them.

    That is: halves of suites (all of a directory `traps` that contains one), stored runs, copies of
    this program in checkouts, environments and archives, and the .git of the directories around
    them, which may hold the same files. Symbolic links are not followed: a solution that follows
    them meets what is hidden at the real path. Raises TrapError if there are too many directories.
    """
    found: set[Path] = set()
    for number, (place, folders, names) in enumerate(os.walk(root), 1):
        if number > MOST_FOLDERS:
            raise TrapError(
                f"--isolate: {root} has more than {MOST_FOLDERS} directories below it, too many to "
                "search for suites. Put the solution in a directory of its own."
            )
        folder = Path(place)
        if _is_half(folders, names):
            whole = folder.parent.name == HOME and root in folder.parent.parents
            found.add(folder.parent if whole else folder)
            folders.clear()
            continue
        found.update(folder / name for name in names if ARCHIVE.fullmatch(name))
        found.update(folder / name for name in folders if name == RUNS)
        if folder.name in MODULE_FOLDERS or {PACKAGE, FAMILIES} <= {*folders}:
            found.update(installed_in(folder))
        folders[:] = [name for name in folders if name != ".git" and folder / name not in found]
    return sorted(found | _repositories(found, root))


def _is_half(folders: Sequence[str], names: Sequence[str]) -> bool:
    """Whether a directory with these folders and files is the public or the private half of a suite."""
    public = COMMITMENT in names and INPUTS in folders
    return public or (RECORD in names and any(map(is_case_id, folders)))


def _repositories(found: set[Path], root: Path) -> set[Path]:
    around = {
        place / ".git"
        for path in found
        if path.parent.name not in MODULE_FOLDERS
        for place in path.parents
        if place == root or root in place.parents
    }
    return {path for path in around if os.path.lexists(path)}


def installed_in(folder: Path) -> list[Path]:
    """Return what belongs to an installation of this program in a folder of modules; empty if none does."""
    names = _names_in(folder)
    ours = [folder / name for name in names if INSTALLED.fullmatch(name)]
    if not ours:
        return []
    cache = folder / "__pycache__"
    ours += [cache / name for name in _names_in(cache) if INSTALLED.fullmatch(name)]
    if PACKAGE in names and FAMILIES in names:
        ours.append(folder / FAMILIES)
    programs = [folder.parent.parent.parent / "bin" / name for name in PROGRAMS]
    return [*ours, *filter(_is_our_program, programs)]


def _is_our_program(path: Path) -> bool:
    """Whether the file is a short script that names our package, as pip writes it."""
    try:
        with path.open("rb") as file:
            return PACKAGE.encode() in file.read(1000)
    except OSError:
        return False


def _names_in(folder: Path) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []


def installed_in_prefix(prefix: Path) -> Iterator[Path]:
    """Yield what belongs to installations of this program in a prefix (/usr, a venv), or in its bin."""
    for below in PLACES:
        for folder in prefix.glob(f"{below}lib*/python3*/*-packages"):
            yield from installed_in(folder)
    programs = (place / name for name in PROGRAMS for place in (prefix, prefix / "bin"))
    yield from filter(_is_our_program, programs)


def this_program() -> list[Path]:
    """Return where the running program is installed, and the packages of all families."""
    package = Path(DIRECTORY).resolve()
    return sorted({package, *installed_in(package.parent), *_family_packages()})


def checkout() -> Path | None:
    """Return the checkout that the program runs from, or that an editable installation points to."""
    root = Path(ROOT).resolve()
    return root if (root / "pyproject.toml").is_file() else None


def _family_packages() -> Iterator[Path]:
    """Yield the top-level packages or modules of all families that are declared and exist."""
    for top in sorted({entry.module.partition(".")[0] for entry in entry_points(group=registry.GROUP)}):
        try:
            spec = find_spec(top)
        except (ImportError, ValueError):
            continue
        if spec is None:
            continue
        if spec.submodule_search_locations is not None:
            yield from (Path(place).resolve() for place in spec.submodule_search_locations)
        elif spec.origin is not None and os.path.isfile(spec.origin):
            module = Path(spec.origin).resolve()
            yield module
            yield from module.parent.glob(f"__pycache__/{module.stem}.*.pyc")
