"""What a run came to: rates, intervals and counts, and what is never lost on the way."""

import json
import tracemalloc
from dataclasses import replace

import pytest
from factories import results, run_of, suite_of, trial
from hypothesis import given
from hypothesis import strategies as st

from trapcli.calibration.records import TRIAL_STATUSES
from trapcli.calibration.reports.summarizer import summarize
from trapcli.core.errors import TrapError


def summed(passes, **changes):
    """The summary of the only suite of a run with these passes and trials."""
    run = run_of(len(passes), max((trials for _, trials in passes), default=1), **changes)
    return summarize(run, results(passes)).suites[0]


def only_case(*trials, planned=0):
    run = run_of(1, planned or len(trials))
    return summarize(run, trials).suites[0].cases[0]


# A case


def test_case_has_rate_interval_and_times():
    """A case has its passes, their Wilson interval, and the median and 95% quantile of its seconds."""
    trials = [trial(number=n, status="passed" if n > 3 else "failed", seconds=float(n)) for n in range(1, 11)]
    case = only_case(*trials)
    assert (case.passes, case.counted, case.rate) == (7, 10, 0.7)
    assert (round(case.interval.low, 3), round(case.interval.high, 3)) == (0.397, 0.892)
    assert (case.median, case.p95) == (5.5, pytest.approx(9.55))
    assert case.category == "void_amount"


def test_every_ending_is_counted_apart():
    """Timeouts, crashes, kills by others and the like are counted each by itself, all but judge errors."""
    statuses = [*TRIAL_STATUSES, "crashed"]
    trials = [trial(number=n, status=status) for n, status in enumerate(statuses, 1)]
    case = only_case(*trials, replace(trials[-1], number=20, exit_code=-11))
    assert case.outcomes == {
        "passed": 1, "failed": 1, "unreadable": 1, "empty": 1, "timed_out": 1, "crashed": 2, "killed": 1,
        "judge_error": 1,
    }  # fmt: skip
    assert (case.done, case.counted, case.passes, case.rate) == (9, 8, 1, 1 / 8)


def test_killed_by_our_limit_is_a_timeout():
    """A process that ended by a signal because its limit was reached timed out; it was not killed."""
    case = only_case(trial(status="timed_out", exit_code=-9))
    assert (case.outcomes["timed_out"], case.outcomes["killed"]) == (1, 0)


def test_own_exit_code_124_is_a_crash():
    """Exit code 124, which others use for a timeout, is a crash: the runner knows its own timeouts."""
    case = only_case(trial(status="crashed", exit_code=124))
    assert (case.outcomes["timed_out"], case.outcomes["crashed"]) == (0, 1)


def test_part_of_an_answer_is_no_success():
    """Two trials that put right 0.4 and 0.6 of the cells are no success of two."""
    halves = [
        replace(one, verdict={**one.verdict, "partial": partial})
        for partial in (0.4, 0.6)
        for one in [trial(number=round(partial * 10), status="failed")]
    ]
    assert (only_case(*halves).passes, only_case(*halves).counted) == (0, 2)


def test_slips_of_wrong_answers():
    """Mistakes that answers equal are counted by name, several that fit as one; others are told too."""
    case = only_case(
        trial(number=1, status="failed", slip="void_counted"),
        trial(number=2, status="timed_out", slip="void_counted"),
        trial(number=3, status="failed", slip=["a+b", "c+d"]),
        trial(number=4, status="failed"),
        trial(number=5, status="unreadable"),
        trial(number=6, status="passed"),
    )
    assert case.slips == {"void_counted": 2, "a+b or c+d": 1}
    assert case.unnamed == 1


def test_case_without_a_trial_has_no_numbers():
    """A case of which nothing ran, or nothing is counted, has no rate; it is not 0."""
    suite = summarize(run_of(3, 2), [trial("case_02", 1, "judge_error")]).suites[0]
    first, second, _ = suite.cases
    assert (first.rate, first.interval, first.median, first.open) == (None, None, None, 2)
    assert (second.rate, second.median, second.done, second.counted) == (None, 2.0, 1, 0)
    assert suite.uncounted == ("case_01", "case_02", "case_03")
    assert (suite.rate, suite.on_these, suite.on_new, suite.difference) == (None, None, None, None)
    assert suite.pass_at == {2: None}


def test_identical_outputs():
    """Outputs are identical if there are two or more, all the same bytes, and not empty."""
    same = [trial(number=n, output="[1]") for n in (1, 2, 3)]
    assert only_case(*same).identical
    assert not only_case(*same[:2], trial(number=3, output="[1]\n")).identical
    assert not only_case(same[0]).identical
    assert not only_case(*(trial(number=n, output="", status="empty") for n in (1, 2))).identical


# A suite


def test_unequal_trials_weigh_cases_the_same():
    """The mean rate is that of the cases' rates, also if they have unequal numbers of trials."""
    suite = summed([(1, 1), (0, 9)])
    assert suite.rate == 0.5
    assert (suite.passes, suite.counted) == (1, 10)
    assert suite.pairs == ((1, 1), (0, 9))


def test_two_intervals():
    """A suite has an interval on these cases and a wider one on new cases of its build."""
    suite = summed([(10, 10), (0, 10), (9, 10), (1, 10), (5, 10), (5, 10)])
    assert suite.on_new.low < suite.on_these.low < suite.rate < suite.on_these.high < suite.on_new.high


def test_one_case_has_no_suite_interval():
    """Fewer than two counted cases give a rate but no interval of the suite."""
    suite = summed([(3, 10)])
    assert (suite.rate, suite.on_these, suite.on_new) == (0.3, None, None)
    assert suite.cases[0].interval is not None


def test_pass_at_k_and_pass_hat_k_are_unbiased():
    """pass@3 of one pass in eight is 0.375, pass^3 of five passes in eight 0.1786."""
    assert summed([(1, 8)]).pass_at[3] == pytest.approx(0.375)
    assert summed([(5, 8)]).pass_hat[3] == pytest.approx(0.1786, abs=5e-5)


def test_k_is_no_more_than_the_trials():
    """With one trial a case there is no pass@k beyond 1, however many cases; nor if one case has too few."""
    assert summed([(1, 1)] * 12 + [(0, 1)] * 28).pass_at == {}
    suite = summed([(3, 5), (1, 2)])
    assert suite.pass_at[2] is not None
    assert (suite.pass_at[3], suite.pass_hat[3]) == (None, None)
    assert max(suite.pass_at) == 5


def test_kinds_of_traps():
    """Passes are counted by the trap kind that verdicts name, in the order of the cases."""
    trials = [
        trial("case_01", 1, "judge_error"),
        trial("case_01", 2, category="late"),
        trial("case_02", 1, "failed", category="void"),
        trial("case_02", 2, category="void"),
        trial("case_03", 1, category="late"),
    ]
    kinds = summarize(run_of(3, 2), trials).suites[0].kinds
    assert [(kind.name, kind.cases, kind.passes, kind.counted) for kind in kinds] == [
        ("late", 2, 2, 2),
        ("void", 1, 1, 2),
    ]


def test_usage_is_summed_where_it_is_known():
    """Tokens and costs are summed over the trials that reported them, and it is told how many those are."""
    usages = [{"input_tokens": 10, "cost_usd": 0.5}, {"input_tokens": 5}, None, {"problem": "no JSON"}]
    run = run_of(1, 4)
    summary = summarize(run, [trial(number=n, usage=usage) for n, usage in enumerate(usages, 1)])
    assert summary.to_json()["suites"][0]["usage"] == {
        "input_tokens": {"sum": 15, "known": 2, "of": 4},
        "cost_usd": {"sum": 0.5, "known": 1, "of": 4},
    }
    assert summary.suites[0].sightings["usage"].first == [("case_01", 4)]
    assert summed([(1, 1)]).to_json()["usage"] is None


# The whole


def test_several_suites_are_kept_apart():
    """Trials count for the suite they are of, also if both suites have cases of the same name."""
    run = run_of([suite_of(2, family="toy"), suite_of(1, family="other")], 2)
    summary = summarize(run, [*results([(2, 2), (0, 2)]), *results([(1, 2)], suite=1)])
    assert [suite.rate for suite in summary.suites] == [0.5, 0.5]
    assert [suite.done for suite in summary.suites] == [4, 2]


def test_partial_run_tells_what_is_open():
    """A run with open trials is not complete, and names the command that goes on."""
    summary = summarize(run_of(12, 10, number=7, ended=""), results([(3, 10)] * 3 + [(5, 7)]))
    assert (summary.done, summary.planned, summary.open, summary.complete) == (37, 120, 83, False)
    document = summary.to_json()
    assert (document["status"], document["resume"]) == ("partial", "trapcli calibrate --resume 7")


def test_incidents_of_trials_that_ran_later_are_gone():
    """A trial that never ran is told as long as it is open, and not once it has run."""
    incidents = ((0, "case_01", 1, "no memory"), (0, "case_01", 2, "no memory"))
    run = run_of(1, 2, incidents=incidents)
    assert summarize(run, [trial(number=1)]).incidents == ((0, "case_01", 2, "no memory"),)


def test_trial_of_another_run_is_refused():
    """A trial that the run did not plan means a damaged database, and no rate is given."""
    for stranger in (trial("case_09"), trial(suite=3)):
        with pytest.raises(TrapError, match="did not plan"):
            summarize(run_of(1, 1), [stranger])


def test_json_is_one_document_with_null_for_what_is_not_known():
    """The document of any run is JSON without NaN; what cannot be told is null."""
    document = json.loads(json.dumps(summarize(run_of(1, 1), []).to_json(), allow_nan=False))
    suite = document["suites"][0]
    assert suite["rate"] is suite["on_these_cases"] is suite["on_new_cases_of_this_build"] is None
    assert document["plan"]["solution"]["given"] == "python agent.py"
    assert document["sound"] is None
    full = json.loads(json.dumps(summarize(run_of(3, 3), results([(1, 3)] * 3)).to_json(), allow_nan=False))
    assert full["suites"][0]["rate"] == 1 / 3
    assert full["suites"][0].keys() == suite.keys()


@given(st.lists(st.integers(1, 8).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), min_size=1))
def test_intervals_have_a_width_and_hold_the_rate(passes):
    """Whatever the trials, no interval of a case or a suite has the width 0, and each holds its rate."""
    suite = summed(passes)
    for rate, ends in [
        *((case.rate, case.interval) for case in suite.cases),
        *((suite.rate, ends) for ends in (suite.on_these, suite.on_new) if len(passes) > 1),
    ]:
        assert 0 <= ends.low < ends.high <= 1
        assert ends.low - 1e-12 <= rate <= ends.high + 1e-12


@given(st.permutations(results([(2, 3), (0, 3), (3, 3)])))
def test_order_of_trials_does_not_matter(trials):
    """The same trials in any order come to the same."""
    run = run_of(3, 3)
    assert summarize(run, trials).to_json() == summarize(run, results([(2, 3), (0, 3), (3, 3)])).to_json()


def test_memory_does_not_grow_with_verdicts():
    """Summing up keeps of a trial a few numbers, not its verdict or its outputs' names."""

    def many(count):
        for number in range(1, count + 1):
            one = trial(number=number, status="failed", slip="void_counted")
            yield replace(one, verdict={**one.verdict, "cells": "x" * 1000})

    run = run_of(1, 5000)
    summarize(run, many(100))
    tracemalloc.start()
    summarize(run, many(5000))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 400_000
