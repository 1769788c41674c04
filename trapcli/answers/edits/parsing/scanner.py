"""Where JSON is in a text, and where it breaks: found in one pass, without building a value.

The grammar is RFC 8259 with two liberties: what follows a backslash in a string is not checked (that
is left to whoever builds the value), and nesting is followed `DEPTH` levels deep. All patterns run on
a masked text. Their repetitions are counted, because an unbounded one needs memory for each round;
possessive ones repeat single characters only, because groups in them match wrongly before Python
3.11.5 (gh-106052). No pattern can match one place in two ways, so a failed match costs no more than
a successful one, and every character is looked at a small number of times.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

DEPTH = 50
STEPS = 1_600_000  # of all walks together: a second or two; a nested array or object takes 4 to 6

BLANK = r"[ \t\n\r]*+"
STRING = r'"[^"\x00-\x1f]*+"'
BROKEN_STRING = r'"[^"\x00-\x1f]*+(?!")'
WHOLE = r"-?+(?!0[0-9])[0-9]++"
FRACTION = r"(?:\.[0-9]++(?![eE])|(?:\.[0-9]++)?[eE][-+]?+[0-9]++)"
NUMBER = f"{WHOLE}(?![.eE])|{WHOLE}{FRACTION}(?![.eE])"  # whole ones first: optional groups are slow
SCALAR = f"(?:{STRING}|{NUMBER}|true|false|null)"
KEY = f"{STRING}{BLANK}:{BLANK}"

# Items and members are taken many at a time if they are scalars, or arrays or objects of a few.
FEW = "{0,8}"
MANY = "{0,64}"
SIMPLE = r"(?=.[^\[\]{}]*+[\]}])"  # fails early on a container that holds another
FLAT_ARRAY = rf"{SIMPLE}\[{BLANK}(?:\]|(?:{SCALAR}{BLANK},{BLANK}){FEW}{SCALAR}{BLANK}\])"
FLAT_OBJECT = rf"{SIMPLE}\{{{BLANK}(?:\}}|(?:{KEY}{SCALAR}{BLANK},{BLANK}){FEW}{KEY}{SCALAR}{BLANK}\}})"
ITEMS = rf"(?:(?:{SCALAR}|{FLAT_ARRAY}|({FLAT_OBJECT})){BLANK},{BLANK}){MANY}"
MEMBERS = rf"(?:{KEY}(?:{SCALAR}|{FLAT_ARRAY}|{FLAT_OBJECT}){BLANK},{BLANK}){MANY}"

# A scalar, or the beginning of an array or object, or all of it if only scalars are left.
VALUE = re.compile(
    rf"{BLANK}(?:{SCALAR}"
    rf"|(\[{BLANK}(?:\]|{ITEMS}(?:{SCALAR}{BLANK}\])?))"
    rf"|(\{{{BLANK}(?:\}}|{MEMBERS}{KEY}(?:{SCALAR}{BLANK}\}})?)))"
)
ARRAY, ITEM, OBJECT = 1, 2, 3  # the groups of VALUE; ITEM is an object in the array
NEXT_ITEM = re.compile(rf"{BLANK}(?:(\])|,{BLANK}{ITEMS})")
NEXT_MEMBER = re.compile(rf"{BLANK}(?:(\}})|,{BLANK}{MEMBERS}{KEY})")

# How far each of the patterns above gets when it does not match, and what it expects there.
VALUE_BREAK = re.compile(rf"{BLANK}(?:(\{{{BLANK})(?:({STRING}{BLANK})|{BROKEN_STRING})?|{BROKEN_STRING})?")
ITEM_BREAK = re.compile(BLANK)
MEMBER_BREAK = re.compile(rf"{BLANK}(?:(,{BLANK})(?:({STRING}{BLANK})|{BROKEN_STRING})?)?")
TOO_DEEP = f"no more than {DEPTH} levels of arrays and objects"
WANTED = ("a key in double quotes", "a colon")
BRACKETS = re.compile(r"[\[ \t\n\r]*+")

# What cannot contain an array of objects: prose, and arrays and objects of scalars, up to their end or
# to where they break. Its groups keep the last candidates for an answer: a flat array of objects, and
# an empty array.
NEST = rf"\[{BLANK}(?:[\[\]{{]|{SCALAR})|\{{{BLANK}(?:\}}|{STRING}{BLANK}:)"
SCALARS_END = rf"(?:{SCALAR}{BLANK}(?!,)|{BROKEN_STRING}|(?!{SCALAR}|{NEST}))"
SCALAR_ITEMS = rf"\[{BLANK}(?:{SCALAR}{BLANK},{BLANK}){MANY}{SCALARS_END}"
SCALAR_MEMBERS = (
    rf"\{{{BLANK}(?:{KEY}{SCALAR}{BLANK},{BLANK}){MANY}"
    rf"(?:{STRING}{BLANK}(?::{BLANK}{SCALARS_END}|(?!:))|{BROKEN_STRING}|(?!{STRING}))"
)
BEGINS = rf'(?:"|-?[0-9]|true|false|null|\]|\{{{BLANK}["}}])'  # what may follow a bracket
NO_JSON = rf'\[(?!{BLANK}(?:\[{BLANK}(?:\[|{BEGINS})|{BEGINS}))|\{{(?!{BLANK}["}}])'
OBJECTS = rf"\[{BLANK}(?:{FLAT_OBJECT}{BLANK},{BLANK}){FEW}{FLAT_OBJECT}{BLANK}\]"
EMPTY = rf"(?<![\w)\]])\[{BLANK}\]"  # but not the brackets of `values[]`
EMPTY_ARRAY = re.compile(EMPTY)
PLAIN = re.compile(
    rf"(?:[^\[{{]++|{NO_JSON}|({OBJECTS})|({EMPTY})|{SCALAR_ITEMS}|{SCALAR_MEMBERS}){{1,2000}}"
)

# The beginning of an array of objects, in JSON or in something mistaken for it: with comments, other
# quotes, bare keys, HTML, or escaped quotes, which are masked by `_`.
BEGINNING = re.compile(
    r"\[\s*+(?:(?://|#)[^\n]{0,80}+\n\s*+){0,3}"
    r"""\{\s*+(?:\\?["'\u201c-\u201f\u2018-\u201b`_]|&(?:quot|apos|#34|#39);|\w{1,40}+\s*+:)"""
)
BRACKET = re.compile(r"[\[{]")
OPEN_FENCE = re.compile(r"\s*+(`{3,}|~{3,})[^\n`]*+\n\s*+")
EMPTY_FENCE = re.compile(
    r"^[ \t]*+(`{3,}|~{3,})[^\n`]*+\n\s*+"
    r'(?:\[\s*+\]|\{\s*+"[^"\n]*+"\s*+:\s*+\[\s*+\]\s*+\})\s*+\1',
    re.MULTILINE,
)
NUMBERS = re.compile(r'"[^"]*+"|(-?[0-9][0-9.eE+-]*+)')


class TooMuch(Exception):
    """There are more nested arrays and objects than can be walked in bounded time.

    at: where the walk ended.
    """

    def __init__(self, at: int) -> None:
        super().__init__(at)
        self.at = at


@dataclass(slots=True)
class Value:
    """A JSON value from `start` to `end`, or to where it breaks.

    wanted: if it breaks, what is expected at `end`; else "".
    objects: whether it is an array of which an element is an object.
    nested: whether there is such an array inside it.
    longest: characters of its longest element or member that is not flat.
    """

    start: int
    end: int = 0
    wanted: str = ""
    objects: bool = False
    nested: bool = False
    longest: int = 0

    @property
    def counts(self) -> bool:
        """Whether it is whole, and is or contains an array of objects."""
        return not self.wanted and (self.objects or self.nested)


class Scan:
    """A search for JSON in a text. All walks together take at most `STEPS`, then raise TooMuch."""

    def __init__(self, text: str) -> None:
        # Escaped backslashes and quotes are masked, so that a string ends at the next quote.
        self.text = text.replace("\\\\", "__").replace('\\"', "__")
        self._left = STEPS

    def body(self) -> tuple[int, int]:
        """Return where a text that is not blank begins and ends, without a code fence around all of it."""
        text = self.text
        end = len(text.rstrip())
        opening = OPEN_FENCE.match(text, 0, end)
        if opening:
            last_line = text.rfind("\n", 0, end) + 1
            if opening.end() < last_line and text[last_line:end].strip() == opening[1]:
                return opening.end(), len(text[:last_line].rstrip())
        return len(text) - len(text.lstrip()), end

    def values(self, at: int = 0) -> Iterator[Value]:
        """Yield the values from `at` on that are not inside others, in order, whole or broken.

        Flat values are left out, except the last array of objects and the last empty array in
        each run of them. After a broken value the search continues where it broke.
        """
        text = self.text
        while at < len(text):
            plain = PLAIN.match(text, at)
            if plain:
                at = plain.end()
                for group in (1, 2):
                    if plain[group]:
                        yield Value(plain.start(group), plain.end(group), objects=group == 1)
            if at < len(text) and text[at] in "[{":
                value = self.walk(at)
                yield value
                at = max(value.end, at + 1)

    def is_empty(self, value: Value) -> bool:
        """Whether a value is an empty array."""
        return EMPTY_ARRAY.fullmatch(self.text, value.start, value.end) is not None

    def holds_empty(self, value: Value) -> bool:
        """Whether a value is an empty array, or an object with one somewhere in it."""
        if self.text[value.start] == "{":
            return EMPTY_ARRAY.search(self.text, value.start, value.end) is not None
        return self.is_empty(value)

    def broken_array(self, at: int) -> Value | None:
        """Return the first broken value from `at` on that begins an array of objects, or contains one."""
        while beginning := BEGINNING.search(self.text, at):
            while at <= beginning.start():
                bracket = BRACKET.search(self.text, at)
                assert bracket  # if no other, the one that `beginning` found
                value = self.walk(bracket.start())
                if value.wanted and max(value.end, bracket.end()) > beginning.start():
                    return value
                at = max(value.end, bracket.end())
        return None

    def last_empty_fence(self, at: int) -> int | None:
        """Return where the last code fence ends, if it is after `at` and holds only an empty array."""
        found = None
        for fence in EMPTY_FENCE.finditer(self.text, at):
            found = fence
        return found.end() if found and self.text.find(found[1], found.end()) < 0 else None

    def number(self, literal: str, at: int) -> int:
        """Return where a number is that is known to be in the value that begins at `at`."""
        for found in NUMBERS.finditer(self.text, at):
            if found[1] == literal:
                return found.start()
        return at

    def walk(self, start: int) -> Value:
        """Return the value that begins at `start`, in time linear in its length."""
        text = self.text
        value = Value(start)
        arrays: list[bool] = []  # for each open container, outermost first: whether it is an array
        at = child = start
        self._left -= 3  # to begin and to end
        while True:
            self._left -= 1
            if self._left < 0:
                raise TooMuch(at)
            found = VALUE.match(text, at)
            if not found:
                return _broken(value, VALUE_BREAK, text, at, "a JSON value")
            group = found.lastindex
            if group == OBJECT and arrays and arrays[-1]:
                _note_object(value, len(arrays))
            if found[ITEM]:
                _note_object(value, len(arrays) + 1)
            if group and text[found.end() - 1] not in "]}":  # the container is not closed yet
                if len(arrays) == DEPTH:
                    return _broken(value, BRACKETS, text, found.start(group), TOO_DEEP)
                if len(arrays) == 1:
                    child = at
                arrays.append(group == ARRAY)
                at = found.end()
                continue
            at = found.end()
            while arrays:
                self._left -= 1
                if arrays[-1]:
                    found = NEXT_ITEM.match(text, at)
                    if not found:
                        return _broken(value, ITEM_BREAK, text, at, 'a comma or "]"')
                    if found[ITEM]:
                        _note_object(value, len(arrays))
                else:
                    found = NEXT_MEMBER.match(text, at)
                    if not found:
                        return _broken(value, MEMBER_BREAK, text, at, 'a comma or "}"')
                at = found.end()
                if found.lastindex != 1:
                    break
                arrays.pop()
                if len(arrays) == 1:
                    value.longest = max(value.longest, at - child)
            else:
                value.end = at
                return value


def _broken(value: Value, pattern: re.Pattern[str], text: str, at: int, wanted: str) -> Value:
    """Return the value, broken where `pattern` gets to from `at`; its groups say what is expected there."""
    found = pattern.match(text, at)
    assert found  # each of these patterns also matches the empty text
    value.end = found.end()
    value.wanted = WANTED[found.lastindex - 1] if found.lastindex else wanted
    return value


def _note_object(value: Value, depth: int) -> None:
    """Note that an object is an element of an array that is `depth` containers deep."""
    if depth == 1:
        value.objects = True
    else:
        value.nested = True
