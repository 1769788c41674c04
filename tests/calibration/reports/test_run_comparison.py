"""The comparison of two runs: whether a difference was shown, and never more than the trials show."""

import io
import json
from itertools import combinations_with_replacement, pairwise, product
from typing import Any

import pytest
from factories import results, run_of, suite_of, trial

from trapcli.calibration.reports.run_comparison import compare_runs
from trapcli.calibration.reports.summarizer import summarize
from trapcli.core.errors import TrapError
from trapcli.views.terminal import show_sections


def summary_of(passes: Any, number: Any = 1, **changes: Any) -> Any:
    return summarize(run_of(len(passes), 10, number=number, **changes), results(passes))


def text_of(view: Any) -> Any:
    stream = io.StringIO()
    show_sections(view.sections, stream)
    return stream.getvalue()


def conclusion_of(first: Any, second: Any) -> Any:
    """Return the conclusion on the only suite of two runs with these passes."""
    return compare_runs(summary_of(first), summary_of(second, 2)).document["suites"][0]["conclusion"]


def test_doubts_about_a_run_are_shown_before_its_rates() -> None:
    """A run in which most trials crashed says so beside the other run's rates; a sound one says nothing."""
    crashed = [
        trial(number=number, status="crashed", output_status="empty", exit_code=1) for number in range(1, 11)
    ]
    view = compare_runs(summary_of([(5, 10)]), summarize(run_of(1, 10, number=2), crashed))
    assert [(doubt["run"], doubt["type"]) for doubt in view.document["doubts"]] == [(2, "mostly_crashed")]
    assert text_of(view).index("Before the rates") < text_of(view).index("case_01")
    sound = compare_runs(summary_of([(5, 10)]), summary_of([(6, 10)], 2))
    assert sound.document["doubts"] == [] and "Before the rates" not in text_of(sound)


def test_noise_shows_no_difference() -> None:
    """7, 8, 7, 9, 8, 8 and 7 of 10 cases, with one trial each: consecutive runs do not differ."""
    counts = [7, 8, 7, 9, 8, 8, 7]
    runs = [[(int(case < count), 1) for case in range(10)] for count in counts]
    for first, second in pairwise(runs):
        assert conclusion_of(first, second).startswith("No difference shown")


def test_noise_of_one_case_shows_no_difference() -> None:
    """The same counts as passes of ten trials of one case do not differ either."""
    for first, second in pairwise([7, 8, 7, 9, 8, 8, 7]):
        assert conclusion_of([(first, 10)], [(second, 10)]).startswith("No difference shown")


def test_large_difference_is_shown() -> None:
    """From 2 to 9 of 10 in each of ten cases is a difference, on these cases and on new cases."""
    view = compare_runs(summary_of([(2, 10)] * 10), summary_of([(9, 10)] * 10, 2))
    text = view.document["suites"][0]["conclusion"]
    assert text.startswith("A difference was shown: on these cases B passes more often than A, +0.70")
    assert "also shown for new cases of this build (+0.58 to +0.79, p = 0.002)" in text
    back = compare_runs(summary_of([(9, 10)] * 10, 2), summary_of([(2, 10)] * 10))
    assert "B passes less often than A, -0.70" in back.document["suites"][0]["conclusion"]


def test_few_cases_cannot_show_a_difference_for_new_cases() -> None:
    """With four cases the p-value is at least 0.125, and the conclusion says so."""
    text = conclusion_of([(0, 10)] * 4, [(10, 10)] * 4)
    assert "A difference was shown: on these cases" in text
    assert "It was not shown for new cases of this build" in text
    assert text.endswith("4 cases cannot show it, whatever the trials give: p is at least 0.125.")


def test_cases_are_paired() -> None:
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


def test_no_case_with_trials_in_both_runs() -> None:
    """If no case has counted trials in both runs there is no result and no conclusion."""
    suite = compare_runs(summary_of([(1, 1)]), summary_of([(0, 0)], 2)).document["suites"][0]
    assert suite["result"] is None and suite["conclusion"].startswith("No conclusion")


def test_runs_on_other_cases_are_refused() -> None:
    """Suites that are not the same to the byte share no case, even if their cases have the same ids."""
    other = summarize(run_of(suite_of(1, digest="other"), 1, number=2), results([(1, 1)]))
    with pytest.raises(TrapError, match=r"runs 1 and 2 share no case: .*toy digest of to.*toy other"):
        compare_runs(summary_of([(1, 1)]), other)
    apart = summarize(run_of(suite_of(["case_02"]), 1, number=2), [])
    with pytest.raises(TrapError, match="share no case"):
        compare_runs(summary_of([(1, 1)]), apart)


def test_run_against_itself_is_refused() -> None:
    """A run is not compared with itself."""
    with pytest.raises(TrapError, match="run 1 cannot be compared with itself"):
        compare_runs(summary_of([(1, 1)]), summary_of([(1, 1)]))


def test_other_differences_of_the_runs_are_shown() -> None:
    """A different limit, number of trials or machine is at the top; what is the same is not shown."""
    other = summary_of([(1, 2)], 2, plan={"limit": 300.0, "isolate": True}, given="python other.py", jobs=9)
    out = text_of(compare_runs(summary_of([(1, 10)]), other))
    for row in ("solution  ", "limit  ", "trials that ran", "at a time", "isolated", "fresh HOME"):
        assert f"\n  {row}" in out
    assert "600 s" in out and "300 s" in out and "python other.py" in out
    assert "\n  trapcli" not in out and "\n  machine" not in out


def test_several_suites_are_also_compared_together() -> None:
    """Two shared suites are compared one by one and together, also in JSON."""
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
    result = document["suites"][0]["result"]
    assert set(result) == {
        "cases", "rate_a", "rate_b", "difference", "on_these_cases", "on_new_cases_of_this_build",
    }  # fmt: skip
    assert set(result["on_these_cases"]) == {"interval", "p", "smallest_p", "exact", "shown"}
    out = text_of(view)
    assert "\nall suites\n" in out and "trials permuted within cases" in out and "B - A" in out


def test_minimum_detectable_difference_of_two_runs() -> None:
    """If no difference is shown, the conclusion names the difference that would have been detected."""
    suite = compare_runs(summary_of([(5, 10)] * 4), summary_of([(5, 10)] * 4, 2)).document["suites"][0]
    assert 0 < suite["minimum_detectable_difference"] < 1
    assert f"is {suite['minimum_detectable_difference']:.2f} (80% power)." in suite["conclusion"]


SMALL = [[(c, n) for c in passes] for n in (1, 2, 4) for passes in combinations_with_replacement((0, n), 2)]


def test_words_follow_the_figures() -> None:
    """The conclusion says "shown" only where p is at most 0.05 and the interval excludes 0."""
    for first, second in product(SMALL, SMALL):
        suite = compare_runs(summary_of(first), summary_of(second, 2)).document["suites"][0]
        for key, words in (
            ("on_these_cases", "A difference was shown"),
            ("on_new_cases_of_this_build", "It was also shown for new cases"),
        ):
            finding = suite["result"][key]
            low, high = finding["interval"]
            assert finding["shown"] == (finding["p"] <= 0.05 and not low <= 0 <= high)
            assert (words in suite["conclusion"]) == finding["shown"]


@pytest.mark.parametrize("cases", [1, 2])
def test_two_trials_show_no_difference(cases: int) -> None:
    """0 of 2 and 2 of 2 show no difference; the conclusion says that so few trials cannot show one."""
    text = conclusion_of([(0, 2)] * cases, [(2, 2)] * cases)
    assert text.startswith("No difference shown: on these cases +1.00")
    assert "the interval excludes 0, but p is above 0.05, and both are needed" in text
    assert "cannot show one, whatever the trials give: p is at least 0." in text
    assert "A difference was shown" in conclusion_of([(0, 4)] * cases, [(4, 4)] * cases)


def test_one_case_shows_nothing_about_new_cases() -> None:
    """One case has no interval on new cases, in the words and in JSON."""
    suite = compare_runs(summary_of([(0, 10)]), summary_of([(10, 10)], 2)).document["suites"][0]
    assert suite["result"]["on_new_cases_of_this_build"] is None
    assert suite["conclusion"].endswith("One case shows nothing about new cases of this build.")
