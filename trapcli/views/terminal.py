"""What a person sees: sections, verdicts and progress. The only module that imports rich.

Nothing shown is ever shortened: on a terminal long values wrap (and a table that is too
wide becomes one block a row), elsewhere every row and every line of a text stays one line.
Text from families and agents is printed as it is: no markup, control characters escaped.
"""

import os
import re
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TextIO

from rich.cells import cell_len
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.text import Text

from trapcli.core.contract import Family, Section, Verdict
from trapcli.judging.judge import NOOP

INDENT = "  "
GAP = "  "  # between two columns
LONGEST_WORD = 24  # a column is not made narrower than its longest word, up to this
WIDEST_TABLE = 2000  # where lines do not wrap; past it a table becomes one block a row
LONGEST_RULE = 80  # under the last column, which may be a long text
NUMBER = re.compile(r"[-+]?\$?[0-9][0-9,]*(\.[0-9]+)?%?")
COLOURS = {"passed": "bold green", "failed": "bold red"}
HEADING, QUIET, ALARM = "bold cyan", "dim", "bold yellow"

Line = list[tuple[str, str]]  # pieces of text, each with its style


def show_sections(sections: Iterable[Section], file: TextIO | None = None) -> None:
    """Print each section: its title, then its text, then its table. Default: stdout."""
    console = _console(file or sys.stdout)
    for number, section in enumerate(sections):
        _print(console, ([[]] if number else []) + _section(section, console))


def show_verdict(family: Family, verdict: Verdict, file: TextIO | None = None) -> None:
    """Print a verdict: status and reason, the slip it is, what the family shows of it, notes."""
    console = _console(file or sys.stdout)
    colour = COLOURS.get(verdict.status, ALARM)
    name = f" {_shown(verdict.id, console)}" if verdict.id else ""
    head = f"{verdict.status.upper().replace('_', ' ')}{name}"
    reason = _wrap(f"{head}: {verdict.reason}", console, _width(console))
    lines: list[Line] = [[(line, "")] for line in reason]
    lines[0] = [(reason[0][: len(head)], colour), (reason[0][len(head) :], "")]
    _print(console, lines + _facts(_about(family, verdict), console, len(INDENT)))
    for section in family.view(verdict):
        _print(console, [[], *_section(section, console)])
    if verdict.notes:
        notes = Section("Notes", text="\n".join(f"- {note}" for note in verdict.notes))
        _print(console, [[], *_section(notes, console)])


@contextmanager
def progress(label: str, total: int | None) -> Iterator[Callable[..., None]]:
    """A progress bar on stderr while the block runs, if stderr is a terminal.

    Gives `advance(done, total=None)`: `done` counts from the start, it is no step. A total
    of None is one that nobody knows.
    """
    console = _console(sys.stderr)
    if not console.is_terminal or console.is_dumb_terminal:
        yield lambda done, total=None: None
        return
    with _bar(console, label, total, TimeElapsedColumn()) as update:
        yield lambda done, total=None: update(completed=done, total=total)


@contextmanager
def trials_progress() -> Iterator[Callable[[int, int, int, int, int], None]]:
    """The trials of a run as a bar on stderr while the block runs; stderr is a terminal.

    Gives `show(done, total, running, passed, failed)`, to be called now and then.
    """
    counts = TextColumn("{task.fields[counts]}", markup=False)
    left = TimeRemainingColumn(elapsed_when_finished=True)
    with _bar(_console(sys.stderr), "trials", None, counts, left, TextColumn("left"), counts="") as update:

        def show(done: int, total: int, running: int, passed: int, failed: int) -> None:
            rate = f", rate {passed / (passed + failed):.2f}" if passed + failed else ""
            update(completed=done, total=total, counts=f"{running} running, {failed} failed{rate}")

        yield show


@contextmanager
def _bar(
    console: Console, label: str, total: int | None, *columns: ProgressColumn, **fields: Any
) -> Iterator[Callable[..., None]]:
    """A bar with a count and more columns; gives what updates it, drawn at most ten times a second."""
    bar = Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        *columns,
        console=console,
        auto_refresh=False,  # drawn when updated, without a thread: a build forks its workers
        transient=True,
        redirect_stdout=False,
        redirect_stderr=False,
    )
    task = bar.add_task(_shown(label, console), total=total, **fields)
    drawn = 0.0

    def update(**values: Any) -> None:
        nonlocal drawn
        bar.update(task, **values)
        if time.monotonic() - drawn > 0.1:
            bar.refresh()
            drawn = time.monotonic()

    with bar:
        yield update


class _Console(Console):
    def on_broken_pipe(self) -> None:
        raise  # rich would exit with 1; let the program decide, as for every other output


def _console(file: TextIO) -> Console:
    """A console that believes the stream alone: colour and wrapping only if it is a terminal."""
    terminal = file.isatty()
    return _Console(
        file=file,
        force_terminal=terminal,
        width=None if terminal else 10_000,  # whatever COLUMNS says
        force_jupyter=False,
        color_system="auto" if terminal and not os.environ.get("NO_COLOR") else None,
        markup=False,
        emoji=False,
        highlight=False,
    )


def _width(console: Console) -> int | None:
    """The columns of the terminal; None where lines do not wrap."""
    return max(20, console.width) if console.is_terminal else None


def _encoding(console: Console) -> str:
    return getattr(console.file, "encoding", None) or "utf-8"


def _shown(text: str, console: Console) -> str:
    """The text in one line of visible characters that the stream can encode."""
    if not text.isprintable():
        text = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
    encoding = _encoding(console)
    return text.encode(encoding, "backslashreplace").decode(encoding)


def _wrap(text: str, console: Console, width: int | None) -> list[str]:
    """One line of text as lines of at most `width` cells; at least one line."""
    text = _shown(text, console)
    if width is None or cell_len(text) <= width:
        return [text]
    lines = [""]
    for word in re.findall(" *[^ ]+", text):
        if cell_len(lines[-1] + word) <= width:
            lines[-1] += word
            continue
        if lines[-1]:
            lines.append("")
            word = word.lstrip(" ")
        for character in word:  # a word longer than a line goes on in the next
            if cell_len(lines[-1] + character) > width:
                lines.append("")
            lines[-1] += character
    return lines


def _print(console: Console, lines: Sequence[Line]) -> None:
    whole = Text()
    for line in lines:
        for piece, style in line:
            whole.append(piece, style)
        whole.append("\n")
    console.print(whole, end="", soft_wrap=True)


def _section(section: Section, console: Console) -> list[Line]:
    lines: list[Line] = [[(_shown(section.title, console), HEADING)]] if section.title else []
    room = _width(console)
    for line in section.text.removesuffix("\n").split("\n") if section.text else ():
        wrapped = _wrap(line.expandtabs(), console, room and room - len(INDENT))
        lines += [[(INDENT + part, "")] if part else [] for part in wrapped]
    if section.columns or section.rows:
        if section.text:
            lines.append([])
        lines += _table(section, console)
    return lines


def _about(family: Family, verdict: Verdict) -> list[tuple[str, str]]:
    """What is known of a verdict besides its reason, as names and values."""
    about = []
    if verdict.category:
        about.append(("trap", _described(verdict.category, family.kinds)))
    mistakes = {NOOP: "what doing nothing leads to", **family.mechanisms}
    about += [("slip", _described(name, mistakes)) for name in verdict.slip]
    if verdict.status == "failed" and verdict.partial:
        about.append(("partial", f"{verdict.partial:.2f}"))
    return about


def _described(name: str, descriptions: object) -> str:
    text = descriptions.get(name, "") if hasattr(descriptions, "get") else ""
    return f"{name}: {text}" if text else name


def _facts(facts: Sequence[tuple[str, str]], console: Console, indent: int) -> list[Line]:
    """Names and values, one below the other, the values aligned and wrapped."""
    room = _width(console)
    names = [_shown(name, console) for name, _ in facts]
    column = max((cell_len(name) for name in names), default=0)
    if room is not None and indent + column + len(GAP) + 10 > room:
        column = 0  # no room beside the names: let the values start right after them
    lines: list[Line] = []
    for name, (_, value) in zip(names, facts, strict=True):
        start = indent + max(column, cell_len(name) if not column else 0) + len(GAP)
        start = start if room is None or start + 10 <= room else indent
        parts = _wrap(value, console, room and max(8, room - start))
        head = " " * indent + name
        if start == indent:
            broken = _header(name, max(8, (room or 0) - indent), console)
            lines += [[(" " * indent + part, QUIET)] for part in broken]
        else:
            first = parts.pop(0)
            pad = " " * (start - cell_len(head)) if first else ""
            lines.append([(head, QUIET), (pad + first, "")])
        lines += [[(" " * start + part, "")] for part in parts]
    return lines


def _table(section: Section, console: Console) -> list[Line]:
    count = max([len(section.columns), *map(len, section.rows)])
    header = _filled([_shown(name, console) for name in section.columns], count)
    rows = [_filled([_shown(cell, console) for cell in row], count) for row in section.rows]
    if not rows:
        return [[(INDENT + GAP.join(header).rstrip(), QUIET)], [(INDENT + "(none)", "")]]
    widths = _widths(header, rows, _width(console))
    if widths is None:
        return _blocks(header, rows, console)
    columns = list(zip(*rows, strict=True))
    right = [all(not c or NUMBER.fullmatch(c) for c in column) and any(column) for column in columns]
    lines: list[Line] = []
    if any(header):
        cells = [_header(name, width, console) for name, width in zip(header, widths, strict=True)]
        lines += [[(line, "bold")] for line in _row(cells, widths, right)]
        rule = "\u2500" if _encoding(console).lower().startswith("utf") else "-"
        rules = [*(rule * width for width in widths[:-1]), rule * min(widths[-1], LONGEST_RULE)]
        lines.append([(INDENT + GAP.join(rules), QUIET)])
    for row in rows:
        cells = [_wrap(cell, console, width) for cell, width in zip(row, widths, strict=True)]
        lines += [[(line, "")] for line in _row(cells, widths, right)]
    return lines


def _filled(cells: list[str], count: int) -> list[str]:
    return cells + [""] * (count - len(cells))


def _row(cells: Sequence[Sequence[str]], widths: Sequence[int], right: Sequence[bool]) -> list[str]:
    """The lines of one row whose cells are lists of lines."""
    lines = []
    for level in range(max(map(len, cells))):
        parts = []
        for cell, width, numeric in zip(cells, widths, right, strict=True):
            part = cell[level] if level < len(cell) else ""
            pad = " " * (width - cell_len(part))
            parts.append(pad + part if numeric else part + pad)
        lines.append((INDENT + GAP.join(parts)).rstrip())
    return lines


def _widths(header: list[str], rows: list[list[str]], room: int | None) -> list[int] | None:
    """A width for each column so that the table fits; None if words would have to break."""
    whole, least = [], []
    for column in zip(header, *rows, strict=True):
        whole.append(max(cell_len(cell) for cell in column))
        words = [word for cell in (column[0].replace("_", "_ "), *column[1:]) for word in cell.split()]
        least.append(min(max((cell_len(word) for word in words), default=1), LONGEST_WORD))
    margins = len(INDENT) + len(GAP) * (len(header) - 1)
    if sum(whole) + margins <= (room or WIDEST_TABLE):
        return whole
    if room is None or sum(least) + margins > room:
        return None
    room -= margins
    cap = room  # the widest columns give way first, all to the same width
    while sum(max(low, min(most, cap)) for low, most in zip(least, whole, strict=True)) > room:
        cap -= 1
    return [max(low, min(most, cap)) for low, most in zip(least, whole, strict=True)]


def _header(name: str, width: int, console: Console) -> list[str]:
    """A column's name, broken after underscores where it is too long."""
    lines = [""]
    for piece in re.findall(r"[^_ ]*[_ ]?", name) if cell_len(name) > width else [name]:
        if lines[-1] and cell_len(lines[-1] + piece.rstrip()) > width:
            lines.append("")
        lines[-1] += piece
    return [part for line in lines for part in _wrap(line.rstrip(), console, width)]


def _blocks(header: list[str], rows: list[list[str]], console: Console) -> list[Line]:
    """A table as one block a row: each cell in a line of its own, after its column's name."""
    lines: list[Line] = []
    for number, row in enumerate(rows):
        lines += ([[]] if number else []) + _facts(list(zip(header, row, strict=True)), console, len(INDENT))
    return lines
