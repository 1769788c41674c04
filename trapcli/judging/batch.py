"""Judge many answers, one after the other, in memory that does not grow with their number."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from trapcli.core.contract import STATUSES, Case, Family, Verdict
from trapcli.core.errors import TrapError
from trapcli.core.shorten import listed, one_line
from trapcli.judging.batch_reader import LISTED, Submission, Unjudged
from trapcli.judging.judge import judge_output

CASES_KEPT = 16_000_000  # characters of public files; what a family caches for a case comes on top
MOST_NAMED = 1000  # answers without a verdict, and ignored keys, that the summary lists
SCHEMA = "batch/1"


def judge_all(
    family: Family,
    read_case: Callable[[str], Case],
    submissions: Iterator[Submission | Unjudged],
    render: Callable[[Submission, Verdict], str] = lambda submission, verdict: "",
) -> Iterator[tuple[Submission, Verdict, str] | Unjudged]:
    """Yield each answer with its verdict and what `render` makes of it, in the order given.

    An answer that gets no verdict, because it cannot be read, its case is damaged or the family fails,
    is named and does not stop the others.
    """
    kept: dict[str, Case] = {}  # the most recently used last
    size = 0
    for submission in submissions:
        if isinstance(submission, Unjudged):
            yield submission
            continue
        try:
            case = kept.pop(submission.case, None)
            if case is None:
                case = read_case(submission.case)
                size += _size(case)
                while kept and size > CASES_KEPT:
                    size -= _size(kept.pop(next(iter(kept))))
            kept[submission.case] = case
            verdict = judge_output(
                family,
                case,
                submission.output,
                exit_code=submission.exit_code,
                timed_out=submission.timed_out,
            )
            rendered = render(submission, verdict)
        except TrapError as error:
            yield Unjudged(submission.source, submission.place, str(error))
        else:
            yield submission, verdict, rendered


@dataclass(slots=True)
class Tally:
    """What a batch adds up to.

    counts: verdicts by trap and status.
    answered: the cases that had a verdict.
    unjudged: how many answers had none; named: the first of them.
    ignored: by key that nobody reads, the lines that have it.
    """

    counts: dict[str, dict[str, int]] = field(default_factory=dict)
    answered: set[str] = field(default_factory=set)
    unjudged: int = 0
    named: list[Unjudged] = field(default_factory=list)
    ignored: dict[str, int] = field(default_factory=dict)

    def add(self, verdict: Verdict, ignored: Sequence[str] = ()) -> None:
        """Count one verdict. ignored: keys of its line that nobody reads."""
        row = self.counts.setdefault(verdict.trap, dict.fromkeys(STATUSES, 0))
        row[verdict.status] += 1
        self.answered.add(verdict.id)
        for key in ignored:
            if key in self.ignored or len(self.ignored) < MOST_NAMED:
                self.ignored[key] = self.ignored.get(key, 0) + 1

    def add_unjudged(self, unjudged: Unjudged) -> None:
        """Count an answer without a verdict."""
        self.unjudged += 1
        if len(self.named) < MOST_NAMED:
            self.named.append(unjudged)

    def total(self, status: str | None = None) -> int:
        """Return how many verdicts were counted, with this status or with any."""
        rows = self.counts.values()
        return sum(row[status] if status else sum(row.values()) for row in rows)

    def missing(self, cases: Sequence[str]) -> list[str]:
        """Return the cases without a verdict."""
        return [case for case in cases if case not in self.answered]

    def complete(self, cases: Sequence[str]) -> bool:
        """Whether every case has a verdict, and every answer."""
        return not self.unjudged and not self.missing(cases)

    def all_passed(self, cases: Sequence[str]) -> bool:
        """Whether every case has an answer, and every answer passed."""
        return self.complete(cases) and self.total("passed") == self.total()

    def to_json(self, cases: Sequence[str]) -> dict[str, Any]:
        """Return the sum as JSON data (schema `batch.schema.json`)."""
        return {
            "schema": SCHEMA,
            "judged": self.total(),
            "passed": self.total("passed"),
            "statuses": {status: count for status in STATUSES if (count := self.total(status))},
            "traps": {trap: _some(row) for trap, row in sorted(self.counts.items())},
            "missing_cases": self.missing(cases),
            "unjudged": self.unjudged,
            "problems": [{**one.source, "what": one.why} for one in self.named],
            "ignored_keys": dict(self.ignored),
        }

    def lines(self, cases: Sequence[str]) -> list[str]:
        """Return a table of the counts, and a line each on what was left out."""
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
        if missing := self.missing(cases):
            names = listed(missing, len(missing), LISTED)
            lines.append(f"no judged answer: {len(missing)} of {len(cases)} cases: {names}")
        if self.ignored:
            keys = [f"{one_line(key, 60)} (in {count})" for key, count in self.ignored.items()]
            lines.append(f"keys that were ignored: {listed(keys, len(keys), LISTED)}")
        if self.unjudged:
            where = [_where(one) for one in self.named[:LISTED]]
            lines.append(f"not judged, see the errors: {listed(where, self.unjudged, LISTED)}")
        return lines


def _some(row: Mapping[str, int]) -> dict[str, int]:
    return {status: count for status, count in row.items() if count}


def _where(unjudged: Unjudged) -> str:
    source = unjudged.source
    return f"line {source['line']}" if "line" in source else one_line(source["file"], 60)


def _size(case: Case) -> int:
    return sum(map(len, case.files.values()))
