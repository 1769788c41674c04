"""Find the program that a command names, and the interpreter that its first line names."""

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from trapcli.core.errors import TrapError

SCRIPTS = (".py", ".sh", ".js", ".mjs", ".cjs", ".ts", ".rb", ".pl")
INTERPRETER = re.compile(r"(?:python|pypy)[0-9.]*|node|nodejs|bun|tsx|ruby|perl|(?:ba|da|k|z)?sh|fish")
HEAD = 256  # bytes of a script's first line, as in the kernel (BINPRM_BUF_SIZE)


def find_program(name: str, cwd: Path, environ: Mapping[str, str] = os.environ) -> Path:
    """Return where a command's program is.

    name: the command's first word; with a slash it is a path, else it is looked up along PATH.
    cwd: the directory the command runs in, where relative paths start.

    Raises TrapError, saying why, if there is no such program.
    """
    places = [""] if "/" in name else os.get_exec_path(dict(environ))
    paths = [Path(os.path.abspath(cwd / place / name)) for place in places]
    for path in paths:
        if os.path.isfile(path) and os.access(path, os.X_OK):
            return path
    raise TrapError(_why_missing(name, cwd, paths))


def _why_missing(name: str, cwd: Path, paths: Sequence[Path]) -> str:
    if "/" in name:
        path = paths[0]
        if path.is_dir():
            return f"{path} is a directory, not a program; as a solution it needs a trap.yaml."
        if path.exists():
            return f"{path} is not executable. Name what runs it ('python {name}'), or `chmod +x` it."
        return f"there is no program {path}."
    searched = f"there is no program {name!r} on PATH ({len(paths)} directories)"
    if (cwd / name).is_file():
        return f"{searched}; for the file in {cwd} write ./{name}, or name what runs it."
    if re.match(r"[A-Za-z_][A-Za-z0-9_]*=", name):
        return f"{searched}; to set a variable, begin with `env {name}`."
    return f"{searched}. The command runs without a shell: for a line of shell, write \"sh -c '...'\"."


def refuse_missing_interpreter(script: Path, cwd: Path) -> None:
    """Raise TrapError if the first line of a script names an interpreter that does not exist."""
    interpreter = next(iter(read_shebang(script)), None)
    if interpreter is not None and not os.path.isfile(cwd / interpreter):
        ending = " (the line ends as on Windows)" if interpreter.endswith("\r") else ""
        raise TrapError(f"the first line of {script} names {interpreter!r}, which does not exist{ending}.")


def refuse_missing_script(command: Sequence[str], cwd: Path, source: str) -> None:
    """Raise TrapError if a command is an interpreter and, directly after it, a script that does not exist.

    source: where the command is from, for the message.
    """
    words = list(command)
    if words and os.path.basename(words[0]) == "env":
        words = words[1:]
        while words and "=" in words[0]:
            words = words[1:]
    if len(words) < 2 or not INTERPRETER.fullmatch(os.path.basename(words[0])):
        return
    script = words[1]
    if script.endswith(SCRIPTS) and not script.startswith("-") and not os.path.exists(cwd / script):
        raise TrapError(
            f"{source}: there is no file {os.path.abspath(cwd / script)} for {words[0]} to run. The command "
            f"runs in {cwd}; name the file from there."
        )


def read_shebang(script: Path) -> tuple[str, ...]:
    """Return the interpreter in the first line of a script and its arguments; empty if it names none."""
    try:
        with script.open("rb") as file:
            head = file.read(HEAD)
    except OSError:
        return ()
    if not head.startswith(b"#!"):
        return ()
    words = head[2:].split(b"\n")[0].replace(b"\t", b" ").split(b" ")
    return tuple(os.fsdecode(word) for word in words if word)
