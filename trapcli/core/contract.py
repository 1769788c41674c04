"""The contract between the core and its plugins: what a family provides, and the values they exchange.

A family is a plugin: an object (an instance, not a class) with the attributes and methods of
`Family`, declared in the entry-point group `trapcli.families` under its own name:

    [project]
    dependencies = ["trapsuite"]

    [project.entry-points."trapcli.families"]
    parking-fines = "parking_fines:FAMILY"   # the key equals FAMILY.name

All its methods are pure functions of their arguments; the core does everything that touches files,
processes or terminals. The shortest family has one amount as its answer:

    class Sums:
        name, title, version = "sums", "Add up what counts", "1"
        traps = {"void": "a large amount is void"}
        mistakes = {"void_counted": "counts void amounts", "first_only": "stops after one amount"}
        knobs = Knobs                        # a frozen dataclass of `knob(...)` fields
        levels = ({}, {"rows": 100})         # {} is the knobs' defaults
        cases = 6
        answers = AmountAnswers()            # from trapcli.answers.amount

        def generate(self, seed, knobs, k):
            draw = Draw(f"{self.name}/{self.version}/{seed}/{k}")   # from trapcli.core.draw
            ...
            files = {"README.md": "..." + self.answers.instructions(), "rows.csv": "..."}
            return Case(self.name, "void", files, "1234.50", tuple(self.mistakes))

        def solve(self, files, mistake=None): ...   # from files alone -> "ANSWER: 1234.50"
        def check(self, case): return ()
        def explain(self, case, public): return [Section("Rows", text=case.files["rows.csv"])]

`trapcli.testing.check_family(FAMILY)` checks a family against everything that is said here. When a
family is loaded, its attributes are checked (`trapcli.core.registry`); whatever its methods raise or return
against the contract becomes an error that names the family (`trapcli.core.family_calls`).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from trapcli.core.output import Output
from trapcli.core.prompt import prompt

Files = Mapping[str, str]  # relative POSIX path -> text; UTF-8 with "\n" line endings on disk

# The statuses of a verdict: passed, failed, unreadable (no answer in the output), empty (nothing
# printed), timed_out, crashed.
STATUSES = ("passed", "failed", "unreadable", "empty", "timed_out", "crashed")


@dataclass(frozen=True, slots=True)
class Problem:
    """Something wrong with data, returned as a value instead of raised.

    message: what is wrong.
    where: the place in the data, or the name of the invariant that is broken.
    """

    message: str
    where: str = ""

    def __str__(self) -> str:
        return f"{self.where}: {self.message}" if self.where else self.message


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer read from an agent's output.

    value: whatever the answer kind's `judge` takes.
    notes: one line for each part of the output that was ignored, with the reason.
    """

    value: Any
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class KnownMistake:
    """A mistake that the reference solver made on a case on purpose, and where it led.

    name: the mistake's name, a key of `Family.mistakes`.
    text: what the solver printed.
    result: the `Verdict.result` of that output; an answer with this result made this mistake.
    files: what the solver left in its output directory, for families whose answers are files.
    """

    name: str
    text: str
    result: str
    files: Files = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class Case:
    """One task.

    family: the family's name.
    trap: the trap that the case sets, a key of `Family.traps`.
    files: everything an agent may see; all other fields are private. README.md is among it, is the
        same for all traps, and includes `answers.instructions()`; the core adds a line to it by which
        leaked data can be recognised.
    gold: the right answer, as JSON data.
    mistakes: names of the mistakes that must lead to answers other than gold, and different from
        each other; a case that breaks this is rejected, and another one drawn.
    facts: JSON data (keys are text) for `Family.explain`, such as the rows that mislead.
    known_mistakes: one record for each of `mistakes`; filled in by the core.
    id: such as "case_03"; filled in by the core.

    Cases compare by identity, so that a judge can cache what it computes for a case.
    """

    family: str
    trap: str
    files: Files
    gold: Any
    mistakes: tuple[str, ...]
    facts: Mapping[str, Any] = field(default_factory=dict)
    known_mistakes: tuple[KnownMistake, ...] = ()
    id: str = ""

    def prompt(self) -> str:
        """Return the whole case as one Markdown text, for an agent without tools."""
        return prompt(self.files)


@dataclass(frozen=True, slots=True)
class Verdict:
    """The judgement of one output.

    status: one of `STATUSES`; an answer kind returns only "passed" or "failed".
    reason: one line that a person understands.
    result: the effect of the answer in canonical form; equal results mean equal answers.
    partial_credit: from 0 to 1; informative, never used to decide whether a trial passed.
    notes: what was ignored in the output, and why.
    details: JSON data of the answer kind, such as which report cells differ. A number under "collateral"
        says how much an answer changed that it should not have; a report on a run counts such passes.
    mistake: name of the mistake that leads to this result, or ""; the core looks it up in the
        case's known mistakes, an answer kind may name others (such as two made together).
    output_status: the status that the output alone deserves. It differs from `status` if the
        process crashed or timed out. Filled in by the core, as are the next three.
    id, family, trap: taken from the case.
    """

    status: str
    reason: str
    result: str = ""
    partial_credit: float = 0.0
    notes: tuple[str, ...] = ()
    details: Mapping[str, Any] = field(default_factory=dict)
    mistake: str = ""
    output_status: str = ""
    id: str = ""
    family: str = ""
    trap: str = ""

    @property
    def passed(self) -> bool:
        """Whether the trial passed."""
        return self.status == "passed"

    @property
    def score(self) -> float:
        """1.0 if the trial passed, else 0.0."""
        return 1.0 if self.passed else 0.0

    def to_json(self) -> dict[str, Any]:
        """Return the verdict as JSON data (schema `verdict.schema.json`)."""
        return {
            "id": self.id,
            "family": self.family,
            "trap": self.trap,
            "score": self.score,
            "status": self.status,
            "reason": self.reason,
            "mistake": self.mistake or None,
            "partial_credit": self.partial_credit,
            "output_status": self.output_status or self.status,
            "notes": list(self.notes),
            "details": dict(self.details),
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "Verdict":
        """Return the verdict that `to_json` turned into this data; `result` is not part of it."""
        return cls(
            status=str(data.get("status", "")),
            reason=str(data.get("reason", "")),
            partial_credit=float(data.get("partial_credit") or 0.0),
            notes=tuple(map(str, data.get("notes") or ())),
            details=dict(data.get("details") or {}),
            mistake=str(data.get("mistake") or ""),
            output_status=str(data.get("output_status", "")),
            id=str(data.get("id", "")),
            family=str(data.get("family", "")),
            trap=str(data.get("trap", "")),
        )


@dataclass(frozen=True, slots=True)
class Section:
    """A part of an explanation: a titled text, a titled table, or both.

    columns: the table's header, or nothing.
    rows: cells as text; every row as wide as the header.
    """

    title: str
    columns: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    text: str = ""


class AnswerKind(Protocol):
    """How a family's answers are written, read and judged.

    noop: what an agent that does nothing prints, in the form of an answer; "" if there is none.
    reads_files: whether `extract` looks at `Output.files`; if not, no file is ever read for it.
    """

    @property
    def noop(self) -> str: ...

    @property
    def reads_files(self) -> bool: ...

    def instructions(self) -> str:
        """Return the part of a case README that says how to answer, in Markdown: one form, in a few lines."""

    def rules(self) -> str:
        """Return every form of an answer that is read, in Markdown with headings of level 2.

        It is for people, and part of the suite's README; agents do not see it.
        """

    def extract(self, output: Output) -> Answer | Problem:
        """Return the answer in an output, or why it cannot be read."""

    def judge(self, case: Case, answer: Answer) -> Verdict:
        """Return the verdict, with status "passed" or "failed"; TrapError if the case itself is broken."""

    def view(self, verdict: Verdict) -> Sequence[Section]:
        """Return what `judge` shows of a verdict on a terminal, below its reason."""


class Family(Protocol):
    """A plugin that generates cases of one type.

    name: as on the command line.
    title: one line about the family.
    version: a suite built by another version is refused; change it whenever the cases change.
    traps: name -> one-line description; case k sets trap k modulo their number.
    mistakes: name -> one-line description of every mistake that cases can tell from gold.
    knobs: a frozen dataclass whose fields are made with `trapcli.core.knobs.knob`.
    levels: knob values or ranges by name (the others keep their defaults), one mapping a level,
        easiest first.
    cases: how many cases a build has by default.
    answers: how answers are read and judged.
    """

    # Properties, so that plain attributes, class attributes and frozen dataclasses all
    # satisfy a type checker.
    @property
    def name(self) -> str: ...

    @property
    def title(self) -> str: ...

    @property
    def version(self) -> str: ...

    @property
    def traps(self) -> Mapping[str, str]: ...

    @property
    def mistakes(self) -> Mapping[str, str]: ...

    @property
    def knobs(self) -> type: ...

    @property
    def levels(self) -> Sequence[Mapping[str, Any]]: ...

    @property
    def cases(self) -> int: ...

    @property
    def answers(self) -> AnswerKind: ...

    def generate(self, seed: str, knobs: Any, k: int) -> Case:
        """Return case `k` (from 0) of a seed, without `known_mistakes` and `id`.

        seed: text of any form (a rejected case is drawn again with another one); use it to name
            streams: `Draw(f"{self.name}/{self.version}/{seed}/{k}")`.
        knobs: an instance of `self.knobs`, with a number in each field.

        The result depends on the arguments alone, in any process: no other randomness, no order of
        sets. Raise TrapError if these knobs allow no case; that ends the build.
        """

    def solve(self, files: Files, mistake: str | None = None) -> str | Output:
        """Return what a perfect agent prints, worked out from the public files alone.

        mistake: a name from `mistakes`; the agent then makes this one mistake.
        An agent that answers in files returns an `Output` with them.
        """

    def check(self, case: Case) -> Iterable[Problem]:
        """Return what is wrong with a case beyond the invariants that the core checks for every family."""

    def explain(self, case: Case, public: bool) -> Sequence[Section]:
        """Return what `inspect` shows of a case.

        public: show nothing that the files do not say; then the case has only its files and id.
        """
