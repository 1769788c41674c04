"""The self-check: every known mistake and every no-op agent must fail."""

from pathlib import Path
from typing import Any

import pytest
from toy_family import TOY, Toy, ToyAnswers, build_toy, installed

from trapcli.calibration.self_check import check_suites
from trapcli.core.contract import Answer, Case, Files, Problem, Verdict
from trapcli.core.output import Output, output_of
from trapcli.suites.reader import Suite


class LenientAnswers(ToyAnswers):
    """Pass the sum that counts void amounts."""

    def judge(self, case: Case, answer: Answer) -> Verdict:
        if f"The sum is {answer.value}.\n" in [known.text for known in case.known_mistakes[:1]]:
            return Verdict("passed", "near enough", partial_credit=1.0)
        return super().judge(case, answer)


class IdleAnswers(ToyAnswers):
    """Take what a no-op agent prints for the right answer."""

    noop = "nothing to do"

    def extract(self, output: Output) -> Answer | Problem:
        return Answer(None) if output.text == self.noop else super().extract(output)

    def judge(self, case: Case, answer: Answer) -> Verdict:
        return super().judge(case, Answer(case.gold) if answer.value is None else answer)


class BrokenAnswers(ToyAnswers):
    """Cannot judge the second case."""

    def judge(self, case: Case, answer: Answer) -> Verdict:
        if case.id == "case_02":
            raise ZeroDivisionError("no line counts")
        return super().judge(case, answer)


class FileAnswers(ToyAnswers):
    """Answers that are a number in a file; a sum that counts late amounts passes."""

    reads_files = True

    def extract(self, output: Output) -> Answer | Problem:
        text = output.files.get("sum.txt", b"").decode()
        return super().extract(output_of(text)) if text else Problem("there is no sum.txt")

    def judge(self, case: Case, answer: Answer) -> Verdict:
        verdict = super().judge(case, answer)
        late = case.known_mistakes and verdict.result == case.known_mistakes[1].result
        return Verdict("passed", "it is late", verdict.result) if late else verdict


class FileToy(Toy):
    answers = FileAnswers()

    def solve(self, files: Files, mistake: str | None = None) -> Output:
        return output_of("done", {"sum.txt": str(super().solve(files, mistake)).encode()})


def toy_with(answers: Any) -> Toy:
    """Return the toy with other answers."""
    family = Toy()
    family.answers = answers
    return family


LENIENT, IDLE, BROKEN = (toy_with(kind()) for kind in (LenientAnswers, IdleAnswers, BrokenAnswers))
FILES = FileToy()


@pytest.fixture
def suite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Suite:
    installed(monkeypatch)
    return build_toy(tmp_path / "toy", seed="7", count=3)


def check(suite: Suite, monkeypatch: pytest.MonkeyPatch, family: str = "toy_family:TOY") -> dict[str, Any]:
    """Check the whole suite with another family in the toy's place."""
    installed(monkeypatch, toy=family)
    return check_suites([(suite, suite.cases)])


def test_a_sound_family_lets_nothing_pass(suite: Suite, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each mistake of each case, its noop and the empty output are judged, and none is wrong."""
    assert check(suite, monkeypatch) == {"cases": 3, "outputs": 3 * (2 + 2), "wrong": []}


def test_a_mistake_that_passes_is_reported(suite: Suite, monkeypatch: pytest.MonkeyPatch) -> None:
    """A mistake that scores is reported with its suite, case and name and the judge's reason."""
    found = check(suite, monkeypatch, f"{__name__}:LENIENT")
    assert found["wrong"] == [
        {"suite": 0, "case": case, "mistake": "void_counted", "what": "passes: near enough"}
        for case in suite.cases
    ]


def test_mistakes_in_files_are_judged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The files of a known mistake are part of its output; a wrong file that passes is reported."""
    installed(monkeypatch, toy=f"{__name__}:FILES")
    suite = build_toy(tmp_path / "files", family=FILES, seed="7", count=2)
    found = check(suite, monkeypatch, f"{__name__}:FILES")
    assert [(one["case"], one["mistake"], one["what"]) for one in found["wrong"]] == [
        (case, "late_counted", "passes: it is late") for case in suite.cases
    ]


def test_a_noop_agent_that_passes_is_reported(suite: Suite, monkeypatch: pytest.MonkeyPatch) -> None:
    """If the family's own way of doing nothing passes, that is wrong; printing nothing fails here."""
    found = check(suite, monkeypatch, f"{__name__}:IDLE")
    assert [one["mistake"] for one in found["wrong"]] == ["noop"] * 3


def test_a_failing_judge_is_reported(suite: Suite, monkeypatch: pytest.MonkeyPatch) -> None:
    """A mistake that gets no verdict counts as wrong, and the check continues."""
    found = check(suite, monkeypatch, f"{__name__}:BROKEN")
    assert {(one["case"], one["mistake"]) for one in found["wrong"]} == {
        ("case_02", name) for name in TOY.mistakes
    }
    assert "judge raised ZeroDivisionError: no line counts" in found["wrong"][0]["what"]
    assert found["cases"] == 3


def test_only_the_given_cases_are_checked(suite: Suite, monkeypatch: pytest.MonkeyPatch) -> None:
    """Other cases are left out; suites have their positions; the progress grows with each case."""
    installed(monkeypatch, toy=f"{__name__}:LENIENT")
    progress: list[tuple[int, int]] = []
    pairs = [(suite, ["case_03"]), (suite, ["case_01", "case_02"])]
    found = check_suites(pairs, lambda done, total: progress.append((done, total)))
    assert (found["cases"], progress) == (3, [(1, 3), (2, 3), (3, 3)])
    assert [(one["suite"], one["case"]) for one in found["wrong"]] == [
        (0, "case_03"), (1, "case_01"), (1, "case_02"),
    ]  # fmt: skip
