"""JSON values built exactly or not at all: numbers as int or Decimal, every key once."""

import json
import re
from decimal import Decimal
from typing import Any, NoReturn

MAX_DIGITS = 30
MAX_EXPONENT = 40  # of the first digit: 9e40 and 1e-40 are taken
MAX_LISTS = 500_000  # that are built to be counted, empty ones too; each takes some 70 bytes

SURROGATE = re.compile("[\ud800-\udfff]")
MAY_BE_SURROGATE = re.compile("\\\\u[dD]|[\ud800-\udfff]")


class Refused(ValueError):
    """JSON that is not taken. number: the number because of which, as it is written, or ""."""

    def __init__(self, message: str, number: str = "") -> None:
        super().__init__(message)
        self.number = number


def build(text: str, at: int) -> tuple[Any, int]:
    """The JSON value that begins at `at`, and where it ends.

    Raises Refused, JSONDecodeError, and RecursionError if it nests some hundreds deep.
    """
    value, end = _DECODER.raw_decode(text, at)
    return (_scrubbed(value) if MAY_BE_SURROGATE.search(text, at, end) else value), end


def count(text: str, start: int, end: int) -> int | None:
    """How many elements the JSON array from `start` to `end` has; None if counting takes too much memory."""
    if text.count("[", start, end) > MAX_LISTS:
        return None
    return len(_COUNTER.raw_decode(text, start)[0])


def deeper(value: list[Any] | dict[str, Any], levels: int) -> bool:
    """Whether arrays and objects nest more than `levels` deep in `value`, which counts as one level."""
    for part in value.values() if isinstance(value, dict) else value:
        if isinstance(part, (dict, list)) and (levels == 1 or deeper(part, levels - 1)):
            return True
    return False


def _whole(literal: str) -> int:
    if len(literal.lstrip("-")) > MAX_DIGITS:
        raise Refused(f"a number of more than {MAX_DIGITS} digits", literal)
    return int(literal)


def _fraction(literal: str) -> Decimal:
    """The number as it is written; its exponent is bounded before anything is made of it."""
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
        raise Refused(twice(_repeated(members)))
    return built


def _repeated(members: list[tuple[str, Any]]) -> str:
    seen: set[str] = set()
    for key, _ in members:
        if key in seen:
            return key
        seen.add(key)
    raise ValueError("every key is there once")


def _scrubbed(value: Any) -> Any:
    """The value with U+FFFD for half characters, which JSON can spell and no file can hold."""
    if isinstance(value, str):
        return SURROGATE.sub("\ufffd", value)
    if isinstance(value, list):
        return [_scrubbed(element) for element in value]
    if isinstance(value, dict):
        return _object([(_scrubbed(key), _scrubbed(part)) for key, part in value.items()])
    return value


def twice(key: str) -> str:
    return f"the key {quoted(key)} is given twice in one object"


def quoted(text: str) -> str:
    """The text for a message: on one line, in quotes, and not too long."""
    shown = json.dumps(text[:40], ensure_ascii=False)
    return shown if len(text) <= 40 else shown[:-1] + '..."'


_DECODER = json.JSONDecoder(
    object_pairs_hook=_object, parse_int=_whole, parse_float=_fraction, parse_constant=_constant
)
_COUNTER = json.JSONDecoder(object_pairs_hook=len, parse_int=len, parse_float=len)  # keeps next to nothing
