"""From the cleaned text of an output to the edits it gives, or why it gives none.

The rules, where the words of the answer format leave room:

1. If the output, less white space and a code fence around all of it, is one JSON value, then
   that is the answer or there is none.
2. Else the last array of objects is the answer: an array with at least one object as an element,
   that stands in no other array, and in an object only as one of its values. What else such
   an array holds is left to whoever applies it.
3. An object with exactly one array of objects as a value counts as that array. One edit (an
   object with "file" and "op") counts as an array of one if it is the whole output.
4. An empty array counts if there is no array of objects, or if it stands alone in the last
   code fence.
5. An array of objects that begins after the last whole one and breaks makes the output
   unreadable: it was the agent's last word. It is known by its beginning, `[`, `{` and a quote
   or a key, so that brackets in prose do no harm.

JSON is JSON. Refused beyond it: what `strict` refuses, nesting beyond `scanning.DEPTH`, an edit
of more than a million characters. Edits that do not count must be JSON and are looked at no
further. Lines and columns are those of the cleaned text, from 1.
"""

import re
from itertools import chain
from json import JSONDecodeError
from typing import TYPE_CHECKING

from trapcli.answers.edits.parsing.strict_json import Refused, build, count, deeper, quoted, twice
from trapcli.core.contract import Answer, Problem

if TYPE_CHECKING:
    from trapcli.answers.edits.parsing.scanner import Scan, Value

MAX_EDITS = 30
MAX_LENGTH = 1_000_000
SHORT = 100_000
SURE_DEPTH = 20

BLANK = re.compile(r"[ \t\n\r]*+")
WHITE = re.compile(r"\s*+")
SEPARATOR = re.compile(r"[ \t\n\r]*+[,:]?[ \t\n\r]*+")


def read_edits(text: str) -> Answer | Problem:
    """The edits in a cleaned output: an Answer with a tuple of at most `MAX_EDITS` JSON values.

    Objects are dicts, numbers int or Decimal; an element may be any JSON value. A note tells how
    many more there were. Time is linear in the length of the text, whatever it holds.
    """
    return _read_short(text) or _read(text)


def _read_short(text: str) -> Answer | None:
    """The answer if the text is short and nothing but an array of objects: no need to scan then."""
    if len(text) > SHORT:
        return None
    try:
        body = text.strip()
        elements, end = build(body, 0) if body.startswith("[") else (None, 0)
    except (ValueError, RecursionError):
        return None
    if not isinstance(elements, list) or end < len(body) or deeper(elements, SURE_DEPTH):
        return None
    if elements and not any(isinstance(element, dict) for element in elements):
        return None
    return _answer(elements[:MAX_EDITS], len(elements))


def _read(text: str) -> Answer | Problem:
    from trapcli.answers.edits.parsing.scanner import Scan, TooMuch  # its patterns take long to compile

    if not text or text.isspace():
        return Problem("the output is empty", place(text, 0))
    try:
        return _find(Scan(text), text)
    except TooMuch as stop:
        return Problem("too many nested or broken arrays and objects to read them all", place(text, stop.at))
    except JSONDecodeError as error:
        return Problem(f"not JSON: {error.msg}", place(text, error.pos))


def _find(scan: "Scan", text: str) -> Answer | Problem:
    start, end = scan.body()
    first = scan.walk(start)
    if not first.wanted and first.end == end:
        return _decide(scan, text, first, whole=True)
    bracket = text[start] in "[{"
    values = chain([first], scan.values(max(first.end, start + 1))) if bracket else scan.values(start)
    last = empty = None
    for value in values:
        if value.counts:
            last = value
        elif not value.wanted and scan.holds_empty(value):
            empty = value
    after = last.end if last else start
    fence = scan.last_empty_fence(after) if last else None
    broken = scan.broken_array(fence or after)
    if broken:
        return _break(text, broken)
    if fence:
        return Answer(())
    found = last or empty
    return _decide(scan, text, found, whole=False) if found else _none(text, first)


def _decide(scan: "Scan", text: str, value: "Value", whole: bool) -> Answer | Problem:
    """What a value says that is the answer, if it can be one. whole: nothing else was printed."""
    where = place(text, value.start)
    if text[value.start] == "{":
        return _from_object(scan, text, value, whole)
    if text[value.start] == '"':
        return Problem("the output is a JSON string, not an array of edits", where)
    if text[value.start] != "[":
        return Problem(f"the output is {quoted(text[value.start : value.end])}, not an array of edits", where)
    if scan.is_empty(value):
        return Answer(())
    if value.objects:
        return _from_array(scan, text, value)
    if value.nested:
        return Problem("the array of edits stands inside another array", where)
    return Problem("the array holds no object, so it is no array of edits", where)


def _from_object(scan: "Scan", text: str, value: "Value", whole: bool) -> Answer | Problem:
    """The one array of objects among the values of an object, or the edit that it is."""
    where = place(text, value.start)
    arrays: dict[str, Value] = {}
    empty: dict[str, Value] = {}
    keys: set[str] = set()
    at = _skip(BLANK, text, value.start + 1)
    while text[at] != "}":
        key, key_end = build(text, at)
        if key in keys:
            return Problem(twice(key), place(text, at))
        keys.add(key)
        member = scan.walk(_skip(SEPARATOR, text, key_end))
        if member.objects:
            arrays[key] = member
        elif scan.is_empty(member):
            empty[key] = member
        at = _skip(SEPARATOR, text, member.end)
    edit = {"file", "op"} <= keys
    arrays = arrays or ({} if edit else empty)
    if edit and arrays:
        return Problem(f"an edit that also holds a list, {_names(arrays)}: which of them counts?", where)
    if len(arrays) > 1:
        return Problem(f"an object with {len(arrays)} lists, {_names(arrays)}: which of them counts?", where)
    if arrays:
        (only,) = arrays.values()
        return _decide(scan, text, only, whole)
    if edit and whole:
        return _from_edit(scan, text, value)
    if edit:
        return Problem("not an array: one edit without an array counts only alone", where)
    return Problem("an object that is no edit (with file and op) and has no array of edits as a value", where)


def _from_edit(scan: "Scan", text: str, value: "Value") -> Answer | Problem:
    if value.end - value.start > MAX_LENGTH:
        return _too_long(text, value.start)
    try:
        return _answer([build(text, value.start)[0]], 1)
    except Refused as refusal:
        return _refused(scan, text, refusal, value.start)


def _from_array(scan: "Scan", text: str, value: "Value") -> Answer | Problem:
    """The first elements of an array, the others only counted."""
    if value.longest > MAX_LENGTH:
        return _too_long(text, value.start)
    kept: list[object] = []
    at = _skip(BLANK, text, value.start + 1)
    while text[at] != "]":
        if len(kept) == MAX_EDITS:
            return _answer(kept, count(text, value.start, value.end))
        try:
            element, end = build(text, at)
        except Refused as refusal:
            return _refused(scan, text, refusal, at)
        kept.append(element)
        at = _skip(SEPARATOR, text, end)
    return _answer(kept, len(kept))


def _answer(kept: list[object], count: int | None) -> Answer:
    """The answer of the first elements of an array of `count` (None: a great many)."""
    if count is None:
        dropped = f"all edits after the first {MAX_EDITS} were dropped"
    elif count > MAX_EDITS + 1:
        dropped = f"edits {MAX_EDITS + 1} to {count} were dropped: only the first {MAX_EDITS} count"
    elif count > MAX_EDITS:
        dropped = f"edit {count} was dropped: only the first {MAX_EDITS} count"
    else:
        return Answer(tuple(kept))
    return Answer(tuple(kept), (dropped,))


def _none(text: str, first: "Value") -> Problem:
    """Why there is no array at all, seen from where the output begins."""
    if text[first.start] not in "[{":
        return Problem("there is no JSON array of edits in the output", place(text, first.start))
    if first.wanted:
        return _break(text, first)
    rest = _skip(WHITE, text, first.end)
    what = "one JSON object after the other" if text[rest] == "{" else f"{_shown(text, rest)} follows"
    return Problem(f"not an array of edits: {what}", place(text, rest))


def _break(text: str, value: "Value") -> Problem:
    """Where a value breaks, and what should stand there."""
    where = place(text, value.end)
    if value.end >= len(text.rstrip()):
        return Problem(f"not JSON: expected {value.wanted}, but the output ends", where)
    if text[value.end] < " ":
        return Problem("not JSON: a line break or another control character inside a string", where)
    return Problem(f"not JSON: expected {value.wanted}, found {_shown(text, value.end)}", where)


def _refused(scan: "Scan", text: str, refusal: Refused, at: int) -> Problem:
    """The refusal of a value that begins at `at`, at the number because of which it is refused."""
    if refusal.number:
        at = scan.number(refusal.number, at)
    return Problem(str(refusal), place(text, at))


def _too_long(text: str, at: int) -> Problem:
    return Problem(f"one edit takes more than {MAX_LENGTH:,} characters", place(text, at))


def place(text: str, at: int) -> str:
    """`line L, column C` of a position in a text, both from 1."""
    return f"line {text.count(chr(10), 0, at) + 1}, column {at - text.rfind(chr(10), 0, at)}"


def _shown(text: str, at: int) -> str:
    return quoted(text[at : at + 60].partition("\n")[0])


def _names(arrays: "dict[str, Value]") -> str:
    return ", ".join(quoted(key) for key in list(arrays)[:5])


def _skip(pattern: re.Pattern[str], text: str, at: int) -> int:
    found = pattern.match(text, at)
    return found.end() if found else at
