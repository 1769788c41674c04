"""A record whose values are of other types than its fields say is refused."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from factories import trial

from trapcli.calibration.store.types_check import require_types


@dataclass(frozen=True)
class Inner:
    """A record in a record."""

    name: str = "a"


@dataclass(frozen=True)
class Outer:
    """A record with a field of every kind that ours have."""

    count: int = 1
    seconds: float = 1
    whether: bool = True
    where: Path = Path("x")
    head: bytes = b""
    inner: Inner = Inner()
    rate: float | None = None
    words: tuple[str, ...] = ("a", "b")
    pairs: tuple[tuple[int, str], ...] = ((1, "a"),)
    known: Mapping[str, str] | None = None
    anything: Mapping[str, Any] | None = None


GOOD = [{}, {"rate": 0.5}, {"rate": 2}, {"known": {"a": "b"}}, {"anything": {"a": [1]}}, {"words": ()}]
BAD = [
    *({"count": "1"}, {"count": 1.0}, {"count": True}, {"count": None}, {"count": 2**63}),
    *({"seconds": "1"}, {"seconds": float("nan")}, {"seconds": float("inf")}, {"seconds": 10**400}),
    *({"whether": 1}, {"where": "x"}, {"head": ""}, {"inner": None}, {"inner": Inner(3)}),  # type: ignore[arg-type]
    *(
        {"rate": "0.5"},
        {"words": ["a"]},
        {"words": ("a", 1)},
        {"pairs": ((1, "a", 2),)},
        {"pairs": (("a", 1),)},
    ),
    *({"known": {"a": 1}}, {"known": {1: "a"}}, {"known": ["a"]}, {"anything": "a"}),
]


@pytest.mark.parametrize("change", GOOD, ids=str)
def test_values_of_the_right_types_are_accepted(change: dict[str, Any]) -> None:
    """Whole numbers are numbers; None is allowed where a field says so; Any is not looked into."""
    require_types(replace(Outer(), **change))


@pytest.mark.parametrize("change", BAD, ids=lambda change: str(change)[:40])
def test_values_of_other_types_are_refused(change: dict[str, Any]) -> None:
    """The error names the field, in the record or in the one inside it."""
    with pytest.raises(TypeError, match=rf"Outer\.{next(iter(change))}|Inner\.name"):
        require_types(replace(Outer(), **change))


def test_a_trial_is_accepted_as_it_is_made() -> None:
    """Our own records pass."""
    require_types(trial())
