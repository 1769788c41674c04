"""The JSON document of a run: one object, the same keys for every run, null for what is not known."""

import json
from typing import Any

from factories import results, run_of, trial

from trapcli.calibration.reports.run_document import run_document
from trapcli.calibration.reports.summarizer import summarize

CHECKED = {"cases": 1, "outputs": 4, "wrong": []}


def document_of(run: Any, trials: Any) -> Any:
    """Return the document of a run after a round trip through strict JSON."""
    return json.loads(json.dumps(run_document(summarize(run, trials)), allow_nan=False))


def test_unknown_values_are_null() -> None:
    """The document of a run without trials is strict JSON, with null for what is not known."""
    document = document_of(run_of(1, 1), [])
    suite = document["suites"][0]
    for key in ("rate", "on_these_cases", "on_new_cases_of_this_build", "minimum_detectable_difference"):
        assert suite[key] is None
    assert document["self_check"] is document["self_check_passed"] is document["self_check_summary"] is None
    assert document["plan"]["solution"]["given"] == "python agent.py"


def test_keys_do_not_depend_on_the_trials() -> None:
    """A run without trials and a complete run have the same keys, in the run, its suites and its cases."""
    empty = document_of(run_of(3, 3), [])
    full = document_of(run_of(3, 3), results([(1, 3)] * 3))
    assert full["suites"][0]["rate"] == 1 / 3
    assert full.keys() == empty.keys()
    assert full["suites"][0].keys() == empty["suites"][0].keys()
    assert full["suites"][0]["cases"][0].keys() == empty["suites"][0]["cases"][0].keys()


def test_self_check() -> None:
    """A run of the reference solver has what the self-check judged, whether it passed, and a sentence."""
    run = run_of(1, 1, given="builtin:solve", self_check=CHECKED)
    document = document_of(run, [trial()])
    assert document["self_check"] == CHECKED
    assert document["self_check_passed"] is True
    assert document["self_check_summary"].startswith("Self-check passed: all 4 known mistakes")
    assert document_of(run, [trial(status="failed")])["self_check_passed"] is False


def test_counts_mistakes_and_warnings() -> None:
    """A suite has its counts, traps and mistakes; a warning has its type, its suite and a text."""
    trials = [
        trial(number=1),
        trial(number=2, status="failed", mistake="void_counted"),
        trial(number=3, status="failed"),
    ]
    document = document_of(run_of(1, 4), trials)
    suite = document["suites"][0]
    counts = {key: suite[key] for key in ("passes", "counted", "done", "open", "planned")}
    assert counts == {"passes": 1, "counted": 3, "done": 3, "open": 1, "planned": 4}
    assert (suite["mistakes"], suite["other_wrong_answers"]) == ({"void_counted": 1}, 1)
    assert suite["traps"] == [{"trap": "void_amount", "cases": 1, "passes": 1, "counted": 3, "rate": 1 / 3}]
    assert [(one["type"], one["suite"]) for one in document["warnings"]] == [("not_isolated", 0)]
    assert document["warnings"][0]["text"].startswith("The solution was not isolated")
