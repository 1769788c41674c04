"""`shell-init`, through real shells and the installed program."""

import os
import pty
import select
import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from trapcli.commands import shell_init

EVAL = 'eval "$(trapcli shell-init)"\n'


@pytest.fixture
def shell(installed: Path, tmp_path: Path) -> Any:
    """Return a function that runs a script in a real shell, the installed program first on its PATH."""

    def start(name: Any, script: Any, path: Any = None, **env: Any) -> Any:
        program = shutil.which(name)
        if program is None:
            pytest.skip(f"{name} is not installed")
        environment = {
            **os.environ,
            "PATH": path or f"{installed.parent}:{os.environ['PATH']}",
            "HOME": str(tmp_path),
        }
        options = {"bash": ["--norc"], "zsh": ["-f"], "fish": ["--no-config"]}[name]
        return subprocess.run(
            [program, *options, "-c", script],
            cwd=tmp_path,
            env={**environment, **env},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
        )

    return start


def assert_same_with_and_without(shell: Any, name: Any, script: Any) -> None:
    """Assert that the script's outcome does not depend on whether the function is defined."""
    plain, ours = shell(name, script), shell(name, EVAL + script)
    assert (ours.returncode, ours.stdout) == (plain.returncode, plain.stdout)
    assert bool(ours.stderr) == bool(plain.stderr), ours.stderr + plain.stderr


@pytest.mark.slow
@pytest.mark.parametrize("name", ["bash", "zsh", "fish"])
def test_trap_reaches_the_program(shell: Any, name: str) -> None:
    """After the README's line `trap` runs our commands, with their arguments and exit codes."""
    done = shell(
        name, EVAL + "trap --version; trap build --help; trap --help; trap shell-init 'no such shell'"
    )
    assert done.returncode == 2
    assert "trapcli 0" in done.stdout
    assert "Usage: trapcli build " in done.stdout
    assert "Usage: trapcli [OPTIONS]" in done.stdout
    assert "no such shell" in done.stderr


def test_without_the_function_bash_refuses(shell: Any) -> None:
    """Without the function `trap build --help` goes to the builtin, as the README says."""
    done = shell("bash", "trap build --help")
    assert done.returncode != 0
    assert "invalid signal specification" in done.stderr


def test_calibrate_never_sets_a_signal_handler(shell: Any) -> None:
    """`trap calibrate --trials 10`, which the builtin would take for a handler, goes to the program."""
    done = shell("bash", EVAL + "trap calibrate --trials 10 --suite nowhere; builtin trap -p")
    assert done.stdout == ""
    assert "Error" in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    "script",
    [
        "trap 'echo bye' EXIT; echo hi",
        "trap 'echo bye' 0; echo hi",
        "trap -- 'echo bye' EXIT; trap - EXIT; echo hi",
        "trap",
        "trap -l",
        "trap -p",
        "trap 'echo bye' EXIT; trap '' INT; trap 'echo a b' TERM USR1; trap; trap -p",
        "trap 'echo bye' TERM USR1; trap -p TERM; trap - TERM; trap -p",
        "trap 'echo got $1' USR1; kill -USR1 $$; echo hi",
        "trap '' USR1; kill -USR1 $$; echo hi; trap - USR1; trap -p",
        "(trap 'echo inner' EXIT; echo sub); echo out",
        "trap 'echo outer' EXIT; (trap; trap 'echo inner' EXIT); echo out",
        "trap 'echo x' INT; echo \"[$(trap)] [$(trap -p)] [$(trap -p INT)]\"; (trap)",
        "f() { trap 'echo bye $1' EXIT; echo in; }; f 1; echo out",
        "f() { trap 'echo bye' INT; trap; }; f; trap",
        "trap EXIT; echo $?; trap nonsense; echo $?; trap 'echo x' NONSENSE; echo $?",
        "trap -x; echo $?",
        "set -e; trap 'echo bye' EXIT; false; echo no",
        "set -e; trap nonsense; echo no",
        "set -u; trap; trap 'echo bye' EXIT",
        "set -x; trap 'echo bye' EXIT",
        "trap $'echo \"a  b\"\\necho \\'c\\' \\\\ $((1 + 1)) *' EXIT",
        "trap 'trap \"echo second\" EXIT; echo first' USR1; kill -USR1 $$; echo hi",
        "build() { echo my own; }; trap build EXIT; trap 'judge' INT TERM; trap; trap inspect SIGINT; trap",
        "touch build judge EXIT; trap 'cat build' EXIT; echo hi",
        "trap 'echo bye' EXIT; exec true",
        "false; trap 'echo $?' EXIT",
        "IFS=,; trap 'echo bye' EXIT INT; trap",
        "trap 'echo e' ERR; false; echo hi",
        "f() { trap 'echo e' ERR; false; }; f; echo hi",
        "trap 'echo d' DEBUG; true",
    ],
)
def test_every_other_use_in_bash_is_the_builtin(shell: Any, script: str) -> None:
    """Signals, EXIT, listing, subshells, functions and mistakes: bash does what it did."""
    assert_same_with_and_without(shell, "bash", script)


@pytest.mark.slow
def test_what_a_function_changes_in_bash(shell: Any) -> None:
    """ERR, DEBUG and RETURN traps change in the ways that the script's own comment describes."""
    for name in ("ERR", "DEBUG", "RETURN"):
        hidden = f"builtin trap 'echo t >&2' {name}; trap -p {name}; trap - {name}; builtin trap -p {name}"
        assert shell("bash", EVAL + hidden).stdout == f"trap -- 'echo t >&2' {name}\n"
        replaced = f"builtin trap 'echo t >&2' {name}; trap 'echo u >&2' {name}; builtin trap -p {name}"
        assert shell("bash", EVAL + replaced).stdout == f"trap -- 'echo u >&2' {name}\n"
    once_more = "f() { trap 'echo back' RETURN; echo in; }; f"
    assert shell("bash", once_more).stdout == "in\nback\n"
    assert shell("bash", EVAL + once_more).stdout == "back\nin\nback\n"
    assert "ERR, DEBUG and RETURN" in shell("bash", "trapcli shell-init bash").stdout


def test_bash_in_posix_mode(shell: Any) -> None:
    """In POSIX mode, where a function cannot replace `trap`, the line says so and breaks nothing."""
    done = shell("bash", "set -o posix\n" + EVAL + "trap 'echo bye' EXIT; echo alive")
    assert done.stdout == "alive\nbye\n"
    assert "POSIX mode" in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    "script",
    [
        "trap 'echo bye' EXIT; echo hi",
        "trap 'echo bye' 0; echo hi",
        "trap -- 'echo bye' EXIT; trap; trap - EXIT; trap; echo hi",
        "trap",
        "trap 'echo bye' EXIT; trap '' INT; trap 'echo a b' TERM USR1; trap; trap - TERM; trap; trap -; trap",
        "trap 'echo got' USR1; kill -USR1 $$; echo hi",
        "(trap 'echo inner' EXIT; echo sub); echo out",
        "trap 'echo outer' EXIT; (trap; trap 'echo inner' EXIT); echo out",
        "f() { trap 'echo bye $1' EXIT; trap; echo in; }; f 1; echo out; trap",
        "f() { trap 'echo bye' 0 1 2 15; echo in; }; f; echo out; trap",
        "trap 'echo shell' EXIT; f() { trap 'echo bye' EXIT; trap 'echo i' INT; trap; }; f; echo out; trap",
        "trap 'echo o' INT; f() { setopt localoptions localtraps; trap 'echo i' INT; trap; }; f; trap",
        "() { trap 'echo bye' EXIT; echo in }; echo out",
        "setopt posixtraps; f() { trap 'echo bye' EXIT; echo in; }; f; echo out; trap",
        "setopt ksharrays shwordsplit; trap 'echo bye' EXIT INT; trap",
        "setopt err_exit; trap 'echo bye' EXIT; false; echo no",
        "setopt no_unset; trap; trap 'echo bye' EXIT",
        "trap 'echo x' NONSENSE; echo $?; trap NONSENSE; echo $?",
        "trap 'trap \"echo second\" EXIT; echo first' USR1; kill -USR1 $$; echo hi",
        "trap $'echo \"a  b\"\\necho \\'c\\' \\\\ $((1 + 1))' EXIT",
        "trap 'echo e' ZERR; false; trap; trap - ZERR; false; echo hi",
        "trap 'echo e' ERR; false; trap; trap - ERR; false; echo hi",
        "build() { echo my own; }; trap build EXIT; trap 'judge' INT TERM; trap; trap inspect SIGINT; trap",
        "false; trap 'echo $?' EXIT",
    ],
)
def test_every_other_use_in_zsh_is_the_builtin(shell: Any, script: str) -> None:
    """EXIT traps of the shell and of functions, local traps, listing: zsh does what it did."""
    assert_same_with_and_without(shell, "zsh", script)


@pytest.mark.slow
@pytest.mark.parametrize(
    "script",
    [
        "trap 'echo bye' EXIT; echo hi",
        "trap",
        "trap -l",
        "trap -p",
        "trap 'echo got' USR1; kill -USR1 $fish_pid; echo hi",
        "trap 'echo got' SIGUSR1; trap -p; trap - USR1; trap -p",
        "trap '' INT; trap -p; trap INT; trap",
        "function f; trap 'echo bye' EXIT; echo in; end; f; echo out",
        "function build; echo my own; end; trap build EXIT; trap inspect INT SIGTERM; trap -p",
    ],
)
def test_every_other_use_in_fish_is_its_own_function(shell: Any, script: str) -> None:
    """fish's `trap`, itself a function, does what it did."""
    assert_same_with_and_without(shell, "fish", script)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["bash", "zsh", "fish"])
def test_evaluated_twice(shell: Any, name: str) -> None:
    """Evaluating the line twice, from two start-up files, works like evaluating it once."""
    done = shell(name, EVAL + EVAL + "trap 'echo bye' EXIT; trap --version")
    assert done.stdout.startswith("trapcli ") and done.stdout.endswith("bye\n")
    assert done.stderr == ""


@pytest.mark.parametrize("name", ["bash", "zsh", "fish"])
def test_nothing_on_stderr(shell: Any, name: str) -> None:
    """The line in a start-up file adds no output of its own."""
    done = shell(name, EVAL)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.slow
def test_the_script_starts_no_process(shell: Any, installed: Path, tmp_path: Path) -> None:
    """The script is the same where no other program can be found."""
    tools = tmp_path / "bin"
    tools.mkdir()
    (tools / "trapcli").symlink_to(installed)
    for name in shell_init.SHELLS:
        alone = shell("bash", f"trapcli shell-init {name}", path=str(tools))
        assert alone.stderr == ""
        assert alone.stdout == shell("bash", f"trapcli shell-init {name}").stdout


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ("trapcli bu", "build"),
        ("trapcli ", "build judge calibrate inspect shell-init"),
        ("trapcli shell-init z", "zsh"),
        ("trap bu", "build"),
        ("trap ", "build judge calibrate inspect shell-init"),
        ("trap shell-init ", "bash zsh fish"),
        ("trap 'echo' SIGI", "SIGINT SIGILL SIGIO"),
        ("trap bla", ""),
    ],
)
def test_completion_in_bash(shell: Any, words: str, offered: str) -> None:
    """The registered functions complete our commands, and signals for the builtin."""
    script = f"""
        line=({words} "")
        [[ '{words}' == *' ' ]] || unset 'line[-1]'
        COMP_WORDS=("${{line[@]}}") COMP_CWORD=$((${{#line[@]}} - 1))
        registered=$(complete -p "${{line[0]}}")
        [[ $registered =~ -F\\ ([^ ]+) ]] && "${{BASH_REMATCH[1]}}" "${{line[0]}}" "${{line[-1]}}" x
        echo "${{COMPREPLY[*]}}"
        echo "$type$value$completion"
    """
    done = shell("bash", EVAL + script)
    assert done.stdout.splitlines() == [offered, ""], done.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("trapcli bu", ["build"]),
        ("trapcli ", ["build", "calibrate", "inspect", "judge", "shell-init"]),
        ("trapcli shell-init z", ["zsh"]),
        ("trap bu", ["build"]),
        ("trap ", ["build", "calibrate", "inspect", "judge", "shell-init"]),
        ("trap shell-init ", ["bash", "fish", "zsh"]),
        ("trap 'echo' IN", ["INT"]),
    ],
)
def test_completion_in_fish(shell: Any, line: str, offered: Any) -> None:
    """fish completes our commands, and signals for its own function."""
    done = shell("fish", EVAL + f'complete --do-complete "{line}"')
    assert [row.split("\t")[0] for row in done.stdout.splitlines()] == offered, done.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "prepare"),
    [("bash", "PS1='RE''ADY> '"), ("zsh", "PS1='RE''ADY> '; autoload -Uz compinit; compinit -u -D")],
)
def test_completion_at_a_prompt(installed: Path, tmp_path: Path, name: str, prepare: str) -> None:
    """Typing `trap bu`, TAB and ENTER at a real prompt runs `trap build`."""
    program = shutil.which(name)
    if program is None:
        pytest.skip(f"{name} is not installed")
    environment = {
        **os.environ,
        "PATH": f"{installed.parent}:{os.environ['PATH']}",
        "HOME": str(tmp_path),
        "TERM": "dumb",
    }
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(tmp_path)
        os.execve(program, [program, {"bash": "--norc", "zsh": "-f"}[name], "-i"], environment)
    try:
        os.write(terminal, f"{prepare}; {EVAL}".encode())
        shown = read_until(terminal, "READY> ")
        os.write(terminal, b"trap bu\t")
        shown += read_until(terminal, "trap build")
        os.write(terminal, b"--help\n")
        shown += read_until(terminal, "Usage: trapcli build ")
        os.write(terminal, b"trapcli insp\t")
        shown += read_until(terminal, "trapcli inspect")
    finally:
        os.close(terminal)
        os.waitpid(child, 0)
    assert "not found" not in shown


def read_until(terminal: Any, text: Any) -> Any:
    shown, deadline = "", time.monotonic() + 30
    while text not in shown:
        ready, _, _ = select.select([terminal], [], [], max(0, deadline - time.monotonic()))
        assert ready, f"no {text!r} in {shown!r}"
        shown += os.read(terminal, 65536).decode(errors="replace")
    return shown


def test_the_calling_shell(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without an argument the shell is the one that started us, else $SHELL's, else bash."""
    monkeypatch.setattr(os, "getppid", lambda: 0)
    for value, expected in [
        ("/usr/bin/zsh", "zsh"),
        ("/bin/fish", "fish"),
        ("/bin/dash", "bash"),
        ("", "bash"),
    ]:
        monkeypatch.setenv("SHELL", value)
        assert shell_init.calling_shell() == expected
    monkeypatch.delenv("SHELL")
    assert shell_init.calling_shell() == "bash"


@pytest.mark.skipif(not Path("/proc/self/comm").exists(), reason="the system does not show who our parent is")
@pytest.mark.parametrize("name", ["bash", "zsh", "fish"])
def test_the_calling_shell_wins_over_the_login_shell(shell: Any, name: str) -> None:
    """A bash gets bash's script, even if the login shell is fish."""
    other = "fish" if name != "fish" else "bash"
    done = shell(name, "trapcli shell-init; true", SHELL=f"/usr/bin/{other}")
    assert done.stdout.startswith(f"# trapcli for {name}.")


def test_an_unknown_shell_is_refused(run: Callable[..., Any]) -> None:
    """Another shell's name is a usage error that lists the choices."""
    done = run("shell-init", "tcsh")
    assert (done.code, done.out) == (2, "")
    assert "'bash', 'zsh', 'fish'" in done.err
