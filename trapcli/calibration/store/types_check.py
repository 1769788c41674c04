"""Check that a record which was decoded from the store holds what its fields say."""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from math import isfinite
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin

LARGEST = 2**63  # no number that trapcli stores is as large


def require_types(record: Any) -> None:
    """Raise TypeError, naming the field, if a value in a dataclass is not of the field's type.

    Types are those of our records: plain ones, other dataclasses, tuples, mappings and unions. Numbers
    must be finite and of a reasonable size.
    """
    for field in fields(record):
        if not _fits(getattr(record, field.name), field.type):
            raise TypeError(f"{type(record).__name__}.{field.name} is not {field.type}")


def _fits(value: Any, wanted: Any) -> bool:
    if wanted is Any:
        return True
    if wanted in (None, NoneType):
        return value is None
    if wanted in (int, float):
        number = isinstance(value, int | wanted) and not isinstance(value, bool)
        return number and -LARGEST < value < LARGEST and isfinite(value)
    origin, parts = get_origin(wanted), get_args(wanted)
    if origin in (Union, UnionType):
        return any(_fits(value, part) for part in parts)
    if origin is tuple:
        return isinstance(value, tuple) and _all_fit(value, parts)
    if origin is Mapping:
        return isinstance(value, Mapping) and all(
            _fits(key, parts[0]) and _fits(one, parts[1]) for key, one in value.items()
        )
    fits = isinstance(value, origin or wanted)
    if fits and is_dataclass(value):
        require_types(value)
    return fits


def _all_fit(values: tuple[Any, ...], parts: tuple[Any, ...]) -> bool:
    if parts[1:] == (Ellipsis,):
        return all(_fits(value, parts[0]) for value in values)
    return len(values) == len(parts) and all(map(_fits, values, parts))
