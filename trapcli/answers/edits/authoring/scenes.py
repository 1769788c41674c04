"""From a scene to a planned case: what the trap kinds of any edits family have in common.

A kind draws a scene on its family's sketch: what the ticket asks of the world, and the
words it says it with. The world is played twice, as recorded and as it should be; the
case's gold edits are the difference of the tables.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, TypeVar

from trapcli.answers.edits.authoring import ticket_text
from trapcli.answers.edits.family import Plan, Unlucky
from trapcli.answers.edits.tables import Row, Table, Tables
from trapcli.core.contract import Problem
from trapcli.core.draw import Draw

T = TypeVar("T")
W = TypeVar("W")
W_co = TypeVar("W_co", covariant=True)
REDRAWS = 60

TWIN = (
    "Please do not mix it up with {twin}, which stays as it is.",
    "{twin} is something else and is not part of this.",
    "Note that {twin} has nothing to do with this request.",
    "I know that {twin} sounds alike; leave that one alone.",
)
OTHER = (
    "{other} asked something similar last month; that is a ticket of its own.",
    "(The question from {other} is being handled by someone else.)",
    "{other} is fine, I checked.",
    "By the way, {other} called again about its contract; nothing to do for you there.",
    "PS: I have not forgotten {other}, that comes next week in a separate ticket.",
    "If {other} turns up in your lists, ignore it.",
)


@dataclass(frozen=True, slots=True)
class History(Generic[T]):
    """A value over time: steps of (start, value) in order; starts are periods or days as text that sorts."""

    steps: tuple[tuple[str, T], ...]

    def at(self, time: str) -> T:
        """The value that holds at `time`; ValueError if it is before the first step."""
        for start, value in reversed(self.steps):
            if start <= time:
                return value
        raise ValueError(f"there is no value at {time}, before {self.steps[0][0]}")

    @property
    def latest(self) -> T:
        """The value of the last step."""
        return self.steps[-1][1]

    def since(self, start: str, value: T) -> "History[T]":
        """The same history, but `value` from `start` on, whatever came later."""
        return History((*(step for step in self.steps if step[0] < start), (start, value)))


def always(value: T) -> History[T]:
    """A value that holds at any time."""
    return History((("", value),))


class Ids:
    """Fresh ids. Those of one prefix come in no order and with gaps, so that none tells when it was drawn."""

    def __init__(self, draw: Draw, most: int) -> None:
        self._draw, self._most = draw, most
        self._free: dict[str, list[int]] = {}

    def take(self, prefix: str, digits: int = 3) -> str:
        """An id such as "PID-174"; IndexError after `most` of a prefix."""
        if prefix not in self._free:
            first = 10 ** (digits - 1)
            self._free[prefix] = self._draw.stream(f"ids/{prefix}").shuffled(range(first, first + self._most))
        return f"{prefix}-{self._free[prefix].pop()}"


def dollars(cents: int) -> str:
    """Whole cents, none of them owed, as a money cell."""
    return f"{cents // 100}.{cents % 100:02d}"


def longer_name(draw: Draw, name: str, endings: Sequence[str], taken: Collection[str]) -> str:
    """A name that begins with `name` and is not taken; "" if all are."""
    free = [longer for ending in endings if (longer := f"{name} {ending}") not in taken]
    return draw.choice(free) if free else ""


def in_turn(draw: Draw, items: Sequence[T], count: int) -> list[T]:
    """`count` of the items: all of them in a random order, and that again and again."""
    order = draw.shuffled(items)
    return [order[i % len(order)] for i in range(count)]


def idle_remarks(draw: Draw, twin: str, other: str) -> list[str]:
    """Up to two sentences that decide nothing: of a look-alike ("" if there is none) and of a bystander."""
    said = []
    if twin and draw.chance(0.6):
        said.append(draw.choice(TWIN).format(twin=twin))
    if draw.chance(0.4):
        said.append(draw.choice(OTHER).format(other=other))
    return said


@dataclass(frozen=True, slots=True)
class Scene(Generic[W]):
    """What a ticket asks of the world, and what it says.

    said: the {names} in the kind's titles and bodies. facts: JSON data for `inspect`.
    asides: sentences of the ticket that decide nothing.
    """

    change: Callable[[W], W]
    said: Mapping[str, str]
    facts: Mapping[str, Any]
    asides: Sequence[str] = ()


class Sketch(Protocol[W_co]):
    """A world in the making, of one family."""

    draw: Draw

    def world(self) -> W_co:
        """The world as recorded; the same again unless something was redrawn."""

    def redraw(self, file: str, row: Row) -> None:
        """Give the record behind the row other figures; Unlucky if they are needed as they are."""


@dataclass(frozen=True, slots=True)
class Stage(Generic[W]):
    """What a family's trap kinds share: its tables, its columns of computed values, how a world is made.

    sketch(draw, knobs): a blank sketch. written(recorded, right): the tables of the world as
    recorded and as it should be; it raises Unlucky if a figure of them is in doubt.
    """

    tables: tuple[Table, ...]
    computed: frozenset[tuple[str, str]]
    sketch: Callable[[Draw, Any], Any]
    written: Callable[[W, W], tuple[Tables, Tables]]
    columns: Mapping[str, list[str]] = field(init=False)  # the computed ones of each file

    def __post_init__(self) -> None:
        files = sorted(dict(self.computed))
        columns = {file: sorted(c for of, c in self.computed if of == file) for file in files}
        object.__setattr__(self, "columns", columns)

    def plan(
        self, titles: Sequence[str], bodies: Sequence[str], scene: Callable[[Any], Scene[W]]
    ) -> Callable[[Draw, Any], Plan]:
        """The `plan` of a trap kind, from what its tickets say and how its scenes are drawn."""

        def planned(draw: Draw, knobs: Any) -> Plan:
            sketch = self.sketch(draw, knobs)
            drawn = scene(sketch)
            ticket = ticket_text.ticket(draw, titles, bodies, drawn.asides, **drawn.said)
            before, after = self._cleared(sketch, drawn.change, ticket)
            return Plan(before, after, ticket, drawn.facts)

        return planned

    def _cleared(self, sketch: Sketch[W], change: Callable[[W], W], ticket: str) -> tuple[Tables, Tables]:
        """The tables as recorded and as they should be, when no computed value stands in the inputs."""
        for _ in range(REDRAWS):
            recorded = sketch.world()
            before, after = self.written(recorded, change(recorded))
            wanted = self._answers(before, after)
            if any(text in ticket for _, _, text in wanted):
                raise Unlucky("a figure of the answer stands in the ticket")
            showing = [
                (file, row)
                for file, columns in self.columns.items()
                for row in before[file]
                if any((file, column, row[column]) in wanted for column in columns)
            ]
            if not showing:
                return before, after
            for file, row in showing:
                sketch.redraw(file, row)
        raise Unlucky("a figure of the answer stands in the inputs")

    def _answers(self, before: Tables, after: Tables) -> set[tuple[str, str, str]]:
        """File, column and text of each computed cell that the right edits set."""
        found: set[tuple[str, str, str]] = set()
        for table in self.tables:
            columns = self.columns.get(table.name, [])
            old = {table.key_of(row): row for row in before[table.name]} if columns else {}
            for row in after[table.name] if columns else ():
                was = old.get(table.key_of(row), {})
                found.update((table.name, c, row[c]) for c in columns if row[c] and was.get(c) != row[c])
        return found


Link = tuple[str, str, str, str]  # file and column of a cell, file and column where its keys must stand


def dangling(tables: Tables, links: Sequence[Link], separator: str = ";") -> Iterator[Problem]:
    """Cells that hold a key of another table that is not there. One may hold several, separated, or none."""
    for file, column, target, of in links:
        known = {row[of] for row in tables[target]}
        for row in tables[file]:
            for key in filter(None, row[column].split(separator)):
                if key not in known:
                    yield Problem(f"{key} is not in {target}", f"{file} {column}")
