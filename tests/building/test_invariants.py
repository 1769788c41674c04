"""Each invariant of the core, broken on purpose by a toy that is otherwise whole."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import pytest
from toy_family import TOY, Knobs, Toy

from trapcli.building.invariants import broken, examine
from trapcli.core.contract import Answer, Case, Files, Problem, Verdict
from trapcli.core.errors import TrapError

SECRET = "340282366920938463463374607431768211455"


def case(family: Toy = TOY, k: int = 0) -> Case:
    return family.generate("1", Knobs(), k)


def with_file(path: str, text: str) -> Case:
    whole = case()
    return replace(whole, files={**whole.files, path: text})


def told(problems: list[Problem]) -> list[str]:
    return [str(problem) for problem in problems]


@pytest.mark.parametrize("k", [0, 1])
def test_a_whole_case_has_no_problem(k: int) -> None:
    """A case that holds everything is examined without a problem, and its slips come with their results."""
    whole = case(k=k)
    slips, problems = examine(TOY, whole, SECRET)
    assert problems == []
    assert [slip.mechanism for slip in slips] == list(whole.mechanisms)
    assert len({slip.result for slip in slips} | {str(whole.gold)}) == 3


def test_every_answer_is_judged_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A case costs one judgement for the solver, one for each slip and at most one for doing nothing."""
    judged, real = [], Toy.judge

    def counted(self: Toy, case: Case, answer: Answer) -> Verdict:
        judged.append(answer)
        return real(self, case, answer)

    monkeypatch.setattr(Toy, "judge", counted)
    monkeypatch.setattr(Toy, "noop", "0")
    assert broken(TOY, case()) == []
    assert len(judged) == 1 + 2 + 1


class OffByOne(Toy):
    def solve(self, files: Files) -> str:
        return f"The sum is {self._sum(files) + 1}.\n"


class Silent(Toy):
    def solve(self, files: Files) -> str:
        return "I do not know.\n"


@pytest.mark.parametrize(("family", "status"), [(OffByOne(), "failed"), (Silent(), "unreadable")])
def test_solvable_is_broken_by_a_solver_that_fails(family: Toy, status: str) -> None:
    """A case that the reference solver does not solve is refused."""
    assert told(broken(family, case()))[0].startswith(f"solvable: the solver's answer is {status}: ")


def slipping(**texts: str) -> Toy:
    """The toy, but with these texts for its slips; `{gold}` is the right sum."""

    class Slipping(Toy):
        def slip(self, files: Files, mechanism: str) -> str:
            return texts.get(mechanism, super().slip(files, mechanism)).format(gold=self._sum(files))

    return Slipping()


@pytest.mark.parametrize(
    ("texts", "problem"),
    [
        ({"void_counted": "{gold}"}, "bites: void_counted is passed: the sum is right"),
        ({"late_counted": "no idea"}, "bites: late_counted is unreadable: there is no whole number in it"),
        ({"late_counted": " \n"}, "bites: late_counted is empty: "),
        (
            {"void_counted": "1", "late_counted": "1"},
            "bites: late_counted has the result of void_counted",
        ),
    ],
    ids=lambda value: str(value)[:40],
)
def test_a_mistake_that_does_not_bite_is_refused(texts: Mapping[str, str], problem: str) -> None:
    """A slip must be a readable answer that fails, and no two slips may have the same effect."""
    [found] = told(broken(slipping(**texts), case()))
    assert found.startswith(problem)


def test_a_mistake_with_the_effect_of_the_right_answer_is_refused() -> None:
    """A judge that fails an answer and yet gives it the right result, or gives none at all, is noticed."""

    class Contradicting(Toy):
        result: str | None = None

        def judge(self, case: Case, answer: Answer) -> Verdict:
            return replace(super().judge(case, answer), result=str(case.gold) if self.result is None else "")

    assert "bites: void_counted has the result of the right answer" in told(broken(Contradicting(), case()))
    Contradicting.result = ""
    assert "bites: void_counted has the result of no answer at all" in told(broken(Contradicting(), case()))


def test_doing_nothing_must_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    """A case that the output of an agent that does nothing passes is refused."""
    whole = case()
    monkeypatch.setattr(Toy, "noop", f"{whole.gold}")
    assert told(broken(TOY, whole)) == ["bites: doing nothing passes"]


def test_what_the_family_finds_is_a_problem() -> None:
    """Problems of the family's own check are kept as they are."""

    class Strict(Toy):
        def check(self, case: Case) -> Iterable[Problem]:
            yield Problem("not today", "leak")

    assert told(broken(Strict(), case())) == ["leak: not today"]


@pytest.mark.parametrize("step", ["solve", "slip", "check", "judge"])
def test_a_case_that_the_family_calls_broken_is_refused(step: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A TrapError of any of the family's steps is a problem of the case."""

    def refuse(*_: Any) -> Any:
        raise TrapError("this case has two readings")

    monkeypatch.setattr(Toy, step, refuse)
    assert told(broken(TOY, case())) == ["sound: this case has two readings"]


@pytest.mark.parametrize("step", ["solve", "slip", "check", "judge", "extract"])
def test_a_fault_of_the_family_stops_the_build(step: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Any other exception is no problem of one case, to be drawn again: the error names the family."""

    def fail(*_: Any) -> Any:
        raise KeyError("x")

    monkeypatch.setattr(Toy, step, fail)
    with pytest.raises(TrapError, match=rf"'toy' failed: {step} raised KeyError: 'x'") as raised:
        broken(TOY, case())
    assert isinstance(raised.value.__cause__, KeyError)


@pytest.mark.parametrize(
    ("path", "text", "problem"),
    [
        ("hint.md", "This is a void_amount case.", "opaque: hint.md names 'void_amount'"),
        ("hint.md", "Beware of LATE-COUNTED.", "opaque: hint.md names 'late_counted'"),
        ("late_amount.csv", "", "opaque: late_amount.csv names 'late_amount'"),
        ("data/void-amount/x", "", "opaque: data/void-amount/x names 'void_amount'"),
        ("hint.md", f"drawn from {SECRET}", "opaque: hint.md holds the seed"),
        ("hint.md", f"x{SECRET}y", "opaque: hint.md holds the seed"),
        ("hint.md", f"0x{int(SECRET):X}", "opaque: hint.md holds the seed"),
        (f"{SECRET}.md", "", "opaque: .* holds the seed"),
    ],
)
def test_a_text_or_path_that_tells_is_refused(path: str, text: str, problem: str) -> None:
    """Trap kinds, mechanisms and the seed stand in no public text and no path, however they are written."""
    [found] = told(broken(TOY, with_file(path, text), SECRET))
    assert found == problem or (".*" in problem and found.endswith("holds the seed"))


@pytest.mark.parametrize(
    "text",
    ["an void_amounts", "the void amount", "xvoid_amount", "late_counted2", SECRET[:-1], "voidamount"],
)
def test_a_text_that_only_looks_alike_is_left_alone(text: str) -> None:
    """Plain words, longer names and parts of the seed tell nothing."""
    assert broken(TOY, with_file("hint.md", text), SECRET) == []


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
def test_a_seed_that_is_no_secret_counts_as_a_number_of_its_own(seed: str, text: str, refused: bool) -> None:
    """Short seeds stand anywhere by chance: from six digits on they are looked for, as whole numbers."""
    found = told(broken(TOY, with_file("hint.md", text), seed))
    assert found == (["opaque: hint.md holds the seed"] if refused else [])


@pytest.mark.parametrize(
    "path",
    ["../x", "/etc/x", "a//b", "a/./b", "", ".hidden", "a\\b", "é.csv", "a b", "c:x", "-rf", "a/", "x\n"],
)
def test_a_path_that_is_not_plain_is_refused(path: str) -> None:
    """Public files have plain relative paths that every system can hold, inside the case's directory."""
    assert told(broken(TOY, with_file(path, ""))) == [f"files: {path!r} is no plain relative path"]


@pytest.mark.parametrize("path", ["Task.md", "data", "task.md/more", "DATA/lines.csv/x"])
def test_paths_that_get_in_each_others_way_are_refused(path: str) -> None:
    """No two paths are the same in another case of letters, and none is a directory of another."""
    assert any("gets in the way of another path" in line for line in told(broken(TOY, with_file(path, ""))))


def test_a_case_that_cannot_be_written_is_refused() -> None:
    """A case needs a README, and texts that UTF-8 can hold."""
    whole = case()
    bare = replace(whole, files={path: text for path, text in whole.files.items() if path != "README.md"})
    assert told(broken(TOY, bare)) == ["files: there is no README.md"]
    assert "files: hint.md is no text" in told(broken(TOY, with_file("hint.md", "\ud800")))[0]


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"category": "new_kind"}, "declared: the family has no trap kind 'new_kind'"),
        ({"mechanisms": ("new_slip",)}, "declared: the family has no mechanism 'new_slip'"),
        ({"mechanisms": ("void_counted", "void_counted")}, "declared: a mechanism is listed twice"),
    ],
)
def test_a_case_of_something_undeclared_is_refused(change: dict[str, Any], problem: str) -> None:
    """A case's kind and mechanisms are among those that the family describes."""
    assert told(broken(TOY, replace(case(), **change))) == [problem]
