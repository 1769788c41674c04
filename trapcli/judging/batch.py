"""Judge many answers, one after the other, in memory that does not grow with their number.

Two forms are read. JSON Lines, one object a line: "case" (its id) and "output" (everything the agent
printed), and optionally "exit_code" (a whole number), "timed_out" (true or false) and "files" (path
-> text, what the agent left in its output directory); other keys and blank lines are ignored. Or a
directory of files named after their cases, such as `case_01.json` and `case_02.txt`; several files
for one case are judged one by one.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

from trapcli.core.case_ids import CASE_ID
from trapcli.core.contract import STATUSES, Case, Family, Verdict
from trapcli.core.errors import TrapError
from trapcli.core.output import Output, output_of, read_output
from trapcli.core.shorten import listed, one_line, quoted
from trapcli.judging.judge import judge_output

LONGEST_LINE = 64_000_000  # bytes; an output of 10 MB in which every byte is written \u0000 fits
CASES_KEPT = 16_000_000  # characters of public files; what a family caches for a case comes on top
LISTED = 20
BOM = b"\xef\xbb\xbf"
FORM = 'Each line must read {"case": "case_01", "output": "..."}.'
EXIT_CODES = range(-64, 256)  # a negative one is the signal that ended the process
READ = ("case", "output", "exit_code", "timed_out", "files")
CASE_NAME = re.compile(rf"({CASE_ID.pattern})(\..*)?", re.DOTALL)


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
    """

    case: str
    output: Output
    source: Mapping[str, Any]
    place: str
    exit_code: int = 0
    timed_out: bool = False


def read_lines(stream: BinaryIO, name: str, cases: Sequence[str]) -> Iterator[Submission]:
    """Yield the answers of a JSON Lines file, called `name` in errors, for a suite with these cases.

    Raises TrapError, naming the line, at the first that is not an answer to a case of the suite.
    """
    known = frozenset(cases)
    number = 0
    while raw := _next(stream, name):
        number += 1
        place = f"{name}, line {number}"
        if len(raw) > LONGEST_LINE:
            raise TrapError(
                f"{place}: it is longer than {LONGEST_LINE // 1_000_000} MB. Cut the output in it."
            )
        text = _decoded(raw.removeprefix(BOM) if number == 1 else raw, place)
        del raw  # a long line is never held twice
        if not text or text.isspace():
            continue
        record = _record(text, place)
        del text
        case = _require(record, "case", str, "the id of a case, as text", place)
        if case not in known:
            raise TrapError(f"{place}: {_unknown(case, cases)}")
        output = output_of(
            _require(record, "output", str, "everything the agent printed, as text", place),
            _files(record, place),
        )
        exit_code = record.get("exit_code") or 0
        timed_out = record.get("timed_out") or False
        del record
        if type(exit_code) is not int or type(timed_out) is not bool:
            raise TrapError(f'{place}: "exit_code" must be a whole number, "timed_out" true or false.')
        if exit_code not in EXIT_CODES:
            raise TrapError(
                f'{place}: "exit_code" is {quoted(exit_code)}, which is not an exit code '
                f"({EXIT_CODES[0]} to {EXIT_CODES[-1]})."
            )
        yield Submission(case, output, {"line": number}, place, exit_code, timed_out)


def read_directory(
    directory: Path, cases: Sequence[str], note: Callable[[str], None]
) -> Iterator[Submission]:
    """Yield the answers in a directory's files, by name; `note` gets a line about ignored entries."""
    known = frozenset(cases)
    found, ignored = [], []
    for path in sorted(directory.iterdir()):
        match = CASE_NAME.fullmatch(path.name)
        if match is None or not path.is_file():
            ignored.append(path.name)
        elif match[1] not in known:
            raise TrapError(f"{path}: {_unknown(match[1], cases)}")
        else:
            found.append((match[1], path))
    if ignored:
        note(f"ignored in {directory}, because they are not named after a case: {_names(ignored)}")
    for case, path in found:
        try:
            with path.open("rb") as stream:
                output = read_output(stream)
        except OSError as error:
            raise TrapError(f"{path} cannot be read: {error.strerror}.") from error
        yield Submission(case, output, {"file": path.name}, str(path))


def longest_name(directory: Path) -> int:
    """Return the length of the longest name of an answer in a directory, to align what is printed."""
    return max((len(path.name) for path in directory.iterdir() if CASE_NAME.fullmatch(path.name)), default=0)


def judge_all(
    family: Family, read_case: Callable[[str], Case], submissions: Iterator[Submission]
) -> Iterator[tuple[Submission, Verdict]]:
    """Yield each answer with its verdict, in the order given; TrapError, naming the answer, without one."""
    kept: dict[str, Case] = {}  # the most recently used last
    size = 0
    for submission in submissions:
        case = kept.pop(submission.case, None)
        if case is None:
            case = read_case(submission.case)
            size += _size(case)
            while kept and size > CASES_KEPT:
                size -= _size(kept.pop(next(iter(kept))))
        kept[submission.case] = case
        try:
            verdict = judge_output(
                family,
                case,
                submission.output,
                exit_code=submission.exit_code,
                timed_out=submission.timed_out,
            )
        except TrapError as error:
            raise TrapError(f"{submission.place}: {error}") from error
        yield submission, verdict


@dataclass(slots=True)
class Tally:
    """Counts of verdicts by trap and status, and the cases that had an answer."""

    counts: dict[str, dict[str, int]] = field(default_factory=dict)
    answered: set[str] = field(default_factory=set)

    def add(self, verdict: Verdict) -> None:
        """Count one verdict."""
        row = self.counts.setdefault(verdict.trap, dict.fromkeys(STATUSES, 0))
        row[verdict.status] += 1
        self.answered.add(verdict.id)

    def total(self, status: str | None = None) -> int:
        """Return how many verdicts were counted, with this status or with any."""
        rows = self.counts.values()
        return sum(row[status] if status else sum(row.values()) for row in rows)

    def lines(self, cases: Sequence[str]) -> list[str]:
        """Return a table of the counts, and a line on the cases that had no answer."""
        statuses = [s for s in STATUSES if s in ("passed", "failed") or self.total(s)]
        rows = [["trap", "answers", *statuses]]
        for trap, row in sorted(self.counts.items()):
            rows.append([one_line(trap), str(sum(row.values())), *(str(row[s]) for s in statuses)])
        if len(self.counts) != 1:
            rows.append(["all", str(self.total()), *(str(self.total(s)) for s in statuses)])
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = [
            "  ".join([name.ljust(widths[0]), *map(str.rjust, cells, widths[1:])]) for name, *cells in rows
        ]
        if missing := [case for case in cases if case not in self.answered]:
            lines.append(f"no answer, so not judged: {len(missing)} of {len(cases)} cases: {_names(missing)}")
        return lines


def _next(stream: BinaryIO, name: str) -> bytes:
    try:
        return stream.readline(LONGEST_LINE + 1)
    except OSError as error:
        raise TrapError(f"{name} cannot be read: {error.strerror or error}.") from error


def _size(case: Case) -> int:
    return sum(map(len, case.files.values()))


def _files(record: dict[str, Any], place: str) -> dict[str, bytes]:
    files = record.get("files") or {}
    if not isinstance(files, dict) or not all(isinstance(text, str) for text in files.values()):
        raise TrapError(f'{place}: "files" must be an object of paths and texts.')
    return {path: text.encode("utf-8", "surrogatepass") for path, text in files.items()}


def _decoded(raw: bytes, place: str) -> str:
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise TrapError(
            f"{place}: it is not UTF-8: byte {error.start + 1} of the line is 0x{raw[error.start]:02x}. "
            'Write the file as UTF-8; bytes of an output that are not text may be written "\\ufffd".'
        ) from error


def _record(text: str, place: str) -> dict[str, Any]:
    try:
        record = json.loads(text, object_pairs_hook=_once)
    except RecursionError:
        raise TrapError(f"{place}: it is nested too deeply.") from None
    except json.JSONDecodeError as error:
        column = min(error.pos, len(text.rstrip("\r\n"))) + 1
        raise TrapError(f"{place}: it is not JSON: {error.msg} at column {column}. {FORM}") from error
    except RepeatedKey as error:
        raise TrapError(f"{place}: {error}. {FORM}") from error
    except ValueError as error:  # Python refuses to read integers of more than 4,300 digits
        raise TrapError(f"{place}: a number has too many digits. {FORM}") from error
    if not isinstance(record, dict):
        raise TrapError(f"{place}: it is not a JSON object. {FORM}")
    return record


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    record = dict(pairs)
    if len(record) != len(pairs):
        names = [name for name, _ in pairs]
        for name in READ:
            if names.count(name) > 1:
                raise RepeatedKey(f"the key {name!r} occurs twice")
    return record


def _require(record: dict[str, Any], key: str, kind: type, what: str, place: str) -> Any:
    value = record.get(key)
    if type(value) is not kind:
        found = f"is {one_line(json.dumps(value), 40)}" if key in record else "is missing"
        raise TrapError(f'{place}: "{key}" {found}; it must be {what}. {FORM}')
    return value


def _unknown(case: str, cases: Sequence[str]) -> str:
    return (
        f"the suite has no case {one_line(case, 60)!r}; it has {_names(cases)}. "
        "Were these answers given for another suite (see --suite)?"
    )


def _names(names: Sequence[str]) -> str:
    return listed((one_line(name, 60) for name in names), len(names), LISTED)
