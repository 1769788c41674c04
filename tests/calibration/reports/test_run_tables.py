"""A run as tables: every number with its name, nothing hidden, and no wider than the terminal."""

import io
import re
from typing import Any

import pytest
from factories import results, run_of, solution_of, suite_of, trial

from trapcli.calibration.reports.run_tables import CUT_SHORT, RUNNING, run_sections
from trapcli.calibration.reports.summarizer import summarize
from trapcli.views.terminal import show_sections

CHECKED = {"cases": 1, "outputs": 4, "wrong": []}


class Terminal(io.StringIO):
    encoding = "utf-8"

    def isatty(self) -> Any:
        return True


def text_of(run: Any, trials: Any, only: Any = (), **more: Any) -> Any:
    """Return all that is shown of a run where lines do not wrap."""
    stream = io.StringIO()
    show_sections(run_sections(summarize(run, trials, **more), only), stream)
    return stream.getvalue()


def mixed() -> Any:
    """Return trials of two cases with all outcomes."""
    return [
        *results([(7, 10)]),
        *(trial("case_02", n, "failed", mistake="void_counted") for n in (1, 2)),
        trial("case_02", 3, "timed_out"),
        trial("case_02", 4, "crashed"),
        trial("case_02", 5, "crashed", exit_code=-11),
        trial("case_02", 6, "judge_error"),
    ]


def test_each_case_has_its_rate_and_interval() -> None:
    """A row has the passes of the counted trials, rate, interval, median and 95% quantile of seconds."""
    out = text_of(run_of(2, 10), mixed())
    assert re.search(r"case  +trap  +passed  +rate  +95% interval  +median s  +p95 s\n", out)
    assert re.search(r"case_01  +void_amount  +7/10  +0.70  +0.40 to 0.89  +2.00  +2.00\n", out)
    assert re.search(r"case_02  +void_amount  +0/5  +0.00  +0.00 to 0.43 ", out)


def test_other_outcomes_are_not_shown_as_wrong_answers() -> None:
    """Timeouts, crashes, kills, judge errors and open trials have their own column."""
    out = text_of(run_of(2, 10), mixed())
    assert re.search(r"case_01  +3  +3 other\n", out)
    assert re.search(
        r"case_02  +2  +void_counted x2  +1 timed out, 1 crashed, 1 killed, 1 judge error, 4 open\n", out
    )


def test_cases_that_always_passed_are_not_in_the_failure_table() -> None:
    """A run without a failure has no table of failures."""
    out = text_of(run_of(2, 3), results([(3, 3), (3, 3)]))
    assert "wrong answers match" not in out and "6 passed\n" in out


def test_suite_facts() -> None:
    """A suite has its rate, both intervals, pass@k and pass^k, the detectable difference and the time."""
    out = text_of(run_of(3, 5), results([(5, 5), (2, 5), (0, 5)]))
    assert re.search(r"mean rate  +0.47 over 3 cases, 15 trials\n", out)
    assert re.search(r"on these cases  +0\.\d\d to 0\.\d\d\n", out)
    assert re.search(r"on new cases of this build  +0\.\d\d to 0\.\d\d\n", out)
    assert re.search(r"pass@k  +k=2: 0.57, k=3: 0.63, k=5: 0.67 \(any of k trials passes; unbiased\)\n", out)
    assert re.search(r"pass\^k  +k=2: 0.37, k=3: 0.33, k=5: 0.33 \(all of k trials pass; unbiased\)\n", out)
    assert re.search(
        r"minimum detectable difference  +0\.\d\d between two runs like this \(80% power\)\n", out
    )
    assert re.search(r"time  +30.0 s in all trials together\n", out)


def test_unknown_numbers_are_shown_as_such() -> None:
    """The suite's interval of one case and the rate of no trials are n/a."""
    one = text_of(run_of(1, 3), results([(1, 3)]))
    assert re.search(r"on these cases  +n/a: fewer than two cases\n", one)
    assert re.search(r"minimum detectable difference  +n/a: fewer than two cases\n", one)
    none = text_of(run_of(2, 3), [])
    assert re.search(r"case_01  +0/0  +n/a  +n/a  +n/a  +n/a\n", none)
    assert re.search(r"mean rate  +n/a over 0 cases, 0 trials\n", none)
    assert "no trial ran" in none
    assert re.search(r"minimum detectable difference  +n/a: too few trials\n", none)


def test_unequal_numbers_of_trials() -> None:
    """If cases have unequal numbers of trials, the mean rate says that they have the same weight."""
    out = text_of(run_of(2, 10), results([(1, 2), (5, 10)]))
    assert "all cases have the same weight, though they have 2 to 10 trials" in out
    assert "k=2: " in out and "k=3: n/a" in out


@pytest.mark.slow
def test_partial_run_says_so_at_the_top_and_at_the_bottom() -> None:
    """A run with open trials begins with its progress and ends with the command that resumes it."""
    out = text_of(run_of(12, 10, number=3, ended=""), results([(3, 10)] * 3 + [(5, 7)]))
    lines = out.splitlines()
    assert lines[2].split("trials", 1)[1].strip() == "37 of 120, stopped"
    assert lines[-1].strip() == "`trapcli calibrate --resume 3` runs the 83 open trials."
    assert out.count("--resume") == out.count("stopped") == 1
    assert "--resume" not in text_of(run_of(1, 1), [trial()])


def test_run_that_is_interrupted_or_running_does_not_say_how_to_resume() -> None:
    """An interrupted command says how to resume when it ends; a run that goes on is not resumed."""
    summary = summarize(run_of(2, 2, ended=""), results([(1, 2)]))
    for state in (CUT_SHORT, RUNNING):
        stream = io.StringIO()
        show_sections(run_sections(summary, state=state), stream)
        assert f"2 of 4, {state}\n" in stream.getvalue() and "--resume" not in stream.getvalue()


def test_several_suites_end_with_one_row_each() -> None:
    """Two suites have their own tables, then a row each; each warning names its suite."""
    run = run_of([suite_of(2, family="toy"), suite_of(2, family="other", practice=True)], 2)
    trials = [*results([(2, 2), (0, 2)]), *results([(1, 2), (1, 2)], suite=1)]
    out = text_of(run, trials)
    assert re.search(r"All suites\n.*\n.*\n  toy  +2  +2/4  +0.50  .*\n  other  +2  +2/4  +0.50  ", out)
    assert re.search(r"\n  other  traps/other is a practice suite", out)
    only = text_of(run, trials, only=[0])
    assert "All suites" not in only and "\nother\n" not in only and "practice" not in only


def test_head() -> None:
    """The head names the solution, limit, jobs, isolation and times, and what judging mistakes showed."""
    run = run_of(1, 1, plan={"isolate": True, "no_network": True}, given="builtin:solve", self_check=CHECKED)
    out = text_of(run, [trial()])
    assert re.match(r"Run 1\n  solution  +builtin:solve\n  trials  +1, complete\n", out)
    assert "limit 600 s, 2 trials at a time, isolated, no network" in out
    assert "2026-01-02T03:04:05+00:00 to 2026-01-02T03:14:05+00:00" in out
    assert "self-check  4 known mistakes and empty answers of 1 case judged, all failed" in out


def test_self_check_result_is_the_last_line() -> None:
    """A run of the reference solver ends with the result of the self-check; a run of an agent does not."""
    run = run_of(1, 1, given="builtin:solve", self_check=CHECKED)
    assert text_of(run, [trial()]).splitlines()[-1].startswith("  Self-check passed: ")
    assert text_of(run, [trial(status="failed")]).splitlines()[-1].startswith("  Self-check FAILED: ")
    assert "Self-check" not in text_of(run_of(1, 1), [trial()])


@pytest.mark.parametrize("width", [80, 100])
def test_tables_fit_the_terminal(width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """At 80 and 100 columns nothing is wider than the terminal, and intervals are not broken."""
    for name in ("NO_COLOR", "FORCE_COLOR", "LINES"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", str(width))
    trials = [
        trial(
            f"case_{case:02}",
            n,
            "passed" if n < case else "failed",
            trap="region_and_segment",
            mistake="the_newest_first" if n > 8 else None,
            usage={"input_tokens": 12345, "cost_usd": 0.0123},
        )
        for case in range(1, 11)
        for n in range(1, 10)
    ]
    stream = Terminal()
    run = run_of(10, 10, given="python3 a/rather/long/path/to/an/agent.py --model some-model --effort high")
    show_sections(run_sections(summarize(run, trials, earlier_runs=2)), stream)
    lines = re.sub(r"\x1b\[[0-9;]*m", "", stream.getvalue()).splitlines()
    assert max(map(len, lines)) <= width
    assert (
        sum(
            re.search(r"case_\d\d  region_and_segment .* 0.\d\d to [01].\d\d ", line) is not None
            for line in lines
        )
        == 10
    )


def test_name_of_a_solution_is_shown() -> None:
    """The name in trap.yaml is shown beside what the user gave."""
    run = run_of(1, 1)
    object.__setattr__(run.plan, "solution", solution_of("agents/one", name="The One"))
    assert "agents/one (The One)" in text_of(run, [trial()])


def test_true_rate_is_shown_if_known() -> None:
    """The known rate of a solution that fails at random is shown beside the measured rate."""
    run = run_of(suite_of(2, true_rate=0.625), 2, given="builtin:flaky:0.2")
    assert re.search(
        r"true rate +0.62 on these cases, by construction\n", text_of(run, results([(1, 2), (2, 2)]))
    )
    assert "true rate" not in text_of(run_of(2, 2), results([(1, 2), (2, 2)]))
