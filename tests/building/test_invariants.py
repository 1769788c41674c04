"""Each invariant of the core, broken on purpose by a toy that is otherwise whole."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import pytest
from toy_family import TOY, Knobs, Toy, ToyAnswers

from trapcli.building.invariants import examine
from trapcli.core.contract import Answer, Case, Files, Problem, Verdict
from trapcli.core.errors import FamilyFault, TrapError
from trapcli.core.output import Output

SECRET = "340282366920938463463374607431768211455"


def case(family: Toy = TOY, k: int = 0) -> Case:
    return family.generate("1", Knobs(), k)


def with_file(path: str, text: str) -> Case:
    whole = case()
    return replace(whole, files={**whole.files, path: text})


def problems(family: Toy, case: Case, seed: str = "") -> list[str]:
    return [str(problem) for problem in examine(family, case, seed)[1]]


@pytest.mark.parametrize("k", [0, 1])
def test_a_whole_case_has_no_problem(k: int) -> None:
    """A case that holds every invariant has no problem, and its known mistakes have different results."""
    whole = case(k=k)
    mistakes, found = examine(TOY, whole, SECRET)
    assert found == []
    assert [known.name for known in mistakes] == list(whole.mistakes)
    assert len({known.result for known in mistakes} | {str(whole.gold)}) == 3


def test_every_answer_is_judged_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A case costs one judgement for the solver, one for each mistake and at most one for doing nothing."""
    judged, real = [], ToyAnswers.judge

    def counted(self: ToyAnswers, case: Case, answer: Answer) -> Verdict:
        judged.append(answer)
        return real(self, case, answer)

    monkeypatch.setattr(ToyAnswers, "judge", counted)
    monkeypatch.setattr(ToyAnswers, "noop", "0")
    assert problems(TOY, case()) == []
    assert len(judged) == 1 + 2 + 1


class OffByOne(Toy):
    def solve(self, files: Files, mistake: str | None = None) -> str | Output:
        return f"{super().solve(files, mistake)} No, add 1000000000.\n"


class Silent(Toy):
    def solve(self, files: Files, mistake: str | None = None) -> str | Output:
        return super().solve(files, mistake) if mistake else "I do not know.\n"


@pytest.mark.parametrize(("family", "status"), [(OffByOne(), "failed"), (Silent(), "unreadable")])
def test_solvable_is_broken_by_a_solver_that_fails(family: Toy, status: str) -> None:
    """A case that the reference solver does not solve is refused."""
    assert problems(family, case())[0].startswith(f"solvable: the solver's answer is {status}: ")


def with_mistakes(**texts: str) -> Toy:
    """The toy with these texts for its mistakes; `{gold}` is the right answer."""

    class Mistaken(Toy):
        def solve(self, files: Files, mistake: str | None = None) -> str | Output:
            text = texts.get(mistake or "")
            return text.format(gold=super().solve(files)) if text else super().solve(files, mistake)

    return Mistaken()


@pytest.mark.parametrize(
    ("texts", "problem"),
    [
        (
            {"void_counted": "{gold}"},
            "bites: the mistake void_counted does not change the answer: the sum is right",
        ),
        (
            {"late_counted": "no idea"},
            "bites: the mistake late_counted is unreadable: there is no whole number in it",
        ),
        ({"late_counted": " \n"}, "bites: the mistake late_counted is empty: "),
        (
            {"void_counted": "1", "late_counted": "1"},
            "bites: the mistake late_counted has the result of void_counted",
        ),
    ],
    ids=lambda value: str(value)[:40],
)
def test_a_mistake_that_does_not_bite_is_refused(texts: Mapping[str, str], problem: str) -> None:
    """A mistake must be a readable answer that fails, and no two mistakes may have the same effect."""
    [found] = problems(with_mistakes(**texts), case())
    assert found.startswith(problem)


def test_a_mistake_with_the_effect_of_the_right_answer_is_refused() -> None:
    """A judge that fails an answer and yet gives it the right result, or gives none at all, is noticed."""

    class Contradicting(ToyAnswers):
        result: str | None = None

        def judge(self, case: Case, answer: Answer) -> Verdict:
            return replace(super().judge(case, answer), result=str(case.gold) if self.result is None else "")

    class Family(Toy):
        answers = Contradicting()

    assert "bites: the mistake void_counted has the result of the right answer" in problems(Family(), case())
    Contradicting.result = ""
    assert "bites: the mistake void_counted has the result of no answer at all" in problems(Family(), case())


def test_doing_nothing_must_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    """A case that the output of an agent that does nothing passes is refused."""
    whole = case()
    monkeypatch.setattr(ToyAnswers, "noop", f"{whole.gold}")
    assert problems(TOY, whole) == ["bites: doing nothing passes"]


def test_what_the_family_finds_is_a_problem() -> None:
    """Problems of the family's own check are kept as they are."""

    class Strict(Toy):
        def check(self, case: Case) -> Iterable[Problem]:
            yield Problem("not today", "leak")

    assert problems(Strict(), case()) == ["leak: not today"]


@pytest.mark.parametrize("step", ["solve", "check", "judge"])
def test_a_case_that_the_family_calls_broken_is_refused(step: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A TrapError of any of the family's steps is a problem of the case."""

    def refuse(*_: Any) -> Any:
        raise TrapError("this case has two readings")

    owner = ToyAnswers if step in ("judge", "extract") else Toy
    monkeypatch.setattr(owner, step, refuse)
    assert problems(TOY, case()) == ["sound: this case has two readings"]


@pytest.mark.parametrize("step", ["solve", "check", "judge", "extract"])
def test_a_fault_of_the_family_stops_the_build(step: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Any other exception is not a problem of one case: the error names the family."""

    def fail(*_: Any) -> Any:
        raise KeyError("x")

    owner = ToyAnswers if step in ("judge", "extract") else Toy
    monkeypatch.setattr(owner, step, fail)
    with pytest.raises(FamilyFault, match=rf"'toy' failed: {step} raised KeyError: 'x'"):
        examine(TOY, case())


@pytest.mark.parametrize(
    ("path", "text", "problem"),
    [
        ("hint.md", "This is a void_amount case.", "opaque: hint.md names 'void_amount'"),
        ("hint.md", "Mind LATE-COUNTED.", "opaque: hint.md names 'late_counted'"),
        ("late_amount.csv", "", "opaque: late_amount.csv names 'late_amount'"),
        ("data/void-amount/x", "", "opaque: data/void-amount/x names 'void_amount'"),
        ("hint.md", f"drawn from {SECRET}", "opaque: hint.md contains the seed"),
        ("hint.md", f"x{SECRET}y", "opaque: hint.md contains the seed"),
        ("hint.md", f"0x{int(SECRET):X}", "opaque: hint.md contains the seed"),
        (f"{SECRET}.md", "", "opaque: .* contains the seed"),
    ],
)
def test_a_text_or_path_that_gives_a_secret_away_is_refused(path: str, text: str, problem: str) -> None:
    """Traps, mistakes and the seed occur in no public text and no path, however they are written."""
    [found] = problems(TOY, with_file(path, text), SECRET)
    assert found == problem or (".*" in problem and found.endswith("contains the seed"))


@pytest.mark.parametrize(
    "text",
    ["an void_amounts", "the void amount", "xvoid_amount", "late_counted2", SECRET[:-1], "voidamount"],
)
def test_a_text_that_only_looks_alike_is_left_alone(text: str) -> None:
    """Plain words, longer names and parts of the seed give nothing away."""
    assert problems(TOY, with_file("hint.md", text), SECRET) == []


@pytest.mark.parametrize(
    ("seed", "text", "refused"),
    [
        ("123456", "seed 123456.", True),
        ("123456", "1234567", False),
        ("123456", "INV123456", False),
        ("123456", "a1e240", False),  # hexadecimal counts only for a seed that is a secret
        ("12345", "seed 12345.", False),
        ("1", "1", False),
    ],
)
def test_a_practice_seed_counts_as_a_number_of_its_own(seed: str, text: str, refused: bool) -> None:
    """Short seeds occur anywhere by chance: from six digits on they are searched for, as whole numbers."""
    found = problems(TOY, with_file("hint.md", text), seed)
    assert found == (["opaque: hint.md contains the seed"] if refused else [])


@pytest.mark.parametrize(
    "path",
    ["../x", "/etc/x", "a//b", "a/./b", "", ".hidden", "a\\b", "é.csv", "a b", "c:x", "-rf", "a/", "x\n"],
)
def test_a_path_that_is_not_plain_is_refused(path: str) -> None:
    """Public files have plain relative paths that every system can hold, inside the case's directory."""
    assert problems(TOY, with_file(path, "")) == [f"files: {path!r} is not a plain relative path"]


@pytest.mark.parametrize("path", ["Task.md", "data", "task.md/more", "DATA/lines.csv/x"])
def test_conflicting_paths_are_refused(path: str) -> None:
    """No two paths are the same in another case of letters, and none is a directory of another."""
    assert any("conflicts with another path" in line for line in problems(TOY, with_file(path, "")))


def test_a_case_that_cannot_be_written_is_refused() -> None:
    """A case needs a README, and texts that UTF-8 can hold."""
    whole = case()
    bare = replace(whole, files={path: text for path, text in whole.files.items() if path != "README.md"})
    assert problems(TOY, bare) == ["files: there is no README.md"]
    assert "files: hint.md is not text" in problems(TOY, with_file("hint.md", "\ud800"))[0]


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"trap": "new_trap"}, "declared: the family has no trap 'new_trap'"),
        ({"mistakes": ("new_mistake",)}, "declared: the family has no mistake 'new_mistake'"),
        ({"mistakes": ("void_counted", "void_counted")}, "declared: a mistake is listed twice"),
    ],
)
def test_a_case_of_something_undeclared_is_refused(change: dict[str, Any], problem: str) -> None:
    """A case's trap and mistakes are among those that the family describes."""
    assert problems(TOY, replace(case(), **change)) == [problem]
