"""Where JSON stands in a text, and where it breaks: found in one pass, without building a value.

The grammar is RFC 8259, with two liberties: what follows a backslash in a string is not looked
at (whoever builds the value does that), and nesting is followed `DEPTH` deep. All patterns run
on a masked text. Their repetitions are counted, because an unbounded one needs memory for each
round, and possessive ones hold single characters only, because groups in them match wrongly
before Python 3.11.5 (gh-106052). None can match one place in two ways, so that failing costs no
more than matching: every character is looked at a small number of times.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

DEPTH = 50
STEPS = 1_600_000  # of all walks together, a second or two; an array or object that holds others takes 4 to 6

BLANK = r"[ \t\n\r]*+"
STRING = r'"[^"\x00-\x1f]*+"'
BROKEN_STRING = r'"[^"\x00-\x1f]*+(?!")'
WHOLE = r"-?+(?!0[0-9])[0-9]++"
FRACTION = r"(?:\.[0-9]++(?![eE])|(?:\.[0-9]++)?[eE][-+]?+[0-9]++)"
NUMBER = f"{WHOLE}(?![.eE])|{WHOLE}{FRACTION}(?![.eE])"  # most are whole, and optional groups are slow
SCALAR = f"(?:{STRING}|{NUMBER}|true|false|null)"
KEY = f"{STRING}{BLANK}:{BLANK}"

# Items and members are taken many at a time if they are scalars, or arrays or objects of a few.
FEW = "{0,8}"
MANY = "{0,64}"
SIMPLE = r"(?=.[^\[\]{}]*+[\]}])"  # soon sees that a container holds another, and is not one of a few
FLAT_ARRAY = rf"{SIMPLE}\[{BLANK}(?:\]|(?:{SCALAR}{BLANK},{BLANK}){FEW}{SCALAR}{BLANK}\])"
FLAT_OBJECT = rf"{SIMPLE}\{{{BLANK}(?:\}}|(?:{KEY}{SCALAR}{BLANK},{BLANK}){FEW}{KEY}{SCALAR}{BLANK}\}})"
ITEMS = rf"(?:(?:{SCALAR}|{FLAT_ARRAY}|({FLAT_OBJECT})){BLANK},{BLANK}){MANY}"
MEMBERS = rf"(?:{KEY}(?:{SCALAR}|{FLAT_ARRAY}|{FLAT_OBJECT}){BLANK},{BLANK}){MANY}"

# A scalar, or the beginning of an array or object, or all of it if no more than scalars are left.
VALUE = re.compile(
    rf"{BLANK}(?:{SCALAR}"
    rf"|(\[{BLANK}(?:\]|{ITEMS}(?:{SCALAR}{BLANK}\])?))"
    rf"|(\{{{BLANK}(?:\}}|{MEMBERS}{KEY}(?:{SCALAR}{BLANK}\}})?)))"
)
ARRAY, ITEM, OBJECT = 1, 2, 3  # the groups of VALUE; ITEM is an object in the array
NEXT_ITEM = re.compile(rf"{BLANK}(?:(\])|,{BLANK}{ITEMS})")
NEXT_MEMBER = re.compile(rf"{BLANK}(?:(\}})|,{BLANK}{MEMBERS}{KEY})")

# How far these get when they do not match, and what they want there.
VALUE_BREAK = re.compile(rf"{BLANK}(?:(\{{{BLANK})(?:({STRING}{BLANK})|{BROKEN_STRING})?|{BROKEN_STRING})?")
ITEM_BREAK = re.compile(BLANK)
MEMBER_BREAK = re.compile(rf"{BLANK}(?:(,{BLANK})(?:({STRING}{BLANK})|{BROKEN_STRING})?)?")
TOO_DEEP = f"no more than {DEPTH} levels of arrays and objects"
WANTED = ("a key in double quotes", "a colon")
BRACKETS = re.compile(r"[\[ \t\n\r]*+")

# What no array of objects stands in: prose, and arrays and objects of scalars, up to their end or
# to where they break. Of what an answer can be, flat arrays of objects and empty arrays, the groups
# keep the last.
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
EMPTY = rf"(?<![\w)\]])\[{BLANK}\]"  # not the brackets of `values[]`
EMPTY_ARRAY = re.compile(EMPTY)
PLAIN = re.compile(
    rf"(?:[^\[{{]++|{NO_JSON}|({OBJECTS})|({EMPTY})|{SCALAR_ITEMS}|{SCALAR_MEMBERS}){{1,2000}}"
)

# An array of objects in JSON or in what is taken for it: comments, other quotes, bare keys, HTML, and
# quotes that were escaped, which are masked by `_`.
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
    """More arrays and objects stand inside others than are walked in bounded time; `at`: where it ended."""

    def __init__(self, at: int) -> None:
        super().__init__(at)
        self.at = at


@dataclass(slots=True)
class Value:
    """A JSON value from `start` to `end`, or to where it breaks.

    wanted: if it breaks, what should stand at `end`. objects: it is an array and an element is an
    object. nested: so is an array somewhere inside it. longest: characters of its longest element
    or member, flat ones left out.
    """

    start: int
    end: int = 0
    wanted: str = ""
    objects: bool = False
    nested: bool = False
    longest: int = 0

    @property
    def counts(self) -> bool:
        """Whether it is whole and an array of objects is in it, or it is one."""
        return not self.wanted and (self.objects or self.nested)


class Scan:
    """A text being searched for JSON. All walks together take at most `STEPS`, then raise TooMuch."""

    def __init__(self, text: str) -> None:
        # Escaped backslashes and quotes are masked, so that a string ends at the next quote.
        self.text = text.replace("\\\\", "__").replace('\\"', "__")
        self._left = STEPS

    def body(self) -> tuple[int, int]:
        """Where the text, which is not blank, begins and ends, less a code fence around all of it."""
        text = self.text
        end = len(text.rstrip())
        opening = OPEN_FENCE.match(text, 0, end)
        if opening:
            last_line = text.rfind("\n", 0, end) + 1
            if opening.end() < last_line and text[last_line:end].strip() == opening[1]:
                return opening.end(), len(text[:last_line].rstrip())
        return len(text) - len(text.lstrip()), end

    def values(self, at: int = 0) -> Iterator[Value]:
        """What stands outside of other values from `at` on, in order, whole or broken.

        Flat values are left out, but of those between two others the last array of objects
        and then the last empty array. After a broken value the search goes on where it broke.
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
        """The first value from `at` on that breaks and is, or holds, the beginning of an array of objects."""
        while beginning := BEGINNING.search(self.text, at):
            while at <= beginning.start():
                bracket = BRACKET.search(self.text, at)
                assert bracket  # that of `beginning`, if there is none before
                value = self.walk(bracket.start())
                if value.wanted and max(value.end, bracket.end()) > beginning.start():
                    return value
                at = max(value.end, bracket.end())
        return None

    def last_empty_fence(self, at: int) -> int | None:
        """Where the last code fence ends, if it stands after `at` and holds just an empty array."""
        found = None
        for fence in EMPTY_FENCE.finditer(self.text, at):
            found = fence
        return found.end() if found and self.text.find(found[1], found.end()) < 0 else None

    def number(self, literal: str, at: int) -> int:
        """Where a number stands that is known to be in the value that begins at `at`."""
        for found in NUMBERS.finditer(self.text, at):
            if found[1] == literal:
                return found.start()
        return at

    def walk(self, start: int) -> Value:
        """The value that begins at `start`, in time linear in its length."""
        text = self.text
        value = Value(start)
        arrays: list[bool] = []  # of what is open, outermost first: is it an array, or an object?
        at = child = start
        self._left -= 3  # for beginning and ending
        while True:
            self._left -= 1
            if self._left < 0:
                raise TooMuch(at)
            found = VALUE.match(text, at)
            if not found:
                return _broken(value, VALUE_BREAK, text, at, "a JSON value")
            kind = found.lastindex
            if kind == OBJECT and arrays and arrays[-1]:
                _note_object(value, len(arrays))
            if found[ITEM]:
                _note_object(value, len(arrays) + 1)
            if kind and text[found.end() - 1] not in "]}":  # it is left open
                if len(arrays) == DEPTH:
                    return _broken(value, BRACKETS, text, found.start(kind), TOO_DEEP)
                if len(arrays) == 1:
                    child = at
                arrays.append(kind == ARRAY)
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
    """The value, ending where `pattern` gets to from `at`; its groups tell what else it wants there."""
    found = pattern.match(text, at)
    assert found  # each of these patterns matches nothing, too
    value.end = found.end()
    value.wanted = WANTED[found.lastindex - 1] if found.lastindex else wanted
    return value


def _note_object(value: Value, depth: int) -> None:
    """An object stands in an array that is `depth` containers deep."""
    if depth == 1:
        value.objects = True
    else:
        value.nested = True
