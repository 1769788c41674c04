"""The summary of a run: rates, intervals and counts, and that no trial is lost."""

import tracemalloc
from dataclasses import replace
from typing import Any

import pytest
from factories import kept_files, results, run_of, suite_of, trial
from hypothesis import given
from hypothesis import strategies as st

from trapcli.calibration.records import TRIAL_STATUSES
from trapcli.calibration.reports.run_document import run_document
from trapcli.calibration.reports.run_summary import TrialCounts
from trapcli.calibration.reports.summarizer import summarize
from trapcli.core.errors import TrapError


def suite_summary(passes: Any, **changes: Any) -> Any:
    """Return the summary of the only suite of a run with these passes and trials."""
    run = run_of(len(passes), max((trials for _, trials in passes), default=1), **changes)
    return summarize(run, results(passes)).suites[0]


def case_summary(*trials: Any, planned: Any = 0) -> Any:
    """Return the summary of the only case of a run with these trials."""
    run = run_of(1, planned or len(trials))
    return summarize(run, trials).suites[0].cases[0]


# A case


def test_case_has_rate_interval_and_times() -> None:
    """A case has its passes, their Wilson interval, and the median and 95% quantile of its durations."""
    trials = [trial(number=n, status="passed" if n > 3 else "failed", seconds=float(n)) for n in range(1, 11)]
    case = case_summary(*trials)
    assert (case.counts.passes, case.counts.counted, case.rate) == (7, 10, 0.7)
    assert (round(case.interval.low, 3), round(case.interval.high, 3)) == (0.397, 0.892)
    assert (case.median_seconds, case.p95_seconds) == (5.5, pytest.approx(9.55))
    assert case.trap == "void_amount"


def test_every_outcome_has_its_own_count() -> None:
    """Each outcome is counted separately; judge errors are not counted trials."""
    statuses = [*TRIAL_STATUSES, "crashed"]
    trials = [trial(number=n, status=status) for n, status in enumerate(statuses, 1)]
    case = case_summary(*trials, replace(trials[-1], number=20, exit_code=-11))
    assert case.outcomes == {
        "passed": 1, "failed": 1, "unreadable": 1, "empty": 1, "timed_out": 1, "crashed": 2, "killed": 1,
        "judge_error": 1,
    }  # fmt: skip
    assert case.counts == TrialCounts(planned=9, done=9, counted=8, passes=1, open=0)
    assert case.rate == 1 / 8


def test_kill_at_the_time_limit_is_a_timeout() -> None:
    """A process that we killed at its limit timed out; it does not count as killed."""
    case = case_summary(trial(status="timed_out", exit_code=-9))
    assert (case.outcomes["timed_out"], case.outcomes["killed"]) == (1, 0)


def test_exit_code_124_is_a_crash() -> None:
    """Exit code 124, which timeout(1) uses, is a crash: the runner knows its own timeouts."""
    case = case_summary(trial(status="crashed", exit_code=124))
    assert (case.outcomes["timed_out"], case.outcomes["crashed"]) == (0, 1)


def test_partial_credit_does_not_pass() -> None:
    """Two trials with partial credits of 0.4 and 0.6 are zero passes of two."""
    halves = [
        replace(one, verdict={**one.verdict, "partial_credit": credit})
        for credit in (0.4, 0.6)
        for one in [trial(number=round(credit * 10), status="failed")]
    ]
    assert case_summary(*halves).counts.pair == (0, 2)


def test_mistakes_of_wrong_answers() -> None:
    """Answers are counted by the mistake that they match, and wrong answers that match none."""
    case = case_summary(
        trial(number=1, status="failed", mistake="void_counted"),
        trial(number=2, status="timed_out", mistake="void_counted"),
        trial(number=3, status="failed", mistake="late_counted"),
        trial(number=4, status="failed"),
        trial(number=5, status="unreadable"),
        trial(number=6, status="passed"),
    )
    assert case.mistakes == {"void_counted": 2, "late_counted": 1}
    assert case.other_wrong_answers == 1


def test_case_without_a_counted_trial_has_no_rate() -> None:
    """The rate of a case without a counted trial is None, not 0."""
    suite = summarize(run_of(3, 2), [trial("case_02", 1, "judge_error")]).suites[0]
    first, second, _ = suite.cases
    assert (first.rate, first.interval, first.median_seconds, first.counts.open) == (None, None, None, 2)
    assert (second.rate, second.median_seconds) == (None, 2.0)
    assert (second.counts.done, second.counts.counted) == (1, 0)
    assert suite.uncounted_cases == ("case_01", "case_02", "case_03")
    assert (suite.rate, suite.on_these_cases, suite.on_new_cases) == (None, None, None)
    assert suite.minimum_detectable_difference is suite.clustered_standard_error is None
    assert suite.pass_at == {2: None}


def test_identical_outputs() -> None:
    """Outputs are identical if there are two or more, all the same bytes and not empty."""
    same = [trial(number=n, output="[1]") for n in (1, 2, 3)]
    assert case_summary(*same).identical_outputs
    assert not case_summary(*same[:2], trial(number=3, output="[1]\n")).identical_outputs
    assert not case_summary(same[0]).identical_outputs
    assert not case_summary(*(trial(number=n, output="", status="empty") for n in (1, 2))).identical_outputs


def test_identical_files() -> None:
    """Trials that print the same have identical outputs only if they also left the same files."""
    left = [trial(number=n, output="", files=kept_files(text)) for n, text in enumerate("aab", 1)]
    assert case_summary(*left[:2]).identical_outputs
    assert not case_summary(*left).identical_outputs
    kept = [kept_files(text, judged=False) for text in "ab"]
    same = [trial(number=n, output="7", files=files) for n, files in enumerate(kept, 1)]
    assert case_summary(*same).identical_outputs  # files that are not judged are no part of the answer


# A suite


def test_cases_with_unequal_trials_have_the_same_weight() -> None:
    """The mean rate is the mean of the case rates, also if cases have unequal numbers of trials."""
    suite = suite_summary([(1, 1), (0, 9)])
    assert suite.rate == 0.5
    assert suite.counts.pair == (1, 10)
    assert [case.counts.pair for case in suite.cases] == [(1, 1), (0, 9)]


def test_two_intervals() -> None:
    """The interval on new cases is wider than the one on these cases."""
    suite = suite_summary([(10, 10), (0, 10), (9, 10), (1, 10), (5, 10), (5, 10)])
    new, these = suite.on_new_cases, suite.on_these_cases
    assert new.low < these.low < suite.rate < these.high < new.high


def test_one_case_has_no_suite_interval() -> None:
    """A single counted case gives a rate but no interval of the suite."""
    suite = suite_summary([(3, 10)])
    assert (suite.rate, suite.on_these_cases, suite.on_new_cases) == (0.3, None, None)
    assert suite.cases[0].interval is not None


def test_pass_at_k_and_pass_hat_k_are_unbiased() -> None:
    """pass@3 of one pass in eight is 0.375, pass^3 of five passes in eight 0.1786."""
    assert suite_summary([(1, 8)]).pass_at[3] == pytest.approx(0.375)
    assert suite_summary([(5, 8)]).pass_hat[3] == pytest.approx(0.1786, abs=5e-5)


def test_k_is_at_most_the_number_of_trials() -> None:
    """Single trials have no pass@k beyond 1, however many cases; nor does a suite with a shorter case."""
    assert suite_summary([(1, 1)] * 12 + [(0, 1)] * 28).pass_at == {}
    suite = suite_summary([(3, 5), (1, 2)])
    assert suite.pass_at[2] is not None
    assert (suite.pass_at[3], suite.pass_hat[3]) == (None, None)
    assert max(suite.pass_at) == 5


def test_traps() -> None:
    """Passes are counted by the trap that verdicts name, in the order of the cases."""
    trials = [
        trial("case_01", 1, "judge_error"),
        trial("case_01", 2, trap="late"),
        trial("case_02", 1, "failed", trap="void"),
        trial("case_02", 2, trap="void"),
        trial("case_03", 1, trap="late"),
    ]
    traps = summarize(run_of(3, 2), trials).suites[0].traps
    assert [(trap.trap, trap.cases, trap.counts.pair) for trap in traps] == [
        ("late", 2, (2, 2)),
        ("void", 1, (1, 2)),
    ]


def test_usage_is_summed_over_the_trials_that_reported_it() -> None:
    """Tokens and costs are summed over the trials that reported them, with the number of these."""
    usages = [{"input_tokens": 10, "cost_usd": 0.5}, {"input_tokens": 5}, None, {"problem": "no JSON"}]
    run = run_of(1, 4)
    summary = summarize(run, [trial(number=n, usage=usage) for n, usage in enumerate(usages, 1)])
    assert run_document(summary)["suites"][0]["usage"] == {
        "input_tokens": {"sum": 15, "known": 2, "of": 4},
        "cost_usd": {"sum": 0.5, "known": 1, "of": 4},
    }
    assert summary.suites[0].flagged["unreadable_usage"].first == [("case_01", 4)]
    without = run_document(summarize(run_of(1, 1), [trial()]))
    assert without["suites"][0]["usage"] is None


# A run


def test_several_suites_are_separate() -> None:
    """Trials count for their suite, also if both suites have cases with the same id."""
    run = run_of([suite_of(2, family="toy"), suite_of(1, family="other")], 2)
    summary = summarize(run, [*results([(2, 2), (0, 2)]), *results([(1, 2)], suite=1)])
    assert [suite.rate for suite in summary.suites] == [0.5, 0.5]
    assert [suite.counts.done for suite in summary.suites] == [4, 2]


def test_partial_run_has_open_trials() -> None:
    """A run with open trials is not complete, and has the command that resumes it."""
    summary = summarize(run_of(12, 10, number=7, ended=""), results([(3, 10)] * 3 + [(5, 7)]))
    assert summary.counts == TrialCounts(planned=120, done=37, counted=37, passes=14, open=83)
    assert not summary.complete
    document = run_document(summary)
    assert (document["status"], document["resume"]) == ("partial", "trapcli calibrate --resume 7")


def test_incidents_of_open_and_of_finished_trials() -> None:
    """A trial that never ran is one while it is open; once it has run, it had a lost attempt."""
    incidents = ((0, "case_01", 1, "no memory"), (0, "case_01", 2, "no memory"))
    run = run_of(1, 2, incidents=incidents)
    summary = summarize(run, [trial(number=1)])
    assert summary.never_ran == ((0, "case_01", 2, "no memory"),)
    assert summary.lost_attempts == ((0, "case_01", 1, "no memory"),)


def test_unplanned_trial_is_refused() -> None:
    """A trial that the run did not plan means that the database is damaged."""
    for stranger in (trial("case_09"), trial(suite=3)):
        with pytest.raises(TrapError, match="did not plan"):
            summarize(run_of(1, 1), [stranger])


@pytest.mark.slow
@given(st.lists(st.integers(1, 8).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), min_size=1))
def test_intervals_have_a_width_and_contain_the_rate(passes: Any) -> None:
    """The intervals of cases and suites have a width and contain the rate, whatever the trials."""
    suite = suite_summary(passes)
    for rate, ends in [
        *((case.rate, case.interval) for case in suite.cases),
        *((suite.rate, ends) for ends in (suite.on_these_cases, suite.on_new_cases) if len(passes) > 1),
    ]:
        assert 0 <= ends.low < ends.high <= 1
        assert ends.low - 1e-12 <= rate <= ends.high + 1e-12


@pytest.mark.slow
@given(st.permutations(results([(2, 3), (0, 3), (3, 3)])))
def test_order_of_trials_does_not_matter(trials: Any) -> None:
    """The order of the trials does not change the summary."""
    run = run_of(3, 3)
    in_order = summarize(run, results([(2, 3), (0, 3), (3, 3)]))
    assert run_document(summarize(run, trials)) == run_document(in_order)


def test_memory_does_not_grow_with_verdicts() -> None:
    """A summary keeps a few numbers of each trial, not its verdict or its outputs."""

    def failed_trials(count: Any) -> Any:
        for number in range(1, count + 1):
            one = trial(number=number, status="failed", mistake="void_counted")
            yield replace(one, verdict={**one.verdict, "details": {"cells": "x" * 1000}})

    run = run_of(1, 5000)
    summarize(run, failed_trials(100))
    tracemalloc.start()
    summarize(run, failed_trials(5000))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 400_000
