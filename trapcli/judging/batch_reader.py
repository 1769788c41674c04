"""Read many answers: from JSON Lines, or from the files of a directory.

A line is an object: "case" (its id) and "output" (everything the agent printed), and optionally
"exit_code" (a whole number), "timed_out" (true or false) and "files" (path -> text, what the agent
left in its output directory); other keys are counted and ignored, blank lines too. The files of a
directory are named after their cases, such as `case_01.json` and `case_02.txt`; several files for
one case are judged one by one. What cannot be read is named and does not stop the rest.
"""

import json
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from trapcli.core.case_ids import CASE_ID
from trapcli.core.errors import TrapError
from trapcli.core.output import Output, output_of, read_output
from trapcli.core.shorten import listed, one_line, quoted

LONGEST_LINE = 64_000_000  # bytes; an output of 10 MB in which every byte is written \u0000 fits
LISTED = 20
BOM = b"\xef\xbb\xbf"
FORM = 'Each line must read {"case": "case_01", "output": "..."}.'
EXIT_CODES = range(-64, 256)  # a negative one is the signal that ended the process
READ = ("case", "output", "exit_code", "timed_out", "files")
CASE_NAME = re.compile(rf"({CASE_ID.pattern})(\..*)?", re.DOTALL)
# Backups of editors and tools, and what is logged beside an answer. None of them is what an agent printed.
NOT_ANSWERS = re.compile(
    r"[.#].*|.*(~|\.(bak|backup|orig|old|rej|save|sw[a-z]|tmp|temp|part|lock|log|err|stderr))",
    re.DOTALL | re.IGNORECASE,
)


class RepeatedKey(ValueError):
    """A line with a key that we read, twice."""


@dataclass(frozen=True, slots=True)
class Submission:
    """One answer to judge.

    case: the case's id.
    output: what the agent left.
    source: where the answer is: {"line": 7} or {"file": "case_01.json"}.
    place: the same for a person: "answers.jsonl, line 7".
    exit_code, timed_out: how the agent's process ended.
    ignored: keys of the line that nobody reads.
    """

    case: str
    output: Output
    source: Mapping[str, Any]
    place: str
    exit_code: int = 0
    timed_out: bool = False
    ignored: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Unjudged:
    """An answer without a verdict. source, place: as of a Submission. why: what is wrong with it."""

    source: Mapping[str, Any]
    place: str
    why: str

    def __str__(self) -> str:
        return f"{self.place}: {self.why}"


def read_lines(stream: BinaryIO, name: str, cases: Sequence[str]) -> Iterator[Submission | Unjudged]:
    """Yield each line of a JSON Lines file, as an answer to a case of a suite or why it is not one.

    name: of the file, in errors.
    cases: the ids of the suite's cases.
    """
    known = frozenset(cases)
    number = 0
    while True:
        number += 1
        place, source = f"{name}, line {number}", {"line": number}
        try:
            raw = stream.readline(LONGEST_LINE + 1)
            if not raw:
                return
            if len(raw) > LONGEST_LINE:
                _skip_line(stream, raw)
                size = LONGEST_LINE // 1_000_000
                raise TrapError(f"it is longer than {size} MB. Cut the output in it.")
            text = _decoded(raw.removeprefix(BOM) if number == 1 else raw)
            del raw  # a long line is never held twice
            if text and not text.isspace():
                yield _submission(text, known, cases, source, place)
        except OSError as error:
            yield Unjudged(source, place, f"it cannot be read: {error.strerror or error}.")
            return
        except RecursionError:
            yield Unjudged(source, place, "it is nested too deeply.")
        except TrapError as error:
            yield Unjudged(source, place, str(error))


def _skip_line(stream: BinaryIO, raw: bytes) -> None:
    while raw and not raw.endswith(b"\n"):
        raw = stream.readline(LONGEST_LINE)


def _submission(
    text: str, known: frozenset[str], cases: Sequence[str], source: Mapping[str, Any], place: str
) -> Submission:
    record = _record(text)
    case = _require(record, "case", "the id of a case, as text")
    if case not in known:
        raise TrapError(_unknown(case, cases))
    output = output_of(_require(record, "output", "everything the agent printed, as text"), _files(record))
    exit_code = record.get("exit_code") or 0
    timed_out = record.get("timed_out") or False
    if type(exit_code) is not int or type(timed_out) is not bool:
        raise TrapError('"exit_code" must be a whole number, "timed_out" true or false.')
    if exit_code not in EXIT_CODES:
        raise TrapError(
            f'"exit_code" is {quoted(exit_code)}, which is not an exit code '
            f"({EXIT_CODES[0]} to {EXIT_CODES[-1]})."
        )
    ignored = tuple(key for key in record if key not in READ)
    return Submission(case, output, source, place, exit_code, timed_out, ignored)


def answer_files(directory: Path, note: Callable[[str], None]) -> list[Path]:
    """Return the files of a directory that are named after cases, by name.

    note: gets a line about each sort of entry that is not an answer.

    A directory, a pipe or a device is not an answer; a link that leads nowhere is one that cannot be read.
    """
    found: list[Path] = []
    ignored: dict[str, list[str]] = {}
    try:
        entries = sorted(directory.iterdir())
    except OSError as error:
        raise TrapError(f"{directory} cannot be read: {error.strerror or error}.") from error
    for path in entries:
        if NOT_ANSWERS.fullmatch(path.name):
            why = "they are hidden, backups or logs (rename one that is an answer)"
        elif not CASE_NAME.fullmatch(path.name):
            why = "they are not named after a case"
        elif os.path.exists(path) and not path.is_file():
            why = "they are not files"
        else:
            found.append(path)
            continue
        ignored.setdefault(why, []).append(path.name)
    for why, names in ignored.items():
        note(f"ignored in {directory}, because {why}: {_names(names)}")
    return found


def read_answer_files(paths: Sequence[Path], cases: Sequence[str]) -> Iterator[Submission | Unjudged]:
    """Yield each file that `answer_files` found, as an answer to a case of a suite or why it is not one."""
    for path in paths:
        match = CASE_NAME.fullmatch(path.name)
        case, source = match[1] if match else "", {"file": path.name}
        if case not in cases:
            yield Unjudged(source, str(path), _unknown(case, cases))
            continue
        try:
            with path.open("rb") as stream:
                output = read_output(stream)
        except OSError as error:
            yield Unjudged(source, str(path), f"it cannot be read: {error.strerror or error}.")
            continue
        yield Submission(case, output, source, str(path))


def _files(record: dict[str, Any]) -> dict[str, bytes]:
    files = record.get("files") or {}
    if not isinstance(files, dict) or not all(isinstance(text, str) for text in files.values()):
        raise TrapError('"files" must be an object of paths and texts.')
    return {path: text.encode("utf-8", "surrogatepass") for path, text in files.items()}


def _decoded(raw: bytes) -> str:
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise TrapError(
            f"it is not UTF-8: byte {error.start + 1} of the line is 0x{raw[error.start]:02x}. "
            'Write the file as UTF-8; bytes of an output that are not text may be written "\\ufffd".'
        ) from error


def _record(text: str) -> dict[str, Any]:
    try:
        record = json.loads(text, object_pairs_hook=_once)
    except json.JSONDecodeError as error:
        column = min(error.pos, len(text.rstrip("\r\n"))) + 1
        cut = "" if text.endswith("\n") else " The line has no end: was the file cut off?"
        raise TrapError(f"it is not JSON: {error.msg} at column {column}.{cut} {FORM}") from error
    except RepeatedKey as error:
        raise TrapError(f"{error}. {FORM}") from error
    except ValueError as error:  # Python refuses to read integers of more than 4,300 digits
        raise TrapError(f"a number has too many digits. {FORM}") from error
    if not isinstance(record, dict):
        raise TrapError(f"it is not a JSON object. {FORM}")
    return record


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    record = dict(pairs)
    if len(record) != len(pairs):
        names = [name for name, _ in pairs]
        for name in READ:
            if names.count(name) > 1:
                raise RepeatedKey(f"the key {name!r} occurs twice")
    return record


def _require(record: dict[str, Any], key: str, what: str) -> str:
    value = record.get(key)
    if not isinstance(value, str):
        found = f"is {one_line(json.dumps(value), 40)}" if key in record else "is missing"
        raise TrapError(f'"{key}" {found}; it must be {what}. {FORM}')
    return value


def _unknown(case: str, cases: Sequence[str]) -> str:
    return (
        f"the suite has no case {one_line(case, 60)!r}; it has {_names(cases)}. "
        "Were these answers given for another suite (see --suite)?"
    )


def _names(names: Sequence[str]) -> str:
    return listed((one_line(name, 60) for name in names), len(names), LISTED)
