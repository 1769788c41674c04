"""What an author declares a trap with, and what its plan of a case consists of."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from trapcli.answers.edits.limits import EDITS_READ
from trapcli.answers.edits.tables import Tables
from trapcli.core.draw import Draw

MOST_GOLD_EDITS = 28  # of the 30 edits that are read: two are left for harmless ones


@dataclass(frozen=True, slots=True)
class Missed:
    """One thing that can be missed in a case, and the edits of somebody who misses it.

    name: such as "the correction in message 7".
    request: the number of the request that it is about.
    """

    name: str
    request: int
    edits: "list[dict[str, Any]]"


class PlanFailed(Exception):
    """A case cannot be planned with what was drawn; another one is drawn."""


@dataclass(frozen=True, slots=True)
class Plan:
    """A planned case.

    before: the tables as the agent finds them.
    after: the tables as they should be.
    ticket: the text of `ticket.md`, which asks for the change.
    facts: JSON data for `inspect`, such as which rows mislead.
    mistakes: those of this case, if they are others than the trap's.
    readme: what the case README says in addition, in Markdown.
    guided: whether the case README explains what the scripts and tables show.
    edits_read: how many edits of an answer count; the case README must say so if it is not 30.
    missed: what can be missed beside the mistakes; a wrong answer is named by it.
    """

    before: Tables
    after: Tables
    ticket: str
    facts: Mapping[str, Any] = field(default_factory=dict)
    mistakes: tuple[str, ...] | None = None
    readme: str = ""
    guided: bool = True
    edits_read: int = EDITS_READ
    missed: tuple[Missed, ...] = ()


@dataclass(frozen=True, slots=True)
class Trap:
    """A trap of an edits family.

    name: as in `Family.traps`.
    about: one line about it.
    plan: draws a case, as plan(draw, knobs) -> Plan, or "module:name" of such a function. It may
        raise PlanFailed.
    mistakes: names of the mistakes that an agent can make here.
    """

    name: str
    about: str
    plan: "Callable[[Draw, Any], Plan] | str"
    mistakes: tuple[str, ...]
