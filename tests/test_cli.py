"""The program: commands, exit codes, streams."""

import errno
import os
import signal
import subprocess
import sys
import textwrap
import time
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import pytest
from checkout import MODULES, ROOT
from toy_family import declare

from trapcli import __version__, cli
from trapcli.cli import COMMANDS
from trapcli.core.errors import TrapError

ALL = ["build", "judge", "calibrate", "inspect", "shell-init"]


class Unprintable(Exception):
    """An exception whose message cannot be read."""

    def __str__(self) -> str:
        raise ValueError("no message")


@pytest.fixture
def probe(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return a function that registers a command `probe` with this body."""

    def register(body: Any) -> None:
        module = types.ModuleType("probe_command")
        command = click.Command("probe", callback=body, params=[click.Argument(["words"], nargs=-1)])
        vars(module)["command"] = command
        monkeypatch.setitem(sys.modules, "probe_command", module)
        monkeypatch.setitem(cli.COMMANDS, "probe", ("probe_command", "Do as the test says."))

    return register


def raising(error: Any) -> Any:
    def body(words: Any) -> Any:
        raise error

    return body


def raising_any(error: BaseException) -> Any:
    def function(*given: Any, **named: Any) -> Any:
        raise error

    return function


def process(body: Any, args: Any = ("probe",), **options: Any) -> Any:
    """Start the program in a process of its own, with a command `probe` that runs `body`."""
    code = f"""
        import sys, types, click
        from trapcli import cli
        module = sys.modules["probe_command"] = types.ModuleType("probe_command")
        @click.command("probe")
        def command():
            {body}
        module.command = command
        cli.COMMANDS["probe"] = ("probe_command", "Do as the test says.")
        sys.exit(cli.main({list(args)!r}))
    """
    options.setdefault("stderr", subprocess.PIPE)
    environment = {**os.environ, "PYTHONPATH": str(ROOT), **options.pop("env", {})}
    return subprocess.Popen([sys.executable, "-c", textwrap.dedent(code)], env=environment, **options)


def wait_for(started: Any) -> Any:
    out, err = started.communicate(timeout=30)
    return started.returncode, out, err.decode()


def test_help_lists_every_command(run: Callable[..., Any]) -> None:
    """`--help` and `-h` show all commands, each with a line of help, and a runnable example."""
    for option in ("--help", "-h"):
        done = run(option)
        assert (done.code, done.err) == (0, "")
        for name in ALL:
            assert f"  {name} " in done.out
            assert cli.COMMANDS[name][1] in done.out
        assert "trapcli build billing" in done.out


def test_help_imports_no_command() -> None:
    """Listing the commands imports none of their modules, nor rich, yaml or a family."""
    code = "import sys; from trapcli.cli import main; main(['--help']); print(*sys.modules, file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    loaded = done.stderr.split()
    assert "click" in loaded
    assert not [
        name
        for name in loaded
        if name.partition(".")[0] in ("rich", "yaml", "families")
        or name in [module for module, _ in COMMANDS.values()]
    ]


@pytest.mark.slow
@pytest.mark.parametrize("words", [[], *([name] for name in ALL)], ids=lambda words: "".join(words) or "none")
def test_help_does_not_depend_on_docstrings(run: Callable[..., Any], words: list[str]) -> None:
    """Under `python -OO`, which drops docstrings, every help is the same, to the byte."""
    command = [sys.executable, "-OO", "-m", "trapcli", *words, "--help"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, MODULES))}
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == run(*words, "--help").out
    assert len(done.stdout.split("Options:")[0].split()) > 10  # usage, and at least a sentence


@pytest.mark.parametrize("name", ALL)
def test_every_command_has_help_with_an_example(run: Callable[..., Any], name: str) -> None:
    """Each command's own help names it, says what it does, and shows a line to run."""
    done = run(name, "--help")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith(f"Usage: trapcli {name} ")
    assert "Example" in done.out
    assert f"  trapcli {name}" in done.out or f"$(trapcli {name}" in done.out
    assert run(name, "-h") == done


def test_lines_of_help_fit_and_have_no_commas() -> None:
    """A command's line in the list is a short sentence that fish's completion shows whole."""
    for _, text in cli.COMMANDS.values():
        assert text.endswith(".") and len(text) < 65
        assert "," not in text


def test_version(run: Callable[..., Any]) -> None:
    """`--version` prints the package's version, in one line."""
    assert run("--version") == (0, f"trapcli {__version__}\n", "")


def test_no_command(run: Callable[..., Any]) -> None:
    """Without a command the program shows its help and says, by its exit code, that nothing was done."""
    done = run()
    assert done.code == 2
    assert "Usage: trapcli" in done.out + done.err


@pytest.mark.parametrize(
    ("typed", "suggested"), [("biuld", "build"), ("calibrat", "calibrate"), ("shellinit", "shell-init")]
)
def test_unknown_command_suggests_a_close_one(run: Callable[..., Any], typed: str, suggested: str) -> None:
    """A mistyped command is a usage error that suggests the one with a similar name."""
    done = run(typed)
    assert (done.code, done.out) == (2, "")
    assert f"Error: no such command '{typed}'. Did you mean {suggested}?" in done.err


def test_unknown_command_lists_all_when_none_is_close(run: Callable[..., Any]) -> None:
    """A word unlike any command gets the list of commands."""
    done = run("zzz")
    assert done.code == 2
    assert "The commands are build, judge, calibrate, inspect, shell-init." in done.err


def test_unknown_option(run: Callable[..., Any]) -> None:
    """An option that does not exist is a usage error."""
    done = run("--nope")
    assert (done.code, done.out) == (2, "")
    assert "No such option" in done.err


@pytest.mark.slow
def test_the_name_it_was_called_by(run: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """Usage lines carry the name that was typed, trap or trapcli; any other is trapcli."""
    for given, shown in [("/usr/bin/trap", "trap"), ("trapcli", "trapcli"), ("x/__main__.py", "trapcli")]:
        monkeypatch.setattr(sys, "argv", [given, "shell-init", "--help"])
        done = subprocess.run(
            [
                sys.executable,
                "-c",
                f"import sys; sys.argv = {sys.argv!r}; from trapcli.cli import main; main()",
            ],
            cwd=ROOT,
            capture_output=True,
            text=True,
        )
        assert done.stdout.startswith(f"Usage: {shown} shell-init ")


@pytest.mark.parametrize("code", [0, 1, 2])
def test_a_command_returns_its_exit_code(run: Callable[..., Any], probe: Any, code: int) -> None:
    """What a command returns, or passes to `ctx.exit`, is the program's exit code."""
    probe(lambda words: code)
    assert run("probe").code == code
    probe(lambda words: click.get_current_context().exit(code))
    assert run("probe").code == code


def test_a_command_that_returns_nothing_is_done(run: Callable[..., Any], probe: Any) -> None:
    """A command that just returns has succeeded."""
    probe(lambda words: None)
    assert run("probe") == (0, "", "")


def test_trap_error(run: Callable[..., Any], probe: Any) -> None:
    """A user's mistake is one paragraph on stderr and exit code 2."""
    probe(raising(TrapError("traps/x is not a suite. Build one with `trapcli build`.")))
    assert run("probe") == (2, "", "Error: traps/x is not a suite. Build one with `trapcli build`.\n")


def test_usage_error(run: Callable[..., Any], probe: Any) -> None:
    """A usage error raised by a command, of whatever click class, is exit code 2."""
    for error in (
        click.UsageError("no"),
        click.BadParameter("no"),
        click.FileError("f", "no"),
        click.ClickException("no"),
    ):
        probe(raising(error))
        done = run("probe")
        assert (done.code, done.out) == (2, "")
        assert "no" in done.err and "Traceback" not in done.err


@pytest.mark.parametrize("error", [KeyboardInterrupt(), click.Abort()])
def test_interrupted(run: Callable[..., Any], probe: Any, error: Any) -> None:
    """An interrupt ends with exit code 130 and one word."""
    probe(raising(error))
    assert run("probe") == (130, "", "Interrupted.\n")


def test_interrupted_by_a_signal() -> None:
    """Ctrl-C in a running command is exit code 130, without a traceback."""
    running = process("print('started', flush=True); import time; time.sleep(30)", stdout=subprocess.PIPE)
    assert running.stdout.readline() == b"started\n"
    running.send_signal(signal.SIGINT)
    assert wait_for(running) == (130, b"", "Interrupted.\n")


@pytest.mark.parametrize(
    ("number", "text"), [(errno.ENOSPC, "No space left on device"), (errno.EACCES, "Permission denied")]
)
def test_failing_file(run: Callable[..., Any], probe: Any, number: Any, text: str) -> None:
    """A file that cannot be read or written is named, with the reason, and exit code 2."""
    probe(raising(OSError(number, text, "traps/billing/README.md")))
    assert run("probe") == (2, "", f"Error: traps/billing/README.md: {text}.\n")


@pytest.mark.parametrize(
    ("error", "shown"),
    [
        (ZeroDivisionError("division by zero"), "ZeroDivisionError: division by zero"),
        (KeyError("a\nb\x1b[31m"), "KeyError: 'a\\nb\\x1b[31m'"),
        (ValueError("\x1b[31m\n"), r"ValueError: \x1b[31m\n"),
        (RecursionError(), "RecursionError"),
        (AssertionError("x" * 1000), f"AssertionError: {'x' * 281}..."),
        (SystemExit(0), "SystemExit: 0"),
        (GeneratorExit(), "GeneratorExit"),
        (Unprintable(), "Unprintable: its message cannot be read"),
    ],
)
def test_a_bug_is_one_line_and_exit_code_70(
    run: Callable[..., Any], probe: Any, error: Any, shown: str
) -> None:
    """An exception that is not a user's mistake ends in one line that says how to report it."""
    probe(raising(error))
    assert run("probe") == (
        70,
        "",
        f"Error: unexpected {shown}; this is a bug in trapcli, please report it. "
        "TRAPCLI_DEBUG=1 shows the traceback.\n",
    )


@pytest.mark.parametrize(
    ("error", "code"), [(ZeroDivisionError(), 70), (TrapError("no suite."), 2), (OSError("gone"), 2)]
)
def test_debug_shows_a_traceback_after_the_error(
    run: Callable[..., Any], probe: Any, error: Any, code: int
) -> None:
    """With TRAPCLI_DEBUG=1 the traceback of any error follows its line."""
    probe(raising(error))
    done = run("probe", env={"TRAPCLI_DEBUG": "1"})
    assert (done.code, done.out) == (code, "")
    before, line, after = done.err.partition("Error: ")
    assert line and after.splitlines()[1] == "Traceback (most recent call last):"
    assert "in raising" not in before and "in body" in after


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_a_bug_is_an_exit_code_where_nobody_can_read_it(stream: str) -> None:
    """Where a command closed standard error or output itself, the exit code still says that it failed."""
    code, _, err = wait_for(process(f"sys.{stream}.close(); 1 / 0"))
    assert code == 70 and "Traceback" not in err


@pytest.mark.parametrize("error", [SystemExit(3), ZeroDivisionError(), RecursionError()])
def test_completion_offers_nothing_where_something_fails(
    run: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    """A word that is being typed gets neither a message nor a traceback, only an exit code."""
    monkeypatch.setattr("click.shell_completion.shell_complete", raising_any(error))
    env = {"_TRAPCLI_COMPLETE": "bash_complete", "COMP_WORDS": "trapcli b", "COMP_CWORD": "1"}
    assert run(env=env) == (2, "", "")


@pytest.mark.parametrize(
    "start", ["runpy.run_module('trapcli', run_name='__main__')", "sys.exit(cli.main())"]
)
def test_every_way_to_start_it_ends_a_bug_in_one_line(start: str) -> None:
    """As a module, and as the console scripts start it, an exception that nobody foresaw is exit code 70."""
    code = f"import runpy, sys; from trapcli import cli; cli._accept_any_text = lambda: sys.exit(0); {start}"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (70, "", 1)
    assert done.stderr.startswith("Error: unexpected SystemExit: 0; this is a bug in trapcli")


def test_debug_logs_the_versions_and_the_command_line(run: Callable[..., Any], probe: Any) -> None:
    """With TRAPCLI_DEBUG=1 stderr begins with what a bug report needs; the output stays the same."""
    probe(lambda words: click.echo("result"))
    for value in ("1", "yes"):
        done = run("probe", "word", env={"TRAPCLI_DEBUG": value})
        assert (done.code, done.out) == (0, "result\n")
        first, second = done.err.splitlines()
        assert f"trapcli {__version__}, Python {sys.version.split()[0]}, " in first
        assert "command line: ['trapcli', 'probe', 'word'] in /" in second
    for value in ("", "0"):
        assert run("probe", env={"TRAPCLI_DEBUG": value}) == (0, "result\n", "")


def test_without_debug_logging_is_not_imported() -> None:
    """The debug log costs nothing unless it is asked for."""
    code = "import sys; from trapcli.cli import main; main(['--help']); print('logging' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "False"


@pytest.mark.parametrize("body", ["click.echo('x' * 100_000)", "print('x')", "sys.stdout.write('x')"])
def test_a_reader_that_went_away_is_not_an_error_message(body: str) -> None:
    """`trapcli ... | head -1` prints nothing on stderr, and exits as a shell expects."""
    reader, writer = os.pipe()
    os.close(reader)
    started = process(body, stdout=writer)
    os.close(writer)
    assert wait_for(started) == (141, None, "")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="the system has no /dev/full")
@pytest.mark.parametrize("body", ["click.echo('x' * 100_000)", "print('x')"])
def test_full_disk(body: str) -> None:
    """Output that does not fit on the disk is an error, not a traceback and not a success."""
    with open("/dev/full", "wb") as full:
        code, _, err = wait_for(process(body, stdout=full))
    assert code == 2
    assert err == (
        "Error: reading or writing failed: No space left on device. "
        "Check the disk, and where the output goes.\n"
    )


@pytest.mark.slow
def test_closed_streams() -> None:
    """Without standard output there is no result, which is an error; other streams are not needed."""
    code = "import sys; from trapcli.cli import main; sys.exit(main({}))"
    for args, end, expected in [(["--help"], ">&-", 2), (["nope"], "2>&-", 2), (["--version"], "<&-", 0)]:
        command = f'exec "$0" -c "$1" {end}'
        arguments = ["bash", "-c", command, sys.executable, code.format(args)]
        done = subprocess.run(arguments, cwd=ROOT, capture_output=True)
        assert done.returncode == expected
        assert b"Traceback" not in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    "env", [{"PYTHONIOENCODING": "ascii"}, {"LC_ALL": "C"}, {"LC_ALL": "C", "PYTHONUTF8": "0"}]
)
def test_any_character_can_be_printed(env: Any) -> None:
    """Whatever the terminal's encoding, no character of an answer or a file name is a crash."""
    text = "\\u00e9 \\u2192 \\U0001f600 \\udcff"
    for call in (f"print('{text}'); print('{text}', file=sys.stderr)", f"click.echo('{text}', err=True)"):
        code, _, err = wait_for(process(call, stdout=subprocess.PIPE, env=env))
        assert code == 0, err


def complete(run: Any, line: Any, number: Any = None) -> Any:
    """Return what bash is offered for the word that ends `line`, or for word `number`."""
    number = len(line.split()) - 1 if number is None else number
    words = {"COMP_WORDS": line, "COMP_CWORD": str(number), "_TRAPCLI_COMPLETE": "bash_complete"}
    return run(env=words)


def test_completion_of_commands(run: Callable[..., Any]) -> None:
    """Completion offers the commands that begin with what was typed, and imports none."""
    for name in ALL:
        assert complete(run, f"trap {name[:3]}").out == f"plain,{name}\n"
    assert complete(run, "trapcli", 1).out == "".join(f"plain,{name}\n" for name in ALL)


@pytest.mark.slow
def test_completion_of_families_knobs_and_cases(run: Callable[..., Any]) -> None:
    """Completion offers what a command takes: families, their knobs, the ids of a suite's cases."""
    assert complete(run, "trapcli build bill").out == "plain,billing\n"
    knobs = complete(run, "trapcli build billing --set", 4).out.splitlines()
    assert len(knobs) > 3
    assert all(line.startswith("plain,") and line.endswith("=") for line in knobs)
    assert run("build", "billing", "--cases", 3).code == 0
    for line in ("trapcli judge --case case_0", "trapcli inspect billing case_0"):
        assert complete(run, line).out.splitlines() == ["plain,case_01", "plain,case_02", "plain,case_03"]


def offered(run: Any, line: Any) -> Any:
    """Return the words that bash is offered for the last one of the line."""
    done = complete(run, line)
    assert (done.code, done.err) == (0, "")
    return [row.removeprefix("plain,") for row in done.out.split()]


@pytest.mark.slow
def test_completion_of_calibrate(
    run: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Completion offers families, options, cases of the chosen suites, and unfinished runs."""
    from factories import run_of, stored

    assert offered(run, "trapcli calibrate bill") == ["billing"]
    assert offered(run, "trapcli calibrate billing pay") == ["payout"]
    assert offered(run, "trapcli calibrate --re") == ["--resume"]
    options = offered(run, "trapcli calibrate --")
    assert {"--solution", "--trials", "--jobs", "--timeout", "--isolate", "--compare", "--json"} <= {*options}
    for line in ("--only case_0", "--resume 1", "--compare 1", "--only nothing", "nonsense"):
        assert offered(run, f"trapcli calibrate {line}") == []  # there is nothing yet
    assert os.listdir(tmp_path) == []

    assert run("build", "billing", "--cases", 2).code == 0
    assert run("build", "payout", "--cases", 3).code == 0
    cases = ["case_01", "case_02", "case_03"]
    assert offered(run, "trapcli calibrate --only case_0") == cases
    assert offered(run, "trapcli calibrate billing --only case_0") == cases[:2]
    assert offered(run, "trapcli calibrate --suite traps/payout --only case_0") == cases
    assert offered(run, "trapcli calibrate --suite nowhere --only case_0") == []
    monkeypatch.chdir(tmp_path / "traps" / "billing")
    assert offered(run, "trapcli calibrate --only case_0") == cases[:2]
    monkeypatch.chdir(tmp_path)

    for number in range(1, 12):
        stored(tmp_path, run_of(1, 1, ended="" if number in (2, 10) else "now"))
    assert offered(run, "trapcli calibrate --resume 1") == ["10"]
    assert offered(run, "trapcli calibrate --resume 2") == ["2"]
    assert offered(run, "trapcli calibrate --compare 1") == ["1", "10", "11"]
    assert offered(run, "trapcli calibrate --compare 1 1") == ["1", "10", "11"]
    (tmp_path / ".trapcli" / "runs.db").write_bytes(b"garbage" * 1000)
    assert offered(run, "trapcli calibrate --resume 1") == []


def test_completion_that_fails_is_silent(
    run: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, probe: Any
) -> None:
    """A broken command or suite never prints into the line that is being typed."""
    probe(raising(ZeroDivisionError()))
    monkeypatch.setitem(cli.COMMANDS, "probe", ("no_such_module", "Missing."))
    done = complete(run, "trapcli probe x")
    assert (done.out, done.err) == ("", "")


@pytest.mark.slow
def test_closed_standard_output_is_an_error(installed: Path, tmp_path: Path) -> None:
    """If no result can be printed, the exit code is 2, with one paragraph and no traceback."""
    commands = ["inspect", "judge --case case_01 --json -", "build billing", "calibrate --trials 1"]
    for command in map(str.split, commands):
        done = subprocess.run(
            ["bash", "-c", '"$@" >&-', "bash", installed, *command],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            input="",
        )
        assert done.returncode == 2
        assert done.stderr.startswith("Error: standard output is closed")
        assert "Traceback" not in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_build_that_is_stopped_leaves_nothing(number: int, jobs: str, tmp_path: Path) -> None:
    """Ctrl-C, SIGTERM and SIGHUP end a build alike: exit code 130, one line, and nothing left behind."""
    paths = (declare(tmp_path / "site"), *MODULES)
    place = tmp_path / "place"
    place.mkdir()
    process = subprocess.Popen(
        [sys.executable, "-m", "trapcli", "build", "toy", "--cases", "400", "-j", jobs],
        cwd=place,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(map(str, paths)), "TOY_SECONDS": "0.05"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    deadline = time.monotonic() + 30
    while not list(place.glob("traps/.toy.trapcli-new-*/inputs/case_*")):
        assert time.monotonic() < deadline, process.communicate()
        time.sleep(0.01)
    process.send_signal(number)
    out, err = process.communicate(timeout=30)
    assert (process.returncode, out, err) == (130, "", "Interrupted.\n")
    assert not list(place.iterdir())
