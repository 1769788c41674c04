"""Hypothesis strategies for damaged and arbitrary input: files of a suite, YAML, manifests, stored rows."""

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

# Numbers that JSON in Python may hold and that break careless arithmetic.
NUMBERS = st.sampled_from([0, 1, -1, 2**63, 10**400, 1e308, math.inf, -math.inf, math.nan, 0.5])
SCALARS = st.none() | st.booleans() | NUMBERS | st.integers() | st.text(max_size=12)
JSON = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=6,
)

Damage = Callable[[Path], None]  # done to a file


def other_json(value: Any) -> st.SearchStrategy[Any]:
    """Return a strategy for JSON data that differs from `value` in one place, at any depth."""
    elsewhere: list[st.SearchStrategy[Any]] = [JSON]
    if isinstance(value, dict) and value:
        keys = st.sampled_from(sorted(value))
        changed = keys.flatmap(lambda key: other_json(value[key]).map(lambda new: {**value, key: new}))
        dropped = keys.map(lambda key: {name: one for name, one in value.items() if name != key})
        elsewhere = [changed, changed, changed, dropped, JSON]
    elif isinstance(value, list) and value:
        places = st.integers(0, len(value) - 1)
        replaced = places.flatmap(
            lambda place: other_json(value[place]).map(lambda new: [*value[:place], new, *value[place + 1 :]])
        )
        elsewhere = [replaced, replaced, JSON]
    return st.one_of(elsewhere)


def damaged_bytes(data: bytes) -> st.SearchStrategy[bytes]:
    """Return a strategy for bytes that differ from `data` by a byte, an end cut off, or entirely."""
    places = st.integers(0, max(0, len(data) - 1))
    flipped = st.tuples(places, st.integers(0, 255)).map(
        lambda change: data[: change[0]] + bytes([change[1]]) + data[change[0] + 1 :]
    )
    cut = places.map(lambda place: data[:place])
    return flipped | cut | st.binary(max_size=40)


@st.composite
def file_damage(draw: st.DrawFn, path: Path) -> str | bytes:
    """Draw what becomes of a file: its new bytes, or "missing" or "directory"."""
    data = path.read_bytes()
    if path.suffix == ".json" and draw(st.booleans()):
        return json.dumps(draw(other_json(json.loads(data)))).encode()
    return draw(damaged_bytes(data) | st.sampled_from(["missing", "directory"]))


def apply_damage(path: Path, damage: str | bytes) -> None:
    """Do to a file what `file_damage` drew."""
    path.unlink()
    if damage == "directory":
        path.mkdir()
    elif isinstance(damage, bytes):
        path.write_bytes(damage)


# trap.yaml: keys that mean something, near misses, and anything else.
YAML_KEYS = st.sampled_from(
    ["cmd", "timeout", "stdin", "setup_cmd", "name", "profile", "manifest_envvar", "extra", "tasks", "cmdd"]
)
YAML = st.dictionaries(
    YAML_KEYS | st.text(max_size=8) | st.integers() | st.none(),
    JSON
    | st.dates()
    | st.datetimes()
    | st.binary(max_size=4)
    | st.sampled_from(["python a.py", "a 'b", "1"]),
    max_size=6,
)

# `--set` on the command line.
SETTINGS = st.text(max_size=15) | st.tuples(
    st.sampled_from(["lines", "largest", "hidden", " lines", "LINES", ""]),
    st.sampled_from(["=", "==", " = "]),
    st.integers().map(str)
    | st.text(max_size=6)
    | st.sampled_from(["٣", "1e3", "0x10", "-0", "+5", "5.0", "²"]),
).map("".join)

# What SQLite may find in a column of the store.
CELLS = (
    st.none()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats()
    | st.text(st.characters(codec="utf-8"), max_size=8)
    | st.binary(max_size=6)
    | JSON.map(json.dumps)
)
