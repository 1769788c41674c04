"""The phrase books of the threads, read as data, and their patterns as regular expressions."""

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path

BOOKS = ("orders", "references", "followups", "chat", "manners")
TOKEN = re.compile(r"[\[\]|]|\{([^}]*)\}|[^\[\]|{]+")
MONTH_NAME = "(?:" + "|".join(
    ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
     "November", "December")
) + ")"  # fmt: skip
DAY = rf"(?:\d{{4}}-\d\d-\d\d|\d{{1,2}} {MONTH_NAME} \d{{4}}|{MONTH_NAME} \d{{1,2}}, \d{{4}})"
MONTH = rf"(?:\d{{4}}-\d\d(?!-)|{MONTH_NAME} \d{{4}})"
MONEY = r"(?:\$\d+(?:\.\d\d)?|\d+(?:\.\d\d)? USD|\d+ dollars)"
SHARE = r"\d+(?:%| percent)"
NAME = r"(?-i:[A-Z][\w'&-]*(?: [A-Z0-9][\w'&-]*){0,4}?)"
VALUE = f"(?:{DAY}|{MONTH}|{MONEY}|{SHARE}|{NAME})"
VALUES = {
    "day": DAY, "month": MONTH, "price": MONEY, "amount": MONEY, "total": MONEY, "share": SHARE,
    "field": "[a-z ]+?", "old": VALUE, "new": VALUE,
}  # fmt: skip


@cache
def sections() -> Mapping[str, tuple[str, ...]]:
    """Return heading -> its patterns, of all books."""
    found: dict[str, list[str]] = {}
    for book in BOOKS:
        path = Path(__file__).parents[2] / "threads" / "language" / f"{book}.txt"
        heading = ""
        for line in path.read_text(encoding="utf-8").splitlines():
            if line.startswith("== "):
                heading = line[3:].partition(" - ")[0]
                found[heading] = []
            elif line and not line.startswith("#"):
                found[heading].append(line)
    return {name: tuple(patterns) for name, patterns in found.items()}


def matches(section: str, text: str) -> Iterator[dict[str, str]]:
    """Yield what fills the slots if a text is a pattern of the section, for each such pattern."""
    lowered = text.lower()
    for literal, source in _sources(section):
        if literal in lowered and (found := _compiled(source).fullmatch(text)):
            groups = found.groupdict().items()
            yield {name.rstrip("_"): value for name, value in groups if value is not None}


@cache
def _compiled(source: str) -> re.Pattern[str]:
    return re.compile(source, re.IGNORECASE)


@cache
def _sources(section: str) -> tuple[tuple[str, str], ...]:
    """Return the patterns of a section: a text that is in all that matches, and the expression."""
    return tuple((_literal(pattern), _source(pattern)) for pattern in sections()[section])


def _literal(pattern: str) -> str:
    """Return the longest text of a pattern outside brackets and slots, in lower case."""
    bare = re.sub(r"\{[^}]*\}", "\0", pattern)
    while "[" in bare:
        bare = re.sub(r"\[[^\[\]]*\]", "\0", bare)
    return max(bare.lower().split("\0"), key=len)


def _source(pattern: str) -> str:
    """Return a pattern as an expression in which each slot is a group.

    A slot may stand in each of some alternatives: its groups differ by underscores behind the name.
    """
    seen: list[str] = []

    def group(name: str) -> str:
        inner = name.removeprefix("from ")
        seen.append(inner)
        return f"(?P<{inner}{'_' * (seen.count(inner) - 1)}>{_slot(name)})"

    return "".join(_translated(pattern, group))


@cache
def _slot(name: str) -> str:
    """Return the expression for what may fill a slot."""
    if name in ("from day", "from month"):
        return _any(name)
    if name in ("customer", "other"):
        return f"(?:{_any('customer by plan')}|{NAME})"
    if name in ("day", "month"):
        return f"(?:{VALUES[name]}|{_any(f'open {name}')})"
    if name == "sub":
        return _any("sub named", "sub by total")
    if name == "code":
        return f"(?:{_any('code by sub')}|(?:the code )?(?-i:[A-Z]+[0-9]+[A-Z]?))"
    if name == "topic":
        return r"the [^.?!:;]+?(?:\$\d+\.\d\d[^.?!:;]*?)?"
    return VALUES.get(name, NAME)


def _any(*names: str) -> str:
    parts = ["".join(_translated(pattern, _slot)) for name in names for pattern in sections()[name]]
    return f"(?:{'|'.join(parts)})"


def _translated(pattern: str, slot: Callable[[str], str]) -> Iterator[str]:
    """Yield the parts of a pattern as parts of an expression."""
    for match in TOKEN.finditer(pattern):
        token, name = match[0], match[1]
        if name is not None:
            yield slot(name)
        else:
            yield {"[": "(?:", "]": ")", "|": "|"}.get(token) or re.escape(token)
