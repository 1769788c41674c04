"""The number of a run on the command line, and its completion."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from trapcli.core.errors import TrapError
from trapcli.core.shorten import quoted
from trapcli.suites.selection import runs_directory

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    IntType = click.ParamType[int]
else:
    IntType = click.ParamType  # the oldest click that we support cannot subscribe it

LARGEST = 2**31


class RunNumber(IntType):
    """A parameter type: the number of a run.

    unfinished: offer only runs that are not complete when the shell completes a number.
    """

    name = "run"

    def __init__(self, unfinished: bool = False) -> None:
        self.unfinished = unfinished

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Return the number that was typed; it need not be the number of a stored run."""
        if isinstance(value, int):
            return value
        if value.isascii() and value.isdigit() and 0 < int(value[:12]) < LARGEST:
            return int(value)
        self.fail(f"{quoted(value)} is not a run number; `trapcli inspect run` lists them.", param, ctx)

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> "list[CompletionItem]":
        """Offer the numbers of stored runs."""
        from click.shell_completion import CompletionItem

        numbers = map(str, self._stored_numbers())
        return [CompletionItem(number) for number in numbers if number.startswith(incomplete)]

    def _stored_numbers(self) -> list[int]:
        directory = runs_directory(Path.cwd())
        if not os.path.lexists(directory):
            return []
        from trapcli.calibration.store.store import open_store

        try:
            with open_store(directory, create=False) as store:
                return store.unfinished_runs() if self.unfinished else store.run_numbers()
        except TrapError:
            return []
