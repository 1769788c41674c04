"""A tiny complete family for tests: add up the numbers of a file, but not all of them.

`TOY` is the family. `installed(...)` makes it findable by name in this process,
`declare(...)` for other processes too. Environment: TOY_SECONDS lets each case take that long.
"""

import os
import re
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from trapcli.core import registry
from trapcli.core.contract import Answer, AnswerKind, Case, Family, Files, Problem, Section, Verdict
from trapcli.core.draw import Draw
from trapcli.core.knobs import knob, knob_values
from trapcli.core.output import Output
from trapcli.core.recipe import Recipe
from trapcli.suites.halves import Halves
from trapcli.suites.reader import Suite

README = """\
# Add up

`lines.csv` holds amounts, each with a day and a state. Print the sum of the amounts that
count: void ones do not, nor do those after the last day, which `task.md` names.
Print the sum as a whole number; the last whole number you print is taken.
"""


@dataclass(frozen=True)
class Knobs:
    """The toy's difficulty."""

    lines: int = knob(6, 4, 10_000, "amounts in the file")
    largest: int = knob(50, 10, 1_000_000, "the largest amount")
    hidden: int = field(default=3, metadata={"low": 1, "high": 9, "help": "a secret", "private": True})


class ToyAnswers:
    """Answers that are whole numbers: the last one that is printed."""

    noop = ""
    reads_files = False

    def instructions(self) -> str:
        return "Print the sum as a whole number; the last whole number you print is taken.\n"

    def rules(self) -> str:
        return "## How an answer is read\n\nThe last whole number counts.\n"

    def extract(self, output: Output) -> Answer | Problem:
        numbers = re.findall(r"-?\d{1,30}", output.text)
        return Answer(int(numbers[-1])) if numbers else Problem("there is no whole number in it")

    def judge(self, case: Case, answer: Answer) -> Verdict:
        if answer.value == case.gold:
            return Verdict("passed", "the sum is right", str(answer.value), 1.0)
        details = {"sum": answer.value}
        return Verdict("failed", f"{answer.value} is not the sum", str(answer.value), details=details)

    def view(self, verdict: Verdict) -> Sequence[Section]:
        return [Section("Answer read", text=str(verdict.details.get("sum", "the sum")))]


class Toy:
    """See `trapcli.core.contract.Family`. Tests break it on purpose by deriving from it."""

    name = "toy"
    title = "Add up what counts"
    version = "1"
    traps: Mapping[str, str] = {"void_amount": "a void amount is large", "late_amount": "an amount is late"}
    mistakes: Mapping[str, str] = {"void_counted": "void ones counted", "late_counted": "late ones counted"}
    knobs = Knobs
    levels: Sequence[Mapping[str, Any]] = ({"lines": 4}, {"lines": 20}, {"lines": 100, "largest": 1000})
    cases = 4
    answers: AnswerKind = ToyAnswers()

    def generate(self, seed: str, knobs: Any, k: int) -> Case:
        time.sleep(float(os.environ.get("TOY_SECONDS", "0")))
        trap = list(self.traps)[k % len(self.traps)]
        draw = Draw(f"toy/{self.version}/{seed}/{k}")
        states = ["void", "late", *["paid"] * (knobs.lines - 2)]
        lines = [(draw.between(1, knobs.largest), state) for state in draw.shuffled(states)]
        table = "".join(f"{n},{16 if s == 'late' else draw.between(1, 15)},{s == 'void'}\n" for n, s in lines)
        gold = sum(amount for amount, state in lines if state == "paid")
        table = f"amount,day,void\n{table}"
        files = {"README.md": README, "task.md": "The last day is 15.\n", "data/lines.csv": table}
        return Case(self.name, trap, files, gold, tuple(self.mistakes), {"states": [s for _, s in lines]})

    def solve(self, files: Files, mistake: str | None = None) -> str | Output:
        last = int(files["task.md"].split()[-1].rstrip("."))
        rows = [line.split(",") for line in files["data/lines.csv"].splitlines()[1:]]
        if mistake != "late_counted":
            rows = [row for row in rows if int(row[1]) <= last]
        if mistake != "void_counted":
            rows = [row for row in rows if row[2] == "False"]
        return f"The sum is {sum(int(row[0]) for row in rows)}.\n"

    def check(self, case: Case) -> Iterable[Problem]:
        if f"\n{case.gold}," in case.files["data/lines.csv"]:
            yield Problem("the sum is in lines.csv", "leak")

    def explain(self, case: Case, public: bool) -> Sequence[Section]:
        rows = tuple(tuple(line.split(",")) for line in case.files["data/lines.csv"].splitlines()[1:])
        shown = [Section("lines.csv", ("amount", "day", "void"), rows)]
        return shown if public else [*shown, Section("Gold", text=str(case.gold))]


TOY = Toy()


def build_toy(
    target: Path,
    *,
    family: Family = TOY,
    seed: str = "1",
    knobs: Any = None,
    count: int = 4,
    expected: Path | None = None,
    **options: Any,
) -> Suite:
    """Build a suite of the toy, or of a family derived from it."""
    from trapcli.building.builder import build_suite  # here: judges that use the toy never import it

    values = knob_values(family.knobs() if knobs is None else knobs)
    recipe = Recipe(family.name, family.version, seed, values, count)
    return build_suite(family, recipe, Halves.of(target, expected), **options)


def installed(monkeypatch: Any, **families: str) -> None:
    """Let the registry find the toy, and others given as name="module:object"; until the test ends."""
    points = {"toy": "toy_family:TOY", **families}
    monkeypatch.setattr(registry, "_declared", lambda: points)


def declare(directory: Path, entry: str = "toy = toy_family:TOY") -> Path:
    """Write the metadata of an installed package into a directory, to be put on sys.path or PYTHONPATH."""
    info = directory / "toy_family-1.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: toy-family\nVersion: 1\n")
    (info / "entry_points.txt").write_text(f"[{registry.GROUP}]\n{entry}\n")
    return directory
