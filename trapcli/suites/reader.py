"""Suites on disk: where each piece stands, and reading them with their digests checked.

The public half commits to the private one: `expected.sha256` holds the digest of every
file of expected/. The private half commits to the public one: suite.json holds a digest
of every case's directory, answer.json one of every file in it. So halves that do not
belong together never pass, and one case of a large suite is read without the others.
`trapcli.suites.writer` writes what is read here.
"""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from trapcli.core import registry
from trapcli.core.contract import Case, Slip
from trapcli.core.errors import TrapError
from trapcli.core.files import AGAIN, as_object, digest_of, listing, read_file

FORMAT = 1  # of the files below; a suite of another format is refused
PRACTICE_BITS = 64  # anyone can try all shorter seeds, so they keep no secret

README, TASK, COMMITMENT = "README.md", "traptask.yaml", "expected.sha256"
INPUTS, EXPECTED = "inputs", "expected"
RECORD, ANSWER = "suite.json", "answer.json"  # of the private half, and of a case in it

HEADER = re.compile(r"# trapcli suite: family (\S+), version (.+)")
COMMITTED = re.compile(rf"([0-9a-f]{{64}})  {EXPECTED}/(.+)")


@dataclass(frozen=True, slots=True)
class Suite:
    """A suite that was opened: its two halves, and what suite.json says of it.

    seed: decimal digits. redraws: how many cases were drawn and dropped while it was built.
    answers, inputs: by case id the digest of its answer.json, and of its public directory.
    """

    directory: Path
    expected: Path
    family: str
    version: str
    seed: str
    knobs: Mapping[str, Any]
    redraws: int
    answers: Mapping[str, str]
    inputs: Mapping[str, str]

    @property
    def cases(self) -> tuple[str, ...]:
        """The ids of its cases, in order."""
        return tuple(self.answers)

    @property
    def practice(self) -> bool:
        """Whether anyone with this package can rebuild the gold."""
        return is_practice(self.seed)


@dataclass(frozen=True, slots=True)
class PublicSuite:
    """What the public half alone says of a suite."""

    directory: Path
    family: str
    version: str
    cases: tuple[str, ...]


def is_practice(seed: str) -> bool:
    """Whether a suite of this seed is for practice only: its seed can be guessed."""
    return int(seed).bit_length() < PRACTICE_BITS


def case_ids(count: int) -> list[str]:
    """case_01, case_02, ...: padded to the digits of the count, at least two."""
    width = max(2, len(str(count)))
    return [f"case_{number:0{width}}" for number in range(1, count + 1)]


def settle(directory: Path) -> None:
    """Bring a build that was killed while it swapped suites to its end; else this costs one stat."""
    real = Path(os.path.realpath(directory))
    if os.path.lexists(journal_of(real)):
        from trapcli.suites.replacement import recover

        recover(real)


def journal_of(target: Path) -> Path:
    """The file beside `target`, a real path, that exists while a swap of it is under way."""
    return target.parent / f".{target.name}.trapcli-swap"


def is_suite(directory: Path) -> bool:
    """Whether the directory is the public half of a suite, whole or not."""
    settle(directory)
    return (directory / COMMITMENT).is_file() and (directory / INPUTS).is_dir()


def suites_under(directory: Path) -> list[Path]:
    """The suites that stand directly in `directory`, by name; hidden ones are none of ours."""
    try:
        names = sorted(os.listdir(directory))
    except (FileNotFoundError, NotADirectoryError):
        return []
    for name in names:  # a suite may be under way from one name to the other
        if name.startswith(".") and name.endswith(".trapcli-swap"):
            settle(directory / name[1 : -len(".trapcli-swap")])
            names = sorted(os.listdir(directory))
    return [directory / name for name in names if not name.startswith(".") and is_suite(directory / name)]


def open_public(directory: Path) -> PublicSuite:
    """What the public half says, without the private one; TrapError if it is missing or damaged."""
    settle(directory)
    _refuse_no_suite(directory)
    task = directory / TASK
    first = read_file(task)[:1000].split(b"\n", 1)[0].decode("utf-8", "replace")
    header = HEADER.fullmatch(first.rstrip("\r"))
    if header is None:
        raise TrapError(f"{task} does not begin with the line that names the suite's family. {AGAIN}")
    cases = tuple(sorted(entry.name for entry in os.scandir(directory / INPUTS) if _is_case(entry)))
    return PublicSuite(directory, header[1], header[2], cases)


def _is_case(entry: os.DirEntry[str]) -> bool:
    return re.fullmatch("case_[0-9]{2,}", entry.name) is not None and entry.is_dir()


def open_suite(directory: Path, expected: Path | None = None) -> Suite:
    """The suite in `directory`, its private half in `expected` or, by default, inside it.

    Raises TrapError, naming the file, if a part is missing or damaged, if the halves do not
    belong together, or if another version of the family built it.
    """
    private = directory / EXPECTED if expected is None else expected
    for _ in range(5):
        settle(directory)
        before = _identity(directory), _identity(private)
        try:
            return _open(directory, private, given=expected is not None)
        except TrapError as error:
            failed = error
        # Only if a build put another suite there in the meantime is it worth another look.
        swapping = os.path.lexists(journal_of(Path(os.path.realpath(directory))))
        if before == (_identity(directory), _identity(private)) and not swapping:
            break
    raise failed


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _open(directory: Path, private: Path, given: bool) -> Suite:
    _refuse_no_suite(directory)
    record = private / RECORD
    if not os.path.lexists(record):
        if given:
            raise TrapError(f"--expected {private} is no private half of a suite: it has no {RECORD}.")
        raise TrapError(
            f"{directory} has no private half: {record} is missing. "
            "If it was built with --expected DIR, give that --expected DIR here too."
        )
    answers = _commitment(directory / COMMITMENT)
    raw = read_file(record)
    if digest_of(raw) != answers.pop(RECORD, None):
        raise TrapError(
            f"{record} is not the file that {directory / COMMITMENT} commits to: the two halves do not "
            f"belong together, or one was changed or damaged. {AGAIN}"
        )
    found = as_object(raw, record)
    if found.get("format") != FORMAT:
        raise TrapError(f"{record} has format {found.get('format')!r}; this trapcli reads format {FORMAT}.")
    try:
        suite = Suite(
            directory=directory,
            expected=private,
            family=found["family"],
            version=found["version"],
            seed=str(int(found["seed"])),
            knobs=dict(found["knobs"]),
            redraws=found["redraws"],
            answers={path.removesuffix(f"/{ANSWER}"): value for path, value in answers.items()},
            inputs=dict(found["inputs"]),
        )
        whole = [*suite.answers] == [*suite.inputs] == case_ids(found["count"])
    except (KeyError, TypeError, ValueError) as error:
        raise _damaged(record, error) from error
    if not whole:
        raise TrapError(f"{directory / COMMITMENT} and {record} do not list the same cases. {AGAIN}")
    _refuse_other_version(suite)
    return suite


def _refuse_no_suite(directory: Path) -> None:
    if not os.path.lexists(directory):
        raise TrapError(f"there is no suite at {directory}: nothing is there. `trapcli build` builds one.")
    for name, there in ((COMMITMENT, os.path.exists), (INPUTS, os.path.isdir)):
        if not there(directory / name):
            raise TrapError(
                f"{directory} is no suite, or no whole one: {directory / name} is missing. "
                "A suite is the directory that `trapcli build` names."
            )


def _refuse_other_version(suite: Suite) -> None:
    name, built = suite.family, f"{suite.directory} was built by {suite.family} {suite.version}"
    if name not in registry.names():
        raise TrapError(
            f"{built}, a family that is not installed (installed: {', '.join(registry.names()) or 'none'}). "
            "Install the package that has it."
        )
    installed = registry.family(name).version
    if installed != suite.version:
        raise TrapError(
            f"{built}, but {name} {installed} is installed, whose verdicts may differ. "
            f"Install the package that has {name} {suite.version}, or build the suite again with --force."
        )


def _damaged(path: Path, error: Exception) -> TrapError:
    return TrapError(f"{path} is damaged: {type(error).__name__}: {error}. {AGAIN}")


def read_case(suite: Suite, case_id: str) -> Case:
    """The case with its files, gold, slips and facts; the digests of all that is read are checked.

    Files that were added to the case's directory are ignored. Raises TrapError, naming the
    file, if one is missing, changed or damaged, or if the suite has no such case.
    """
    if case_id not in suite.answers:
        ids = suite.cases
        raise TrapError(f"{suite.directory} has no case {case_id!r}; it has {ids[0]} to {ids[-1]}.")
    path = suite.expected / case_id / ANSWER
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


def _case(suite: Suite, case_id: str, answer: Mapping[str, Any]) -> Case:
    home = suite.directory / INPUTS / case_id
    if digest_of(listing(answer["files"]).encode()) != suite.inputs[case_id]:
        raise TrapError(
            f"{suite.expected / case_id / ANSWER} does not belong to {suite.expected / RECORD}. {AGAIN}"
        )
    files = {}
    for name, digest in answer["files"].items():
        data = read_file(home / name)
        if digest_of(data) != digest:
            raise TrapError(f"{home / name} was changed or damaged since the suite was built. {AGAIN}")
        files[name] = data.decode("utf-8")
    return Case(
        family=suite.family,
        category=answer["category"],
        files=files,
        gold=answer["gold"],
        mechanisms=tuple(answer["mechanisms"]),
        facts=answer["facts"],
        slips=tuple(Slip(slip["mechanism"], slip["text"], slip["result"]) for slip in answer["slips"]),
        id=case_id,
    )


def digest(directory: Path, expected: Path | None = None) -> str:
    """One digest of all files of both halves, paths and contents, wherever the private half is."""
    private = directory / EXPECTED if expected is None else expected
    found = _digests(private, f"{EXPECTED}/")
    for path, value in _digests(directory, "").items():
        if not path.startswith(f"{EXPECTED}/"):
            found[path] = value
    return digest_of(listing(found).encode("utf-8", "surrogateescape"))


def _digests(root: Path, prefix: str) -> dict[str, str]:
    found = {}
    for folder, _, names in os.walk(root):
        for name in names:
            path = Path(folder, name)
            found[prefix + path.relative_to(root).as_posix()] = digest_of(read_file(path))
    return found


def _commitment(path: Path) -> dict[str, str]:
    """The digests in expected.sha256, by path below expected/, in the order of the file."""
    found = {}
    for number, line in enumerate(read_file(path).decode("utf-8", "replace").splitlines(), 1):
        match = COMMITTED.fullmatch(line)
        if match is None:
            raise TrapError(f"{path}, line {number}: no line of sha256sum for a file of {EXPECTED}/. {AGAIN}")
        found[match[2]] = match[1]
    return found
