"""Check that a record which was decoded from the store holds what its fields say."""

from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from math import isfinite
from types import NoneType, UnionType
from typing import Any, TypeAlias, Union, get_args, get_origin

Check: TypeAlias = Callable[[Any], bool]

LARGEST = 2**63  # no number that trapcli stores is as large


def require_types(record: Any) -> None:
    """Raise TypeError, naming the field, if a value in a dataclass is not of the field's type.

    Types are those of our records: plain ones, other dataclasses, tuples, mappings and unions. Numbers
    must be finite and of a reasonable size.
    """
    made_of: Any = type(record)
    for name, fits in _checks(made_of):
        if not fits(getattr(record, name)):
            raise TypeError(f"{type(record).__name__}.{name} is not of its type")


@cache
def _checks(record: Any) -> tuple[tuple[str, Check], ...]:
    types: list[tuple[str, Any]] = [(field.name, field.type) for field in fields(record)]
    return tuple((name, _check(wanted)) for name, wanted in types)


@cache
def _check(wanted: Any) -> Check:
    """Return a function that says whether a value is of a type."""
    origin, parts = get_origin(wanted), get_args(wanted)
    if wanted is Any:
        return lambda value: True
    if wanted in (None, NoneType):
        return lambda value: value is None
    if wanted in (int, float):
        return lambda value: _is_number(value, wanted)
    if origin in (Union, UnionType):
        checks = tuple(map(_check, parts))
        return lambda value: any(check(value) for check in checks)
    if origin is tuple:
        return _check_tuple(parts)
    if origin is Mapping:
        key, one = map(_check, parts)
        return lambda value: isinstance(value, Mapping) and all(key(k) and one(v) for k, v in value.items())
    return lambda value: isinstance(value, origin or wanted) and _parts_fit(value)


def _check_tuple(parts: tuple[Any, ...]) -> Check:
    if parts[1:] == (Ellipsis,):
        each = _check(parts[0])
        return lambda values: isinstance(values, tuple) and all(map(each, values))
    checks = tuple(map(_check, parts))
    return lambda values: (
        isinstance(values, tuple)
        and len(values) == len(checks)
        and all(check(value) for check, value in zip(checks, values, strict=True))
    )


def _is_number(value: Any, wanted: type) -> bool:
    number = isinstance(value, int | wanted) and not isinstance(value, bool)
    return number and -LARGEST < value < LARGEST and isfinite(value)


def _parts_fit(value: Any) -> bool:
    if is_dataclass(value):
        require_types(value)
    return True
