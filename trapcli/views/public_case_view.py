"""How `inspect CASE --public` shows a case: its public files, and what the family says about them."""

from collections.abc import Sequence
from pathlib import Path

from trapcli.core.contract import Case, Family, Section
from trapcli.core.errors import FamilyFault, TrapError
from trapcli.core.family_calls import explained
from trapcli.core.shorten import quoted
from trapcli.suites.layout import INPUTS
from trapcli.suites.reader import PublicSuite
from trapcli.system.files import read_file
from trapcli.views.suite_view import suite_json
from trapcli.views.view import View, section_json


def read_public_case(suite: PublicSuite, case_id: str) -> Case:
    """Return a case from its public files alone, without gold, trap or mistakes.

    Hidden files and Python's caches, which running a script may leave, are not part of it.
    Raises TrapError if there is no such case, or if one of its files is not UTF-8 text.
    """
    if case_id not in suite.cases:
        has = f"it has {suite.cases[0]} to {suite.cases[-1]}" if suite.cases else "it has none"
        raise TrapError(f"{suite.directory} has no case {quoted(case_id)}; {has}.")
    home = suite.directory / INPUTS / case_id
    paths = {path.relative_to(home): path for path in home.rglob("*") if not path.is_dir()}
    files = {}
    for name in sorted(paths, key=lambda name: name.as_posix()):
        if any(part.startswith(".") or part == "__pycache__" for part in name.parts):
            continue
        try:
            files[name.as_posix()] = read_file(paths[name]).decode("utf-8")
        except UnicodeDecodeError as error:
            raise TrapError(
                f"{paths[name]} is not UTF-8 text (byte {error.start}), so it is not part of the case. "
                "Move it away, or restore it from a copy."
            ) from error
    if not files:
        raise TrapError(f"{home} is empty. Restore it from a copy, or build the suite again.")
    return Case(suite.family, "", files, None, (), id=case_id)


def about_public_case(family: Family, suite: PublicSuite, case: Case) -> View:
    """Return the view of a case as an agent may see it."""
    home = suite.directory / INPUTS / case.id
    sections = _explanation(family, case, home)
    document = {
        **suite_json(suite),
        "case": case.id,
        "files": dict(case.files),
        "sections": [section_json(section) for section in sections],
    }
    head = (("family", f"{suite.family} {suite.version}: {family.title}"), ("suite", str(suite.directory)))
    sizes = tuple(
        (name, str(len(text.splitlines())), str(len(text.encode()))) for name, text in case.files.items()
    )
    files = Section(f"Files in {home}", ("file", "lines", "bytes"), sizes)
    return View("public-case/1", document, (Section(f"{suite.family} {case.id}", (), head), files, *sections))


def _explanation(family: Family, case: Case, home: Path) -> Sequence[Section]:
    """Return what the family says about public files; nobody has checked their digests.

    Raises TrapError if it cannot read them.
    """
    try:
        return explained(family, case, True)
    except FamilyFault as error:
        if name := _missing_file(case, error.__cause__):
            raise TrapError(
                f"{home / name} is missing. Restore it from a copy, or build the suite again."
            ) from error
        raise TrapError(
            f"{home} cannot be explained: {error} If a file there was changed or removed, restore it."
        ) from error


def _missing_file(case: Case, error: BaseException | None) -> str:
    """Return the file of the case that a family looked for and did not find, or ""."""
    name = error.args[0] if isinstance(error, KeyError) and error.args else None
    if isinstance(name, str) and "." in name and name not in case.files:
        return name
    return ""
