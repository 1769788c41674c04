"""Strict JSON: numbers are read exactly, as int or Decimal, and a key given twice is refused."""

import json
import re
from decimal import Decimal
from typing import Any, NoReturn

from trapcli.core.shorten import quoted

MAX_DIGITS = 30
MAX_EXPONENT = 40  # of the first digit: 9e40 and 1e-40 are read
MAX_LISTS = 500_000  # built only to be counted; each takes about 70 bytes

SURROGATE = re.compile("[\ud800-\udfff]")
MAY_BE_SURROGATE = re.compile("\\\\u[dD]|[\ud800-\udfff]")


class Refused(ValueError):
    """JSON that is refused.

    number: the number that is the reason, as it is written, or "".
    """

    def __init__(self, message: str, number: str = "") -> None:
        super().__init__(message)
        self.number = number


def build(text: str, at: int) -> tuple[Any, int]:
    """Return the JSON value that begins at `at`, and where it ends.

    Raises Refused, JSONDecodeError, or RecursionError if values nest hundreds deep.
    """
    value, end = _DECODER.raw_decode(text, at)
    return (_scrub(value) if MAY_BE_SURROGATE.search(text, at, end) else value), end


def count(text: str, start: int, end: int) -> int | None:
    """Return how many elements the JSON array from `start` to `end` has; None if it has too many lists."""
    if text.count("[", start, end) > MAX_LISTS:
        return None
    return len(_COUNTER.raw_decode(text, start)[0])


def deeper(value: list[Any] | dict[str, Any], levels: int) -> bool:
    """Whether arrays and objects nest more than `levels` deep; `value` itself is the first level."""
    for part in value.values() if isinstance(value, dict) else value:
        if isinstance(part, (dict, list)) and (levels == 1 or deeper(part, levels - 1)):
            return True
    return False


def _whole(literal: str) -> int:
    if len(literal.lstrip("-")) > MAX_DIGITS:
        raise Refused(f"a number of more than {MAX_DIGITS} digits", literal)
    return int(literal)


def _fraction(literal: str) -> Decimal:
    """Return the number exactly; its exponent is checked before it is converted."""
    digits, _, exponent = literal.lower().partition("e")
    if sum(map(str.isdigit, digits)) > MAX_DIGITS:
        raise Refused(f"a number of more than {MAX_DIGITS} digits", literal)
    if len(exponent.lstrip("+-0")) > 3 or abs(Decimal(literal).adjusted()) > MAX_EXPONENT:
        raise Refused("a number too large or too small to be an amount", literal)
    return Decimal(literal)


def _constant(literal: str) -> NoReturn:
    raise Refused(f"{literal} is not JSON")


def _object(members: list[tuple[str, Any]]) -> dict[str, Any]:
    built = dict(members)
    if len(built) != len(members):
        raise Refused(repeated_key(_first_repeated(members)))
    return built


def _first_repeated(members: list[tuple[str, Any]]) -> str:
    seen: set[str] = set()
    for key, _ in members:
        if key in seen:
            return key
        seen.add(key)
    raise ValueError("no key is repeated")


def _scrub(value: Any) -> Any:
    """Return the value with U+FFFD for lone surrogates, which JSON can spell but UTF-8 cannot."""
    if isinstance(value, str):
        return SURROGATE.sub("\ufffd", value)
    if isinstance(value, list):
        return [_scrub(element) for element in value]
    if isinstance(value, dict):
        return _object([(_scrub(key), _scrub(part)) for key, part in value.items()])
    return value


def repeated_key(key: str) -> str:
    """Return the message about a key that is given twice."""
    return f"the key {quoted(key)} is given twice in one object"


_DECODER = json.JSONDecoder(
    object_pairs_hook=_object, parse_int=_whole, parse_float=_fraction, parse_constant=_constant
)
_COUNTER = json.JSONDecoder(object_pairs_hook=len, parse_int=len, parse_float=len)  # keeps only sizes
