"""Read suites from disk, with their digests checked.

The public half commits to the private one: `expected.sha256` has the digest of every file in
expected/. The private half commits to the public one: suite.json has a digest of every case's
directory, answer.json one of every file in it. So halves that do not belong together never pass,
and one case of a large suite can be read without the others. `trapcli.suites.writer` writes what
is read here.
"""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from trapcli.core import registry
from trapcli.core.case_ids import case_ids, is_case_id
from trapcli.core.contract import Case, KnownMistake
from trapcli.core.errors import TrapError
from trapcli.core.knobs import stored_knobs
from trapcli.core.recipe import Recipe
from trapcli.core.shorten import quoted
from trapcli.suites.discovery import finish_swap
from trapcli.suites.halves import EXPECTED, Halves
from trapcli.suites.layout import ANSWER, COMMITMENT, FORMAT, INPUTS, RECORD, TASK, journal_of
from trapcli.system import debug
from trapcli.system.files import AGAIN, as_object, digest_of, listing, read_file

HEADER = re.compile(r"# trapcli suite: family (\S+), version (.+)")
COMMITTED = re.compile(rf"([0-9a-f]{{64}})  {EXPECTED}/(.+)")
ATTEMPTS = 5  # to open a suite that builds keep replacing


@dataclass(frozen=True, slots=True)
class Suite:
    """An open suite: where it is, and what its suite.json says.

    halves: the directories of its two halves.
    recipe: what it was built from.
    redraws: how many drawn cases were rejected while it was built.
    answers: case id -> digest of the case's answer.json, in order.
    inputs: case id -> digest of the case's public directory.
    """

    halves: Halves
    recipe: Recipe
    redraws: int
    answers: Mapping[str, str]
    inputs: Mapping[str, str]

    @property
    def directory(self) -> Path:
        """The suite's directory."""
        return self.halves.public

    @property
    def family(self) -> str:
        """The name of the suite's family."""
        return self.recipe.family

    @property
    def cases(self) -> tuple[str, ...]:
        """The ids of the suite's cases, in order."""
        return tuple(self.answers)

    @property
    def practice(self) -> bool:
        """Whether anyone with this package can rebuild the right answers."""
        return self.recipe.practice


@dataclass(frozen=True, slots=True)
class PublicSuite:
    """What the public half alone says about a suite."""

    directory: Path
    family: str
    version: str
    cases: tuple[str, ...]


def open_public(directory: Path) -> PublicSuite:
    """Return what the public half of a suite says; TrapError if it is missing or damaged."""
    finish_swap(directory)
    _require_suite(directory)
    task = directory / TASK
    first = read_file(task)[:1000].split(b"\n", 1)[0].decode("utf-8", "replace")
    header = HEADER.fullmatch(first.rstrip("\r"))
    if header is None:
        raise TrapError(f"{task} does not begin with the line that names the suite's family. {AGAIN}")
    entries = os.scandir(directory / INPUTS)
    cases = tuple(sorted(entry.name for entry in entries if is_case_id(entry.name) and entry.is_dir()))
    return PublicSuite(directory, header[1], header[2], cases)


def open_suite(directory: Path, expected: Path | None = None) -> Suite:
    """Open the suite in `directory`.

    expected: its private half, if that is not inside the directory.

    Raises TrapError, naming the file, if a part is missing or damaged, if the halves do not belong
    together, or if another version of the family built the suite.
    """
    halves = Halves.of(directory, expected)
    for _ in range(ATTEMPTS):
        finish_swap(directory)
        before = _identity(halves.public), _identity(halves.private)
        try:
            suite = _open(halves, given=expected is not None)
            debug.log("suite %s: %s cases, private half %s", directory, len(suite.cases), halves.private)
            return suite
        except TrapError as error:
            failure = error
        # Try again only if a build put another suite there in the meantime.
        swapping = os.path.lexists(journal_of(Path(os.path.realpath(directory))))
        if before == (_identity(halves.public), _identity(halves.private)) and not swapping:
            break
    raise failure


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _open(halves: Halves, given: bool) -> Suite:
    _require_suite(halves.public)
    path, commitment = halves.private / RECORD, halves.public / COMMITMENT
    if not os.path.lexists(path):
        raise TrapError(
            f"--expected {halves.private} is not the private half of a suite: it has no {RECORD}."
            if given
            else f"{halves.public} has no private half: {path} is missing. "
            "If it was built with --expected DIR, give that --expected DIR here too."
        )
    answers = _read_commitment(commitment)
    raw = read_file(path)
    if digest_of(raw) != answers.pop(RECORD, None):
        raise TrapError(
            f"{path} is not the file that {commitment} commits to: the two halves do not belong together, "
            f"or one was changed or damaged. {AGAIN}"
        )
    record = as_object(raw, path)
    if record.get("format") != FORMAT:
        raise TrapError(
            f"{path} has format {record.get('format')!r}; this trapcli reads format {FORMAT}. "
            "Build the suite again with --force."
        )
    try:
        suite = _suite(halves, record, answers)
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise _damaged(path, error) from error
    listed = len(suite.answers) == suite.recipe.count  # first, for a damaged count may be astronomical
    if not (listed and [*suite.answers] == [*suite.inputs] == case_ids(suite.recipe.count)):
        raise TrapError(f"{commitment} and {path} do not list the same cases. {AGAIN}")
    _require_version(suite)
    return suite


def _suite(halves: Halves, record: Mapping[str, Any], answers: Mapping[str, str]) -> Suite:
    recipe = Recipe(
        family=record["family"],
        version=record["version"],
        seed=str(int(record["seed"])),
        knobs=stored_knobs(dict(record["knobs"])),
        count=int(record["count"]),
    )
    return Suite(
        halves=halves,
        recipe=recipe,
        redraws=record["redraws"],
        answers={path.removesuffix(f"/{ANSWER}"): value for path, value in answers.items()},
        inputs=dict(record["inputs"]),
    )


def _require_suite(directory: Path) -> None:
    if not os.path.lexists(directory):
        raise TrapError(f"there is no suite at {directory}: it does not exist. `trapcli build` builds one.")
    for name, there in ((COMMITMENT, os.path.exists), (INPUTS, os.path.isdir)):
        if not there(directory / name):
            raise TrapError(
                f"{directory} is not a complete suite: {directory / name} is missing. "
                "A suite is the directory that `trapcli build` names."
            )


def _require_version(suite: Suite) -> None:
    name, version = suite.family, suite.recipe.version
    built = f"{suite.directory} was built by {name} {version}"
    if name not in registry.names():
        raise TrapError(
            f"{built}, a family that is not installed (installed: {', '.join(registry.names()) or 'none'}). "
            "Install the package that has it."
        )
    installed = registry.family(name).version
    debug.log("family %s %s is loaded", name, installed)
    if installed != version:
        raise TrapError(
            f"{built}, but {name} {installed} is installed, whose verdicts may differ. "
            f"Install the package that has {name} {version}, or build the suite again with --force."
        )


def _damaged(path: Path, error: Exception) -> TrapError:
    return TrapError(f"{path} is damaged: {type(error).__name__}: {error}. {AGAIN}")


def read_case(suite: Suite, case_id: str) -> Case:
    """Return a case with its private parts, after checking the digests of everything that is read.

    Files that were added to the case's directory are ignored. Raises TrapError, naming the file,
    if one is missing, changed or damaged, or if the suite has no such case.
    """
    if case_id not in suite.answers:
        ids = suite.cases
        raise TrapError(f"{suite.directory} has no case {quoted(case_id)}; it has {ids[0]} to {ids[-1]}.")
    path = suite.halves.private / case_id / ANSWER
    raw = read_file(path)
    if digest_of(raw) != suite.answers[case_id]:
        raise TrapError(
            f"{path} is not the file that {suite.directory / COMMITMENT} commits to: it was changed "
            f"or damaged. {AGAIN}"
        )
    try:
        return _case(suite, case_id, as_object(raw, path))
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise _damaged(path, error) from error


def _case(suite: Suite, case_id: str, record: Mapping[str, Any]) -> Case:
    home = suite.directory / INPUTS / case_id
    if digest_of(listing(record["files"]).encode()) != suite.inputs[case_id]:
        private = suite.halves.private
        raise TrapError(f"{private / case_id / ANSWER} does not belong to {private / RECORD}. {AGAIN}")
    files = {}
    for name, digest in record["files"].items():
        data = read_file(home / name)
        if digest_of(data) != digest:
            raise TrapError(f"{home / name} was changed or damaged since the suite was built. {AGAIN}")
        files[name] = data.decode("utf-8")
    return Case(
        family=suite.family,
        trap=record["trap"],
        files=files,
        gold=record["gold"],
        mistakes=tuple(record["mistakes"]),
        facts=record["facts"],
        known_mistakes=tuple(known_mistake(data) for data in record["known_mistakes"]),
        id=case_id,
    )


def known_mistake(data: Mapping[str, Any]) -> KnownMistake:
    """Return the known mistake in JSON data."""
    return KnownMistake(data["name"], data["text"], data["result"], dict(data.get("files") or {}))


def _read_commitment(path: Path) -> dict[str, str]:
    """Return the digests in expected.sha256: path below expected/ -> digest, in the order of the file."""
    digests = {}
    for number, line in enumerate(read_file(path).decode("utf-8", "replace").splitlines(), 1):
        match = COMMITTED.fullmatch(line)
        if match is None:
            raise TrapError(
                f"{path}, line {number}: this is not a line of sha256sum for a file of {EXPECTED}/. {AGAIN}"
            )
        digests[match[2]] = match[1]
    return digests
