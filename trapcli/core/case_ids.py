"""The ids of cases: case_01, case_02, ... They say nothing about a case but its place in the suite."""

import re

CASE_ID = re.compile(r"case_[0-9]{2,}")


def case_id(number: int, count: int = 1) -> str:
    """Return the id of the case with this number (from 1) in a suite of `count` cases.

    The number is padded to the digits of the count, at least two.
    """
    return f"case_{number:0{max(2, len(str(count)))}}"


def case_ids(count: int) -> list[str]:
    """Return the ids of a suite of `count` cases, in order."""
    return [case_id(number, count) for number in range(1, count + 1)]


def is_case_id(word: str) -> bool:
    """Whether a word has the form of a case id."""
    return CASE_ID.fullmatch(word) is not None
