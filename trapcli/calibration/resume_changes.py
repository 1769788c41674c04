"""What is different when a run is resumed: what must be allowed, and what is only noted."""

import platform

from trapcli.calibration.configuration import (
    FILE,
    MISSING,
    Difference,
    changed_environment,
    differences,
    environment_in_words,
    in_words,
)
from trapcli.calibration.plan import host
from trapcli.calibration.records import Change, Plan, Run
from trapcli.core.errors import TrapError

MACHINE = ("system", "release", "machine", "cpus")  # of `host`: what is compared


def changes_of(run: Run, now: Plan, *, jobs: int, allow: bool) -> Change:
    """Return how a stored run would continue in another configuration than the one it has.

    now: what it would do, with the configuration that it would have.
    jobs: how many trials it would run at a time.
    allow: whether the user accepts a run of mixed configurations.

    Raises TrapError, listing the differences, if there are any that must be allowed and are not.
    """
    then, config = run.plan.configuration, now.configuration
    found = [*differences(then, config)]
    # An agent may write into its own directory; a file that was changed or removed is another matter.
    new = [one for one in found if now.solution.has_directory and _is_new_file(one)]
    mixed = [in_words(one) for one in found if one not in new]
    if mixed and not allow:
        raise TrapError(
            f"run {run.number} cannot be resumed: {'; '.join(mixed)}. A rate over two configurations says "
            "little: undo the change, or start a new run. --allow-changes goes on and marks the run as mixed."
        )
    notes = [environment_in_words(changed_environment(then, config))]
    notes += [in_words(one) for one in new]
    here = host()
    for what, was, is_now in (
        ("version of Python", run.python, platform.python_version()),
        ("number of trials at a time", run.jobs, jobs),
        *((f"machine's {name}", run.host.get(name), here[name]) for name in MACHINE),
    ):
        if was is not None and was != is_now:
            notes.append(in_words((what, str(was), str(is_now))))
    return Change(run.resumes + 1, tuple(mixed), tuple(filter(None, notes)))


def _is_new_file(difference: Difference) -> bool:
    what, was, _ = difference
    return what.startswith(FILE) and was == MISSING
