"""Run a solution under bubblewrap, where it finds nothing of a suite but its case's files.

Read-only: the system; the directories on PATH, with the prefix of an interpreter in one of them;
the solution's program and what it needs; the solution's directory. Writable: the trial's inputs,
outputs and HOME, and a /tmp that is discarded afterwards. Nothing else exists there, and what
`hidden_paths` finds among it is covered: directories look empty, files cannot be opened; only their
names are visible. A builtin solution is part of this program, so it sees the program. A setup_cmd
runs there too, and may also write to the solution's directory.

A solution has its own process ids, and nothing of it survives the end of its command. It has no
terminal and no capabilities. On SIGTERM bubblewrap ends at once, and the solution with it, without
time to clean up. A signal that ends the solution becomes exit code 128 + signal. The network stays,
this machine's included, because agents call their models over it; the plan may take it away, and
then only a loopback of its own is left. No wall helps on a practice suite, whose answers anyone can
compute: a solution may bring, or download, a copy of this program.
"""

import os
import shutil
import subprocess
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from trapcli.calibration.isolation.hidden_paths import (
    checkout,
    find_hidden,
    installed_in_prefix,
    this_program,
)
from trapcli.calibration.isolation.visible_paths import is_wide, own_places, program_places, user_home
from trapcli.calibration.records import Plan
from trapcli.calibration.solutions.environment import PRIVATE_TMP, TrialDirectories
from trapcli.core.errors import TrapError
from trapcli.suites.layout import RUNS
from trapcli.system.package import module_path
from trapcli.system.removal import own_directory

BWRAP = "bwrap"
PRIVATE = ("--die-with-parent", "--new-session", "--unshare-pid", "--unshare-ipc", "--as-pid-1")
# If we are root, bubblewrap keeps all capabilities by default: a solution could uncover the answers.
FLAGS = (*PRIVATE, "--cap-drop", "ALL")
NO_NETWORK = ("--unshare-net",)
FRESH = ("--proc", "/proc", "--dev", "/dev", "--tmpfs", PRIVATE_TMP, "--tmpfs", "/var/tmp")
# Settings that root can write even without capabilities.
KERNEL = ("/proc/sys", "/proc/sysrq-trigger")
SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/opt", "/nix", "/gnu")
NOTHING = "/dev/null"  # covers a hidden file; bound without --dev-bind, it cannot even be opened
PATIENCE = 60  # seconds for a check whether bubblewrap works

# The first process inside is a shell, and bubblewrap ends when it does: the kernel then ends all other
# processes there. A command that cannot be started ends with 127 or 126, as elsewhere.
EXEC = ("/bin/sh", "-c", '(exec "$@"); exit $?', "sh")
CHECK = ("/bin/sh", "-c", 'case $1 in */*) test -x "$1";; *) command -v -- "$1" >/dev/null;; esac', "sh")


@dataclass(frozen=True, slots=True)
class Sandbox:
    """The part of a bwrap command that all trials of a run share.

    begin: the words before the options for the trial's own directories.
    end: the words after them.
    """

    begin: tuple[str, ...]
    end: tuple[str, ...]


def isolated(
    argv: Sequence[str], plan: Plan, directories: TrialDirectories, *, setup: bool = False
) -> tuple[str, ...]:
    """Return the command that runs `argv` isolated.

    plan: of the run.
    directories: the trial's own, HOME among them; inside they have the same paths as outside.
    setup: whether it may write to the solution's directory.

    The command must be started with the variables that the solution's `environment` returns for an
    isolated trial, because those of bubblewrap itself are visible inside. Raises TrapError if the
    solution's directory cannot be shown without what must be hidden.
    """
    solution = plan.solution
    halves = {_real(place) for suite in plan.suites for place in (suite.halves.public, suite.halves.private)}
    sandbox = _sandbox(
        solution.command,
        solution.cwd,
        ours=not solution.measures_agent,
        halves=tuple(sorted(halves)),
        setup=setup,
    )
    network = NO_NETWORK if plan.no_network else ()
    places = filter(None, (directories.inputs, directories.outputs, directories.home))
    binds = [word for place in places for word in ("--bind", os.path.realpath(place), str(place))]
    return (*sandbox.begin, *network, *binds, *sandbox.end, "--", *EXEC, *argv)


@contextmanager
def setup_walls(plan: Plan, argv: Sequence[str]) -> Iterator[tuple[tuple[str, ...], dict[str, str]]]:
    """Yield the command that runs a setup isolated, and its variables; its HOME is gone afterwards."""
    with _empty_directories() as directories:
        env = plan.solution.environment(directories, isolate=True, allowed=plan.env)
        env = {name: value for name, value in env.items() if value != directories.manifest()}
        yield isolated(argv, plan, directories, setup=True), env
    _sandbox.cache_clear()  # something that it wrote may have to be hidden


@lru_cache(maxsize=8)  # a search for what must be hidden takes longer than a trial should wait
def _sandbox(
    command: tuple[str, ...], cwd: Path, ours: bool, halves: tuple[Path, ...], setup: bool
) -> Sandbox:
    """Return what all trials share.

    ours: whether the solution comes with this program and may see it.
    setup: whether it may write to its directory.
    """
    hidden = {*halves, _real(Path(RUNS))}
    around = {user_home()}
    if ours:
        own = [*this_program(), *(Path(place) for place in module_path() if not is_wide(_real(Path(place))))]
    else:
        own = [*own_places(command, cwd)]
        hidden.update(map(_real, this_program()))
        around.update(root for root in [checkout()] if root)
        _refuse_unhideable(cwd, hidden, around)
        for place in map(_real, own):
            if place.is_dir() and not _is_within(place, hidden):
                hidden.update(map(_real, find_hidden(place)))
        _refuse_unhideable(cwd, hidden, around)
    places = [Path(top) for top in SYSTEM]
    for place in (*own, *program_places(command, cwd, os.environ)):
        if not _is_within(_real(place), hidden) and _real(place) not in around:
            places.append(Path(os.path.abspath(place)))
    if not ours:
        hidden.update(_real(path) for place in places for path in installed_in_prefix(place))
    begin, end = _mounts(places, hidden | around, _real(cwd) if setup else None)
    return Sandbox((_bwrap(), *FLAGS, *begin), (*end, "--chdir", "/" if ours else str(cwd)))


def _refuse_unhideable(cwd: Path, hidden: Iterable[Path], around: Iterable[Path]) -> None:
    """Raise TrapError if the solution's directory cannot be shown without what must be hidden."""
    place = _real(cwd)
    if not place.is_dir():
        raise TrapError(f"--isolate: {cwd}, where the solution runs, is not a directory.")
    if is_wide(place) or place in around:
        raise TrapError(
            f"--isolate: the solution runs in {place}, and could see everything there. "
            "Put the solution in a directory of its own and run it from there, or name it: --solution DIR."
        )
    for path in hidden:
        if place == path or path in place.parents:
            raise TrapError(
                f"--isolate: the solution runs in {place}, which is inside {path}, and that must be hidden "
                "from it. Put the solution in a directory of its own, outside."
            )


def _mounts(places: Iterable[Path], hidden: set[Path], writable: Path | None) -> tuple[list[str], list[str]]:
    """Return bwrap's options that show the places without what is hidden, and those that must come last.

    writable: the real path of the place that can be written to, if there is one.

    The deeper path wins: a place inside something hidden is visible, and what is hidden inside that
    place is not. Mounts that would change nothing are left out.
    """
    visible: set[Path] = set()
    links: dict[Path, Path] = {}
    for place in places:
        if place.exists():
            visible.add(_follow(place, links))
    begin, end = [*_fresh_mounts()], ["--remount-ro", "/"]
    mounted: dict[Path, bool] = {}
    for path in sorted(visible | hidden, key=lambda path: (len(path.parts), path)):
        show = path not in hidden
        useless = show == _is_visible(path, mounted) and path != writable
        if useless or not os.path.lexists(path):
            continue
        mounted[path] = show
        if show:
            begin += ["--bind" if path == writable else "--ro-bind", str(path), str(path)]
        elif path.is_dir():
            begin += ["--tmpfs", str(path)]
            end += ["--remount-ro", str(path)]
        else:
            begin += ["--ro-bind", NOTHING, str(path)]
    for link, target in links.items():
        if not _is_visible(link, mounted):
            begin += ["--symlink", str(target), str(link)]
    return begin, end


def _fresh_mounts() -> list[str]:
    """Return bwrap's options for the directories that are new in each trial."""
    kernel = [word for path in KERNEL for word in ("--ro-bind-try", path, path)] if os.geteuid() == 0 else []
    return [*FRESH, *kernel]


def _is_visible(path: Path, mounted: Mapping[Path, bool]) -> bool:
    """Whether the mounts so far (path -> visible or not) show a path; without any, nothing is visible."""
    return next((mounted[place] for place in path.parents if place in mounted), False)


def _follow(place: Path, links: dict[Path, Path]) -> Path:
    """Return the real path of a place, and add the symbolic links on the way to `links`."""
    path = Path("/")
    for part in place.parts[1:]:
        path = path / part
        if path.is_symlink():
            links[path] = _real(path)
            path = links[path]
    return path


def _real(path: Path) -> Path:
    return Path(os.path.realpath(path))


def _is_within(path: Path, places: set[Path]) -> bool:
    return path in places or not places.isdisjoint(path.parents)


def _bwrap() -> str:
    found = shutil.which(BWRAP)
    if found is None:
        raise TrapError(
            "--isolate needs bubblewrap, but there is no program bwrap on PATH. Install it (the package is "
            "called bubblewrap), or leave --isolate out: the solution then runs as you and sees what you see."
        )
    return os.path.abspath(found)


def refuse_missing_bwrap(no_network: bool = False) -> None:
    """Raise TrapError if bubblewrap is not installed, or cannot do here what isolation needs."""
    flags = (*FLAGS, *NO_NETWORK) if no_network else FLAGS
    check = (_bwrap(), *flags, "--ro-bind", "/", "/", *_fresh_mounts(), "--remount-ro", "/", *EXEC[:2], ":")
    done = _run(check, os.environ, "/")
    if done.returncode:
        raise TrapError(
            f"--isolate: bubblewrap does not work here: {_last_line(done)}. It needs user namespaces, which "
            "a container or a kernel setting may forbid (such as kernel.unprivileged_userns_clone, or "
            "AppArmor's). Allow them, or leave --isolate out: the solution then runs as you."
        )


def refuse_unseen(plan: Plan) -> None:
    """Raise TrapError if the plan's solution cannot be isolated, or cannot see its own program then."""
    solution = plan.solution
    with _empty_directories() as directories:
        env = solution.environment(directories, isolate=True, allowed=plan.env)
        program = solution.command[0] if solution.command else "sh"
        done = _run(isolated((*CHECK, program), plan, directories), env, "/")
    if done.returncode:
        raise TrapError(
            f"--isolate: an isolated solution cannot find its program {program!r}"
            f"{f' ({_last_line(done)})' if done.stderr else ''}: it sees the system, the directories on PATH "
            f"and its own directory, {solution.cwd}. Put the program into one of these."
        )


@contextmanager
def _empty_directories() -> Iterator[TrialDirectories]:
    """Yield directories as a trial has them, but without a case; then remove them."""
    with own_directory() as place:
        scratch = Path(os.path.realpath(place))
        for name in ("inputs", "outputs", "home"):
            (scratch / name).mkdir()
        yield TrialDirectories(scratch / "inputs", scratch / "outputs", scratch / "home")


def _run(argv: Sequence[str], env: Mapping[str, str], cwd: str) -> "subprocess.CompletedProcess[bytes]":
    try:
        return subprocess.run(
            argv, env=env, cwd=cwd, stdin=subprocess.DEVNULL, capture_output=True, timeout=PATIENCE
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise TrapError(f"--isolate: bubblewrap cannot be started: {error}.") from error


def _last_line(done: "subprocess.CompletedProcess[bytes]") -> str:
    lines = done.stderr.decode("utf-8", "replace").strip().splitlines()
    return lines[-1].rstrip(".") if lines else f"exit code {done.returncode}"
