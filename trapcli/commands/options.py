"""Options that several commands share, and how they find the suite to work on."""

import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from trapcli.core.errors import TrapError
from trapcli.core.shorten import quoted

if TYPE_CHECKING:
    from trapcli.suites.reader import PublicSuite, Suite
    from trapcli.suites.selection import Target

EMPTY = "it is empty; was it meant to come from a variable that is not set?"


class WholeNumber(click.IntRange):
    """A parameter type: a whole number in a range."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Return the number that was typed."""
        try:
            int(value)
        except ValueError:
            self.fail(f"{quoted(value)} is not a whole number.", param, ctx)
        return super().convert(value, param, ctx)


class Directory(click.Path):
    """A parameter type: a directory, which need not exist. An empty text is not one."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the path that was typed."""
        if value == "":
            self.fail(EMPTY, param, ctx)
        return super().convert(value, param, ctx)


def refuse_empty(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
    """Return the text that was typed; BadParameter if it is empty."""
    if value == "":
        raise click.BadParameter(EMPTY, ctx, param)
    return value


DIRECTORY = Directory(path_type=Path)

suite_option = click.option("--suite", metavar="DIR", type=DIRECTORY, help="Use the suite in this directory.")
expected_option = click.option(
    "--expected",
    metavar="DIR",
    type=DIRECTORY,
    help="The suite's private half, if it was built with --expected.",
)


def chosen_suite(target: "Target") -> "Suite":
    """Return the suite that the command line chooses, both halves; TrapError if there is not exactly one."""
    from trapcli.suites.selection import select_suite

    with _commands_to_choose_from():
        return select_suite(target, Path.cwd())


def chosen_public_suite(target: "Target") -> "PublicSuite":
    """Return what the public half of the chosen suite says; TrapError if there is not exactly one."""
    from trapcli.suites.selection import select_public

    with _commands_to_choose_from():
        return select_public(target, Path.cwd())


def relative(path: Path) -> Path:
    """Return the path relative to the current directory if it is inside, short to read and to type."""
    cwd = Path.cwd()
    return path.relative_to(cwd) if path.is_relative_to(cwd) else path


@contextmanager
def _commands_to_choose_from() -> Iterator[None]:
    """If several suites fit, show for each the command that was typed, with --suite added."""
    from trapcli.suites.selection import SeveralSuites

    try:
        yield
    except SeveralSuites as error:
        name = click.get_current_context().command.name
        words = sys.argv[2:] if sys.argv[1:2] == [name] else []
        commands = [
            shlex.join(["trapcli", str(name), "--suite", str(relative(directory)), *words])
            for directory in error.directories
        ]
        listed = "".join(f"\n  {command}" for command in commands)
        raise TrapError(f"several suites fit; choose one:{listed}") from error
