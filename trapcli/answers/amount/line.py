"""Read the `ANSWER:` line of an output: which line counts, and which amount it gives.

The rules are in `instructions.md`, which is part of each case's README: no rule is applied that
is not stated there. Lines are those of the cleaned text, counted from 1.
"""

import re
from decimal import Decimal

from trapcli.answers.amount.number import BLANKS, Unreadable, read_number
from trapcli.answers.amount.words import MARKS
from trapcli.core.contract import Answer, Problem
from trapcli.core.money import CENT, WIDE
from trapcli.core.shorten import quoted

NOISE = Decimal("1e-6")  # more than binary floating point leaves after adding up, less than wrong rounding
EXAMPLE = Decimal("12345.67")  # the example in `instructions.md`; it must not be the gold of any case

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
SHORT = 100_000  # characters; lowering a text up to this length is faster than a search for any case
LONGEST = 1000  # characters after the colon


def read_answer(text: str) -> Answer | Problem:
    """Return the amount (a finite Decimal) that a cleaned text answers, or why there is none."""
    match = _last_exact(text, len(text)) or _last_of_all(text)
    if not match:
        return _no_line(text)
    end = _end_of_line(text, match.end())
    rest = text[match.end() : end].strip()
    try:
        if rest.strip(f"{MARKS}|# \t"):
            again = AGAIN if "ANSWER" in match[0] else AGAIN_ANY_CASE
            value = _amount(rest, again)
        else:
            value = _amount_below(text, end)
    except Unreadable as error:
        return Problem(str(error), f"line {_line_number(text, match.end())}")
    return Answer(value, _notes(text, match, end))


def equal(one: Decimal, other: Decimal) -> bool:
    """Whether two amounts are the same except for binary noise: at most 1e-6 apart."""
    return WIDE.subtract(one, other).copy_abs() <= NOISE  # abs() would round to the caller's context


def canonical(value: Decimal) -> str:
    """Return an amount as text: the same text for all that are `equal` to the same whole number of cents.

    The text has two decimals if the amount is within the noise of whole cents, else all its digits.
    """
    whole = WIDE.quantize(value, CENT)
    shown = whole if equal(value, whole) else WIDE.normalize(value)
    return f"{shown.copy_abs() if shown.is_zero() else shown:f}"


def _last_exact(text: str, stop: int) -> re.Match[str] | None:
    """Return the beginning of the last ANSWER: line before `stop`, if it is found within `TRIES`."""
    for _ in range(TRIES):
        at = text.rfind("ANSWER", 0, stop)
        if at < 0:
            return None
        stop = text.rfind("\n", 0, at) + 1
        if match := EXACT.match(text, stop):
            return match
    return None


def _last_of_all(text: str) -> re.Match[str] | None:
    """Return the beginning of the last ANSWER: line, or if there is none, of the last one in any case."""
    first = WORD.search(text)
    if not first:
        return None
    exact = other = None
    for match in ANY_CASE.finditer(text, text.rfind("\n", 0, first.start()) + 1):
        if "ANSWER" in match[0]:
            exact = match
        else:
            other = match
    return exact or other


def _amount(rest: str, again: re.Pattern[str]) -> Decimal:
    """Return the amount in the text after the colon; Unreadable if there is none."""
    if len(rest) > LONGEST:
        raise Unreadable(f"the line goes on for {len(rest)} characters; at most {LONGEST} are read")
    if again.search(rest):
        raise Unreadable(f"{quoted(rest)} contains another ANSWER:")
    try:
        return read_number(rest)
    except Unreadable as error:
        raise Unreadable(f"{quoted(rest)} is not an amount: {error}") from None


def _amount_below(text: str, end: int) -> Decimal:
    """Return the amount on the next line that is not blank; Unreadable unless it is a number alone."""
    below = text[end:].lstrip()
    line = below[: _end_of_line(below, 0)].strip()
    if not line:
        raise Unreadable("nothing follows ANSWER:")
    if len(line) > LONGEST:
        raise Unreadable(f"nothing follows ANSWER:, and the next line has {len(line)} characters")
    try:
        return read_number(line, alone=True)
    except Unreadable as error:
        raise Unreadable(
            f"nothing follows ANSWER:, and the next line, {quoted(line)}, is not a number alone: {error}"
        ) from None


def _no_line(text: str) -> Problem:
    at = text.rfind("ANSWER")
    if at < 0:
        return Problem("there is no ANSWER: line")
    where = f"line {_line_number(text, at)}"
    return Problem("there is no ANSWER: line; this line has the word, but does not start with ANSWER:", where)


def _notes(text: str, match: re.Match[str], end: int) -> tuple[str, ...]:
    """Return notes on the lines that look like answers and do not count."""
    if "ANSWER" not in match[0]:
        return ("no line has ANSWER: in capitals; the last one in other letters counts",)
    notes = []
    if earlier := _last_exact(text, match.start()):
        line = _line_number(text, earlier.end())
        notes.append(f"line {line} is ignored, and any ANSWER: line above it: only the last one counts")
    if _has_word(text, end) and (later := ANY_CASE.search(text, end)):
        line = _line_number(text, later.end())
        notes.append(f"line {line} is ignored: there is a line with ANSWER: in capitals")
    return tuple(notes)


def _has_word(text: str, start: int) -> bool:
    """Whether the word occurs after `start`, in any case; the pattern is slower on a short text."""
    if len(text) - start > SHORT:
        return WORD.search(text, start) is not None
    return "answer" in text[start:].lower()


def _end_of_line(text: str, at: int) -> int:
    end = text.find("\n", at)
    return len(text) if end < 0 else end


def _line_number(text: str, at: int) -> int:
    return text.count("\n", 0, at) + 1
