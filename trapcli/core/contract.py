"""What a family gives and what the core passes around.

A family is a plugin: an object with the attributes and methods of `Family`, named in
the entry-point group `trapcli.families`. Everything it does is a pure function of
its arguments; files, processes and terminals are the core's business.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Protocol

from trapcli.core.errors import TrapError

Files = Mapping[str, str]  # relative POSIX path -> text; UTF-8 and "\n" on disk


@dataclass(frozen=True, slots=True)
class Problem:
    """Something wrong with data, as a value: what it is, and where."""

    message: str
    where: str = ""

    def __str__(self) -> str:
        return f"{self.where}: {self.message}" if self.where else self.message


@dataclass(frozen=True, slots=True)
class Answer:
    """What an agent's output says, read; `notes` tells what was ignored and why."""

    value: Any
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Slip:
    """One named mistake made on a case: the output it leads to, and that output's effect."""

    mechanism: str
    text: str
    result: str


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class Case:
    """One task. `files` is all that an agent may see; everything else is private.

    category: the trap kind. gold: the right answer as JSON data. mechanisms: the
    mistakes that this case must tell from the truth. facts: JSON data for `inspect`.
    `slips` and `id` are the core's to fill. Compared by identity, so that a
    judge may remember what it computed for a case.
    """

    family: str
    category: str
    files: Files
    gold: Any
    mechanisms: tuple[str, ...]
    facts: Mapping[str, Any] = field(default_factory=dict)
    slips: tuple[Slip, ...] = ()
    id: str = ""


STATUSES = ("passed", "failed", "unreadable", "empty", "timed_out", "crashed")


@dataclass(frozen=True, slots=True)
class Verdict:
    """A judgement. `score` is 1.0 exactly if `status` is "passed", else 0.0.

    reason: one line a person understands. result: the answer's effect in canonical
    form; two answers with the same result are the same answer. slip: the mechanisms
    whose result this is (the core names those of the case's slips, a family may name
    others). partial: from 0 to 1, never used for passing. details: the family's own
    JSON data.
    """

    status: str
    reason: str
    result: str = ""
    partial: float = 0.0
    notes: tuple[str, ...] = ()
    details: Mapping[str, Any] = field(default_factory=dict)
    slip: tuple[str, ...] = ()
    id: str = ""
    family: str = ""
    category: str = ""

    @property
    def score(self) -> float:
        return 1.0 if self.status == "passed" else 0.0

    def to_json(self) -> dict[str, Any]:
        """The verdict as JSON data; `slip` is null, one name, or a list of several."""
        slip = None if not self.slip else self.slip[0] if len(self.slip) == 1 else list(self.slip)
        return {
            "id": self.id,
            "family": self.family,
            "category": self.category,
            "score": self.score,
            "status": self.status,
            "reason": self.reason,
            "slip": slip,
            "partial": self.partial,
            "notes": list(self.notes),
            **self.details,
        }


@dataclass(frozen=True, slots=True)
class Section:
    """A piece of an explanation: a titled table (columns and rows), a text, or both."""

    title: str
    columns: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    text: str = ""


class Family(Protocol):
    """A plugin. `kinds` and `mechanisms` map names to one-line descriptions.

    knobs: a frozen dataclass whose fields are made with `knob`. ladder: presets of
    knobs, easiest first. cases: how many a build makes unless told. noop: the output
    of an agent that does nothing. extension: the usual ending of an answer's file.
    """

    name: str
    title: str
    version: str
    kinds: Mapping[str, str]
    mechanisms: Mapping[str, str]
    knobs: type
    ladder: Sequence[Mapping[str, Any]]
    cases: int
    noop: str

    def generate(self, seed: str, knobs: Any, k: int) -> Case:
        """Case `k` of the seed, of kind `k` modulo the number of kinds, without slips or id."""

    def extract(self, text: str) -> Answer | Problem:
        """The answer in a cleaned output (see `trapcli.core.output`), or why it cannot be read."""

    def judge(self, case: Case, answer: Answer) -> Verdict:
        """The verdict, of status "passed" or "failed"; TrapError if the case itself is broken."""

    def solve(self, files: Files) -> str:
        """What a perfect agent prints, worked out from the public files alone."""

    def slip(self, files: Files, mechanism: str) -> str:
        """What the same agent prints when it makes this one mistake."""

    def check(self, case: Case) -> Iterable[Problem]:
        """What is wrong with a case beyond what the core checks for every family."""

    def explain(self, case: Case, public: bool) -> Sequence[Section]:
        """What `inspect` shows of a case; with `public` nothing that the files do not say."""

    def view(self, verdict: Verdict) -> Sequence[Section]:
        """What `judge` shows of a verdict on a terminal below its reason."""


def knob(default: int, low: int, high: int, help: str) -> Any:
    """A whole-number field of a family's knobs: its default, its range, a line of help."""
    return field(default=default, metadata={"low": low, "high": high, "help": help})


def parse_knobs(family: Family, values: Mapping[str, Any]) -> Any:
    """The family's knobs with `values` (numbers or their spelling) put over the defaults.

    Raises TrapError for an unknown knob or a value that is no whole number in range.
    """
    known = {f.name: f for f in fields(family.knobs)}
    chosen = {}
    for name, value in values.items():
        if name not in known:
            raise TrapError(
                f"{family.name} has no knob {name!r}; it has {', '.join(known)}. "
                f"`trapcli inspect {family.name}` shows them with their ranges."
            )
        low, high = known[name].metadata["low"], known[name].metadata["high"]
        text = str(value).strip()
        digits = text.removeprefix("-")
        if not (digits.isascii() and digits.isdigit() and len(digits) < 10):
            raise TrapError(f"knob {name}: {value!r} is not a whole number from {low} to {high}.")
        if not low <= int(text) <= high:
            raise TrapError(f"knob {name}: {value} is outside its range, {low} to {high}.")
        chosen[name] = int(text)
    return family.knobs(**chosen)
