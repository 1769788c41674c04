"""Which suite a command works on: the one given, else one that fits the family, the directory or the case."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from trapcli.core import registry
from trapcli.core.case_ids import is_case_id
from trapcli.core.errors import TrapError
from trapcli.core.shorten import one_line, quoted
from trapcli.suites.discovery import is_suite, suites_under
from trapcli.suites.layout import HOME, RECORD, RUNS
from trapcli.suites.reader import PublicSuite, Suite, open_public, open_suite


@dataclass(frozen=True, slots=True)
class Target:
    """What a command line says about the suite it works on; whatever it leaves out is None.

    suite: the suite's directory.
    family: the name of its family.
    case: the id of one of its cases.
    expected: its private half, or a directory that has it under the family's name.
    """

    suite: Path | None = None
    family: str | None = None
    case: str | None = None
    expected: Path | None = None


class SeveralSuites(TrapError):
    """More than one suite fits a target. `directories` are where they are."""

    def __init__(self, directories: Sequence[Path]) -> None:
        self.directories = tuple(directories)
        lines = [f"  --suite {directory}" for directory in directories]
        super().__init__("several suites fit; choose one:\n" + "\n".join(lines))


def read_target(words: Sequence[str], suite: Path | None = None, expected: Path | None = None) -> Target:
    """Return the target that words name, in any order: a family or a suite's directory, and a case.

    suite, expected: those given by options.

    Raises TrapError for a word that is none of these, or a second one of a sort.
    """
    families = registry.names()
    family = case = None
    for word in words:
        is_case, is_family = is_case_id(word), word in families
        if is_case and case is None:
            case = word
        elif is_family and family is None:
            family = word
        elif not is_case and not is_family and os.path.isdir(word) and suite is None:
            suite = Path(word)
        elif is_case or is_family or os.path.isdir(word):
            raise TrapError(
                f"unexpected argument {quoted(word)}; give at most one family or suite, and one case."
            )
        else:
            _require_openable(word, expected)
            raise TrapError(
                f"{quoted(word)} is not a family (installed: {', '.join(families) or 'none'}), a case id "
                "such as case_01, or a directory. `trapcli inspect` lists families and suites."
            )
    return Target(suite, family, case, expected)


def _require_openable(word: str, expected: Path | None) -> None:
    """Raise TrapError if traps/ has a suite of this name that cannot be opened, as without its family."""
    place = Path(HOME) / word
    if os.path.isdir(place) and is_suite(place):
        open_suite(place, expected)


def select_suite(target: Target, cwd: Path) -> Suite:
    """Return the suite that fits the target, opened; `find_suite` has the order in which it is looked for.

    Raises TrapError if none or more than one fits, if it is damaged, or if it is not of the family.
    """
    directory, expected = find_suite(target, cwd), target.expected
    if expected is not None and not os.path.lexists(expected / RECORD):
        of_family = expected / open_public(directory).family
        if (of_family / RECORD).is_file():
            expected = of_family
    suite = open_suite(directory, expected)
    _require_family(target, suite)
    return suite


def select_public(target: Target, cwd: Path) -> PublicSuite:
    """Return what the public half of the suite that fits says; TrapError as for `select_suite`."""
    suite = open_public(find_suite(target, cwd))
    _require_family(target, suite)
    return suite


def find_suite(target: Target, cwd: Path) -> Path:
    """Return the directory of the suite that fits the target, not opened yet.

    These are tried in order: the directory given; the family's suite (the one that `cwd` is in, or
    one in traps/); the suite that `cwd` is in; the only one in traps/ that has the case.
    Raises SeveralSuites if more than one fits, TrapError if none does.
    """
    if target.suite is not None:
        return target.suite
    around = suite_around(cwd)
    if target.family is None and around is not None:
        return around
    fitting = known = _known_suites(cwd, target.family)
    if target.family is not None:
        near = [open_public(around)] if around is not None else []
        fitting = [suite for suite in near + known if suite.family == target.family]
    elif target.case is not None:
        fitting = [suite for suite in known if target.case in suite.cases]
        if known and not fitting:
            raise TrapError(
                f"no suite in {cwd / HOME} has a case {quoted(target.case)}: {_case_ranges(known)}."
            )
    if not fitting:
        name = target.family and one_line(target.family, 60)
        raise TrapError(
            f"there is no suite{f' of {name}' if name else ''} in {cwd / HOME}. Build one with "
            f"`trapcli build {name or 'FAMILY'}`, or give its directory with --suite DIR."
        )
    if len(fitting) > 1:
        raise SeveralSuites([suite.directory for suite in fitting])
    return fitting[0].directory


def suite_around(cwd: Path) -> Path | None:
    """Return the innermost suite that `cwd` is, or is inside of."""
    for directory in (cwd, *cwd.parents):
        if is_suite(directory):
            return directory
    return None


def runs_directory(cwd: Path) -> Path:
    """Return where runs are kept: .trapcli in `cwd`, or beside the suite that `cwd` is in.

    It is never inside a suite, where it would change the digest and be lost when the suite is replaced.
    """
    place = cwd
    while (around := suite_around(place)) is not None:
        place = around.parent.parent if around.parent.name == HOME else around.parent
    return Path(RUNS) if place == cwd else place / RUNS


def _require_family(target: Target, suite: Suite | PublicSuite) -> None:
    if target.family not in (None, suite.family):
        raise TrapError(
            f"{suite.directory} is a suite of {suite.family}, not of {one_line(str(target.family), 60)}. "
            "Leave one of the two out."
        )


def _known_suites(cwd: Path, family: str | None) -> list[PublicSuite]:
    """Return the suites in traps/; a damaged one is an error only if its directory has the family's name."""
    found = []
    for directory in suites_under(cwd / HOME):
        try:
            found.append(open_public(directory))
        except TrapError:
            if directory.name == family:
                raise
    return found


def _case_ranges(suites: Sequence[PublicSuite]) -> str:
    ranges = [(suite.directory.name, suite.cases[0], suite.cases[-1]) for suite in suites if suite.cases]
    return "; ".join(f"{name} has {first} to {last}" for name, first, last in ranges)
