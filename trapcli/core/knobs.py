"""Knobs: whole numbers that set how a family's cases are generated, or ranges to draw them from."""

import re
from collections.abc import Mapping
from dataclasses import field, fields, replace
from typing import Any

from trapcli.core.contract import Family
from trapcli.core.draw import Draw
from trapcli.core.errors import TrapError
from trapcli.core.shorten import quoted

RANGE = r"(-?[0-9]{1,9})(?:-([0-9]{1,9}))?"  # a whole number, or two with a hyphen between them


def knob(default: int, low: int, high: int, help: str, private: bool = False) -> Any:
    """Declare a knob: a field of a family's frozen `knobs` dataclass.

    default: its value unless set.
    low, high: its range, both included.
    help: one line, shown by `--help` and `inspect`.
    private: whether its value would help an agent, so that the public half of a suite does not name it.
    """
    return field(default=default, metadata={"low": low, "high": high, "help": help, "private": private})


def parse_knobs(family: Family, values: Mapping[str, Any]) -> Any:
    """Return the family's knobs with `values` over the defaults.

    values: by knob, a whole number or text that spells one, or a range such as "6-7", from which each
        case's value is drawn (see `drawn_knobs`); a range stays text.

    Raises TrapError for an unknown knob, a value that is neither, or one that is out of the knob's bounds.
    """
    known = {f.name: f for f in fields(family.knobs)}
    chosen = {}
    for name, value in values.items():
        if name not in known:
            raise TrapError(
                f"{family.name} has no knob {name!r}; it has {', '.join(known)}. "
                f"`trapcli inspect {family.name}` shows them with their ranges."
            )
        chosen[name] = _parsed(name, value, known[name].metadata["low"], known[name].metadata["high"])
    return family.knobs(**chosen)


def _parsed(name: str, value: Any, low: int, high: int) -> int | str:
    text = (value if isinstance(value, str) else quoted(value)).strip()
    bounds = re.fullmatch(RANGE, text, re.ASCII)
    if not bounds:
        raise TrapError(
            f"knob {name}: {quoted(value)} is not a whole number from {low} to {high}, or a range in it."
        )
    first, last = int(bounds[1]), int(bounds[2] or bounds[1])
    if not low <= first <= last <= high:
        problem = "runs backwards" if first > last else f"is outside its range, {low} to {high}"
        raise TrapError(f"knob {name}: {value} {problem}.")
    return first if first == last else f"{first}-{last}"


def drawn_knobs(knobs: Any, draw: Draw) -> Any:
    """Return knobs of which each range is replaced by a number from it, both ends included.

    Each knob has a stream of its own, so that setting one does not change what is drawn for another.
    """
    ranges = {name: value for name, value in knob_values(knobs).items() if isinstance(value, str)}
    drawn = {}
    for name, value in ranges.items():
        low, high = (int(text) for text in value.split("-"))
        drawn[name] = draw.stream(name).between(low, high)
    return replace(knobs, **drawn) if drawn else knobs


def stored_knobs(values: Mapping[str, Any]) -> dict[str, int | str]:
    """Return the knobs of a stored recipe; ValueError if one is neither a whole number nor a range."""
    for name, value in values.items():
        if type(value) is not int and not (isinstance(value, str) and re.fullmatch("[0-9]+-[0-9]+", value)):
            raise ValueError(f"knob {name} is {quoted(value)}")
    return dict(values)


def knob_values(knobs: Any) -> dict[str, Any]:
    """Return the values of knobs by name, as JSON data."""
    return {knob.name: getattr(knobs, knob.name) for knob in fields(knobs)}
