"""The result of the self-check: passed, failed or incomplete, and why."""

from typing import Any

import pytest
from factories import results, run_of, trial

from trapcli.calibration.reports.self_check_result import SelfCheckResult, judgements_line, self_check_result
from trapcli.calibration.reports.summarizer import summarize

CHECKED = {"cases": 3, "outputs": 12, "wrong": []}
WRONG = {"suite": 0, "case": "case_02", "mistake": "void_counted", "what": "passes: the sum is right"}


def result_of(passes: Any, checked: Any = CHECKED, **changes: Any) -> Any:
    """Return the result of a run of the reference solver with these passes and trials."""
    run = run_of(len(passes), 10, given="builtin:solve", self_check=checked, **changes)
    result = self_check_result(summarize(run, results(passes)))
    assert result is not None
    return result


def test_passed() -> None:
    """The self-check passes if every known mistake failed and the solver passed every trial."""
    assert result_of([(10, 10)] * 3) == SelfCheckResult(
        True,
        "Self-check passed: all 12 known mistakes and empty answers failed, and the reference solver passed "
        "all 30 trials.",
    )


def test_failed_because_of_the_solver() -> None:
    """One trial that the solver did not pass is enough, and its case is named."""
    result = result_of([(10, 10), (9, 10)])
    assert result.passed is False
    assert result.text == "Self-check FAILED: the reference solver passed 9 of 10 trials of case_02."


def test_failed_because_of_a_mistake() -> None:
    """A known mistake that passes is enough, also while trials are open, and is named with its case."""
    for passes in ([(10, 10)] * 3, [(10, 10), (2, 2)]):
        result = result_of(passes, {**CHECKED, "wrong": [WRONG]})
        assert result.passed is False
        assert "void_counted in case_02 passes: the sum is right" in result.text


@pytest.mark.parametrize(
    ("passes", "checked", "why"),
    [
        ([(10, 10), (4, 4)], CHECKED, "6 of 20 trials are open"),
        ([(10, 10)], None, "known mistakes were not judged"),
        ([], CHECKED, "the run has no trials"),
    ],
)
def test_incomplete(passes: Any, checked: Any, why: str) -> None:
    """A run that is partial or empty, or without judged mistakes, neither passes nor fails."""
    result = result_of(passes, checked)
    assert result.passed is None
    assert result.text.startswith("Self-check incomplete: ") and why in result.text


def test_judge_error_is_not_a_pass() -> None:
    """A trial of the solver without a verdict fails the self-check."""
    run = run_of(1, 2, given="builtin:solve", self_check=CHECKED)
    result = self_check_result(summarize(run, [trial(), trial(number=2, status="judge_error")]))
    assert result.passed is False and "passed 1 of 2 trials of case_01" in result.text


@pytest.mark.parametrize("given", ["python agent.py", "builtin:mistake:void_counted", "builtin:flaky:0.5"])
def test_only_the_reference_solver_checks(given: str) -> None:
    """A run of any other solution has no result."""
    assert self_check_result(summarize(run_of(1, 1, given=given), [trial()])) is None


def test_judgements_in_a_line() -> None:
    """What judging the known mistakes showed is one line; "" if they were not judged."""
    assert judgements_line(run_of(self_check=CHECKED)) == (
        "12 known mistakes and empty answers of 3 cases judged, all failed"
    )
    line = judgements_line(run_of(self_check={**CHECKED, "wrong": [WRONG]}))
    assert line.endswith("judged, 1 did NOT fail: void_counted in case_02 passes: the sum is right")
    assert judgements_line(run_of()) == ""
