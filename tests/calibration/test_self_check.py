"""The instrument check: every known mistake, and doing nothing, must fail."""

from pathlib import Path
from typing import Any

import pytest
from toy_family import TOY, Knobs, Toy, installed

from trapcli.building.builder import build_suite
from trapcli.calibration.self_check import check
from trapcli.core.contract import Answer, Case, Problem, Verdict
from trapcli.suites.reader import Suite


class Lenient(Toy):
    """Passes the sum that counts void amounts."""

    def judge(self, case: Case, answer: Answer) -> Verdict:
        if f"The sum is {answer.value}.\n" in [slip.text for slip in case.slips[:1]]:
            return Verdict("passed", "near enough", partial=1.0)
        return super().judge(case, answer)


class Idle(Toy):
    """Takes what an agent that does nothing prints for an answer, the right one."""

    noop = "nothing to do"

    def extract(self, text: str) -> Answer | Problem:
        return Answer(None) if text == self.noop else super().extract(text)

    def judge(self, case: Case, answer: Answer) -> Verdict:
        return super().judge(case, Answer(case.gold) if answer.value is None else answer)


class Broken(Toy):
    """Cannot judge the second case."""

    def judge(self, case: Case, answer: Answer) -> Verdict:
        if case.id == "case_02":
            raise ZeroDivisionError("no line counts")
        return super().judge(case, answer)


LENIENT, IDLE, BROKEN = Lenient(), Idle(), Broken()


@pytest.fixture
def suite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Suite:
    installed(monkeypatch)
    return build_suite(TOY, seed="7", knobs=Knobs(), count=3, target=tmp_path / "toy")


def checked(suite: Suite, monkeypatch: pytest.MonkeyPatch, family: str = "toy_family:TOY") -> dict[str, Any]:
    installed(monkeypatch, toy=family)
    return check([(suite, suite.cases)], lambda done, total: None)


def test_a_sound_instrument_lets_nothing_pass(suite: Suite, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each slip of each case, its noop and the empty output are judged, and none is wrong."""
    assert checked(suite, monkeypatch) == {"cases": 3, "slips": 3 * (2 + 2), "wrong": []}


def test_a_mistake_that_passes_is_named(suite: Suite, monkeypatch: pytest.MonkeyPatch) -> None:
    """A slip that gets the point is told with its suite, case, mechanism and the judge's reason."""
    found = checked(suite, monkeypatch, f"{__name__}:LENIENT")
    assert [(wrong["suite"], wrong["case"], wrong["mechanism"]) for wrong in found["wrong"]] == [
        (0, case, "void_counted") for case in suite.cases
    ]
    assert found["wrong"][0]["what"] == "passes: near enough"


def test_doing_nothing_must_fail(suite: Suite, monkeypatch: pytest.MonkeyPatch) -> None:
    """If the family's own way of doing nothing passes, that is told; printing nothing fails here."""
    found = checked(suite, monkeypatch, f"{__name__}:IDLE")
    assert {wrong["mechanism"] for wrong in found["wrong"]} == {"noop"}
    assert len(found["wrong"]) == 3


def test_a_judge_that_fails_is_wrong_too(suite: Suite, monkeypatch: pytest.MonkeyPatch) -> None:
    """A slip on which no verdict can be given counts as wrong, and the check goes on."""
    found = checked(suite, monkeypatch, f"{__name__}:BROKEN")
    assert {(wrong["case"], wrong["mechanism"]) for wrong in found["wrong"]} == {
        ("case_02", name) for name in TOY.mechanisms
    }
    assert "judge raised ZeroDivisionError: no line counts" in found["wrong"][0]["what"]
    assert found["cases"] == 3


def test_only_what_is_meant_is_checked(suite: Suite, monkeypatch: pytest.MonkeyPatch) -> None:
    """Cases that are left out are not judged; suites are told apart; each case that is done is told."""
    installed(monkeypatch, toy=f"{__name__}:LENIENT")
    told: list[tuple[int, int]] = []
    found = check([(suite, ["case_03"]), (suite, ["case_01", "case_02"])], lambda *done: told.append(done))
    assert (found["cases"], told) == (3, [(1, 3), (2, 3), (3, 3)])
    assert [(wrong["suite"], wrong["case"]) for wrong in found["wrong"]] == [
        (0, "case_03"), (1, "case_01"), (1, "case_02"),
    ]  # fmt: skip
