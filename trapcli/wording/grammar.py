"""Patterns of words: alternatives in [a|b|c], which may nest, and slots in {braces}."""

from collections.abc import Callable, Mapping
from functools import cache
from typing import NamedTuple

from trapcli.core.draw import Draw

Filler = str | Callable[[], str]


class Slot(NamedTuple):
    """A place that the caller fills."""

    name: str


class OneOf(NamedTuple):
    """Alternatives, of which one is drawn."""

    items: "tuple[Parts, ...]"


Parts = tuple["str | Slot | OneOf", ...]


@cache
def parse(pattern: str) -> Parts:
    """Return the parts of a pattern; ValueError if its brackets do not match."""
    parts, at = _parts(pattern, 0, top=True)
    if at != len(pattern):
        raise ValueError(f"a bracket is left over in {pattern!r}")
    return parts


def expand(draw: Draw, pattern: str, slots: Mapping[str, Filler]) -> str:
    """Return the pattern with one of each alternatives drawn and its slots filled."""
    return "".join(_expanded(draw, parse(pattern), slots))


def skeletons(pattern: str) -> int:
    """Return how many different texts a pattern has, slots unfilled."""
    return _count(parse(pattern))


def slots_of(pattern: str) -> frozenset[str]:
    """Return the names of all slots of a pattern."""
    return frozenset(_slots(parse(pattern)))


def _expanded(draw: Draw, parts: Parts, slots: Mapping[str, Filler]) -> list[str]:
    out: list[str] = []
    for part in parts:
        if isinstance(part, str):
            out.append(part)
        elif isinstance(part, Slot):
            value = slots[part.name]
            out.append(value if isinstance(value, str) else value())
        else:
            out += _expanded(draw, draw.choice(part.items), slots)
    return out


def _count(parts: Parts) -> int:
    product = 1
    for part in parts:
        if isinstance(part, OneOf):
            product *= sum(_count(item) for item in part.items)
    return product


def _slots(parts: Parts) -> list[str]:
    names: list[str] = []
    for part in parts:
        if isinstance(part, Slot):
            names.append(part.name)
        elif isinstance(part, OneOf):
            names += [name for item in part.items for name in _slots(item)]
    return names


def _parts(pattern: str, at: int, top: bool) -> tuple[Parts, int]:
    """Read parts from a place on; return them and the place of the bracket that ends them."""
    parts: list[str | Slot | OneOf] = []
    while at < len(pattern):
        char = pattern[at]
        if char == "[":
            items = []
            while pattern[at : at + 1] in ("[", "|"):
                item, at = _parts(pattern, at + 1, top=False)
                items.append(item)
            if pattern[at : at + 1] != "]":
                raise ValueError(f"a bracket stays open in {pattern!r}")
            parts.append(OneOf(tuple(items)))
            at += 1
        elif char == "{":
            end = pattern.index("}", at)
            parts.append(Slot(pattern[at + 1 : end]))
            at = end + 1
        elif char in "]|" and not top:
            break
        else:
            end = min(
                (place for mark in "[{]|" if (place := pattern.find(mark, at)) >= 0), default=len(pattern)
            )
            if end == at:
                raise ValueError(f"a bracket is left over in {pattern!r}")
            parts.append(pattern[at:end])
            at = end
    return tuple(parts), at
