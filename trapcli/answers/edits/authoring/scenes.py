"""From a scene to a planned case: what the traps of any edits family have in common.

A trap draws a scene with its family's world builder: what a ticket asks for, and the names in its
text. The world is written to tables twice, as recorded and as it should be. The gold edits of the
case are the difference between these tables.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, TypeVar

from trapcli.answers.edits.authoring import ticket_text
from trapcli.answers.edits.authoring.plan import Plan, PlanFailed
from trapcli.answers.edits.tables import Row, Table, Tables
from trapcli.core.contract import Problem
from trapcli.core.draw import Draw

T = TypeVar("T")
W = TypeVar("W")
W_co = TypeVar("W_co", covariant=True)
REDRAWS = 60  # of rows that show the answer, before the plan is given up

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
    """A value over time.

    steps: (start, value) in order; a start is a period ("YYYY-MM") or a day ("YYYY-MM-DD").
    """

    steps: tuple[tuple[str, T], ...]

    def at(self, time: str) -> T:
        """Return the value at `time`; ValueError if that is before the first step."""
        for start, value in reversed(self.steps):
            if start <= time:
                return value
        raise ValueError(f"there is no value at {time}, before {self.steps[0][0]}")

    @property
    def latest(self) -> T:
        """The value of the last step."""
        return self.steps[-1][1]

    def since(self, start: str, value: T) -> "History[T]":
        """Return this history with `value` from `start` on, in place of all later steps."""
        return History((*(step for step in self.steps if step[0] < start), (start, value)))

    def insert(self, start: str, value: T) -> "History[T]":
        """Return this history with `value` from `start` on, up to the next step that it has."""
        others = [step for step in self.steps if step[0] != start]
        return History(tuple(sorted([*others, (start, value)], key=lambda step: step[0])))


def always(value: T) -> History[T]:
    """Return the history of a value that never changes."""
    return History((("", value),))


class Ids:
    """Fresh ids, in random order and with gaps, so that no id shows when it was drawn.

    most: how many ids of one prefix there are.
    """

    def __init__(self, draw: Draw, most: int) -> None:
        self._draw, self._most = draw, most
        self._free: dict[str, list[int]] = {}

    def take(self, prefix: str, digits: int = 3) -> str:
        """Return an id such as "PID-174"; IndexError after `most` of a prefix."""
        if prefix not in self._free:
            first = 10 ** (digits - 1)
            self._free[prefix] = self._draw.stream(f"ids/{prefix}").shuffled(range(first, first + self._most))
        return f"{prefix}-{self._free[prefix].pop()}"


def dollars(cents: int) -> str:
    """Return whole cents, not negative, as a money cell."""
    return f"{cents // 100}.{cents % 100:02d}"


def longer_name(draw: Draw, name: str, endings: Sequence[str], taken: Collection[str]) -> str:
    """Return a name that begins with `name` and is not taken; "" if every one is."""
    free = [longer for ending in endings if (longer := f"{name} {ending}") not in taken]
    return draw.choice(free) if free else ""


def in_turn(draw: Draw, items: Sequence[T], count: int) -> list[T]:
    """Return `count` of the items: all of them in a random order, and this order again and again."""
    order = draw.shuffled(items)
    return [order[i % len(order)] for i in range(count)]


def idle_remarks(draw: Draw, twin: str, other: str) -> list[str]:
    """Return up to two sentences that decide nothing.

    twin: the name of a look-alike, or "" if there is none.
    other: the name of someone whom the ticket does not concern.
    """
    remarks = []
    if twin and draw.chance(0.6):
        remarks.append(draw.choice(TWIN).format(twin=twin))
    if draw.chance(0.4):
        remarks.append(draw.choice(OTHER).format(other=other))
    return remarks


@dataclass(frozen=True, slots=True)
class Scene(Generic[W]):
    """What a ticket asks for, and what it says.

    change: turns the world as recorded into the world as it should be.
    names: values for the {names} in the trap's titles and bodies.
    facts: JSON data for `inspect`.
    asides: sentences of the ticket that decide nothing.
    """

    change: Callable[[W], W]
    names: Mapping[str, str]
    facts: Mapping[str, Any]
    asides: Sequence[str] = ()


class WorldBuilder(Protocol[W_co]):
    """What draws the records of one world, for one family."""

    draw: Draw

    def world(self) -> W_co:
        """Return the world as recorded; the same one again unless something was redrawn."""

    def redraw(self, file: str, row: Row) -> None:
        """Give the record behind a row other figures; PlanFailed if they must stay as they are."""


@dataclass(frozen=True, slots=True)
class Planner(Generic[W]):
    """What plans the cases of a family's traps.

    tables: the family's tables.
    computed: the (file, column) pairs that an agent must work out.
    builder: returns a `WorldBuilder`, as builder(draw, knobs).
    write: returns the tables of the world as recorded and as it should be, as write(recorded, right);
        PlanFailed if one of their figures is in doubt.
    """

    tables: tuple[Table, ...]
    computed: frozenset[tuple[str, str]]
    builder: Callable[[Draw, Any], Any]
    write: Callable[[W, W], tuple[Tables, Tables]]
    columns: Mapping[str, list[str]] = field(init=False)  # the computed ones of each file

    def __post_init__(self) -> None:
        files = sorted(dict(self.computed))
        columns = {file: sorted(c for of, c in self.computed if of == file) for file in files}
        object.__setattr__(self, "columns", columns)

    def plan_function(
        self, titles: Sequence[str], bodies: Sequence[str], scene: Callable[[Any], Scene[W]]
    ) -> Callable[[Draw, Any], Plan]:
        """Return the `plan` of a trap.

        titles, bodies: what its tickets say; see `ticket_text.ticket`.
        scene: draws a scene with a world builder.
        """

        def plan(draw: Draw, knobs: Any) -> Plan:
            builder = self.builder(draw, knobs)
            drawn = scene(builder)
            ticket = ticket_text.ticket(draw, titles, bodies, drawn.asides, **drawn.names)
            before, after = self._tables(builder, drawn.change, ticket)
            return Plan(before, after, ticket, drawn.facts)

        return plan

    def _tables(
        self, builder: WorldBuilder[W], change: Callable[[W], W], ticket: str
    ) -> tuple[Tables, Tables]:
        """Return the tables before and after; redraw the rows that show a computed value of the answer."""
        for _ in range(REDRAWS):
            recorded = builder.world()
            before, after = self.write(recorded, change(recorded))
            secret = self._computed_cells(before, after)
            if any(text in ticket for _, _, text in secret):
                raise PlanFailed("a figure of the answer is in the ticket")
            showing = [
                (file, row)
                for file, columns in self.columns.items()
                for row in before[file]
                if any((file, column, row[column]) in secret for column in columns)
            ]
            if not showing:
                return before, after
            for file, row in showing:
                builder.redraw(file, row)
        raise PlanFailed("a figure of the answer is in the inputs")

    def _computed_cells(self, before: Tables, after: Tables) -> set[tuple[str, str, str]]:
        """Return file, column and text of each computed cell that the right edits set."""
        found: set[tuple[str, str, str]] = set()
        for table in self.tables:
            columns = self.columns.get(table.name, [])
            old = {table.key_of(row): row for row in before[table.name]} if columns else {}
            for row in after[table.name] if columns else ():
                was = old.get(table.key_of(row), {})
                found.update((table.name, c, row[c]) for c in columns if row[c] and was.get(c) != row[c])
        return found


Link = tuple[str, str, str, str]  # file and column of a cell, file and column that its keys refer to


def dangling_keys(tables: Tables, links: Sequence[Link], separator: str = ";") -> Iterator[Problem]:
    """Yield the keys in cells that are not in the table they refer to; a cell may hold several, or none."""
    for file, column, target, of in links:
        known = {row[of] for row in tables[target]}
        for row in tables[file]:
            for key in filter(None, row[column].split(separator)):
                if key not in known:
                    yield Problem(f"{key} is not in {target}", f"{file} {column}")
