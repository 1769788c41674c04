"""Knobs: the whole numbers that set how a family's cases are generated."""

from collections.abc import Mapping
from dataclasses import field, fields
from typing import Any

from trapcli.core.contract import Family
from trapcli.core.errors import TrapError


def knob(default: int, low: int, high: int, help: str) -> Any:
    """Declare a knob: a field of a family's frozen `knobs` dataclass.

    default: its value unless set.
    low, high: its range, both included.
    help: one line, shown by `--help` and `inspect`.
    """
    return field(default=default, metadata={"low": low, "high": high, "help": help})


def parse_knobs(family: Family, values: Mapping[str, Any]) -> Any:
    """Return the family's knobs with `values` (whole numbers, or text that spells them) over the defaults.

    Raises TrapError for an unknown knob, or a value that is not a whole number in range.
    """
    known = {f.name: f for f in fields(family.knobs)}
    chosen = {}
    for name, value in values.items():
        if name not in known:
            raise TrapError(
                f"{family.name} has no knob {name!r}; it has {', '.join(known)}. "
                f"`trapcli inspect {family.name}` shows them with their ranges."
            )
        low, high = known[name].metadata["low"], known[name].metadata["high"]
        text = str(value).strip()
        digits = text.removeprefix("-")
        if not (digits.isascii() and digits.isdigit() and len(digits) < 10):
            raise TrapError(f"knob {name}: {value!r} is not a whole number from {low} to {high}.")
        if not low <= int(text) <= high:
            raise TrapError(f"knob {name}: {value} is outside its range, {low} to {high}.")
        chosen[name] = int(text)
    return family.knobs(**chosen)


def knob_values(knobs: Any) -> dict[str, Any]:
    """Return the values of knobs by name, as JSON data."""
    return {knob.name: getattr(knobs, knob.name) for knob in fields(knobs)}
