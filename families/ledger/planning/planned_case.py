"""What a planner hands over."""

from typing import NamedTuple

from families.ledger.files.case_files import Binder


class Planned(NamedTuple):
    """A case: what its files say, when the policy changes, and the words of its memo."""

    binder: Binder
    switch: int
    words: tuple[str, ...]
