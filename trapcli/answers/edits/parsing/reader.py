"""From the cleaned text of an output to its edits, or to why it has none.

The rules, where the instructions leave room:

1. If the output (without outer white space and a code fence around all of it) is one JSON value,
   this value is the answer, or there is none.
2. Otherwise the last array of objects is the answer: an array in which at least one element is an
   object, and which is not inside another array, nor inside an object except as one of its values.
   Its other elements are left to whoever applies the edits.
3. An object with exactly one array of objects among its values counts as that array. A single edit
   (an object with "file" and "op") counts as an array of one if it is the whole output.
4. An empty array counts if there is no array of objects, or if it is alone in the last code fence.
5. A broken array of objects after the last whole one makes the output unreadable, because it was
   the agent's last word. It is recognised by its beginning: `[`, `{` and a quote or a key. Brackets
   in prose do no harm.

Refused beyond what JSON itself forbids: see `strict_json`; nesting beyond `scanner.DEPTH`; an edit of
more than a million characters. Edits beyond the first `MAX_EDITS` must be JSON, and are not checked
further. Lines and columns are those of the cleaned text, from 1.
"""

import re
from itertools import chain
from json import JSONDecodeError
from typing import TYPE_CHECKING

from trapcli.answers.edits.parsing.strict_json import Refused, build, count, deeper, repeated_key
from trapcli.core.contract import Answer, Problem
from trapcli.core.shorten import quoted

if TYPE_CHECKING:
    from trapcli.answers.edits.parsing.scanner import Scan, Value

MAX_EDITS = 30
MAX_LENGTH = 1_000_000
SHORT = 100_000  # characters; up to this length, building at once is faster than scanning first
SURE_DEPTH = 20  # nesting that the recursive builder can always follow
SHOWN = 60  # characters of an output in a message

BLANK = re.compile(r"[ \t\n\r]*+")
WHITE = re.compile(r"\s*+")
SEPARATOR = re.compile(r"[ \t\n\r]*+[,:]?[ \t\n\r]*+")


def read_edits(text: str) -> Answer | Problem:
    """Return the edits in a cleaned output: an Answer with a tuple of at most `MAX_EDITS` JSON values.

    An element may be any JSON value; numbers are int or Decimal. A note says how many more there
    were. Time is linear in the length of the text, whatever it holds.
    """
    return _read_short(text) or _read(text)


def _read_short(text: str) -> Answer | None:
    """Return the answer if the text is short and only an array of objects: it need not be scanned."""
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
    from trapcli.answers.edits.parsing.scanner import Scan, TooMuch  # compiling its patterns is slow

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
        return _break_problem(text, broken)
    if fence:
        return Answer(())
    found = last or empty
    return _decide(scan, text, found, whole=False) if found else _no_array(text, first)


def _decide(scan: "Scan", text: str, value: "Value", whole: bool) -> Answer | Problem:
    """Return the answer that a value gives, or why it gives none.

    whole: nothing else was printed.
    """
    where = place(text, value.start)
    if text[value.start] == "{":
        return _from_object(scan, text, value, whole)
    if text[value.start] == '"':
        return Problem("the output is a JSON string, not an array of edits", where)
    if text[value.start] != "[":
        shown = quoted(text[value.start : value.end])
        return Problem(f"the output is {shown}, not an array of edits", where)
    if scan.is_empty(value):
        return Answer(())
    if value.objects:
        return _from_array(scan, text, value)
    if value.nested:
        return Problem("the array of edits is inside another array", where)
    return Problem("the array holds no object, so it is not an array of edits", where)


def _from_object(scan: "Scan", text: str, value: "Value", whole: bool) -> Answer | Problem:
    """Return the one array of objects among the values of an object, or the edit that the object is."""
    where = place(text, value.start)
    arrays: dict[str, Value] = {}
    empty: dict[str, Value] = {}
    keys: set[str] = set()
    at = _skip(BLANK, text, value.start + 1)
    while text[at] != "}":
        key, key_end = build(text, at)
        if key in keys:
            return Problem(repeated_key(key), place(text, at))
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
    return Problem("an object that is not an edit (no file and op) and has no array of edits", where)


def _from_edit(scan: "Scan", text: str, value: "Value") -> Answer | Problem:
    if value.end - value.start > MAX_LENGTH:
        return _too_long(text, value.start)
    try:
        return _answer([build(text, value.start)[0]], 1)
    except Refused as refusal:
        return _refusal(scan, text, refusal, value.start)


def _from_array(scan: "Scan", text: str, value: "Value") -> Answer | Problem:
    """Return the first elements of an array; the others are only counted."""
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
            return _refusal(scan, text, refusal, at)
        kept.append(element)
        at = _skip(SEPARATOR, text, end)
    return _answer(kept, len(kept))


def _answer(kept: list[object], count: int | None) -> Answer:
    """Return the answer with the first elements of an array of `count`; None means very many."""
    if count is None:
        dropped = f"all edits after the first {MAX_EDITS} were dropped"
    elif count > MAX_EDITS + 1:
        dropped = f"edits {MAX_EDITS + 1} to {count} were dropped: only the first {MAX_EDITS} count"
    elif count > MAX_EDITS:
        dropped = f"edit {count} was dropped: only the first {MAX_EDITS} count"
    else:
        return Answer(tuple(kept))
    return Answer(tuple(kept), (dropped,))


def _no_array(text: str, first: "Value") -> Problem:
    """Return why there is no array in an output that begins with the value `first`."""
    if text[first.start] not in "[{":
        return Problem("there is no JSON array of edits in the output", place(text, first.start))
    if first.wanted:
        return _break_problem(text, first)
    rest = _skip(WHITE, text, first.end)
    what = "several JSON objects in a row" if text[rest] == "{" else f"{_rest_of_line(text, rest)} follows"
    return Problem(f"not an array of edits: {what}", place(text, rest))


def _break_problem(text: str, value: "Value") -> Problem:
    """Return where a value breaks, and what is expected there."""
    from trapcli.answers.edits.parsing.scanner import TOO_DEEP

    where = place(text, value.end)
    if value.wanted == TOO_DEEP:
        return Problem(f"nested too deeply: {TOO_DEEP} are read", where)
    if value.end >= len(text.rstrip()):
        return Problem(f"not JSON: expected {value.wanted}, but the output ends", where)
    if text[value.end] < " ":
        return Problem("not JSON: a line break or another control character inside a string", where)
    return Problem(f"not JSON: expected {value.wanted}, found {_rest_of_line(text, value.end)}", where)


def _refusal(scan: "Scan", text: str, refusal: Refused, at: int) -> Problem:
    """Return the problem of a refused value that begins at `at`, with the place of the refused number."""
    if refusal.number:
        at = scan.number(refusal.number, at)
    return Problem(str(refusal), place(text, at))


def _too_long(text: str, at: int) -> Problem:
    return Problem(f"one edit takes more than {MAX_LENGTH:,} characters", place(text, at))


def place(text: str, at: int) -> str:
    """Return a position in a text as "line L, column C", both from 1."""
    return f"line {text.count(chr(10), 0, at) + 1}, column {at - text.rfind(chr(10), 0, at)}"


def _rest_of_line(text: str, at: int) -> str:
    return quoted(text[at : at + SHOWN].partition("\n")[0])


def _names(arrays: "dict[str, Value]") -> str:
    return ", ".join(quoted(key) for key in list(arrays)[:5])


def _skip(pattern: re.Pattern[str], text: str, at: int) -> int:
    found = pattern.match(text, at)
    return found.end() if found else at
