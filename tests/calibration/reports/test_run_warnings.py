"""What a reader of rates is warned of: each caution where it belongs, and not where it does not."""

from dataclasses import replace
from pathlib import Path

import pytest
from factories import results, run_of, stream, suite_of, trial

from trapcli.calibration.reports.run_warnings import cautions, instrument, soundness
from trapcli.calibration.reports.summarizer import summarize

CHECKED = {"cases": 3, "slips": 12, "wrong": []}
SLIPPED = {"suite": 0, "case": "case_02", "mechanism": "void_counted", "what": "passes: the sum is right"}


def said(run, trials, read=None, earlier=0):
    """The cautions of a run by their kind."""
    found = cautions(summarize(run, trials, read, earlier))
    return {one.kind: one.text for one in found if one.kind != "in_the_open"}


def test_nothing_to_say_of_a_plain_run():
    """A complete run whose trials differ, of an agent on a secret suite, has no cautions."""
    assert said(run_of(2, 3), results([(1, 3), (3, 3)])) == {}


def test_provider_errors_are_counted_and_the_rate_is_told_both_ways():
    """Of 30 trials 3 print `rate limit exceeded`: a warning says so, with the rate with and without them."""
    text = "rate limit exceeded"
    errors = [trial("case_01", n, "unreadable", output=text) for n in (1, 2, 3)]
    trials = [*errors, *results([(12, 30)])[3:]]
    run = run_of(1, 30)
    summary = summarize(run, trials, lambda found, limit: text.encode())
    suite = summary.suites[0]
    assert (suite.passes, suite.counted, suite.rate) == (9, 30, 0.3)
    assert suite.without_errors == pytest.approx(9 / 27)
    found = said(run, trials, lambda found, limit: text.encode())["provider_errors"]
    assert "3 of 30 trials look like errors" in found
    assert "case_01/1, case_01/2, case_01/3" in found
    assert "count as not passed: mean rate 0.30; without them 0.33" in found


def test_provider_errors_in_every_trial():
    """If every trial looks like an error there is no rate without them."""
    trials = [trial(number=n, status="empty", output="", errors="HTTP 503") for n in (1, 2)]
    found = said(run_of(1, 2), trials, lambda found, limit: b"HTTP 503")
    assert "without them no trial is left" in found["provider_errors"]


def test_identical_outputs_of_all_cases():
    """If all outputs of each case are the same bytes, trials may not be independent."""
    trials = [trial(case, n, output=f"[{case}]") for case in ("case_01", "case_02") for n in (1, 2, 3)]
    text = said(run_of(2, 3), trials)["identical_outputs"]
    assert text.startswith("In every case all outputs are the same bytes")
    assert "not be independent" in text


def test_identical_outputs_of_some_cases():
    """If the outputs of some cases are the same, these are named; but right ones may have to be the same."""
    wrong = [trial("case_01", n, "failed", output="[]") for n in (1, 2)]
    right = [trial("case_01", n, output="[]") for n in (1, 2)]
    others = [trial("case_02", n) for n in (1, 2)]
    assert "In 1 of 2 cases (case_01)" in said(run_of(2, 2), wrong + others)["identical_outputs"]
    assert "identical_outputs" not in said(run_of(2, 2), right + others)
    same = [trial("case_02", n, output="[1]") for n in (1, 2)]
    assert "In every case" in said(run_of(2, 2), right + same)["identical_outputs"]


def test_answers_in_the_open():
    """An agent that was not isolated could read the answers of a secret suite: that is told."""

    def kinds(run):
        return [one.kind for one in cautions(summarize(run, [trial(number=1)]))]

    assert "in_the_open" in kinds(run_of(1, 1))
    open_suite = suite_of(1, practice=True)
    for run in (
        run_of(1, 1, plan={"isolate": True}),
        run_of(1, 1, given="builtin:solve"),
        run_of(open_suite, 1),
    ):
        assert "in_the_open" not in kinds(run)


def test_lost_attempts_and_resumes_are_told_when_the_run_is_complete():
    """An attempt that was lost is told also after its trial has run, and how often the run went on."""
    run = replace(run_of(1, 2), resumes=2, incidents=((0, "case_01", 2, "its keeper was killed"),))
    found = said(run, results([(2, 2)]))
    assert "with 1 trial" in found["accidents"] and "case_01/2" in found["accidents"]
    assert "its keeper was killed" in found["accidents"] and "never_ran" not in found
    assert "resumed 2 times" in found["resumed"]
    assert {"never_ran", "resumed"} <= said(run, [trial(number=1)]).keys()


def test_identical_outputs_of_our_own_solution_are_as_they_should_be():
    """The reference solver prints the same each time, and practice suites are what it is for: no caution."""
    run = run_of(suite_of(1, practice=True), 3, given="builtin:solve")
    assert said(run, [trial(number=n, output="[]") for n in (1, 2, 3)]) == {}


def test_practice_suite():
    """An agent on a practice suite: anyone can rebuild the answers."""
    text = said(run_of(suite_of(1, practice=True), 1), [trial()])["practice"]
    assert "anyone with this package can rebuild" in text and "trapcli build toy --seed random" in text


def test_timeouts_under_overload():
    """Timeouts while the load exceeded the processors are told with load and jobs; others are not."""
    trials = [trial(number=n, status="timed_out", load=load) for n, load in enumerate((14.25, 4.0, 9.0), 1)]
    text = said(run_of(1, 3, jobs=16), trials)["overload"]
    assert "2 of 3 timeouts" in text and "up to 14.2" in text and "4 cores, with 16 trials at a time" in text
    assert "case_01/1, case_01/3" in text
    assert said(run_of(1, 3, jobs=16), trials[1:2]) == {}
    assert said(run_of(1, 3, host={}), trials) == {}
    assert said(run_of(1, 3), [trial(load=99.0)]) == {}


def test_changed_suite():
    """A suite that was changed while the run went on makes its rates suspect."""
    run = run_of([suite_of(1, family="toy"), suite_of(1, family="other", changed=True)], 1)
    found = cautions(summarize(run, [trial(), trial(suite=1)]))
    assert ("changed", 1) in [(one.kind, one.suite) for one in found]
    assert ("changed", 0) not in [(one.kind, one.suite) for one in found]
    assert "rates are suspect" in next(one.text for one in found if one.kind == "changed")


def test_judge_errors_are_told_with_the_command_that_shows_one():
    """A trial without a verdict is not counted, and it is told which, and how to see why."""
    text = said(run_of(2, 1, number=4), [trial("case_01"), trial("case_02", 1, "judge_error")])
    assert set(text) == {"judge_errors", "not_counted"}
    assert "`trapcli inspect run 4 case_02 --trial 1`" in text["judge_errors"]
    assert "`trapcli judge --run 4`" in text["judge_errors"]
    assert "No trial of case_02 is counted yet" in text["not_counted"]


def test_commands_name_the_suite_where_the_case_alone_would_not_do():
    """If two suites have the case the command names the family; if two are of a family, the directory."""
    broken = trial("case_01", 1, "judge_error", suite=1)
    two = [suite_of(1, family="toy"), suite_of(1, family="other")]
    assert "inspect run 1 other case_01 --trial 1" in said(run_of(two, 1), [broken])["judge_errors"]
    same = [suite_of(1), suite_of(1, directory=Path("traps/hard"))]
    assert "inspect run 1 traps/hard case_01 --trial 1" in said(run_of(same, 1), [broken])["judge_errors"]


def test_stragglers_cut_outputs_and_unread_usage():
    """Processes left behind, outputs that were cut and usage that cannot be read are told with the trials."""
    found = said(
        run_of(1, 3),
        [
            trial(number=1, stragglers=("sleep 600",)),
            trial(number=2, output=stream("x", size=12_000_000)),
            trial(number=3, usage={"problem": "usage.json is no JSON"}),
        ],
    )
    assert "1 trial left processes behind, which were killed: case_01/1." in found["stragglers"]
    assert "only the end was kept and judged: case_01/2." in found["cut_outputs"]
    assert "usage.json of 1 trial could not be read: case_01/3." in found["usage"]


def test_trials_that_never_ran():
    """What kept a trial from running is named as infrastructure, with the command that runs it."""
    incidents = tuple((0, "case_02", n, "killed while it was started") for n in range(1, 9))
    text = said(run_of(2, 8, incidents=incidents, ended=""), results([(8, 8)]))["never_ran"]
    assert "8 trials never ran" in text and "infrastructure" in text
    assert "case_02/5 and 3 more" in text and "killed while it was started." in text
    assert "`trapcli calibrate --resume 1` runs them" in text


def test_earlier_runs_on_the_same_cases():
    """The number of runs on these cases is told, so that a run picked for its rate can be seen as one."""
    text = said(run_of(1, 1), [trial()], earlier=3)["earlier_runs"]
    assert "This is run 4 on these cases" in text and "`trapcli inspect run`" in text


# Whether the instrument is sound


def proof(passes, checked=CHECKED, **changes):
    run = run_of(len(passes), 10, given="builtin:solve", instrument=checked, **changes)
    return soundness(run, summarize(run, results(passes)))


def test_sound_if_no_slip_passed_and_the_solver_always_did():
    """The instrument is sound if the check found nothing and the solver passed every trial."""
    assert proof([(10, 10)] * 3) == (
        True,
        "The instrument is sound: all 12 known mistakes and empty answers failed, and the reference solver "
        "passed all 30 trials.",
    )


def test_not_sound_if_the_solver_missed():
    """One missed trial is enough, and the case is named."""
    sound, words = proof([(10, 10), (9, 10)])
    assert sound is False
    assert "NOT sound: the reference solver passed 9 of 10 trials of case_02." in words


def test_not_sound_if_a_slip_passed():
    """A mistake that passes is enough, and is named with its case, also while trials are open."""
    for passes in ([(10, 10)] * 3, [(10, 10), (2, 2)]):
        sound, words = proof(passes, {**CHECKED, "wrong": [SLIPPED]})
        assert sound is False
        assert "void_counted in case_02 passes: the sum is right" in words


@pytest.mark.parametrize(
    ("passes", "checked", "why"),
    [
        ([(10, 10), (4, 4)], CHECKED, "6 of 20 trials are open; `trapcli calibrate --resume 1` runs them"),
        ([(10, 10)], None, "no check of the slips was made"),
        ([], CHECKED, "0 of 0 trials are open"),
    ],
)
def test_neither_if_it_was_not_shown(passes, checked, why):
    """A partial run, or one without the check, shows it neither way."""
    sound, words = proof(passes, checked)
    assert sound is None
    assert "was not shown" in words and why in words


def test_judge_error_is_no_pass():
    """A trial of the solver without a verdict does not prove the instrument."""
    run = run_of(1, 2, given="builtin:solve", instrument=CHECKED)
    sound, words = soundness(run, summarize(run, [trial(), trial(number=2, status="judge_error")]))
    assert sound is False and "passed 1 of 2 trials of case_01" in words


def test_instrument_check_in_a_sentence():
    """What the check judged and found is one sentence; nothing if it was not made."""
    assert instrument(run_of(instrument=CHECKED)) == (
        "12 known mistakes and empty answers of 3 cases judged: none passes"
    )
    assert "1 NOT as they should be: void_counted in case_02 passes" in instrument(
        run_of(instrument={**CHECKED, "wrong": [SLIPPED]})
    )
    assert instrument(run_of()) == ""
