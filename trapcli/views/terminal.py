"""Show sections and verdicts to a person. Only this module and `progress` import rich.

Nothing is ever shortened: on a terminal long values wrap (and a table that is too wide becomes
one block a row), elsewhere every row and every line of a text stays one line. Text from families
and agents is printed as it is: no markup, control characters escaped.
"""

import os
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import TextIO

from rich.cells import cell_len
from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from trapcli.core.contract import Family, Section, Verdict
from trapcli.core.family_calls import viewed
from trapcli.core.shorten import visible
from trapcli.judging.judge import NOOP
from trapcli.views.view import described

INDENT = GAP = 2  # blanks before the first column, and between two
NARROWEST_VALUE = 10  # beside its name; with less room it goes below
LONGEST_WORD = 24  # a column is not made narrower than its longest word, up to this
WIDEST_TABLE = 2000  # where lines do not wrap; a wider table becomes one block a row
LONGEST_RULE = 80  # under the last column, which may be a long text
NUMBER = re.compile(r"[-+]?\$?[0-9][0-9,]*(\.[0-9]+)?%?")
COLOURS = {"passed": "bold green", "failed": "bold red"}
TITLE, HEADER, QUIET, ALARM = "bold cyan", "bold", "dim", "bold yellow"


def show_sections(sections: Iterable[Section], file: TextIO | None = None) -> None:
    """Print each section: its title, then its text, then its table.

    file: where to; default: stdout.
    """
    console = make_console(file or sys.stdout)
    for number, section in enumerate(sections):
        _print(console, *([""] if number else []), *_section(section, console))


def show_verdict(family: Family, verdict: Verdict, file: TextIO | None = None) -> None:
    """Print a verdict: status and reason, trap and mistake, the answer kind's view, notes.

    file: where to; default: stdout.
    """
    console = make_console(file or sys.stdout)
    status = f"{verdict.status.upper().replace('_', ' ')} {verdict.id}".rstrip()
    colour = COLOURS.get(verdict.status, ALARM)
    head = Text.assemble((_clean(status, console), colour), f": {_clean(verdict.reason, console)}")
    _print(console, head, *_facts(_verdict_facts(family, verdict), console))
    for section in viewed(family, verdict):
        _print(console, "", *_section(section, console))
    if verdict.notes:
        notes = Section("Notes", text="\n".join(f"- {note}" for note in verdict.notes))
        _print(console, "", *_section(notes, console))


def make_console(file: TextIO) -> Console:
    """Return a console that depends on the stream alone: colour and wrapping only on a terminal."""
    terminal = file.isatty()
    return _Console(
        file=file,
        force_terminal=terminal,
        width=None if terminal else 10**9,  # whatever COLUMNS says
        force_jupyter=False,
        color_system="auto" if terminal and not os.environ.get("NO_COLOR") else None,
        markup=False,
        emoji=False,
        highlight=False,
    )


class _Console(Console):
    def on_broken_pipe(self) -> None:
        raise  # rich would exit with 1; let the program decide, as for every other output


def _print(console: Console, *parts: RenderableType) -> None:
    with console.capture() as capture:
        for part in parts:
            console.print(part)
    lines = capture.get().split("\n")
    console.file.write("\n".join(line.rstrip(" ") for line in lines))


def _width(console: Console) -> int | None:
    """Return the columns of the terminal; None where lines do not wrap."""
    return max(20, console.width) if console.is_terminal else None


def _clean(text: str, console: Console) -> str:
    """Return the text as one line of visible characters that the stream can encode."""
    text = visible(text)
    if not cell_len(text):  # only marks of no width, which rich would drop
        text = ascii(text)[1:-1]
    return text.encode(console.encoding, "backslashreplace").decode(console.encoding)


def _section(section: Section, console: Console) -> Iterator[RenderableType]:
    if section.title:
        yield Text(_clean(section.title, console), TITLE)
    if section.text:
        lines = [_clean(line.expandtabs(), console) for line in section.text.removesuffix("\n").split("\n")]
        yield _indented(Text("\n".join(lines)))
    if section.columns or section.rows:
        if section.text:
            yield ""
        yield from _table(section, console)


def _verdict_facts(family: Family, verdict: Verdict) -> list[tuple[str, str]]:
    """Return what is known about a verdict besides its reason, as names and values."""
    facts = []
    if verdict.trap:
        facts.append(("trap", described(verdict.trap, family.traps)))
    if verdict.mistake:
        mistakes = {NOOP: "the result of doing nothing", **family.mistakes}
        facts.append(("mistake", described(verdict.mistake, mistakes)))
    if verdict.status == "failed" and verdict.partial_credit:
        facts.append(("partial credit", f"{verdict.partial_credit:.2f}"))
    return facts


def _facts(facts: Sequence[tuple[str, str]], console: Console) -> Iterator[RenderableType]:
    """Yield names and values, one below the other, with the values aligned, or below if room is short."""
    room = _width(console)
    names = [_clean(name, console) for name, _ in facts]
    column = max(map(cell_len, names), default=0)
    beside = room is None or INDENT + column + GAP + NARROWEST_VALUE <= room
    table = _grid()
    table.add_column(style=QUIET, overflow="fold", no_wrap=beside)
    table.add_column(overflow="fold")
    for name, (_, value) in zip(names, facts, strict=True):
        value = _clean(value, console)
        if beside:
            table.add_row(Text(name), Text(value))
        else:
            yield _indented(Text(_break_name(name, (room or 0) - INDENT), QUIET))
            yield _indented(Text(value))
    if beside:
        yield table


def _table(section: Section, console: Console) -> Iterator[RenderableType]:
    """Yield a header, a rule and the rows; or one block a row if words do not fit beside each other."""
    count = max([len(section.columns), *map(len, section.rows)])
    header = _cells(section.columns, count, console)
    rows = [_cells(row, count, console) for row in section.rows]
    widths = _column_widths(header, rows, _width(console))
    if widths is None:
        for number, row in enumerate(rows):
            if number:
                yield ""
            yield from _facts(list(zip(header, row, strict=True)), console)
        return
    table = _grid()
    for width, *cells in zip(widths, *rows, strict=True):
        numeric = any(cells) and all(not cell or NUMBER.fullmatch(cell) for cell in cells)
        table.add_column(width=width, overflow="fold", justify="right" if numeric else "left")
    if any(header):
        names = [_break_name(name, width) for name, width in zip(header, widths, strict=True)]
        table.add_row(*map(Text, names), style=HEADER if rows else QUIET)
    if any(header) and rows:
        rule = "\u2500" if console.encoding.startswith("utf") else "-"
        lengths = [*widths[:-1], min(widths[-1], LONGEST_RULE)]
        table.add_row(*(Text(rule * length, justify="left") for length in lengths), style=QUIET)
    for row in rows:
        table.add_row(*map(Text, row))
    yield table
    if not rows:
        yield _indented(Text("(none)"))


def _cells(cells: Sequence[str], count: int, console: Console) -> list[str]:
    return [_clean(cell, console) for cell in cells] + [""] * (count - len(cells))


def _column_widths(header: list[str], rows: list[list[str]], room: int | None) -> list[int] | None:
    """Return a width for each column so that the table fits; None if words would have to break.

    room: the terminal's width; None: lines do not wrap.
    """
    widest, narrowest = [], []
    for name, *cells in zip(header, *rows, strict=True):
        widest.append(max(map(cell_len, (name, *cells))))
        words = " ".join((name.replace("_", "_ "), *cells)).split()
        narrowest.append(min(max(map(cell_len, words), default=0), LONGEST_WORD))
    margins = INDENT + GAP * (len(header) - 1)
    if not rows or sum(widest) + margins <= (room or WIDEST_TABLE):
        return widest
    if room is None or sum(narrowest) + margins > room:
        return None
    for limit in range(room, 0, -1):  # the widest columns give way first, all to the same width
        widths = [max(low, min(high, limit)) for low, high in zip(narrowest, widest, strict=True)]
        if sum(widths) + margins <= room:
            return widths
    return narrowest


def _break_name(name: str, width: int) -> str:
    """Return a column's name, broken into lines after underscores and blanks where it is too long."""
    if cell_len(name) <= width:
        return name
    lines = [""]
    for piece in re.findall(r"[^_ ]*[_ ]?", name):
        if lines[-1] and cell_len(lines[-1] + piece.rstrip()) > width:
            lines.append("")
        lines[-1] += piece
    return "\n".join(line.rstrip() for line in lines)


def _grid() -> Table:
    """Return a table without lines; the blanks before its first column are the indentation."""
    return Table(box=None, show_header=False, padding=(0, 0, 0, GAP))


def _indented(renderable: RenderableType) -> Padding:
    return Padding(renderable, (0, 0, 0, INDENT), expand=False)
