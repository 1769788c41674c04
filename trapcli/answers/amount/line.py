"""The `ANSWER:` line of an output: which one counts, and the amount it gives.

The rules stand in `instructions.md`, which goes into each case's README: nothing is read
by a rule that is not told there. Lines are those of the cleaned text, counted from 1.
"""

import re
from decimal import Decimal
from pathlib import Path

from trapcli.answers.amount.number import BLANKS, Unreadable, read_number
from trapcli.answers.amount.words import MARKS
from trapcli.core.contract import Answer, Problem
from trapcli.core.money import CENT, WIDE

NOISE = Decimal("1e-6")  # what adding up in binary floating point may leave; a wrong rounding leaves more
EXAMPLE = Decimal("12345.67")  # what the examples in `instructions.md` say; not to be any case's gold

DECORATION = rf"[{BLANKS}{MARKS}|>#+\-•‣◦▪●]*+"
SENTINEL = rf"ANSWER[{BLANKS}*_`]*+:"
# The number of a list's item has at most nine digits (CommonMark 0.31, section 5.2).
LINE = rf"{DECORATION}(?:[0-9]{{1,9}}[.)][{BLANKS}]++{DECORATION})?{SENTINEL}"
EXACT = re.compile(LINE)
ANY_CASE = re.compile(f"^{LINE}", re.ASCII | re.IGNORECASE | re.MULTILINE)
AGAIN = re.compile(rf"\b{SENTINEL}", re.ASCII)
AGAIN_ANY_CASE = re.compile(rf"\b{SENTINEL}", re.ASCII | re.IGNORECASE)
WORD = re.compile("answer", re.ASCII | re.IGNORECASE)

TRIES = 1000  # lines with the word that are tried one by one from the end; then the whole text is scanned
SHORT = 100_000  # characters that are worth lowering to look for the word
LONGEST = 1000  # characters after the colon
SHOWN = 60  # characters of them that a message quotes


def read_answer(text: str) -> Answer | Problem:
    """The amount (a finite Decimal) that a cleaned text answers, or why it answers none."""
    found = _last_exact(text, len(text)) or _last_of_all(text)
    if not found:
        return _no_line(text)
    end = _end_of_line(text, found.end())
    said = text[found.end() : end].strip()
    try:
        if said.strip(f"{MARKS}|# \t"):
            again = AGAIN if "ANSWER" in found[0] else AGAIN_ANY_CASE
            value = _amount(said, again)
        else:
            value = _amount_below(text, end)
    except Unreadable as error:
        return Problem(str(error), f"line {_line_number(text, found.end())}")
    return Answer(value, _ignored(text, found, end))


def equal(one: Decimal, other: Decimal) -> bool:
    """Whether two amounts are the same but for binary noise: at most 1e-6 apart."""
    return WIDE.subtract(one, other).copy_abs() <= NOISE  # abs() would round to the caller's context


def canonical(value: Decimal) -> str:
    """An amount as text: the same text for all that are `equal` to the same whole number of cents.

    Two decimals for what is within the noise of whole cents, else the digits there are.
    """
    whole = WIDE.quantize(value, CENT)
    shown = whole if equal(value, whole) else WIDE.normalize(value)
    return f"{shown.copy_abs() if shown.is_zero() else shown:f}"


def instructions() -> str:
    """How to answer and how the answer is read, in Markdown, for a case's README."""
    return Path(__file__).with_name("instructions.md").read_text(encoding="utf-8")


def _last_exact(text: str, stop: int) -> re.Match[str] | None:
    """The beginning of the last ANSWER: line before `stop`, if it is found within `TRIES`."""
    for _ in range(TRIES):
        at = text.rfind("ANSWER", 0, stop)
        if at < 0:
            return None
        stop = text.rfind("\n", 0, at) + 1
        if found := EXACT.match(text, stop):
            return found
    return None


def _last_of_all(text: str) -> re.Match[str] | None:
    """The beginning of the last ANSWER: line, or of the last one in another case if there is none."""
    first = WORD.search(text)
    if not first:
        return None
    exact = other = None
    for found in ANY_CASE.finditer(text, text.rfind("\n", 0, first.start()) + 1):
        if "ANSWER" in found[0]:
            exact = found
        else:
            other = found
    return exact or other


def _amount(said: str, again: re.Pattern[str]) -> Decimal:
    """The amount in what follows the colon. Raises Unreadable."""
    if len(said) > LONGEST:
        raise Unreadable(f"the line goes on for {len(said)} characters; at most {LONGEST} are read")
    if again.search(said):
        raise Unreadable(f"{_quoted(said)} has another ANSWER: in it")
    try:
        return read_number(said)
    except Unreadable as error:
        raise Unreadable(f"{_quoted(said)} is no amount: {error}") from None


def _amount_below(text: str, end: int) -> Decimal:
    """The amount on the next line that is not blank, if it is all there is. Raises Unreadable."""
    below = text[end:].lstrip()
    said = below[: _end_of_line(below, 0)].strip()
    if not said:
        raise Unreadable("nothing follows ANSWER:")
    if len(said) > LONGEST:
        raise Unreadable(f"nothing follows ANSWER: but a line of {len(said)} characters, which is no number")
    try:
        return read_number(said, alone=True)
    except Unreadable as error:
        raise Unreadable(
            f"nothing follows ANSWER:, and the next line, {_quoted(said)}, is not a number alone: {error}"
        ) from None


def _no_line(text: str) -> Problem:
    at = text.rfind("ANSWER")
    if at < 0:
        return Problem("there is no ANSWER: line")
    where = f"line {_line_number(text, at)}"
    return Problem("there is no ANSWER: line; here is the word, but no line that starts with ANSWER:", where)


def _ignored(text: str, found: re.Match[str], end: int) -> tuple[str, ...]:
    """Notes on the lines that look like answers and do not count."""
    if "ANSWER" not in found[0]:
        return ("no line has ANSWER: in capitals; the last one in other letters counts",)
    notes = []
    if earlier := _last_exact(text, found.start()):
        line = _line_number(text, earlier.end())
        notes.append(f"line {line} is ignored, and any ANSWER: line above it: only the last one counts")
    if _has_word(text, end) and (later := ANY_CASE.search(text, end)):
        line = _line_number(text, later.end())
        notes.append(f"line {line} is ignored: there is a line with ANSWER: in capitals")
    return tuple(notes)


def _has_word(text: str, start: int) -> bool:
    """Whether the word stands somewhere behind, in any case; a pattern is slow where texts are short."""
    if len(text) - start > SHORT:
        return WORD.search(text, start) is not None
    return "answer" in text[start:].lower()


def _end_of_line(text: str, at: int) -> int:
    end = text.find("\n", at)
    return len(text) if end < 0 else end


def _line_number(text: str, at: int) -> int:
    return text.count("\n", 0, at) + 1


def _quoted(said: str) -> str:
    """What was read as messages show it: in quotes, and not too long."""
    return f'"{said}"' if len(said) <= SHOWN else f'"{said[:SHOWN]}..."'
