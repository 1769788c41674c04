"""The names of a suite's files and of what is beside it: a build in progress, suites, runs."""

from pathlib import Path

from trapcli.suites.halves import EXPECTED

HOME = "traps"  # where `trapcli build` puts suites by default
RUNS = ".trapcli"  # where `trapcli calibrate` keeps runs

FORMAT = 2  # of the files below; a suite of another format is refused

README, TASK, COMMITMENT, INPUTS = "README.md", "traptask.yaml", "expected.sha256", "inputs"  # public
RECORD, ANSWER = "suite.json", "answer.json"  # private: of the suite, and of each case
PUBLIC = (README, TASK, INPUTS, EXPECTED, COMMITMENT)

JOURNAL = ".trapcli-swap"


def journal_of(target: Path) -> Path:
    """Return the file beside `target` (a real path) that exists while a build swaps it."""
    return target.parent / f".{target.name}{JOURNAL}"
