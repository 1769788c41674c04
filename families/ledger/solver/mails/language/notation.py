"""The notation of sentence patterns, `[a|b]` and `{slot}`, turned into regular expressions."""

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

TOKEN = re.compile(r"[\[\]|]|\{([^}]*)\}|[^\[\]|{]+")
BREAK = re.compile(r"[.?!](?= )")  # where one sentence of a pattern ends and another begins
# What one house says of itself, it calls "ours", its supplier "yours", and a third house "theirs".
SIDES = (("our", "your", "their"), ("ours", "yours", "theirs"), ("we", "us", "you", "they", "them"))
SIDE_OF = {word: "(?:" + "|".join(words) + ")" for words in SIDES for word in words}


class Shape(NamedTuple):
    """A pattern as a regular expression.

    source: the expression, its slots filled.
    literal: the longest text, in lower case, that is in all that matches.
    fewest, most: how many sentences end within it, before its end.
    """

    source: str
    literal: str
    fewest: int
    most: int


def shape(pattern: str, slot: Callable[[str], str], any_side: bool = False) -> Shape:
    """Return a pattern as a regular expression.

    slot: the name of a slot -> the expression that it stands for.
    any_side: whether "our" may be "your" or "their" as well, and so on.
    """
    tokens = [(match[0], match[1]) for match in TOKEN.finditer(pattern)]
    if "".join(token for token, _ in tokens) != pattern:
        raise ValueError(f"{pattern!r} is no pattern")
    source, literals, fewest, most = _sequence(iter(tokens), slot, any_side)
    return Shape(source, max(literals, key=len, default=""), fewest, most)


def _sequence(
    tokens: Iterator[tuple[str, str | None]], slot: Callable[[str], str], any_side: bool
) -> tuple[str, list[str], int, int]:
    """Read up to the bracket that ends this part; return its expression, literals and sentence ends."""
    branches: list[str] = []
    source, literals, ends = "", [], (0, 0)
    counts: list[tuple[int, int]] = []
    for token, name in tokens:
        if token == "[":
            inner, _, low, high = _sequence(tokens, slot, any_side)
            source, ends = f"{source}(?:{inner})", (ends[0] + low, ends[1] + high)
        elif token in "|]":
            branches.append(source)
            counts.append(ends)
            source, ends = "", (0, 0)
            if token == "]":
                break
        elif name is not None:
            source += slot(name)
        else:
            source += _literal(token, any_side)
            breaks = len(BREAK.findall(token))
            ends = ends[0] + breaks, ends[1] + breaks
            literals += _fixed(token, any_side)
    if not branches:
        return source, literals, *ends
    return "|".join(branches), [], min(low for low, _ in counts), max(high for _, high in counts)


def _literal(text: str, any_side: bool) -> str:
    if not any_side:
        return re.escape(text)
    return "".join(SIDE_OF.get(word.lower(), re.escape(word)) for word in re.split(r"\b", text))


def _fixed(text: str, any_side: bool) -> list[str]:
    """Return the parts of a text that are the same on any side."""
    if not any_side:
        return [text.lower()]
    return re.split(r"\b(?:" + "|".join(SIDE_OF) + r")\b", text.lower())
