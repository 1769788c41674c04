"""Strict JSON: numbers are read exactly, as int or Decimal, and what has two readings is refused."""

import json
import re
from decimal import Decimal
from typing import Any

from trapcli.core.shorten import quoted

MAX_DIGITS = 30
MAX_EXPONENT = 40  # of the first digit: 9e40 and 1e-40 are read
MAX_DEPTH = 50  # of arrays and objects in each other
LONGEST = 1_000_000  # characters of a value
FIRST_TRY = 2_000  # characters; most brackets are prose, and a JSONDecodeError counts all lines of its text
CUT = 20  # characters; a break this near to the end of a piece may be due to that end
SURROGATE = re.compile("[\ud800-\udfff]")
MAY_BE_SURROGATE = re.compile("\\\\u[dD]|[\ud800-\udfff]")


class Broken(ValueError):
    """A text that is not JSON; `at` is where it stops to be."""

    def __init__(self, message: str, at: int) -> None:
        super().__init__(message)
        self.at = at


class Decoder:
    """A JSON decoder (RFC 8259) that says why a value is refused, although it knows where it ends.

    refused: why the last value is refused, or "": a key given twice in an object, a number of more
        than `MAX_DIGITS` digits or with an exponent beyond `MAX_EXPONENT`, NaN or Infinity, nesting
        beyond `MAX_DEPTH`.
    """

    def __init__(self) -> None:
        self.refused = ""
        self._json = json.JSONDecoder(
            object_pairs_hook=self._object,
            parse_int=self._whole,
            parse_float=self._fraction,
            parse_constant=self._constant,
        )

    def decode(self, text: str, at: int, first_try: int = FIRST_TRY) -> tuple[Any, int]:
        """Return the array, object or string that begins at `at`, and where it ends.

        Lone surrogates, which JSON can spell but UTF-8 cannot, become U+FFFD. Raises Broken also if
        the value has more than `LONGEST` characters, and RecursionError if it nests hundreds deep.
        """
        for size in (first_try, LONGEST):
            self.refused, piece = "", text[at : at + size]
            try:
                value, end = self._json.raw_decode(piece)
            except json.JSONDecodeError as error:
                near = error.pos > size - CUT or error.msg.startswith("Unterminated")
                if at + size >= len(text) or not near:
                    message = error.msg.removesuffix(" at").removesuffix(" starting")
                    raise Broken(message, at + error.pos) from None
            else:
                if _deeper(value, MAX_DEPTH):
                    self.refused = f"nested more than {MAX_DEPTH} deep"
                return (_scrub(value) if MAY_BE_SURROGATE.search(piece, 0, end) else value), at + end
        raise Broken(f"it has more than {LONGEST:,} characters", at + LONGEST)

    def _whole(self, literal: str) -> int:
        if len(literal.lstrip("-")) > MAX_DIGITS:
            self.refused = f"{quoted(literal)} has more than {MAX_DIGITS} digits"
            return 0
        return int(literal)

    def _fraction(self, literal: str) -> Decimal:
        digits, _, exponent = literal.lower().partition("e")
        if sum(map(str.isdigit, digits)) > MAX_DIGITS:
            self.refused = f"{quoted(literal)} has more than {MAX_DIGITS} digits"
        elif len(exponent.lstrip("+-0")) > 3 or abs(Decimal(literal).adjusted()) > MAX_EXPONENT:
            self.refused = f"{quoted(literal)} is too large or too small to be an amount"
        else:
            return Decimal(literal)
        return Decimal(0)

    def _constant(self, literal: str) -> None:
        self.refused = f"{literal} is not JSON"

    def _object(self, members: list[tuple[str, Any]]) -> dict[str, Any]:
        built = dict(members)
        if len(built) != len(members):
            keys = [key for key, _ in members]
            twice = next(key for at, key in enumerate(keys) if key in keys[:at])
            self.refused = f"the key {quoted(twice)} is given twice in one object"
        return built


def _deeper(value: Any, levels: int) -> bool:
    """Whether arrays and objects nest more than `levels` deep; `value` itself is the first level."""
    for part in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        if isinstance(part, (dict, list)) and (levels == 1 or _deeper(part, levels - 1)):
            return True
    return False


def _scrub(value: Any) -> Any:
    if isinstance(value, str):
        return SURROGATE.sub("\ufffd", value)
    if isinstance(value, list):
        return [_scrub(element) for element in value]
    if isinstance(value, dict):
        return {_scrub(key): _scrub(part) for key, part in value.items()}
    return value
