"""Two runs side by side: whether a difference was shown, and never more than the trials say."""

import io
import json
from itertools import pairwise

import pytest
from factories import results, run_of, suite_of, trial

from trapcli.calibration.reports.run_comparison import compare_runs
from trapcli.calibration.reports.summarizer import summarize
from trapcli.core.errors import TrapError
from trapcli.views.terminal import show_sections


def summed(passes, number=1, **changes):
    return summarize(run_of(len(passes), 10, number=number, **changes), results(passes))


def text_of(view):
    stream = io.StringIO()
    show_sections(view.sections, stream)
    return stream.getvalue()


def words(first, second):
    """What is said of the only suite of two runs with these passes."""
    return compare_runs(summed(first), summed(second, 2)).document["suites"][0]["in_words"]


def test_noise_shows_no_difference():
    """7, 8, 7, 9, 8, 8 and 7 of 10 cases, one trial each: no run is told from the one before it."""
    counts = [7, 8, 7, 9, 8, 8, 7]
    runs = [[(int(case < count), 1) for case in range(10)] for count in counts]
    for first, second in pairwise(runs):
        assert words(first, second).startswith("No difference shown")


def test_noise_of_one_case_shows_no_difference():
    """The same counts as passes of ten trials of one case: no difference is shown either."""
    for first, second in pairwise([7, 8, 7, 9, 8, 8, 7]):
        assert words([(first, 10)], [(second, 10)]).startswith("No difference shown")


def test_difference_that_is_there():
    """From 2 to 9 of 10 in each of ten cases is a difference, on these cases and on new ones."""
    view = compare_runs(summed([(2, 10)] * 10), summed([(9, 10)] * 10, 2))
    said = view.document["suites"][0]["in_words"]
    assert said.startswith("A difference was shown: on these cases B passes more often than A, +0.70")
    assert "also shown for new cases of this build (p = 0.002)" in said
    back = compare_runs(summed([(9, 10)] * 10, 2), summed([(2, 10)] * 10))
    assert "B passes less often than A, -0.70" in back.document["suites"][0]["in_words"]


def test_few_cases_cannot_show_anything_for_new_ones():
    """With four cases no p-value is below 0.125, and that is said."""
    said = words([(0, 10)] * 4, [(10, 10)] * 4)
    assert "A difference was shown: on these cases" in said
    assert "For new cases of this build none was shown" in said
    assert "4 cases cannot show one for new cases, whatever the trials: no p-value is below 0.125" in said


def test_cases_are_paired():
    """Cases are paired by name, and only those with counted trials in both runs count."""
    first = summarize(run_of(3, 2), results([(1, 2), (2, 2), (0, 2)]))
    second = summarize(
        run_of(suite_of(["case_02", "case_03", "case_04"]), 2, number=2),
        [
            *(trial("case_02", n, "failed") for n in (1, 2)),
            trial("case_03", 1, "judge_error"),
            trial("case_04"),
        ],
    )
    suite = compare_runs(first, second).document["suites"][0]
    assert [case["case"] for case in suite["cases"]] == ["case_02", "case_03"]
    assert (suite["result"]["cases"], suite["result"]["difference"]) == (1, -1.0)
    assert suite["cases"][1]["b"] == {"passes": 0, "counted": 0, "rate": None}


def test_nothing_counted_in_both():
    """If no case has counted trials in both runs, nothing is said, and no number given."""
    suite = compare_runs(summed([(1, 1)]), summed([(0, 0)], 2)).document["suites"][0]
    assert suite["result"] is None and suite["in_words"].startswith("Nothing can be said")


def test_runs_on_other_cases_are_refused():
    """Suites that are not the same to the byte share no case, whatever the cases are called."""
    other = summarize(run_of(suite_of(1, digest="other"), 1, number=2), results([(1, 1)]))
    with pytest.raises(TrapError, match=r"runs 1 and 2 share no case: .*toy digest of to.*toy other"):
        compare_runs(summed([(1, 1)]), other)
    apart = summarize(run_of(suite_of(["case_02"]), 1, number=2), [])
    with pytest.raises(TrapError, match="share no case"):
        compare_runs(summed([(1, 1)]), apart)


def test_run_against_itself_is_refused():
    """A run is not compared with itself."""
    with pytest.raises(TrapError, match="run 1 cannot be compared with itself"):
        compare_runs(summed([(1, 1)]), summed([(1, 1)]))


def test_what_else_differs_is_told():
    """Another limit, number of trials or machine stands at the top; what is the same does not."""
    other = summed([(1, 2)], 2, plan={"limit": 300.0, "isolate": True}, given="python other.py", jobs=9)
    out = text_of(compare_runs(summed([(1, 10)]), other))
    for row in ("solution  ", "limit  ", "trials that ran", "at a time", "isolated", "fresh HOME"):
        assert f"\n  {row}" in out
    assert "600 s" in out and "300 s" in out and "python other.py" in out
    assert "\n  trapcli" not in out and "\n  machine" not in out


def test_several_suites_are_also_compared_together():
    """Two shared suites are compared each by itself and all cases together; JSON holds the same."""
    suites = [suite_of(2, family="toy"), suite_of(2, family="other")]
    first, second = (
        summarize(run_of(suites, 5, number=n), [*results([(n, 5)] * 2), *results([(1, 5)] * 2, suite=1)])
        for n in (1, 2)
    )
    view = compare_runs(first, second)
    document = json.loads(json.dumps(view.document, allow_nan=False))
    assert [suite["suite"] for suite in document["suites"]] == ["toy", "other"]
    assert document["all_suites"]["result"]["cases"] == 4
    assert document["all_suites"]["result"]["difference"] == pytest.approx(0.1)
    assert set(document["suites"][0]["result"]) == {
        "cases", "rate_a", "rate_b", "difference", "on_these_cases", "on_new_cases_of_this_build", "p",
        "smallest_p", "exact", "told_apart",
    }  # fmt: skip
    out = text_of(view)
    assert "\nall suites\n" in out and "p-value" in out and "B - A" in out
