"""What an isolated solution must not find: suites, stored runs, and this program with its families."""

import os
import re
from collections.abc import Iterator, Sequence
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path

import trapcli
from trapcli.core import registry
from trapcli.core.errors import TrapError
from trapcli.suites.reader import COMMITMENT, INPUTS, RECORD

KEPT = ".trapcli"  # where runs are stored
SUITES = "traps"  # where suites are built unless told otherwise
MOST_FOLDERS = 100_000  # of a solution's directory, which is searched before the first trial

PACKAGE, FAMILIES = "trapcli", "families"  # what an installation of ours consists of
PROGRAMS = ("trapcli", "trap")
PACKAGES = ("site-packages", "dist-packages")
# Where below a prefix Pythons have their modules: its own, those of pyenv, conda, pipx, Debian.
PLACES = ("", "local/", "*/", "versions/*/", "envs/*/", "venvs/*/")
INSTALLED = re.compile(r"trapcli|trapcli-.*\.(dist|egg)-info|trapcli\.egg-(info|link)|_*editable_.*trapcli.*")
ARCHIVE = re.compile(r"trapcli-.*\.(whl|tar\.gz|zip)")


def found_below(root: Path) -> list[Path]:
    """All below a directory that gives a suite's answers away, or the means to compute them.

    That is: halves of suites (a directory `traps` of them as a whole), stored runs, copies of
    this program in checkouts, environments and archives; and the .git of the directories around
    them, which may hold the same files. Symbolic links are not followed: what they point to is
    not seen through them. Raises TrapError if there are too many directories to search.
    """
    found: set[Path] = set()
    for number, (place, folders, names) in enumerate(os.walk(root), 1):
        if number > MOST_FOLDERS:
            raise TrapError(
                f"--isolate: {root} has more than {MOST_FOLDERS} directories below it, too many to be "
                "searched for suites. Put the solution in a directory of its own."
            )
        folder = Path(place)
        if _is_half(folders, names):
            whole = folder.parent.name == SUITES and root in folder.parent.parents
            found.add(folder.parent if whole else folder)
            folders.clear()
            continue
        found.update(folder / name for name in names if ARCHIVE.fullmatch(name))
        found.update(folder / name for name in folders if name == KEPT)
        if folder.name in PACKAGES or {PACKAGE, FAMILIES} <= {*folders}:
            found.update(installed_in(folder))
        folders[:] = [name for name in folders if name != ".git" and folder / name not in found]
    return sorted(found | _repositories(found, root))


def _is_half(folders: Sequence[str], names: Sequence[str]) -> bool:
    """Whether a directory with these folders and files is the public or the private half of a suite."""
    public = COMMITMENT in names and INPUTS in folders
    return public or (RECORD in names and any(name.startswith("case_") for name in folders))


def _repositories(found: set[Path], root: Path) -> set[Path]:
    around = {
        place / ".git"
        for path in found
        if path.parent.name not in PACKAGES
        for place in path.parents
        if place == root or root in place.parents
    }
    return {path for path in around if os.path.lexists(path)}


def installed_in(folder: Path) -> list[Path]:
    """What belongs to an installation of this program in a directory of modules; nothing if there is none."""
    names = _listed(folder)
    ours = [folder / name for name in names if INSTALLED.fullmatch(name)]
    if not ours:
        return []
    cache = folder / "__pycache__"
    ours += [cache / name for name in _listed(cache) if INSTALLED.fullmatch(name)]
    if PACKAGE in names and FAMILIES in names:
        ours.append(folder / FAMILIES)
    programs = [folder.parent.parent.parent / "bin" / name for name in PROGRAMS]
    return [*ours, *(path for path in programs if _starts_us(path))]


def _starts_us(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return PACKAGE.encode() in file.read(1000)
    except OSError:
        return False


def _listed(folder: Path) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []


def installed_in_prefix(place: Path) -> Iterator[Path]:
    """What belongs to installations of this program in a prefix, such as /usr or a venv, or in its bin."""
    for below in PLACES:
        for folder in place.glob(f"{below}lib*/python3*/*-packages"):
            yield from installed_in(folder)
    yield from (
        path for name in PROGRAMS for path in (place / name, place / "bin" / name) if _starts_us(path)
    )


def this_program() -> list[Path]:
    """Where the program that runs now is installed, and the packages of all families."""
    package = Path(trapcli.__file__).resolve().parent
    return sorted({package, *installed_in(package.parent), *_families()})


def checkout() -> Path | None:
    """The checkout that the program runs from, or that an editable installation points to; None otherwise."""
    root = Path(trapcli.__file__).resolve().parent.parent
    return root if (root / "pyproject.toml").is_file() else None


def _families() -> Iterator[Path]:
    """The top-level packages or modules of the families; those that are not there have nothing to hide."""
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
