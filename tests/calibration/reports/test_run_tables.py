"""What a person reads of a run: every number with its name, nothing hidden, fit for a terminal."""

import io
import re

import pytest
from factories import results, run_of, solution_of, suite_of, trial

from trapcli.calibration.reports.run_tables import sections
from trapcli.calibration.reports.summarizer import summarize
from trapcli.views.terminal import show_sections

CHECKED = {"cases": 1, "slips": 4, "wrong": []}


class Terminal(io.StringIO):
    encoding = "utf-8"

    def isatty(self):
        return True


def text_of(run, trials, only=(), **more):
    """All that is shown of a run where lines do not wrap."""
    stream = io.StringIO()
    show_sections(sections(summarize(run, trials, **more), only), stream)
    return stream.getvalue()


def mixed():
    """Trials of three cases that end in all ways."""
    return [
        *results([(7, 10)]),
        *(trial("case_02", n, "failed", slip="void_counted") for n in (1, 2)),
        trial("case_02", 3, "timed_out"),
        trial("case_02", 4, "crashed"),
        trial("case_02", 5, "crashed", exit_code=-11),
        trial("case_02", 6, "judge_error"),
    ]


def test_each_case_has_its_rate_and_interval():
    """A case is a row with passes of counted trials, rate, interval, median and 95% quantile of seconds."""
    out = text_of(run_of(2, 10), mixed())
    assert re.search(r"case  +trap kind  +passed  +rate  +95% interval  +median s  +p95 s\n", out)
    assert re.search(r"case_01  +void_amount  +7/10  +0.70  +0.40 to 0.89  +2.00  +2.00\n", out)
    assert re.search(r"case_02  +void_amount  +0/5  +0.00  +0.00 to 0.43 ", out)


def test_other_endings_are_not_shown_as_wrong_answers():
    """Timeouts, crashes, kills, judge errors and open trials have a column of their own."""
    out = text_of(run_of(2, 10), mixed())
    assert re.search(r"case_01  +3  +3 other\n", out)
    assert re.search(
        r"case_02  +2  +void_counted x2  +1 timed out, 1 crashed, 1 killed, 1 judge error, 4 open\n", out
    )


def test_cases_that_always_passed_have_no_row_of_failures():
    """A run without a failure has no table of failures."""
    out = text_of(run_of(2, 3), results([(3, 3), (3, 3)]))
    assert "wrong answers equal" not in out and "6 passed\n" in out


def test_suite_in_words():
    """A suite's rate stands with two intervals named for what they mean, pass@k and pass^k, and its time."""
    out = text_of(run_of(3, 5), results([(5, 5), (2, 5), (0, 5)]))
    assert re.search(r"mean rate  +0.47 over 3 cases, 15 trials\n", out)
    assert re.search(r"on these cases  +0\.\d\d to 0\.\d\d\n", out)
    assert re.search(r"on new cases of this build  +0\.\d\d to 0\.\d\d\n", out)
    assert re.search(r"pass@k  +k=2: 0.57, k=3: 0.63, k=5: 0.67 \(any of k trials passes; unbiased\)\n", out)
    assert re.search(r"pass\^k  +k=2: 0.37, k=3: 0.33, k=5: 0.33 \(all of k trials pass; unbiased\)\n", out)
    assert re.search(r"if their rates differ by 0\.\d\d or more; 0.6 from 0.5 takes 388 trials each", out)
    assert re.search(r"time  +30.0 s in all trials together\n", out)


def test_unknown_numbers_are_called_so():
    """One case gives no interval of the suite, no counted trial no rate: n/a with the reason."""
    one = text_of(run_of(1, 3), results([(1, 3)]))
    assert re.search(r"on these cases  +n/a: fewer than two cases\n", one)
    none = text_of(run_of(2, 3), [])
    assert re.search(r"case_01  +0/0  +n/a  +n/a  +n/a  +n/a\n", none)
    assert re.search(r"mean rate  +n/a over 0 cases, 0 trials\n", none)
    assert "no trial ran" in none


def test_unequal_trials_are_told():
    """If cases have unequal numbers of trials it is said that they weigh the same."""
    out = text_of(run_of(2, 10), results([(1, 2), (5, 10)]))
    assert "cases weigh the same, though their trials are 2 to 10" in out
    assert "k=2: " in out and "k=3: n/a" in out


def test_partial_run_says_so_at_the_top_and_at_the_bottom():
    """A run with open trials begins and ends with how far it came, and with the command that goes on."""
    out = text_of(run_of(12, 10, number=3, ended=""), results([(3, 10)] * 3 + [(5, 7)]))
    words = "37 of 120 trials; PARTIAL, interrupted or still running: `trapcli calibrate --resume 3` runs"
    lines = out.splitlines()
    assert words in lines[2] and words in lines[-1]
    assert out.count("PARTIAL") == 2
    assert "PARTIAL" not in text_of(run_of(1, 1), [trial()])


def test_several_suites_end_with_one_row_each():
    """Two suites have their own tables, then a row each; cautions name the suite that they are of."""
    run = run_of([suite_of(2, family="toy"), suite_of(2, family="other", practice=True)], 2)
    trials = [*results([(2, 2), (0, 2)]), *results([(1, 2), (1, 2)], suite=1)]
    out = text_of(run, trials)
    assert re.search(r"All suites\n.*\n.*\n  toy  +2  +2/4  +0.50  .*\n  other  +2  +2/4  +0.50  ", out)
    assert re.search(r"\n  other  traps/other is a practice suite", out)
    only = text_of(run, trials, only=[0])
    assert "All suites" not in only and "\nother\n" not in only and "practice" not in only


def test_how_it_ran():
    """The head names solution, limit, jobs, isolation, times, and what the instrument check found."""
    run = run_of(1, 1, plan={"isolate": True}, given="builtin:solve", instrument=CHECKED)
    out = text_of(run, [trial()])
    assert re.match(r"Run 1\n  solution  +builtin:solve\n  trials  +1, complete\n", out)
    assert "limit 600 s, 2 trials at a time, isolated" in out
    assert "2026-01-02T03:04:05+00:00 to 2026-01-02T03:14:05+00:00" in out
    assert "4 known mistakes and empty answers of 1 case judged: none passes" in out


def test_only_the_reference_solver_tells_whether_the_instrument_is_sound():
    """A run of the reference solver ends with that sentence; one of an agent does not."""
    run = run_of(1, 1, given="builtin:solve", instrument=CHECKED)
    assert text_of(run, [trial()]).splitlines()[-1].startswith("  The instrument is sound")
    assert text_of(run, [trial(status="failed")]).splitlines()[-1].startswith("  The instrument is NOT sound")
    assert "sound" not in text_of(run_of(1, 1, instrument=CHECKED), [trial()])


@pytest.mark.parametrize("width", [80, 100])
def test_tables_fit_the_terminal(width, monkeypatch):
    """At 80 and at 100 columns nothing is wider than the terminal, and intervals stay in one line."""
    for name in ("NO_COLOR", "FORCE_COLOR", "LINES"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", str(width))
    trials = [
        trial(f"case_{case:02}", n, "passed" if n < case else "failed", category="region_and_segment",
              slip="the_newest_first" if n > 8 else None, usage={"input_tokens": 12345, "cost_usd": 0.0123})
        for case in range(1, 11)
        for n in range(1, 10)
    ]  # fmt: skip
    stream = Terminal()
    run = run_of(10, 10, given="python3 a/rather/long/path/to/an/agent.py --model some-model --effort high")
    show_sections(sections(summarize(run, trials, earlier=2)), stream)
    lines = re.sub(r"\x1b\[[0-9;]*m", "", stream.getvalue()).splitlines()
    assert max(map(len, lines)) <= width
    assert (
        sum(
            re.search(r"case_\d\d  region_and_segment .* 0.\d\d to [01].\d\d ", line) is not None
            for line in lines
        )
        == 10
    )


def test_name_of_a_solution_is_shown():
    """What trap.yaml calls the solution stands beside how it was given."""
    run = run_of(1, 1)
    object.__setattr__(run.plan, "solution", solution_of("agents/one", name="The One"))
    assert "agents/one (The One)" in text_of(run, [trial()])


def test_the_true_rate_is_told_where_it_is_known():
    """Of a solution that fails by chance the rate that it was made to have stands beside the measured one."""
    run = run_of(suite_of(2, truth=0.625), 2, given="builtin:flaky:0.2")
    assert re.search(
        r"true rate +0.62 on these cases, as the solution was made\n", text_of(run, results([(1, 2), (2, 2)]))
    )
    assert "true rate" not in text_of(run_of(2, 2), results([(1, 2), (2, 2)]))
