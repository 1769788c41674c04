"""Text made short enough, and safe enough, for one line of a message."""

from collections.abc import Iterable
from itertools import islice

ELLIPSIS = "..."


def visible(text: str) -> str:
    """Return the text with each unprintable character (a newline, a control character) escaped."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def shorten(text: str, limit: int) -> str:
    """Return the text, cut to `limit` characters; a cut text ends with an ellipsis."""
    return text if len(text) <= limit else text[: limit - len(ELLIPSIS)] + ELLIPSIS


def one_line(text: str, limit: int = 300) -> str:
    """Return the text as one line of at most `limit` visible characters."""
    return shorten(visible(text[: limit + 1]), limit)


def quoted(value: object, limit: int = 60) -> str:
    """Return a value for a message: text in single quotes, anything else as it prints; on one line, short."""
    try:
        text = f"'{value}'" if isinstance(value, str) else str(value)
    except ValueError:  # an integer of thousands of digits
        text = "a number"
    return one_line(text, limit)


def listed(names: Iterable[str], total: int, limit: int = 5, separator: str = ", ") -> str:
    """Return the first `limit` of `total` names, and how many more there are: "a, b and 3 more"."""
    first = list(islice(names, limit))
    rest = total - len(first)
    return separator.join(first) + (f" and {rest:,} more" if rest > 0 else "")
