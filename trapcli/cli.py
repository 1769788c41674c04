"""The program: finds the command, runs it, and turns what happens into an exit code."""

import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from typing import TYPE_CHECKING

import click

from trapcli import __version__
from trapcli.core.errors import DONE, INTERRUPTED, UNUSABLE, TrapError

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

COMPLETE = "_TRAPCLI_COMPLETE"  # set by the completion scripts, under both names of the program
CLOSED_PIPE = 141  # 128 + SIGPIPE, as a shell reports any program whose reader went away

# Name -> (module that holds `command`, its line in the list of commands). Listing imports
# none of them. No commas: fish's completion would cut the line there.
COMMANDS = {
    "build": ("trapcli.commands.build", "Build suites of tasks from a seed."),
    "judge": ("trapcli.commands.judge", "Judge answers and say why they fail."),
    "calibrate": ("trapcli.commands.calibrate", "Run an agent several times and say what came of it."),
    "inspect": ("trapcli.commands.inspect_", "Show families and suites and cases and runs."),
    "shell-init": ("trapcli.commands.shell_init", "Print the shell function and the completion script."),
}

EPILOG = """\b
Examples:
  trapcli build billing
  trapcli judge --case case_01 edits.json
  trapcli calibrate billing --solution 'python my_agent.py' --trials 10
  trapcli inspect billing case_01
  eval "$(trapcli shell-init)"   # `trap build billing` works from now on
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

        ours = [CompletionItem(name, help=text) for name, (_, text) in COMMANDS.items()]
        options = click.Command.shell_complete(self, ctx, incomplete)
        return [item for item in ours if item.value.startswith(incomplete)] + options

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] not in COMMANDS and not args[0].startswith("-") and not ctx.resilient_parsing:
            from difflib import get_close_matches

            near = get_close_matches(args[0], COMMANDS, n=2)
            hint = f"Did you mean {' or '.join(near)}?" if near else f"There are {', '.join(COMMANDS)}."
            raise click.UsageError(f"no such command {args[0]!r}. {hint}", ctx)
        return super().resolve_command(ctx, args)


@click.group(
    cls=LazyGroup,
    epilog=EPILOG,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, message="trapcli %(version)s")
def cli() -> None:
    """Generate evaluation tasks for AI agents, judge the answers, and see why they fail."""


def main(args: Sequence[str] | None = None) -> int:
    """Run the program with `args`, by default the process's own; returns the exit code.

    A command ends by returning, by returning an exit code, by `ctx.exit(code)` or
    with an exception. Anything but what is named here is a bug, and shows a traceback.
    """
    if sys.stdout is None:
        return _fail("standard output is closed, so no result can be told. Send it to a file or /dev/null.")
    _accept_any_text()
    try:
        try:
            return _run(list(sys.argv[1:] if args is None else args))
        finally:
            sys.stdout.flush()  # here, where a full disk or a closed pipe can still be told
    except TrapError as error:
        return _fail(str(error))
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


def _run(args: list[str]) -> int:
    instruction = os.environ.get(COMPLETE)
    if instruction:
        return _complete(instruction)
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
        return shell_complete(cli, {}, "trapcli", COMPLETE, instruction)
    except Exception:
        return UNUSABLE  # nothing to offer; a message would land in the line being typed


def _fail(message: str) -> int:
    with suppress(OSError):  # nobody reads it: the exit code still tells
        click.echo(f"Error: {message}", err=True)
    return UNUSABLE


def _describe(error: OSError) -> str:
    what = error.strerror or str(error) or type(error).__name__
    if error.filename is None:  # a write to a file that was open, or to standard output
        return f"reading or writing failed: {what}. Check the disk, and where the output goes."
    return f"{os.fsdecode(error.filename)}: {what}."


def _accept_any_text() -> None:
    """Let no character of an answer or a file name stop us, whatever the terminal's encoding."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def _drop_output() -> None:
    """Point standard output at nothing, or the interpreter fails once more when it flushes it."""
    with suppress(AttributeError, OSError, ValueError):  # there is no stdout, or it is no real file
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
