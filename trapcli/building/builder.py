"""Build a suite: a recipe becomes cases that hold every invariant, and these a suite on disk."""

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from trapcli.building.case_builder import DEFAULT_SEED, canary, parse_seed
from trapcli.building.case_pool import build_cases
from trapcli.core.contract import Family
from trapcli.core.errors import TrapError
from trapcli.core.knobs import knob_values, parse_knobs
from trapcli.core.recipe import Recipe
from trapcli.suites.halves import EXPECTED, Halves
from trapcli.suites.layout import INPUTS, README
from trapcli.suites.reader import Suite, open_suite
from trapcli.suites.replaceable import replaced_directories, require_replaceable
from trapcli.suites.replacement import replace_directories
from trapcli.suites.writer import WrittenCase, write_suite
from trapcli.system.locks import is_in_use

WORTH_A_WORKER = 10  # cases: starting a process costs about as much as building a few


def make_recipe(
    family: Family,
    *,
    seed: str | int | None = None,
    level: int | None = None,
    knobs: Mapping[str, Any] | None = None,
    cases: int | None = None,
) -> Recipe:
    """Return a recipe for a family.

    seed: a whole number, "0x..." or "random"; default 1, a practice seed.
    level: start from this level's knobs, 1 is the easiest; default: the knobs' own defaults.
    knobs: knob values over those of the level, or ranges such as "6-7" that each case draws from.
    cases: how many; default: the family's own number.

    Raises TrapError for a level, knob or seed that does not exist.
    """
    levels = family.levels
    if level is not None and not (isinstance(level, int) and 1 <= level <= len(levels)):
        raise TrapError(f"level {level!r}: {family.name} has the levels 1 to {len(levels)}.")
    chosen = parse_knobs(family, {**(levels[level - 1] if level else {}), **(knobs or {})})
    return Recipe(
        family=family.name,
        version=family.version,
        seed=parse_seed(str(DEFAULT_SEED if seed is None else seed)),
        knobs=knob_values(chosen),
        count=cases or family.cases,
    )


def build_suite(
    family: Family,
    recipe: Recipe,
    halves: Halves,
    *,
    jobs: int | None = 1,
    force: bool = False,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Suite:
    """Build a suite.

    recipe: of this family and version.
    halves: where the suite goes.
    jobs: how many processes build cases; None: as many as are worth starting. With more than one,
        each looks the family up by name.
    force: replace a suite that is there.
    progress: called with (done, total) after each case.

    All or nothing: whatever stops it, the directories are as they were. Raises TrapError if a
    directory may not be replaced, if a run uses it, if another build is writing there, if a case
    cannot be made, or if the disk fails.
    """
    targets = replaced_directories(halves)
    require_replaceable(targets, force)
    _require_unused(targets)
    jobs = jobs or max(1, min(os.cpu_count() or 1, recipe.count // WORTH_A_WORKER))
    try:
        with replace_directories(targets, lambda: require_replaceable(targets, force)) as stages:
            stage = Halves(stages[0], stages[1] if len(stages) > 1 else stages[0] / EXPECTED)
            for folder in (stage.public / INPUTS, stage.private):
                folder.mkdir(exist_ok=True)
            cases: dict[str, WrittenCase] = {}
            with closing(build_cases(family, recipe, stage, jobs)) as built:
                for case_id, written in built:
                    cases[case_id] = written
                    _require_alike(family, recipe, case_id, written, next(iter(cases.values())))
                    progress(len(cases), recipe.count)
            write_suite(stage, family, recipe, cases, canary(family, recipe.seed))
            _require_unused(targets)  # a run may have started in the meantime
    except OSError as error:
        place = f" ({os.fsdecode(error.filename)})" if error.filename is not None else ""
        raise TrapError(
            f"cannot build {halves.public}: {error.strerror or error}{place}. Nothing was changed; check "
            "that there is room on the disk and that you may write there, or name another place."
        ) from error
    return open_suite(halves.public, None if halves.nested else halves.private)


def build_practice(family: Family, target: Path, progress: Callable[[int, int], None]) -> Suite:
    """Build the suite that `trapcli build FAMILY` makes: the same for everybody."""
    return build_suite(family, make_recipe(family), Halves.of(target), jobs=None, progress=progress)


def _require_unused(targets: Sequence[Path]) -> None:
    """Raise TrapError if a run of calibrate uses a suite that would be replaced."""
    for target in targets:
        if is_in_use(target):
            raise TrapError(
                f"{target} is in use by a run of `trapcli calibrate`, which would lose its cases. "
                "Wait until it has ended, or name another place."
            )


def _require_alike(
    family: Family, recipe: Recipe, case_id: str, case: WrittenCase, first: WrittenCase
) -> None:
    """Raise TrapError if a case differs from the first in what must be the same for every trap."""
    if (case.readme, case.paths) == (first.readme, first.paths):
        return
    what = README if case.readme != first.readme else "the paths"
    ranges = [name for name, value in recipe.knobs.items() if isinstance(value, str)]
    why = (
        f"The values drawn for {' and '.join(ranges)} do not go into one suite: give a smaller range."
        if ranges
        else f"This is a bug of the family {family.name!r}."
    )
    raise TrapError(f"{what} of {case_id} and of the first case differ, which could give traps away. {why}")
