"""The `ANSWER:` line of an output: which one counts, and the amount it gives.

The rules stand in `answer_line.md`, which goes into each case's README: nothing is read
by a rule that is not told there. Lines are those of the cleaned text, counted from 1.
"""

import re
from decimal import Decimal
from pathlib import Path

from trapcli.answer_number import BLANKS, MARKS, Unreadable, read_number
from trapcli.contract import Answer, Problem
from trapcli.money import CENT, WIDE

NOISE = Decimal("1e-6")  # what adding up in binary floating point may leave; a wrong rounding leaves more
EXAMPLE = Decimal("12345.67")  # the only amount in `answer_line.md`; not to be any case's gold

DECORATION = rf"[{BLANKS}{MARKS}|>#+\-•‣◦▪●]*+"
# A list item's number has at most nine digits (CommonMark 0.31, section 5.2).
LINE = rf"{DECORATION}(?:[0-9]{{1,9}}[.)][{BLANKS}]++{DECORATION})?ANSWER[{BLANKS}*_`]*+:"
EXACT = re.compile(LINE)
ANY_CASE = re.compile(f"^{LINE}", re.ASCII | re.IGNORECASE | re.MULTILINE)
WORD = re.compile("answer", re.ASCII | re.IGNORECASE)
TRIES = 1000  # lines that are looked at from the end, one by one, before the whole text is scanned
SHOWN = 60  # characters of what was read that a message quotes


def read_answer(text: str) -> Answer | Problem:
    """The amount (a finite Decimal) that a cleaned text answers, or why it answers none."""
    found, decided = _last_exact(text, len(text))
    if not decided:
        found = _last_of_all(text)
    if not found:
        return _no_line(text)
    end = _end_of_line(text, found.end())
    said = text[found.end() : end].strip()
    try:
        if said.strip(f"{MARKS}|# \t"):
            value = read_number(said, sentinel=found[0].lstrip()[-7:])
        else:
            value = _read_below(text, end)
    except Unreadable as error:
        return Problem(str(error), f"line {_line_number(text, found.start())}")
    return Answer(value, _ignored(text, found, end))


def equal(one: Decimal, other: Decimal) -> bool:
    """Whether two amounts are the same but for binary noise: at most 1e-6 apart."""
    return abs(WIDE.subtract(one, other)) <= NOISE
