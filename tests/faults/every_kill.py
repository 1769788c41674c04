"""Kill a build and a run at many moments, each before an exact change of the disk, and check what is left.

    python tests/faults/every_kill.py [MOMENTS]

Each moment is tried in a directory of its own. Prints how many trials were stored when a run was killed,
and whether a build left the old suite or the new one; stops at the first moment after which something
is lost, counted twice or left behind.
"""

import sys
import tempfile
from collections import Counter
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS / name) for name in ("faults", "support", ".", "..")]

from killed_work import KilledBuild, KilledRun  # noqa: E402
from kills import spread  # noqa: E402

MOMENTS = 50


def main() -> None:
    moments = int(sys.argv[1]) if len(sys.argv) > 1 else MOMENTS
    with tempfile.TemporaryDirectory() as scratch:
        home = Path(scratch).resolve()
        build = KilledBuild(home / "build")
        left = [build.try_moment(moment) for moment in spread(build.total, moments)]
        print(f"build: killed at {len(left)} of {build.total} changes of the disk: {dict(Counter(left))}")
        changes = KilledRun(home / "counted").count()
        kept = [KilledRun(home / f"run_{moment}").try_moment(moment) for moment in spread(changes, moments)]
        print(f"run: killed at {len(kept)} of {changes} changes of the disk; trials stored then: {kept}")


if __name__ == "__main__":
    main()
