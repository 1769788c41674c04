"""The number of a run on the command line, and its completion."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from trapcli.core.errors import TrapError
from trapcli.suites.selection import runs_directory

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    Whole = click.ParamType[int]
else:
    Whole = click.ParamType  # the oldest click that we take has no types for it

LARGEST = 2**31


class RunNumber(Whole):
    """The number of a run. unfinished: only the runs that are not complete are offered."""

    name = "run"

    def __init__(self, unfinished: bool = False) -> None:
        self.unfinished = unfinished

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        if isinstance(value, int):
            return value
        if value.isascii() and value.isdigit() and 0 < int(value[:12]) < LARGEST:
            return int(value)
        self.fail(f"{value!r} is no number of a run; `trapcli inspect run` lists the runs.", param, ctx)

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> "list[CompletionItem]":
        from click.shell_completion import CompletionItem

        return [CompletionItem(number) for number in self._known() if number.startswith(incomplete)]

    def _known(self) -> list[str]:
        place = runs_directory(Path.cwd())
        if not os.path.lexists(place):
            return []
        from trapcli.calibration.store.store import open_store

        try:
            with open_store(place, create=False) as store:
                return [str(n) for n in (store.unfinished() if self.unfinished else store.numbers())]
        except TrapError:
            return []
