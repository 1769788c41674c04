"""The warnings about a run: each is given where it applies, and only there."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from factories import kept_files, results, run_of, stream, suite_of, trial

from trapcli.calibration.records import INTERRUPTED, Change, Trial
from trapcli.calibration.reports.run_warnings import run_warnings
from trapcli.calibration.reports.summarizer import summarize
from trapcli.calibration.store.integrity import CHANGED_ROW, REMOVED_ROW


def warnings_of(run: Any, trials: Any, read: Any = None, earlier_runs: Any = 0) -> Any:
    """Return the texts of a run's warnings by type, without the one that most runs here have."""
    warnings = run_warnings(summarize(run, trials, read, earlier_runs))
    return {one.type: one.text for one in warnings if one.type != "not_isolated"}


def test_ordinary_run_has_no_warning() -> None:
    """A complete run of an agent on a secret suite, with outputs that differ, has no warning."""
    assert warnings_of(run_of(2, 3), results([(1, 3), (3, 3)])) == {}


def test_provider_errors() -> None:
    """If 3 of 30 trials print `rate limit exceeded`, a warning has the rate with and without them."""
    text = "rate limit exceeded"
    errors = [trial("case_01", n, "unreadable", output=text) for n in (1, 2, 3)]
    trials = [*errors, *results([(12, 30)])[3:]]
    run = run_of(1, 30)
    summary = summarize(run, trials, lambda found, limit: text.encode())
    suite = summary.suites[0]
    assert (suite.counts.pair, suite.rate) == ((9, 30), 0.3)
    assert suite.rate_without_provider_errors == pytest.approx(9 / 27)
    found = warnings_of(run, trials, lambda found, limit: text.encode())["provider_errors"]
    assert "3 of 30 trials look like errors" in found
    assert "case_01/1, case_01/2, case_01/3" in found
    assert "count as not passed: mean rate 0.30; without them 0.33" in found


def test_provider_errors_in_every_trial() -> None:
    """If every trial looks like an error, there is no rate without them."""
    trials = [trial(number=n, status="empty", output="", errors="HTTP 503") for n in (1, 2)]
    found = warnings_of(run_of(1, 2), trials, lambda found, limit: b"HTTP 503")
    assert "without them no trial is left" in found["provider_errors"]


@pytest.mark.parametrize(
    ("bad", "warned"),
    [
        (trial(status="crashed", exit_code=1, output_status="unreadable"), True),
        (trial(status="timed_out", output="", output_status="empty"), True),
        (trial(status="timed_out", output="so far", output_status="unreadable"), False),
        (trial(status="crashed", exit_code=1, output_status="failed"), False),
        (trial(status="unreadable"), False),
        (trial(status="failed"), False),
    ],
)
def test_mostly_crashed(bad: Trial, warned: bool) -> None:
    """Most trials crashed, or timed out before any output, without an answer: the first warning of all."""
    for count, most in ((2, False), (3, True)):
        trials = [replace(bad, number=n) if n <= count else trial(number=n) for n in (1, 2, 3, 4)]
        found = warnings_of(run_of(1, 4), trials)
        assert ("mostly_crashed" in found) == (warned and most)
        if "mostly_crashed" in found:
            assert next(iter(found)) == "mostly_crashed"
            assert "3 of 4 trials" in found["mostly_crashed"]
            assert "`trapcli inspect run 1 case_01 --trial 1`" in found["mostly_crashed"]


def test_mostly_provider_errors() -> None:
    """Trials that look like errors of a provider measured nothing either, whatever their status."""
    trials = [trial(number=n, status="unreadable", output="HTTP 503") for n in (1, 2)]
    found = warnings_of(run_of(1, 2), trials, lambda found, limit: b"HTTP 503")
    assert "look like errors of its provider (2)" in found["mostly_crashed"]


def test_changes_at_a_resume() -> None:
    """What was allowed marks the run as mixed, what was noted is named; each difference once."""
    label, variable = "the label was 'a', now 'b'", "the variable MODEL"
    changes = (Change(1, (label,), (variable,)), Change(2, (label,), (variable,)))
    found = warnings_of(run_of(1, 1, resumes=2, changes=changes), results([(1, 1)]))
    assert found["mixed_configuration"].count(label) == found["changed_environment"].count(variable) == 1
    found = warnings_of(run_of(1, 1, resumes=1, changes=changes[:0]), results([(1, 1)]))
    assert not {"mixed_configuration", "changed_environment"} & found.keys()


def test_trials_that_ran_twice_are_named() -> None:
    """A trial that was running when the run stopped had a second try: each of them is named, each time."""
    incidents = ((0, "case_01", 1, INTERRUPTED), (0, "case_01", 1, INTERRUPTED))
    found = warnings_of(run_of(1, 1, resumes=2, incidents=incidents), results([(1, 1)]))
    assert found["resumed"].endswith("ran again: case_01/1, case_01/1.")
    assert not {"never_ran", "lost_attempts"} & found.keys()


def test_identical_outputs_of_all_cases() -> None:
    """If all outputs of each case are identical, a warning says that trials may not be independent."""
    trials = [trial(case, n, output=f"[{case}]") for case in ("case_01", "case_02") for n in (1, 2, 3)]
    text = warnings_of(run_of(2, 3), trials)["identical_outputs"]
    assert text.startswith("In every case all trials gave exactly the same output")
    assert "not be independent" in text


def test_identical_outputs_of_some_cases() -> None:
    """Cases with identical outputs are named, except right ones: there may be only one right answer."""
    wrong = [trial("case_01", n, "failed", output="[]") for n in (1, 2)]
    right = [trial("case_01", n, output="[]") for n in (1, 2)]
    others = [trial("case_02", n) for n in (1, 2)]
    assert "In 1 of 2 cases (case_01)" in warnings_of(run_of(2, 2), wrong + others)["identical_outputs"]
    assert "identical_outputs" not in warnings_of(run_of(2, 2), right + others)
    same = [trial("case_02", n, output="[1]") for n in (1, 2)]
    assert "In every case" in warnings_of(run_of(2, 2), right + same)["identical_outputs"]


def test_not_isolated() -> None:
    """There is a warning if an agent that was not isolated could read the answers of a secret suite."""

    def types(run: Any) -> Any:
        return [one.type for one in run_warnings(summarize(run, [trial(number=1)]))]

    assert "not_isolated" in types(run_of(1, 1))
    open_suite = suite_of(1, practice=True)
    for run in (
        run_of(1, 1, plan={"isolate": True}),
        run_of(1, 1, given="builtin:solve"),
        run_of(open_suite, 1),
    ):
        assert "not_isolated" not in types(run)


def test_lost_attempts_and_resumes() -> None:
    """A complete run still has warnings about attempts that were lost, and about resumes."""
    run = replace(run_of(1, 2), resumes=2, incidents=((0, "case_01", 2, "its supervisor was killed"),))
    found = warnings_of(run, results([(2, 2)]))
    assert "with 1 trial: case_01/2." in found["lost_attempts"]
    assert "its supervisor was killed" in found["lost_attempts"] and "never_ran" not in found
    assert "resumed 2 times" in found["resumed"]
    assert {"never_ran", "resumed"} <= warnings_of(run, [trial(number=1)]).keys()


def test_reference_solver_has_no_such_warnings() -> None:
    """Identical outputs and a practice suite are normal for the reference solver."""
    run = run_of(suite_of(1, practice=True), 3, given="builtin:solve")
    assert warnings_of(run, [trial(number=n, output="[]") for n in (1, 2, 3)]) == {}


def test_practice_suite() -> None:
    """There is a warning if an agent runs on a practice suite: anyone can rebuild the answers."""
    text = warnings_of(run_of(suite_of(1, practice=True), 1), [trial()])["practice"]
    assert "anyone with this package can rebuild" in text and "trapcli build toy --seed random" in text


def test_timeouts_under_overload() -> None:
    """There is a warning about timeouts while the load exceeded the processors, and not about others."""
    trials = [trial(number=n, status="timed_out", load=load) for n, load in enumerate((14.25, 4.0, 9.0), 1)]
    text = warnings_of(run_of(1, 3, jobs=16), trials)["overload"]
    assert "2 of 3 timeouts" in text and "up to 14.2" in text and "4 cores, with 16 trials at a time" in text
    assert "case_01/1, case_01/3" in text
    assert warnings_of(run_of(1, 3, jobs=16), trials[1:2]) == {}
    assert warnings_of(run_of(1, 3, host={}), trials) == {}
    assert warnings_of(run_of(1, 3), [trial(load=99.0)]) == {}


def test_changed_suite() -> None:
    """There is a warning about a suite that changed during the run."""
    run = run_of([suite_of(1, family="toy"), suite_of(1, family="other", changed=True)], 1)
    found = run_warnings(summarize(run, [trial(), trial(suite=1)]))
    assert ("changed", 1) in [(one.type, one.suite) for one in found]
    assert ("changed", 0) not in [(one.type, one.suite) for one in found]
    assert "rates are suspect" in next(one.text for one in found if one.type == "changed")


def test_judge_errors() -> None:
    """Trials without a verdict are named, with the commands that show one and that judge again."""
    text = warnings_of(run_of(2, 1, number=4), [trial("case_01"), trial("case_02", 1, "judge_error")])
    assert set(text) == {"judge_errors", "uncounted_cases"}
    assert "`trapcli inspect run 4 case_02 --trial 1`" in text["judge_errors"]
    assert "`trapcli judge --run 4`" in text["judge_errors"]
    assert "case_02 has no counted trial yet" in text["uncounted_cases"]


def test_commands_name_the_suite_if_needed() -> None:
    """A command names the family if two suites have the case, the directory if both are of a family."""
    broken = trial("case_01", 1, "judge_error", suite=1)
    two = [suite_of(1, family="toy"), suite_of(1, family="other")]
    assert "inspect run 1 other case_01 --trial 1" in warnings_of(run_of(two, 1), [broken])["judge_errors"]
    same = [suite_of(1), suite_of(1, directory=Path("traps/hard"))]
    assert (
        "inspect run 1 traps/hard case_01 --trial 1" in warnings_of(run_of(same, 1), [broken])["judge_errors"]
    )


def test_stragglers_cut_outputs_and_unreadable_usage() -> None:
    """Trials with stragglers, cut outputs, too many files or an unreadable usage.json are named."""
    found = warnings_of(
        run_of(1, 5),
        [
            trial(number=1, stragglers=("sleep 600",)),
            trial(number=2, output=stream("x", size=12_000_000)),
            trial(number=3, usage={"problem": "usage.json is not JSON"}),
            trial(number=4, files=kept_files("x", over_limit=1)),
            trial(number=5, files=kept_files("x")),
        ],
    )
    assert (
        "1 trial left more in outputs_dir than is kept (10 MB or 1,000 files): case_01/4."
        in (found["files_over_limit"])
    )
    assert "1 trial left processes behind, which were killed: case_01/1." in found["stragglers"]
    assert "1 output was too long, so only the end was kept and judged: case_01/2." in found["cut_outputs"]
    assert "usage.json of 1 trial could not be read: case_01/3." in found["unreadable_usage"]


def test_collateral_of_passes_is_counted() -> None:
    """A pass that changes more than it should is named; a failure that does so is only a failure."""
    trials = [
        trial(number=1, details={"collateral": 2}),
        trial(number=2, details={"collateral": 0}),
        trial(number=3, status="failed", details={"collateral": 5}),
    ]
    assert warnings_of(run_of(1, 3), trials)["collateral"].startswith(
        "1 trial passed although the answer changes more than it should, which no report shows: case_01/1."
    )
    assert "collateral" not in warnings_of(run_of(1, 2), trials[1:])


def test_a_store_that_was_changed() -> None:
    """A forged verdict, a removed row and a changed output are one warning; other losses are another."""
    incidents = ((0, "case_01", 1, CHANGED_ROW), (0, "case_02", 2, REMOVED_ROW), (0, "case_01", 2, "lost"))
    found = warnings_of(run_of(2, 2, incidents=incidents), results([(2, 2), (1, 1)]))
    assert (
        "changed while it went on: case_01/1, case_02/2. The first: its stored verdict"
        in (found["store_changed"])
    )
    assert "1 trial: case_01/2. The first: lost." in found["lost_attempts"]
    assert "store_changed" not in warnings_of(
        run_of(2, 2, incidents=incidents[2:]), results([(2, 2), (2, 2)])
    )


def test_trials_that_never_ran() -> None:
    """Trials that could not be run are named as infrastructure, with the cause and the resume command."""
    incidents = tuple((0, "case_02", n, "killed while it was started") for n in range(1, 9))
    text = warnings_of(run_of(2, 8, incidents=incidents, ended=""), results([(8, 8)]))["never_ran"]
    assert "8 trials never ran" in text and "infrastructure" in text
    assert "case_02/5 and 3 more" in text and "killed while it was started." in text
    assert "`trapcli calibrate --resume 1` runs them" in text


def test_earlier_runs_on_the_same_cases() -> None:
    """The number of runs on these cases shows whether a run may have been picked for its rate."""
    text = warnings_of(run_of(1, 1), [trial()], earlier_runs=3)["earlier_runs"]
    assert "This is run 4 on these cases" in text and "`trapcli inspect run`" in text
