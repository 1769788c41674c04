"""Find the edits in an output, or say why it has none. `rules.md` says what is read.

JSON is decoded wherever a bracket may begin it, from the beginning of the text to its end, and never
inside of a value that was decoded.
"""

import re
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from trapcli.answers.edits.limits import MOST_EDITS_READ
from trapcli.answers.edits.parsing.strict_json import LONGEST, MAX_DEPTH, Broken, Decoder
from trapcli.core.contract import Answer, Problem
from trapcli.core.output import Output, unfenced
from trapcli.core.shorten import listed, quoted

MAX_EDITS = MOST_EDITS_READ  # see `limits.edits_read` for how many of them count in a case
MOST_VALUES = 300_000  # arrays and objects that are tried, for a few seconds; then reading gives up

COMMENT = r"(?:(?://|#)[^\n]{0,200}+\s*+)?"  # which JSON does not have
# Where an array that is empty or holds text, objects or arrays may begin, or an object.
BEGINNING = re.compile(rf'\[\s*+{COMMENT}[\[{{\]"]|\{{\s*+"')
# The beginning of an array of edits, in JSON or in something mistaken for it: with other quotes, with
# entities of HTML, with bare keys. Brackets in prose do not look like this.
OBJECTS = re.compile(
    rf"\[\s*+{COMMENT}\{{\s*+"
    r"""(?:\\?["'`\u2018-\u201f]|&(?:quot|apos|#34|#39);|//|\w{1,40}+\s*+:)"""
)
REACH = 50  # characters behind a break; the beginning of an array of edits that broke ends there
NAME = re.compile(r"[\w)\]]")  # what is before the brackets of `values[]`
FENCE_ABOVE = re.compile(r"(?:```|~~~)[^\n`]{0,20}\s*$")
FENCE_BELOW = re.compile(r"\s*(?:```|~~~)")


def read_edits(output: Output) -> Answer | Problem:
    """Return the edits in an output: an Answer with a tuple of at most `MAX_EDITS` JSON values.

    An element may be any JSON value; numbers are int or Decimal. Notes say what was left out. Time is
    linear in the length of the text, whatever it holds. A problem's place is a line and a column, from 1.
    """
    text = output.text
    body = unfenced(text)
    try:
        return _whole(text, body) or _Search(text).last_word()
    except RecursionError:
        return Problem(f"nested more than {MAX_DEPTH} deep", _place(text, 0))


def _whole(text: str, body: str) -> Answer | Problem | None:
    """Return what a text that is one JSON value gives; None if it is not."""
    start = text.index(body)
    if not body:
        return Problem("the output is empty", _place(text, start))
    if body[0] not in '[{"':
        return None
    decoder = Decoder()
    try:
        value, end = decoder.decode(text, start, LONGEST)
    except Broken:
        return None
    if end < start + len(body):
        return None
    answer = _answer([value]) if _is_edit(value) else _from_value(value)
    if isinstance(answer, Answer) and not decoder.refused:
        return answer
    why = answer.message if isinstance(answer, Problem) else _why_none(value)
    return Problem(decoder.refused or why, _place(text, start))


class _Reason(NamedTuple):
    """Why there is no answer at a position in the text; its line is counted only if it is shown."""

    message: str
    at: int


@dataclass(slots=True)
class _Search:
    """The search of a text for the last array of edits in it.

    last: the last array of edits, or why it cannot be read.
    drafts: how many arrays of edits came before it.
    empty: the answer of an empty array, if there is one.
    reason: why the first value that is not an array of edits is none.
    """

    text: str
    decoder: Decoder = field(default_factory=Decoder)
    last: Answer | _Reason | None = None
    drafts: int = 0
    empty: Answer | None = None
    reason: _Reason | None = None

    def last_word(self) -> Answer | Problem:
        """Return the answer that the text gives, or why there is none."""
        at = 0
        for _ in range(MOST_VALUES):
            begins = BEGINNING.search(self.text, at)
            if not begins:
                break
            at = self._try(begins.start())
        else:
            return Problem("too many arrays and objects to read them all", _place(self.text, at))
        nothing = _Reason("there is no JSON array of edits in the output", 0)
        found = self.last or self.empty or self.reason or nothing
        if not isinstance(found, Answer):
            return Problem(found.message, _place(self.text, found.at))
        if not self.drafts or found is self.empty:
            return found
        what = "array of edits is" if self.drafts == 1 else "arrays of edits are"
        return Answer(
            found.value, (*found.notes, f"{self.drafts} earlier {what} ignored: the last one counts")
        )

    def _try(self, start: int) -> int:
        """Take in the value that may begin at `start`; return where to go on."""
        try:
            value, end = self.decoder.decode(self.text, start)
        except Broken as broken:
            found = quoted(self.text[broken.at : broken.at + 60].partition("\n")[0])
            reason = _Reason(f"not JSON: {broken}, found {found}", broken.at)
            if OBJECTS.match(self.text, start) or OBJECTS.search(self.text, start, broken.at + REACH):
                self._take(reason)
            self.reason = self.reason or reason
            return max(broken.at, start + 1)
        answer = _from_value(value)
        if answer is None:
            self.reason = self.reason or _Reason(_why_none(value), start)
        elif isinstance(answer, Problem) or self.decoder.refused:
            self._take(_Reason(self.decoder.refused or str(answer), start))
        elif answer.value or self._fenced(start, end):
            self._take(answer)
        elif not NAME.match(self.text, start - 1):
            self.empty = answer
        return end

    def _take(self, found: Answer | _Reason) -> None:
        self.drafts += isinstance(self.last, Answer)
        self.last = found

    def _fenced(self, start: int, end: int) -> bool:
        """Whether a value is alone in a code fence."""
        above = FENCE_ABOVE.search(self.text, max(0, start - 40), start)
        return above is not None and FENCE_BELOW.match(self.text, end) is not None


def _is_edit(value: Any) -> bool:
    return isinstance(value, dict) and "file" in value and "op" in value


def _is_edits(value: Any) -> bool:
    return isinstance(value, list) and any(map(_is_edit, value))


def _from_value(value: Any) -> Answer | Problem | None:
    """Return what a JSON value gives: an array of edits, or an object with exactly one; None if nothing."""
    if value == [] or _is_edits(value):
        return _answer(value)
    if isinstance(value, list) and any(map(_is_edits, value)):
        return Problem("the array of edits is inside another array")
    if not isinstance(value, dict):
        return None
    arrays = {key: part for key, part in value.items() if _is_edits(part)}
    if len(arrays) > 1:
        names = listed(map(quoted, arrays), len(arrays))
        return Problem(f"an object with {len(arrays)} arrays of edits, {names}: which of them counts?")
    if value.get("edits") == []:
        return _answer([])
    return _answer(*arrays.values()) if arrays else None


def _answer(edits: list[Any]) -> Answer:
    count = len(edits)
    which = f"edits {MAX_EDITS + 1} to {count} were" if count > MAX_EDITS + 1 else f"edit {count} was"
    note = f"{which} dropped: no more than {MAX_EDITS} are read"
    return Answer(tuple(edits[:MAX_EDITS]), (note,) if count > MAX_EDITS else ())


def _why_none(value: Any) -> str:
    """Return why a JSON value is not an array of edits."""
    if isinstance(value, str):
        return "a JSON string, not an array of edits"
    if _is_edit(value):
        return "an edit without an array counts only if nothing else is printed"
    if isinstance(value, dict):
        return "an object without an array of edits"
    return "no element of the array is an edit, an object with file and op"


def _place(text: str, at: int) -> str:
    """Return a position in a text as "line L, column C", both from 1."""
    return f"line {text.count(chr(10), 0, at) + 1}, column {at - text.rfind(chr(10), 0, at)}"
