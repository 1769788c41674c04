"""Killed before an exact change of the disk, a build and a run lose nothing and leave nothing.

`tests/faults/every_kill.py` tries many more moments.
"""

from pathlib import Path

import pytest
from killed_work import KilledBuild, KilledRun
from kills import spread

pytestmark = pytest.mark.slow

BUILDS, RUNS = 8, 6


def test_a_build_killed_at_any_moment_leaves_the_old_suite_or_the_new_one(tmp_path: Path) -> None:
    """Both halves are old or both are new, up to one moment old and then new; the next build works."""
    build = KilledBuild(tmp_path)
    left = [build.try_moment(moment) for moment in spread(build.total, BUILDS)]
    assert left == sorted(left, reverse=True) and {*left} == {"old", "new"}


def test_a_run_killed_at_any_moment_is_completed_by_its_resume(tmp_path: Path) -> None:
    """What was stored stays, byte for byte; the resume runs the rest, once, and removes what was left."""
    changes = KilledRun(tmp_path / "counted").count()
    kept = [KilledRun(tmp_path / f"at_{moment}").try_moment(moment) for moment in spread(changes, RUNS)]
    assert kept[0] == 0 and kept[-1] > 0


def test_the_moments_are_spread() -> None:
    """The first and the last change are among them, each once, however few changes there are."""
    assert spread(10, 4) == [1, 4, 7, 10]
    assert spread(2, 50) == [1, 2]
    assert spread(5, 1) == [1]
