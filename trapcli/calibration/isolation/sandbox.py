"""Running a solution where nothing of a suite but its inputs can be found, with bubblewrap.

Seen, read-only: the system; the directories on PATH, with the prefix of an interpreter that is
there; the solution's program with what it needs; the solution's directory. Writable: a trial's
inputs, outputs and HOME, and a /tmp that is gone afterwards. All else is not there, and what
`trapcli.calibration.isolation.hidden_paths` finds among what is seen is covered: directories look empty, files
cannot be read; only their names can be learnt. A builtin solution is this program, so it sees it.

A solution has process ids of its own, and when its command ends, nothing of it is left. It has
no terminal, no capabilities, and no warning: on SIGTERM bubblewrap ends at once, and it with it.
One that a signal ends exits with 128 + signal. It keeps the network, that of this machine
included, since agents call their models over it: on a practice suite, which anyone can build
again, it could fetch this program from there.
"""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from trapcli.calibration.execution.child_process import module_path
from trapcli.calibration.isolation.hidden_paths import (
    KEPT,
    checkout,
    found_below,
    installed_in_prefix,
    this_program,
)
from trapcli.calibration.isolation.visible_paths import home, is_wide, own_places, programs
from trapcli.calibration.records import Plan, Solution
from trapcli.calibration.solutions.command import PRIVATE_TMP, solution_env
from trapcli.core.errors import TrapError

PROGRAM = "bwrap"
PRIVATE = ("--die-with-parent", "--new-session", "--unshare-pid", "--unshare-ipc", "--as-pid-1")
# To root, bubblewrap would leave all capabilities: it could take away what covers the answers.
FLAGS = (*PRIVATE, "--cap-drop", "ALL")
FRESH = ("--proc", "/proc", "--dev", "/dev", "--tmpfs", PRIVATE_TMP, "--tmpfs", "/var/tmp")
# Settings that root could write even without capabilities.
KERNEL = ("/proc/sys", "/proc/sysrq-trigger")
SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/opt", "/nix", "/gnu")
NOTHING = "/dev/null"  # stands for a hidden file: bound without --dev-bind it cannot even be opened
WRITABLE = ("inputs", "outputs", "home")  # of a trial's own directory
PATIENCE = 60  # seconds for a look whether bubblewrap works

# A shell is the first process inside, and bubblewrap ends when it does: then the kernel has ended
# all others there. A command that cannot be started ends with 127 or 126, as elsewhere.
EXEC = ("/bin/sh", "-c", '(exec "$@"); exit $?', "sh")
LOOK = ("/bin/sh", "-c", 'case $1 in */*) test -x "$1";; *) command -v -- "$1" >/dev/null;; esac', "sh")


@dataclass(frozen=True, slots=True)
class Sandbox:
    """What all trials of a run share: the command up to a trial's own directories, and after them."""

    begin: tuple[str, ...]
    end: tuple[str, ...]


def isolated(argv: Sequence[str], plan: Plan, scratch: Path) -> tuple[str, ...]:
    """The command that runs `argv`, of a trial of the plan, isolated.

    scratch: the trial's own directory, in which there are `inputs`, `outputs` and `home`; inside
    they stand where they stand outside. The command must be started with the variables that
    `solution_env` gives with `isolate`, since those of bubblewrap itself can be seen inside.
    Raises TrapError if what must be hidden cannot be told from the solution.
    """
    sandbox = _sandbox_of(plan)
    places = [str(scratch / name) for name in WRITABLE]
    own = [word for place in places for word in ("--bind", os.path.realpath(place), place)]
    return (*sandbox.begin, *own, *sandbox.end, "--", *EXEC, *argv)


def _sandbox_of(plan: Plan) -> Sandbox:
    solution = plan.solution
    halves = {_real(place) for suite in plan.suites for place in (suite.directory, suite.expected)}
    builtin = bool(solution.builtin)
    return _sandbox(solution.given, solution.argv, solution.cwd, builtin, tuple(sorted(halves)))


@lru_cache(maxsize=8)  # searching for what is to be hidden takes longer than a trial should wait
def _sandbox(
    given: str, argv: tuple[str, ...], cwd: Path, builtin: bool, halves: tuple[Path, ...]
) -> Sandbox:
    solution = Solution(given, argv, cwd)
    secret = {*halves, _real(Path(KEPT))}
    around = {home()}
    if builtin:
        own = [*this_program(), *(Path(place) for place in module_path() if not is_wide(_real(Path(place))))]
    else:
        own = [*own_places(solution)]
        secret.update(map(_real, this_program()))
        around.update(root for root in [checkout()] if root)
        _refuse_mixed(solution, secret, around)
        for place in map(_real, own):
            if place.is_dir() and not _within(place, secret):
                secret.update(map(_real, found_below(place)))
        _refuse_mixed(solution, secret, around)
    places = [Path(top) for top in SYSTEM]
    for place in (*own, *programs(solution, os.environ)):
        if not _within(_real(place), secret) and _real(place) not in around:
            places.append(Path(os.path.abspath(place)))
    if not builtin:
        secret.update(_real(path) for place in places for path in installed_in_prefix(place))
    begin, end = _mounts(places, secret | around)
    return Sandbox((_bwrap(), *FLAGS, *begin), (*end, "--chdir", "/" if builtin else str(cwd)))


def _refuse_mixed(solution: Solution, secret: Iterable[Path], around: Iterable[Path]) -> None:
    """TrapError if the solution's directory cannot be shown without what is to be hidden."""
    place = _real(solution.cwd)
    if not place.is_dir():
        raise TrapError(f"--isolate: {solution.cwd}, where the solution runs, is no directory.")
    if is_wide(place) or place in around:
        raise TrapError(
            f"--isolate: the solution runs in {place}, and all of that would be shown to it. "
            "Put the solution in a directory of its own and run it from there, or name that: --solution DIR."
        )
    for path in secret:
        if place == path or path in place.parents:
            raise TrapError(
                f"--isolate: the solution runs in {place}, which lies in what must be hidden from it, "
                f"{path}. Put the solution in a directory of its own, outside."
            )


def _mounts(places: Iterable[Path], hidden: set[Path]) -> tuple[list[str], list[str]]:
    """bwrap's options that show the places without what is hidden in them, and those that come last.

    What stands deeper wins: a place within something hidden is shown, and what is hidden within
    that is not. Nothing is mounted that would change nothing.
    """
    shown: set[Path] = set()
    links: dict[Path, Path] = {}
    for place in places:
        if place.exists():
            shown.add(_followed(place, links))
    begin, end = [*_fresh()], ["--remount-ro", "/"]
    seen: dict[Path, bool] = {}
    for path in sorted(shown | hidden, key=lambda path: (len(path.parts), path)):
        show = path not in hidden
        if show == _visible(path, seen) or not os.path.lexists(path):
            continue
        seen[path] = show
        if show:
            begin += ["--ro-bind", str(path), str(path)]
        elif path.is_dir():
            begin += ["--tmpfs", str(path)]
            end += ["--remount-ro", str(path)]
        else:
            begin += ["--ro-bind", NOTHING, str(path)]
    for link, target in links.items():
        if not _visible(link, seen):
            begin += ["--symlink", str(target), str(link)]
    return begin, end


def _fresh() -> list[str]:
    """bwrap's options for what is the trial's own from the start."""
    kernel = [word for path in KERNEL for word in ("--ro-bind-try", path, path)] if os.geteuid() == 0 else []
    return [*FRESH, *kernel]


def _visible(path: Path, seen: Mapping[Path, bool]) -> bool:
    """Whether the path is shown by what is mounted so far: nothing is, unless something shows it."""
    return next((seen[place] for place in path.parents if place in seen), False)


def _followed(place: Path, links: dict[Path, Path]) -> Path:
    """Where the place really is; the symbolic links on the way are added to `links`."""
    path = Path("/")
    for part in place.parts[1:]:
        path = path / part
        if path.is_symlink():
            links[path] = _real(path)
            path = links[path]
    return path


def _real(path: Path) -> Path:
    return Path(os.path.realpath(path))


def _within(path: Path, places: set[Path]) -> bool:
    return path in places or not places.isdisjoint(path.parents)


def _bwrap() -> str:
    found = shutil.which(PROGRAM)
    if found is None:
        raise TrapError(
            "--isolate needs bubblewrap, and there is no program bwrap on PATH. Install it (the package is "
            "called bubblewrap), or leave --isolate out: then the solution runs as you and sees what you see."
        )
    return os.path.abspath(found)


def refuse_missing_bwrap() -> None:
    """TrapError if bubblewrap is not installed, or cannot do here what isolation needs."""
    look = (_bwrap(), *FLAGS, "--ro-bind", "/", "/", *_fresh(), "--remount-ro", "/", *EXEC[:2], ":")
    done = _run(look, os.environ, "/")
    if done.returncode:
        raise TrapError(
            f"--isolate: bubblewrap does not work here: {_said(done)}. It needs user namespaces, which a "
            "container or a setting of the kernel may forbid (such as kernel.unprivileged_userns_clone, or "
            "AppArmor's). Allow them, or leave --isolate out: then the solution runs as you."
        )


def refuse_unseen(plan: Plan) -> None:
    """TrapError if the plan's solution cannot be isolated, or if its program is not to be found inside."""
    solution = plan.solution
    with tempfile.TemporaryDirectory() as place:
        scratch = Path(os.path.realpath(place))
        for name in WRITABLE:
            (scratch / name).mkdir()
        env = solution_env(
            solution,
            inputs=scratch / "inputs",
            outputs=scratch / "outputs",
            home=scratch / "home",
            isolate=True,
            names=plan.env,
        )
        program = solution.argv[0] if solution.argv else "sh"
        done = _run(isolated((*LOOK, program), plan, scratch), env, "/")
    if done.returncode:
        raise TrapError(
            f"--isolate: {program!r} is not to be found by a solution that is isolated"
            f"{f' ({_said(done)})' if done.stderr else ''}: it sees the system, the directories on PATH and "
            f"its own directory, {solution.cwd}. Put the program into one of these."
        )


def _run(argv: Sequence[str], env: Mapping[str, str], cwd: str) -> "subprocess.CompletedProcess[bytes]":
    try:
        return subprocess.run(
            argv, env=env, cwd=cwd, stdin=subprocess.DEVNULL, capture_output=True, timeout=PATIENCE
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise TrapError(f"--isolate: bubblewrap cannot be started: {error}.") from error


def _said(done: "subprocess.CompletedProcess[bytes]") -> str:
    lines = done.stderr.decode("utf-8", "replace").strip().splitlines()
    return lines[-1].rstrip(".") if lines else f"exit code {done.returncode}"
