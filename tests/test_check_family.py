"""`trapcli.testing.check_family`: what an author breaks is found and named, and a sound family passes."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from toy_family import TOY, Toy, ToyAnswers, declare

from trapcli.core import registry
from trapcli.core.contract import Answer, Case, Files, Problem, Section, Verdict
from trapcli.core.knobs import knob
from trapcli.core.output import Output
from trapcli.testing import check_family

CALLS = count()


def test_a_sound_family_passes() -> None:
    """The toy, at every level and with all its traps and mistakes, has nothing wrong."""
    check_family(TOY, seeds=20)
    check_family(TOY, seeds=3, level=3)


class WithoutTitle(Toy):
    title = None  # type: ignore[assignment]


class WithoutTraps(Toy):
    traps: Mapping[str, str] = {}


class WithListedTraps(Toy):
    traps = ("void_amount",)  # type: ignore[assignment]


class WithoutSolver(Toy):
    solve = None  # type: ignore[assignment]


class WithoutAnswers(Toy):
    answers = None  # type: ignore[assignment]


class WithoutView(Toy):
    class Answers(ToyAnswers):
        view = None  # type: ignore[assignment]

    answers = Answers()  # type: ignore[assignment]


class WithBadLevel(Toy):
    levels: Sequence[Mapping[str, Any]] = ({"lines": 1},)


class WithPlainKnobs(Toy):
    @dataclass(frozen=True)
    class Knobs:
        lines: int = field(default=4)

    knobs = Knobs  # type: ignore[assignment]


class WithKnobOutOfRange(Toy):
    @dataclass(frozen=True)
    class Knobs:
        lines: int = knob(1, 4, 10, "amounts")

    knobs = Knobs  # type: ignore[assignment]


class Moody(Toy):
    def generate(self, seed: str, knobs: Any, k: int) -> Case:
        case = super().generate(seed, knobs, k)
        return replace(case, facts={"call": next(CALLS)})


class Unsolved(Toy):
    def solve(self, files: Files, mistake: str | None = None) -> str | Output:
        return super().solve(files, mistake) if mistake else "no idea"


class Harmless(Toy):
    def solve(self, files: Files, mistake: str | None = None) -> str | Output:
        return super().solve(files, None if mistake == "late_counted" else mistake)


class Leaking(Toy):
    def generate(self, seed: str, knobs: Any, k: int) -> Case:
        case = super().generate(seed, knobs, k)
        return replace(case, files={**case.files, "hint.md": f"This is about {case.trap}."})


class Revealing(Toy):
    def generate(self, seed: str, knobs: Any, k: int) -> Case:
        case = super().generate(seed, knobs, k)
        return replace(case, files={**case.files, "README.md": f"{case.files['README.md']}\nHint {k}.\n"})


class Fragile(Toy):
    class Answers(ToyAnswers):
        def extract(self, output: Output) -> Answer | Problem:
            return Answer(int(output.text.split()[-1].rstrip(".")))

    answers = Answers()


class Inexpressible(Toy):
    class Answers(ToyAnswers):
        def judge(self, case: Case, answer: Answer) -> Verdict:
            return replace(super().judge(case, answer), details={"seen": {1}})

    answers = Answers()


class Unexplained(Toy):
    def explain(self, case: Case, public: bool) -> Sequence[Section]:
        raise KeyError("gold")


class Rare(Toy):
    def generate(self, seed: str, knobs: Any, k: int) -> Case:
        return super().generate(seed, knobs, 0)


class Careful(Toy):
    def generate(self, seed: str, knobs: Any, k: int) -> Case:
        return replace(super().generate(seed, knobs, k), mistakes=("void_counted",))


class Open(Toy):
    def generate(self, seed: str, knobs: Any, k: int) -> Case:
        case = super().generate(seed, knobs, k)
        return replace(case, files={**case.files, "hint.md": f"I got {case.gold}."})


class Mute(Toy):
    def generate(self, seed: str, knobs: Any, k: int) -> Case:
        case = super().generate(seed, knobs, k)
        return replace(case, files={**case.files, "README.md": "# Add up\n"})


class Borrowed(Toy):
    def generate(self, seed: str, knobs: Any, k: int) -> Case:
        return replace(super().generate(seed, knobs, k), family="other")


class Blind(Toy):
    def explain(self, case: Case, public: bool) -> Sequence[Section]:
        return [Section("Gold", text=f"{case.gold + 0}")]


class Ragged(Toy):
    def explain(self, case: Case, public: bool) -> Sequence[Section]:
        return [Section("Lines", ("a", "b"), (("1",),))]


class Naming(Toy):
    class Answers(ToyAnswers):
        def judge(self, case: Case, answer: Answer) -> Verdict:
            verdict = super().judge(case, answer)
            return verdict if verdict.passed else replace(verdict, mistake="typo")

    answers = Answers()


class Flat(Toy):
    levels: Sequence[Mapping[str, Any]] = ()


class Changeable(Toy):
    @dataclass
    class Knobs:
        lines: int = knob(6, 4, 10, "amounts")

    knobs = Knobs  # type: ignore[assignment]


class Untitled(Toy):
    title = "two\nlines"


class Returning(Toy):
    def generate(self, seed: str, knobs: Any, k: int) -> Case:
        return None  # type: ignore[return-value]


class Unchecked(Toy):
    def check(self, case: Case) -> Iterable[Problem]:
        yield Problem("not today", "own rule")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("family", "message"),
    [
        (WithoutTitle(), "`title` must be of type str"),
        (WithoutTraps(), "`traps` is empty"),
        (WithListedTraps(), "`traps` must map names"),
        (WithoutSolver(), "`solve` must be a method, not None"),
        (WithoutAnswers(), "`answers` is missing"),
        (WithoutView(), "`answers.view` is missing"),
        (WithBadLevel(), "level 1: knob lines: 1 is outside its range"),
        (WithPlainKnobs(), "knob 'lines': declare it with knob"),
        (WithKnobOutOfRange(), "knob 'lines': declare it with knob"),
        (Moody(), "two different cases"),
        (Unsolved(), "'solvable'"),
        (Harmless(), "late_counted does not change the answer"),
        (Leaking(), "names 'void_amount'"),
        (Revealing(), "README.md differs between cases"),
        (Fragile(), "extract raised"),
        (Inexpressible(), "not JSON data"),
        (Unexplained(), "explain raised KeyError"),
        (Rare(), "case 1 must set trap 1 modulo their number"),
        (Careful(), "mistake 'late_counted' never occurs"),
        (Open(), "hint.md passes as an answer"),
        (Mute(), "does not include answers.instructions()"),
        (Borrowed(), "the case's family is 'other'"),
        (Blind(), "explain raised TypeError"),
        (Ragged(), "not as wide as its header"),
        (Naming(), "names the mistake 'typo'"),
        (Flat(), "`levels` must be a sequence of mappings"),
        (Changeable(), "must be a frozen dataclass"),
        (Untitled(), "`title` must be one line of text"),
        (Returning(), "generate returned NoneType, not a Case"),
        (Toy, "give an instance of it"),
        (Unchecked(), "own rule: not today"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Toy) else "",
)
def test_a_broken_family_is_found_out(family: Any, message: str) -> None:
    """Each way to break the contract is an AssertionError that names the family and what is wrong."""
    with pytest.raises(AssertionError, match=r"family '.*' breaks the contract") as raised:
        check_family(family, seeds=16)
    assert message in str(raised.value)


SETS = """
import toy_family
from dataclasses import replace

class Sets(toy_family.Toy):
    name = "sets"
    def generate(self, seed, knobs, k):
        case = super().generate(seed, knobs, k)
        return replace(case, family="sets", files={**case.files, "order.txt": " ".join({"a", "b", "c", "d"})})

FAMILY = Sets()
"""


def test_an_installed_family_is_generated_in_other_processes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The order of a set is the same twice in one process; it is found by comparing two processes."""
    (tmp_path / "sets_family.py").write_text(SETS)
    monkeypatch.syspath_prepend(str(declare(tmp_path / "site", "sets = sets_family:FAMILY")))
    monkeypatch.syspath_prepend(str(tmp_path))
    family = registry.family("sets")
    with pytest.raises(AssertionError, match="two processes gave different cases"):
        check_family(family, seeds=2)


@pytest.mark.parametrize("options", [{"seeds": 0}, {"seeds": -1}, {"level": 0}, {"level": 4}])
def test_options_out_of_range_are_refused(options: dict[str, int]) -> None:
    """A check of nothing, or of a level that does not exist, is not a check that passes."""
    with pytest.raises(ValueError, match=r"seeds=|level="):
        check_family(TOY, **options)
