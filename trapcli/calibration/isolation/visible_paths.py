"""What a command needs to see when everything else is hidden from it: programs, interpreters, scripts."""

import os
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from trapcli.calibration.solutions.environment import CERTIFICATES
from trapcli.calibration.solutions.programs import find_program, read_shebang

BINS = ("bin", "sbin", "condabin")
SHIMS = "shims"  # of pyenv and the like: scripts that look for the real program beside them
VENV = "pyvenv.cfg"
# What belongs to an interpreter in a prefix that contains other things too, such as a venv in a home.
PARTS = ("bin", "lib", "lib64", "include", "share", "libexec", "ssl", VENV)
# Directories that many things share: neither these nor what is around them is ever visible as a whole.
SHARED = ("/usr", "/etc", "/opt", "/home", "/root", "/tmp", "/var/tmp", "/proc", "/dev", "/sys", "/run")


def user_home() -> Path:
    """Return the user's home directory, without symbolic links."""
    return Path(os.path.realpath(os.path.expanduser("~")))


def is_wide(path: Path) -> bool:
    """Whether the directory is, or contains, one that many things share, such as a home."""
    return any(place == path or path in place.parents for place in (user_home(), *map(Path, SHARED)))


def program_places(command: Sequence[str], cwd: Path, environ: Mapping[str, str]) -> Iterator[Path]:
    """Yield what the command's program and those on PATH need: directories, prefixes, single files.

    Each directory on PATH comes with its whole prefix if an interpreter is there. Also needed are
    the prefix of the interpreter that runs us, the certificates that variables name, and the file
    with the name servers, which may be a link to somewhere else.
    """
    for place in (sys.prefix, sys.base_prefix):
        yield from _prefix(Path(place))
    for place in os.get_exec_path(dict(environ)):
        if os.path.isabs(place) and os.path.isdir(place):
            yield from program_directory(Path(place))
    if command:
        yield from _program_chain(command, cwd, environ)
    for name in CERTIFICATES:
        if os.path.isabs(environ.get(name, "")):
            yield Path(environ[name])
    yield Path(os.path.realpath("/etc/resolv.conf"))


def _program_chain(command: Sequence[str], cwd: Path, environ: Mapping[str, str]) -> Iterator[Path]:
    """Follow symbolic links and first lines of scripts from the command's program to what runs it."""
    waiting = [find_program(command[0], cwd, environ)]
    seen: set[Path] = set()
    while waiting:
        path = waiting.pop()
        if path in seen:
            continue
        seen.add(path)
        if path.parent.name in (*BINS, SHIMS):
            yield from program_directory(path.parent)
        yield path
        if path.is_symlink():
            waiting.append(Path(os.path.abspath(path.parent / os.readlink(path))))
            continue
        interpreter, *words = read_shebang(path) or ("",)
        if os.path.basename(interpreter) == "env":
            name = next((word for word in words if word[0] != "-" and "=" not in word), "")
            words = [shutil.which(name, path=environ.get("PATH")) or ""]
        else:
            words = []
        waiting += [Path(os.path.abspath(cwd / word)) for word in (interpreter, *words) if word]


def program_directory(place: Path) -> Iterator[Path]:
    """Yield a directory of programs, or the prefix that it belongs to, and the base prefix of a venv."""
    parent = place.parent
    if place.name == SHIMS:
        yield from _prefix(parent)
    elif place.name in BINS and (parent / VENV).is_file():
        yield from _prefix(parent)
        for program in place.glob("python*"):
            yield from _prefix(Path(os.path.realpath(program)).parent.parent)
    elif place.name in BINS and (parent / "lib").is_dir() and parent != user_home() / ".local":
        yield from _prefix(parent)
    elif not is_wide(place):
        yield place


def _prefix(prefix: Path) -> Iterator[Path]:
    """Yield the prefix, or only an interpreter's parts if it is wide or contains the current directory."""
    real, here = Path(os.path.realpath(prefix)), Path(os.path.realpath(os.curdir))
    if not is_wide(real) and real != here and real not in here.parents:
        yield prefix
    else:
        yield from (prefix / name for name in PARTS if (prefix / name).exists())


def own_places(command: Sequence[str], cwd: Path) -> Iterator[Path]:
    """Yield where the solution itself is: the directory it runs in, and that of the script it names.

    The script is the first file that the command names, except a program that is a binary or is in a
    directory of programs. Of any further files, and of a script in a wide directory, only the file
    itself is visible.
    """
    yield cwd
    first = True
    for number, word in enumerate(command):
        path = Path(os.path.abspath(cwd / word))
        if "/" not in word or not path.is_file() or path.parent.name in (*BINS, SHIMS):
            continue
        if number == 0 and not read_shebang(path):
            continue
        real = Path(os.path.realpath(path.parent))
        yield path.parent if first and not is_wide(real) else path
        first = False
