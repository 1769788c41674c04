"""trap-cli's manifest: a verdict for a run of one case, a grade for a list of them."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trapcli.core.contract import STATUSES, Verdict
from trapcli.core.errors import TrapError
from trapcli.judging import trap_cli_protocol
from trapcli.suites.traptask import LONGEST_VERDICT, MOST_CASES

TEXT = st.text(max_size=400)


def result(case_id: Any, metrics: Any, **changes: Any) -> Any:
    whole = {"case_id": case_id, "exit_code": 0, "duration": 1.0, "metrics": metrics, "cost": None}
    return {**whole, "judge_exit_code": 0, **changes}


def metrics(status: Any = "passed", trap: Any = "a") -> Any:
    return {"score": float(status == "passed"), "status": status, "trap": trap, "reason": "..."}


def test_short_verdict_holds_what_the_report_needs() -> None:
    """The short verdict says score, status, trap, mistake, partial and reason, in this order."""
    verdict = Verdict(
        "failed", "tax differs", "r", 0.123456, ("note",), {"cells": [1]}, "stale_tax", trap="a"
    )
    assert json.loads(trap_cli_protocol.short_verdict(verdict)) == {
        "score": 0.0,
        "status": "failed",
        "trap": "a",
        "mistake": "stale_tax",
        "partial_credit": 0.1235,
        "reason": "tax differs",
    }


@given(st.sampled_from(STATUSES), TEXT, TEXT, TEXT, st.floats(0, 1))
def test_short_verdict_is_small_ascii_json_whatever_it_holds(
    status: Any, reason: Any, trap: Any, mistake: Any, partial: Any
) -> None:
    """No reason, trap or mistake makes the short verdict longer than its bound, or invalid JSON."""
    text = trap_cli_protocol.short_verdict(
        Verdict(status, reason, partial_credit=partial, mistake=mistake, trap=trap)
    )
    assert text.isascii() and len(text) <= LONGEST_VERDICT <= 400
    brief = json.loads(text)
    assert (brief["status"], brief["score"]) == (status, float(status == "passed"))
    assert brief["reason"] == reason or brief["reason"].endswith("...")
    assert json.dumps(brief) == text  # so that it keeps its length on the way to the grader


def test_only_the_reason_is_cut_of_an_ordinary_verdict() -> None:
    """A long reason gives way; trap and mistake stay whole."""
    text = trap_cli_protocol.short_verdict(
        Verdict("failed", "é" * 300, mistake="wrong_regions_rate", trap="upgrade_with_discount")
    )
    brief = json.loads(text)
    assert (brief["trap"], brief["mistake"]) == ("upgrade_with_discount", "wrong_regions_rate")
    assert brief["reason"].startswith("ééé") and LONGEST_VERDICT - 6 <= len(text) <= LONGEST_VERDICT


def test_the_longest_verdicts_of_a_full_run_fit_into_one_environment_variable() -> None:
    """As many cases as promised, with the longest verdicts and one priced model, stay under 128 KiB."""
    brief = json.loads(
        trap_cli_protocol.short_verdict(Verdict("failed", "x" * 300, trap="c" * 40, mistake="s" * 40))
    )
    spent = {
        "provider": "some",
        "model": "some-model-1",
        "prompt_tokens": 1234567,
        "completion_tokens": 123456,
        "cost_usd": 12.345678901234567,
        "calls": 123,
    }
    total = {key: spent[key] for key in ("prompt_tokens", "completion_tokens", "cost_usd", "calls")}
    cases = [
        result(f"case_{n:03d}", brief, duration=599.1234567890123, cost={"by_model": [spent], **total})
        for n in range(MOST_CASES)
    ]
    assert len(f"{trap_cli_protocol.VARIABLE}={json.dumps(cases)}\0") <= 128 * 1024


def test_grade_of_a_run() -> None:
    """A grade tells mean, counts by trap and status, latency and cost of a whole run."""
    found = trap_cli_protocol.grade(
        [
            result("case_01", metrics("passed", "a"), duration=1.0, cost={"cost_usd": 0.5, "by_model": []}),
            result("case_02", metrics("failed", "a"), duration=2.0, cost={"cost_usd": 0.25, "by_model": []}),
            result("case_03", metrics("passed", "b"), duration=3.0),
            result("case_04", metrics("timed_out", "b"), duration=600.0, exit_code=124),
        ]
    )
    assert next(iter(found)) == "run_passes"  # a report may cut the line
    assert found == {
        "run_passes": True,
        "mean_score": 0.5,
        "passed": 2,
        "judged": 4,
        "total": 4,
        "statuses": {"passed": 2, "failed": 1, "timed_out": 1},
        "traps": {
            "a": {"n": 2, "passed": 1, "mean": 0.5},
            "b": {"n": 2, "passed": 1, "mean": 0.5},
        },
        "latency_s": {"median": 2.5, "p95": 600.0},
        "cost_usd": 0.75,
        "judge_errors": [],
    }


@pytest.mark.parametrize(
    ("passed", "failed", "broken", "passes"),
    [
        (1, 0, 0, True),
        (1, 1, 0, True),
        (3, 4, 0, False),
        (0, 1, 0, False),
        (2, 1, 1, True),
        (2, 1, 2, None),
        (1, 3, 2, None),
        (1, 4, 2, False),
        (1, 0, 5, None),
        (0, 0, 1, None),
        (0, 0, 0, None),
    ],
)
def test_a_run_passes_at_a_mean_of_one_half(passed: int, failed: int, broken: int, passes: Any) -> None:
    """The run's verdict is that of the mean; cases without a verdict leave it open if they could turn it."""
    results = [result("case_01", metrics("passed"))] * passed + [
        result("case_02", metrics("failed"))
    ] * failed
    results += [result("case_03", None, judge_exit_code=2)] * broken
    assert trap_cli_protocol.grade(results)["run_passes"] is passes


@pytest.mark.parametrize(
    "broken",
    [
        result("case_02", None, judge_exit_code=2),
        result("case_02", metrics("failed"), judge_exit_code=125),
        result("case_02", None, judge_exit_code=None),
        result("case_02", "passed"),
        result("case_02", {"accuracy": 1.0}),
        result("case_02", {"score": 0.5, "status": "passed"}),
        {"case_id": "case_02"},
    ],
)
def test_a_case_without_a_verdict_is_named_and_never_counted_as_wrong(broken: Any) -> None:
    """A judge's failure does not lower the mean: it is listed, and judged is less than total."""
    found = trap_cli_protocol.grade([result("case_01", metrics()), broken])
    assert (found["mean_score"], found["passed"], found["judged"], found["total"]) == (1.0, 1, 1, 2)
    assert found["judge_errors"] == ["case_02"]


def test_nothing_judged_has_no_mean() -> None:
    """Where no case was judged, the mean is unknown, not zero."""
    for results in ([], [result("case_01", None, judge_exit_code=2)], ["?"]):
        assert trap_cli_protocol.grade(results)["mean_score"] is None
    assert trap_cli_protocol.grade([])["latency_s"] is None


def test_an_unknown_part_makes_the_cost_unknown() -> None:
    """A total that left out an unpriced model would be too low, so there is none."""
    known, unknown = {"cost_usd": 0.5}, {"cost_usd": None}
    assert trap_cli_protocol.grade([result("case_01", metrics(), cost=known)])["cost_usd"] == 0.5
    both = [result("case_01", metrics(), cost=known), result("case_02", metrics(), cost=unknown)]
    assert trap_cli_protocol.grade(both)["cost_usd"] is None
    assert trap_cli_protocol.grade([result("case_01", metrics())])["cost_usd"] is None


@pytest.mark.parametrize(
    ("n", "median", "p95"), [(1, 1.0, 1.0), (2, 1.5, 2.0), (20, 10.5, 19.0), (21, 11.0, 20.0)]
)
def test_latency_by_nearest_rank(n: int, median: float, p95: float) -> None:
    """The median is the middle, the 95th percentile the least value that 95% do not exceed."""
    runs = [result(f"case_{k}", metrics(), duration=float(k)) for k in range(n, 0, -1)]
    assert trap_cli_protocol.grade(runs)["latency_s"] == {"median": median, "p95": p95}


@pytest.mark.parametrize("text", ["", "not json", "[" * 100_000, '"text"', "1", "null"])
def test_a_variable_that_is_not_a_manifest_is_an_error(text: str) -> None:
    """A manifest that is no object and no list is refused, with the variable's name."""
    with pytest.raises(TrapError, match=r"^TRAPTASK_MANIFEST is set, but is"):
        trap_cli_protocol.parse_manifest(text)
