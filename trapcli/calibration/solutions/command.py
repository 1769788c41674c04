"""What is measured: a command, from --solution to a process about to start."""

import json
import os
import re
import subprocess
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from trapcli.calibration.records import Solution
from trapcli.calibration.solutions.builtin import FORMS, PREFIX, read_builtin
from trapcli.calibration.solutions.trap_yaml import FILE, VARIABLE, Unusable, read_trap_yaml, split_command
from trapcli.core.errors import TrapError

YAML = (".yaml", ".yml")
TAIL_BYTES, TAIL_LINES = 4096, 8  # of what a setup that failed printed

# Never for a solution: what is ours, and what tells where we were started and by which program.
OURS = ("TRAPTASK_MANIFEST", "_TRAPCLI_COMPLETE", "OLDPWD", "_")
OUR_PREFIX = "TRAPCLI_"
CERTIFICATES = (
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "REQUESTS_CA_BUNDLE",
    "CURL_CA_BUNDLE",
    "NODE_EXTRA_CA_CERTS",
)
LET_THROUGH = ("PATH", "LANG", "LANGUAGE", "TERM", "COLORTERM", "NO_COLOR", "TZ", *CERTIFICATES)
SET_BY_US = ("HOME", "TMPDIR", "PWD")
PRIVATE_TMP = "/tmp"  # under isolation it is the trial's own


def read_solution(given: str, cwd: Path) -> Solution:
    """The solution that `--solution given` names, from the directory `cwd`.

    In this order: a builtin; a directory that has a trap.yaml; a YAML file that exists; a
    command, which runs in `cwd`. Raises TrapError if it names nothing that can be run.
    """
    cwd = Path(os.path.abspath(cwd))
    if given.startswith(PREFIX):
        text = given.removeprefix(PREFIX)
        read_builtin(text)
        return Solution(given, (), cwd, builtin=text)
    path = cwd / given
    if given.strip() and os.path.isdir(path):  # unlike Path.is_dir, not troubled by a name that is too long
        return read_trap_yaml(path / FILE, given)
    if given.endswith(YAML) and os.path.exists(path):
        return read_trap_yaml(path, given)
    try:
        argv = split_command(given)
    except Unusable as error:
        raise TrapError(
            f"--solution: {error}. Give a command ('python agent.py'), a directory with a {FILE}, or {FORMS}."
        ) from error
    _refuse_lost_path(argv, path)
    return Solution(given, argv, cwd)


def _refuse_lost_path(argv: Sequence[str], path: Path) -> None:
    """TrapError for one word that reads as a path to a solution, though nothing is there."""
    word = argv[0]
    if len(argv) > 1:
        return
    if word.startswith(("git+", "http://", "https://")):
        raise TrapError(f"--solution {word}: clone it, and give the directory that has its {FILE}.")
    if word.endswith(("/", *YAML)):
        kind = "directory" if word.endswith("/") else "file"
        raise TrapError(f"--solution {word}: there is no such {kind}: {path} is missing.")


def refuse_missing(solution: Solution, environ: Mapping[str, str] = os.environ) -> None:
    """TrapError if the program of the solution's command is not to be found, or cannot be run."""
    if solution.builtin:
        return
    if not solution.cwd.is_dir():
        raise TrapError(f"--solution {solution.given}: {solution.cwd}, where it runs, is no directory.")
    script = program_of(solution, environ)
    interpreter = next(iter(first_line_of(script)), None)
    if interpreter is not None and not os.path.isfile(solution.cwd / interpreter):
        ending = ", with the line ending of Windows" if interpreter.endswith("\r") else ""
        raise TrapError(
            f"--solution {solution.given}: the first line of {script} names {interpreter!r}{ending}, "
            "which is not there."
        )


def program_of(solution: Solution, environ: Mapping[str, str] = os.environ) -> Path:
    """Where the command's program is, looked up as the process that starts it does.

    With a slash in its name from the solution's directory, else along PATH. Raises TrapError.
    """
    name = solution.argv[0]
    places = [""] if "/" in name else os.get_exec_path(dict(environ))
    paths = [Path(os.path.abspath(solution.cwd / place / name)) for place in places]
    for path in paths:
        if os.path.isfile(path) and os.access(path, os.X_OK):
            return path
    raise TrapError(f"--solution {solution.given}: {_why_missing(solution, paths)}")


def _why_missing(solution: Solution, paths: Sequence[Path]) -> str:
    name = solution.argv[0]
    if "/" in name:
        path = paths[0]
        if path.is_dir():
            return f"{path} is a directory, not a program; as a solution it needs a {FILE}."
        if path.exists():
            return f"{path} is not executable. Name what runs it ('python {name}'), or `chmod +x` it."
        return f"there is no program {path}."
    looked = f"there is no program {name!r} on PATH ({len(paths)} directories)"
    if (solution.cwd / name).is_file():
        return f"{looked}; for the file in {solution.cwd} write ./{name}, or name what runs it."
    if re.match(r"[A-Za-z_][A-Za-z0-9_]*=", name):
        return f"{looked}; to set a variable, begin with `env {name}`."
    return f"{looked}. There is no shell in between: for a line of shell, write \"sh -c '...'\"."


def first_line_of(script: Path) -> tuple[str, ...]:
    """The interpreter that the first line of a script names, with its arguments; nothing if it names none."""
    try:
        with script.open("rb") as file:
            head = file.read(256)
    except OSError:
        return ()
    if not head.startswith(b"#!"):
        return ()
    words = head[2:].split(b"\n")[0].replace(b"\t", b" ").split(b" ")
    return tuple(os.fsdecode(word) for word in words if word)


def run_setup(solution: Solution, environ: Mapping[str, str] = os.environ) -> None:
    """Run the solution's setup_cmd, if it has one, by the shell in its directory, with no time limit.

    It gets all variables but ours and is never isolated: what it prepares is there for all
    trials. Raises TrapError, with the end of what it printed, if it fails.
    """
    if not solution.setup_cmd:
        return
    # A file, not a pipe: a server that it leaves in the background would hold a pipe open.
    with tempfile.TemporaryFile() as printed:
        done = subprocess.run(
            ["/bin/sh", "-c", solution.setup_cmd],
            cwd=solution.cwd,
            env=without_ours(environ),
            stdin=subprocess.DEVNULL,
            stdout=printed,
            stderr=subprocess.STDOUT,
        )
        if done.returncode == 0:
            return
        printed.seek(max(0, printed.seek(0, os.SEEK_END) - TAIL_BYTES))
        lines = printed.read().decode("utf-8", "replace").split("\n")
    ended = f"exit code {done.returncode}" if done.returncode > 0 else f"signal {-done.returncode}"
    said = "\n".join(f"  {line}" for line in lines if line.strip())
    tail = "\n".join(said.splitlines()[-TAIL_LINES:]) or "  (it printed nothing)"
    raise TrapError(
        f"--solution {solution.given}: its setup_cmd failed with {ended}: {solution.setup_cmd}\n{tail}"
    )


def without_ours(environ: Mapping[str, str] = os.environ) -> dict[str, str]:
    """The variables without ours, and without the manifest of a run that we may be part of."""
    return {
        name: value
        for name, value in environ.items()
        if name not in OURS and not name.startswith(OUR_PREFIX) and not _is_manifest(value)
    }


def _is_manifest(value: str) -> bool:
    """Whether the value is the manifest of a trial, whatever its variable is called."""
    if value.startswith("{") and '"inputs_dir"' in value:
        with suppress(ValueError, RecursionError):
            return isinstance(json.loads(value), dict)
    return False


def refuse_unset(names: Iterable[str], environ: Mapping[str, str] = os.environ) -> None:
    """TrapError if a name given with --env is no variable that can be let through."""
    for name in names:
        if not VARIABLE.fullmatch(name):
            raise TrapError(f"--env {name}: give the name of a variable; its value is the one set here.")
        if name in SET_BY_US or name in OURS or name.startswith(OUR_PREFIX):
            raise TrapError(f"--env {name}: this one cannot be let through; each trial has its own, or none.")
        if name not in environ:
            raise TrapError(f"--env {name}: it is not set here. Set it, or leave the option out.")


def solution_env(
    solution: Solution,
    *,
    inputs: Path,
    outputs: Path,
    home: Path | None = None,
    isolate: bool = False,
    names: Sequence[str] = (),
    environ: Mapping[str, str] = os.environ,
) -> dict[str, str]:
    """The variables of a trial: ours removed, the manifest put in.

    home: a fresh directory, to stand for HOME; then no XDG_* points elsewhere. isolate: only
    what is harmless is let through, and `names`; it needs a home. PWD is the solution's directory.
    """
    env = without_ours(environ)
    if isolate:
        env = {name: value for name, value in env.items() if _let_through(name) or name in names}
        env["TMPDIR"] = PRIVATE_TMP
    if home is not None:
        env = {name: value for name, value in env.items() if not name.startswith("XDG_") or name in names}
        env["HOME"] = str(home)
    env.pop("TRAP_MANIFEST", None)
    env["PWD"] = str(solution.cwd)
    env[solution.manifest_envvar] = json.dumps({"inputs_dir": str(inputs), "outputs_dir": str(outputs)})
    return env


def _let_through(name: str) -> bool:
    return name in LET_THROUGH or name.startswith("LC_")
