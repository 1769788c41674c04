"""What a solution's command has to reach when only what it needs is shown to it: programs and scripts."""

import os
import shutil
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from trapcli.calibration.records import Solution
from trapcli.calibration.solutions.command import CERTIFICATES, first_line_of, program_of

BINS = ("bin", "sbin", "condabin")
SHIMS = "shims"  # pyenv and its like: scripts that look for the real program beside them
VENV = "pyvenv.cfg"
# Of a prefix in a directory that holds other things too, such as an environment made in a home.
PARTS = ("bin", "lib", "lib64", "include", "share", "libexec", "ssl", VENV)
# What stands for much more than a solution: none of these, and nothing around them, is shown whole.
COMMON = ("/usr", "/etc", "/opt", "/home", "/root", "/tmp", "/var/tmp", "/proc", "/dev", "/sys", "/run")


def home() -> Path:
    """The user's home directory, where it really is."""
    return Path(os.path.realpath(os.path.expanduser("~")))


def is_wide(path: Path) -> bool:
    """Whether the directory is, or is around, one that many things share; a home is such a one."""
    return any(place == path or path in place.parents for place in (home(), *map(Path, COMMON)))


def programs(solution: Solution, environ: Mapping[str, str]) -> Iterator[Path]:
    """What the solution's program and those on PATH need: directories, prefixes, single files.

    For each directory on PATH: with all of its prefix if an interpreter lives there. Also the
    prefix of the interpreter that runs us, the certificates that variables name, and the file
    that tells the name servers, wherever it is kept.
    """
    for place in (sys.prefix, sys.base_prefix):
        yield from _prefix(Path(place))
    for place in os.get_exec_path(dict(environ)):
        if os.path.isabs(place) and os.path.isdir(place):
            yield from of_directory(Path(place))
    if solution.argv:
        yield from _of_program(solution, environ)
    for name in CERTIFICATES:
        if os.path.isabs(environ.get(name, "")):
            yield Path(environ[name])
    yield Path(os.path.realpath("/etc/resolv.conf"))


def _of_program(solution: Solution, environ: Mapping[str, str]) -> Iterator[Path]:
    """Along symbolic links and first lines of scripts, from the command's program to what runs it."""
    waiting = [program_of(solution, environ)]
    seen: set[Path] = set()
    while waiting:
        path = waiting.pop()
        if path in seen:
            continue
        seen.add(path)
        if path.parent.name in (*BINS, SHIMS):
            yield from of_directory(path.parent)
        yield path
        if path.is_symlink():
            waiting.append(Path(os.path.abspath(path.parent / os.readlink(path))))
            continue
        interpreter, *words = first_line_of(path) or ("",)
        if os.path.basename(interpreter) == "env":
            name = next((word for word in words if word[0] != "-" and "=" not in word), "")
            words = [shutil.which(name, path=environ.get("PATH")) or ""]
        else:
            words = []
        waiting += [Path(os.path.abspath(solution.cwd / word)) for word in (interpreter, *words) if word]


def of_directory(place: Path) -> Iterator[Path]:
    """A directory of programs, or the prefix that it belongs to, with that of a venv's own base."""
    parent = place.parent
    if place.name == SHIMS:
        yield from _prefix(parent)
    elif place.name in BINS and (parent / VENV).is_file():
        yield from _prefix(parent)
        for program in place.glob("python*"):
            yield from _prefix(Path(os.path.realpath(program)).parent.parent)
    elif place.name in BINS and (parent / "lib").is_dir() and parent != home() / ".local":
        yield from _prefix(parent)
    elif not is_wide(place):
        yield place


def _prefix(prefix: Path) -> Iterator[Path]:
    """The prefix; only what belongs to an interpreter if it is wide, or if we stand in it."""
    real, here = Path(os.path.realpath(prefix)), Path(os.path.realpath(os.curdir))
    if not is_wide(real) and real != here and real not in here.parents:
        yield prefix
    else:
        yield from (prefix / name for name in PARTS if (prefix / name).exists())


def own_places(solution: Solution) -> Iterator[Path]:
    """Where the solution itself is: the directory it runs in, and that of the script it names.

    The script is the program, if it stands among no others, and the first file that the command
    names; of further ones each file is shown alone, and so is one in a wide directory.
    """
    yield solution.cwd
    first = True
    for number, word in enumerate(solution.argv):
        path = Path(os.path.abspath(solution.cwd / word))
        if "/" not in word or not path.is_file() or path.parent.name in (*BINS, SHIMS):
            continue
        if number == 0 and not first_line_of(path):
            continue
        real = Path(os.path.realpath(path.parent))
        yield path.parent if first and not is_wide(real) else path
        first = False
