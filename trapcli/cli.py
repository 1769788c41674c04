"""The program: find the command, run it, and turn what happens into a message and an exit code."""

import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from typing import TYPE_CHECKING

import click

from trapcli.core.errors import BUG, CLOSED_PIPE, DONE, INTERRUPTED, UNUSABLE, TrapError, message_of
from trapcli.system import debug
from trapcli.system.package import COMPLETION, __version__
from trapcli.system.signals import stop_like_interrupt

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

# Name -> (module that holds `command`, its line in the list of commands). Listing imports
# none of them. No commas: fish's completion would cut the line there.
COMMANDS = {
    "build": ("trapcli.commands.build", "Build suites of tasks from a seed."),
    "judge": ("trapcli.commands.judge", "Judge answers and say why they fail."),
    "calibrate": ("trapcli.commands.calibrate", "Run an agent several times and report how often it passes."),
    "inspect": ("trapcli.commands.inspect_", "Show families and suites and cases and runs."),
    "shell-init": ("trapcli.commands.shell_init", "Print the shell function and the completion script."),
}

# Every command gives its help as a text. Click would take it from the docstring, which python -OO drops.
HELP = "Generate evaluation tasks for AI agents, judge the answers, and see why they fail."
EPILOG = """\b
Examples:
  trapcli build billing
  trapcli judge --case case_01 edits.json
  trapcli calibrate billing --solution 'python my_agent.py' --trials 10
  trapcli inspect billing case_01
  eval "$(trapcli shell-init)"   # `trap build billing` works from now on

TRAPCLI_DEBUG=1 in the environment writes a debug log to stderr, for bug reports.
"""


class LazyGroup(click.Group):
    """A group that imports a command only when it is run or asked for its own help."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = import_module(COMMANDS[cmd_name][0]).command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, short_help) for name, (_, short_help) in COMMANDS.items()])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> "list[CompletionItem[str]]":
        from click.shell_completion import CompletionItem

        commands = [CompletionItem(name, help=text) for name, (_, text) in COMMANDS.items()]
        options = click.Command.shell_complete(self, ctx, incomplete)
        return [item for item in commands if item.value.startswith(incomplete)] + options

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] not in COMMANDS and not args[0].startswith("-") and not ctx.resilient_parsing:
            from difflib import get_close_matches

            near = get_close_matches(args[0], COMMANDS, n=2)
            hint = (
                f"Did you mean {' or '.join(near)}?" if near else f"The commands are {', '.join(COMMANDS)}."
            )
            raise click.UsageError(f"no such command {args[0]!r}. {hint}", ctx)
        return super().resolve_command(ctx, args)


@click.group(
    cls=LazyGroup,
    help=HELP,
    epilog=EPILOG,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, message="trapcli %(version)s")
def cli() -> None:
    """Do nothing: everything is in the commands."""


def main(args: Sequence[str] | None = None) -> int:
    """Run the program and return its exit code.

    args: the command line; default: that of the process.

    A command ends by returning, by returning an exit code, by `ctx.exit(code)` or with an
    exception. Whatever else is raised is a bug, and ends with `BUG` and one line.
    """
    try:
        return _main(args)
    finally:
        _drop_unwritten_errors()


def _main(args: Sequence[str] | None) -> int:
    if sys.stdout is None:
        return _fail(
            "standard output is closed, so no result can be printed. Send it to a file or /dev/null."
        )
    try:
        _accept_any_text()
        try:
            with stop_like_interrupt():
                return _run(list(sys.argv[1:] if args is None else args))
        finally:
            sys.stdout.flush()  # here, where a full disk or a closed pipe can still be reported
    except click.ClickException as error:
        with suppress(OSError):
            error.show()
        return UNUSABLE
    except (KeyboardInterrupt, click.Abort):
        with suppress(OSError):
            click.echo("Interrupted.", err=True)
        return INTERRUPTED
    except BrokenPipeError:
        _drop_output()
        return CLOSED_PIPE
    except OSError as error:
        _drop_output()
        return _fail(_describe(error))
    except TrapError as error:
        return _fail(str(error))
    except BaseException as error:  # SystemExit too: nothing of ours raises it
        return _fail(_describe_bug(error), BUG)


def _run(args: list[str]) -> int:
    instruction = os.environ.get(COMPLETION)
    if instruction:
        return _complete(instruction)
    if debug.enabled():
        debug.start_log()
    name = os.path.basename(sys.argv[0])
    try:
        with cli.make_context(name if name in ("trap", "trapcli") else "trapcli", args) as ctx:
            code = cli.invoke(ctx)
    except click.exceptions.Exit as stop:
        code = stop.exit_code
    return code if isinstance(code, int) else DONE


def _complete(instruction: str) -> int:
    from click.shell_completion import shell_complete

    try:
        return shell_complete(cli, {}, "trapcli", COMPLETION, instruction)
    except (Exception, SystemExit):
        return UNUSABLE  # nothing to offer; a message would land in the line being typed


def _fail(message: str, code: int = UNUSABLE) -> int:
    """Print an error, with the exception's traceback if a debug log is asked for; return the exit code."""
    with suppress(OSError, ValueError):  # if nobody can read it, the exit code still says that it failed
        click.echo(f"Error: {message}", err=True)
        if debug.enabled() and sys.exc_info()[0] is not None:
            import traceback

            click.echo(traceback.format_exc(), err=True, nl=False)
    return code


def _describe(error: OSError) -> str:
    what = error.strerror or str(error) or type(error).__name__
    if error.filename is None and not _is_somewhere():
        return "the current directory was removed. Change to another one."
    if error.filename is None:  # a write to a file that was open, or to standard output
        return f"reading or writing failed: {what}. Check the disk, and where the output goes."
    return f"{os.fsdecode(error.filename)}: {what}."


def _is_somewhere() -> bool:
    try:
        os.getcwd()
    except OSError:
        return False
    return True


def _describe_bug(error: BaseException) -> str:
    return (
        f"unexpected {message_of(error)}; this is a bug in trapcli, please report it. "
        f"{debug.VARIABLE}=1 shows the traceback."
    )


def _accept_any_text() -> None:
    """Let no character of an answer or a file name stop the program, whatever the terminal's encoding."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def _drop_unwritten_errors() -> None:
    """Forget what could not be written to stderr: the interpreter would try again, and exit with 120."""
    try:
        if sys.stderr is not None:
            sys.stderr.flush()
    except (OSError, ValueError):
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115  (it stays open until the end)


def _drop_output() -> None:
    """Point standard output at nothing, or the interpreter fails once more when it flushes it."""
    with suppress(AttributeError, OSError, ValueError):  # stdout may be missing, or not a real file
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
